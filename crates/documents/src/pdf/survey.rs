//! Examines a page before it is drawn: text, pictures and their resolution, and whether its data is complete.

use std::io::Read;

use flate2::read::DeflateDecoder;
use hayro::hayro_interpret::font::GlyphRun;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    SoftMask, interpret_page,
};
use hayro::hayro_syntax::Filter;
use hayro::hayro_syntax::object::stream::ImageDecodeParams;
use hayro::hayro_syntax::object::{Array, Dict, Object, Stream};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Point, Rect};

use hayro_ccitt::EncodingMode;

use super::{fonts, words};
use crate::bilevel::{Coding, lines};
use crate::pictures::is_whole_jpeg;

/// Maximum number of examined pictures of a page.
const MAX_PICTURES: usize = 500;
/// Minimum share of the page that a picture must cover to fill it.
const FULL: f64 = 0.5;
/// Maximum size of content that is unpacked to verify that it is complete, in bytes.
const MAX_UNPACKED: u64 = 400 << 20;

/// Results for a page.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Whether it contains letters.
    pub has_text: bool,
    /// Whether data of the page or of a picture on it is truncated or unreadable.
    pub is_damaged: bool,
    /// Pixels per point, horizontally and vertically, of the picture that fills the page.
    pub grain: Option<(f32, f32)>,
    page: Rect,
    pictures: usize,
}

impl Survey {
    /// Result for a page that cannot be examined.
    pub fn damaged() -> Self {
        Self { is_damaged: true, ..Self::default() }
    }

    pub fn of(page: &Page<'_>) -> Self {
        let upright = page.initial_transform(true).to_kurbo();
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, width.into(), height.into());
        let mut survey = Self { page: area, is_damaged: !is_whole_content(page), ..Self::default() };
        let cache = InterpreterCache::new();
        let mut context = Context::new(upright, area, &cache, page.xref(), fonts::settings());
        interpret_page(page, &mut context, &mut survey);
        survey
    }

    /// Notes the resolution of an upright picture that fills the page.
    fn note_grain(&mut self, transform: Affine, (width, height): (u32, u32)) {
        let [a, b, c, d, ..] = transform.as_coeffs();
        let (across, down) = if a.abs() >= b.abs() { ((a, b), (d, c)) } else { ((c, d), (b, a)) };
        let is_straight = across.1.abs() < across.0.abs() * 0.1 && down.1.abs() < down.0.abs() * 0.1;
        let corner = Point::new(width.into(), height.into());
        let covered = transform.transform_rect_bbox(Rect::from_points(Point::ZERO, corner));
        let share = covered.intersect(self.page).area() / self.page.area();
        if is_straight && share.is_finite() && share >= FULL {
            let grain = (across.0.abs().recip() as f32, down.0.abs().recip() as f32);
            let is_finer = self.grain.is_none_or(|known| grain.0 * grain.1 > known.0 * known.1);
            self.grain = if is_finer { Some(grain) } else { self.grain };
        }
    }
}

impl<'a> Device<'a> for Survey {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {
        let is_seen = |text: Option<String>| text.is_none_or(|text| !text.trim().is_empty());
        self.has_text |= run.glyphs().iter().any(|glyph| is_seen(words::characters(glyph)));
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let size = (image.width(), image.height());
        self.note_grain(props.transform, size);
        self.pictures += 1;
        if self.pictures <= MAX_PICTURES && !self.is_damaged {
            self.is_damaged = match &image {
                Image::Stencil(stencil) => !is_whole_picture(stencil.stream(), size),
                Image::Raster(raster) => !is_whole_picture(raster.stream(), size),
            };
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn begin_marked_content(&mut self, _: &[u8], _: Option<&Dict<'_>>) {}
    fn end_marked_content(&mut self) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Whether the content of a page is complete. A page without content is empty, but complete.
fn is_whole_content(page: &Page<'_>) -> bool {
    match page.raw().get::<Object<'_>>(b"Contents".as_ref()) {
        Some(Object::Stream(stream)) => is_whole_stream(&stream),
        Some(Object::Array(list)) => list.iter::<Object<'_>>().all(|part| match part {
            Object::Stream(stream) => is_whole_stream(&stream),
            _ => true,
        }),
        // A key without a value refers to an object that is not in the file.
        None => !page.raw().contains_key(b"Contents".as_ref()),
        Some(_) => true,
    }
}

fn is_whole_stream(stream: &Stream<'_>) -> bool {
    match &stream.filters()[..] {
        [Filter::FlateDecode] => is_whole_deflate(&stream.raw_data()),
        _ => stream.decoded_data().is_ok(),
    }
}

/// Whether the data of a picture is complete.
fn is_whole_picture(stream: &Stream<'_>, (width, height): (u32, u32)) -> bool {
    match &stream.filters()[..] {
        [Filter::FlateDecode] => is_whole_deflate(&stream.raw_data()),
        [Filter::DctDecode] => is_whole_jpeg(&stream.raw_data()),
        [Filter::CcittFaxDecode] => is_whole_fax(stream, height),
        _ => {
            let params = ImageDecodeParams { width, height, ..ImageDecodeParams::default() };
            stream.decoded_image(&params).is_ok()
        }
    }
}

/// Whether Deflate data is complete, with or without its zlib header of two bytes. Deflate marks its end. The
/// checksum is ignored, because some writers omit it.
fn is_whole_deflate(data: &[u8]) -> bool {
    let is_whole = |data: &[u8]| {
        let unpacked = std::io::copy(&mut DeflateDecoder::new(data).take(MAX_UNPACKED), &mut std::io::sink());
        unpacked.is_ok()
    };
    data.get(2..).is_some_and(is_whole) || is_whole(data)
}

fn is_whole_fax(stream: &Stream<'_>, rows: u32) -> bool {
    let parameters = stream.dict().get::<Object<'_>>(b"DecodeParms".as_ref());
    let parameters = parameters.or_else(|| stream.dict().get::<Object<'_>>(b"DP".as_ref()));
    let parameters = match parameters {
        Some(Object::Dict(dict)) => Some(dict),
        Some(Object::Array(list)) => Array::iter::<Dict<'_>>(&list).next(),
        _ => None,
    };
    let number =
        |key: &[u8], usual: i32| parameters.as_ref().and_then(|found| found.get::<i32>(key)).unwrap_or(usual);
    let says = |key: &[u8]| parameters.as_ref().and_then(|found| found.get::<bool>(key)).unwrap_or(false);
    let mode = match number(b"K", 0) {
        ..0 => EncodingMode::Group4,
        0 => EncodingMode::Group3_1D,
        _ => EncodingMode::Group3_2D,
    };
    let columns = number(b"Columns", 1728).unsigned_abs();
    if u64::from(columns) * u64::from(rows) > MAX_UNPACKED {
        return true;
    }
    let coding = Coding {
        columns,
        rows,
        mode,
        has_line_ends: says(b"EndOfLine"),
        is_byte_aligned: says(b"EncodedByteAlign"),
    };
    lines(&stream.raw_data(), coding).is_whole
}

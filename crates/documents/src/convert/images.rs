//! Pictures as PDF pages.

use std::io::Cursor;

use chrono::NaiveDateTime;
use image::codecs::jpeg::JpegDecoder;
use image::metadata::Orientation;
use image::{ImageDecoder, ImageReader, Limits};
use krilla::image::{BitsPerComponent, CustomImage, Image, ImageColorspace};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::ConversionError;
use crate::pictures::{MAX_DECODED, MAX_SIDE, is_whole_jpeg};
use crate::typeset::{Mark, Page, Sheet, Turn, Typeset, Typesetter};
use crate::{Flaws, Kind, remarks};

/// Margin around pictures without a physical size, in points.
const MARGIN: f32 = 18.0;

/// Decoded pixels without transparency.
pub(super) struct Pixels {
    pub width: u32,
    pub height: u32,
    /// One byte per pixel if grey, else three.
    pub grey: bool,
    pub bytes: Vec<u8>,
}

/// One page with the picture as large as fits. A remark above it names missing parts.
pub(super) fn to_pdf(
    kind: Kind,
    content: &[u8],
    made: Option<NaiveDateTime>,
) -> Result<Typeset, ConversionError> {
    let (image, turn, is_whole) = match kind {
        Kind::Jpeg => jpeg(content)?,
        _ => (decoded(content)?.into_image()?, Turn::default(), true),
    };
    let page = fitted(image, turn);
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    typesetter.picture_page(if is_whole { page } else { page.with_remark(remarks::PART) });
    let set = typesetter.finish_at("Picture", None, made).ok_or(UNREADABLE)?;
    let parts = if is_whole { Vec::new() } else { vec![1] };
    Ok(Typeset { flaws: Flaws { parts, ..Flaws::default() }, ..set })
}

/// A picture inside a document; `None` if it cannot be read.
pub(crate) fn picture(content: &[u8]) -> Option<Image> {
    decoded(content).ok()?.into_image().ok()
}

pub(super) const UNREADABLE: ConversionError = ConversionError::Broken("the picture is damaged");

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED);
    limits
}

/// PDF/A forbids interpolation of pictures (ISO 19005-2, 6.2.8).
const SMOOTHED: bool = false;

fn refusal(error: image::ImageError) -> ConversionError {
    match error {
        image::ImageError::Limits(_) => ConversionError::TooLarge,
        _ => UNREADABLE,
    }
}

/// Embeds a JPEG file unchanged; it is decoded only to verify that it is intact. A truncated one is
/// embedded as decoded, as far as it goes.
fn jpeg(content: &[u8]) -> Result<(Image, Turn, bool), ConversionError> {
    let mut decoder = JpegDecoder::new(Cursor::new(content)).map_err(refusal)?;
    decoder.set_limits(limits()).map_err(refusal)?;
    let turn = decoder.orientation().map(turn).unwrap_or_default();
    let is_whole = is_whole_jpeg(content);
    let image = match is_whole {
        true => Image::from_jpeg(content.to_vec().into(), SMOOTHED).map_err(|_| UNREADABLE)?,
        // Viewers differ in how they show the missing rest.
        false => decoded(content)?.into_image()?,
    };
    Ok((image, turn, is_whole))
}

fn turn(orientation: Orientation) -> Turn {
    let (quarters, mirrored) = match orientation {
        Orientation::NoTransforms => (0, false),
        Orientation::Rotate90 => (1, false),
        Orientation::Rotate180 => (2, false),
        Orientation::Rotate270 => (3, false),
        Orientation::FlipHorizontal => (0, true),
        Orientation::FlipVertical => (2, true),
        Orientation::Rotate90FlipH => (3, true),
        Orientation::Rotate270FlipH => (1, true),
    };
    Turn { quarters, mirrored }
}

/// Decodes a picture in any format except TIFF.
pub(super) fn decoded(content: &[u8]) -> Result<Pixels, ConversionError> {
    let mut reader = ImageReader::new(Cursor::new(content)).with_guessed_format().map_err(|_| UNREADABLE)?;
    reader.limits(limits());
    let mut picture = reader.decode().map_err(refusal)?;
    if picture.color().has_alpha() {
        picture = on_white(&picture.into_rgba8()).into();
    }
    let grey = !picture.color().has_color();
    let (width, height) = (picture.width(), picture.height());
    let bytes = if grey { picture.into_luma8().into_raw() } else { picture.into_rgb8().into_raw() };
    Ok(Pixels { width, height, grey, bytes })
}

fn on_white(picture: &image::RgbaImage) -> image::RgbImage {
    image::RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, alpha] = picture.get_pixel(x, y).0;
        let over = |colour: u8| {
            ((u32::from(colour) * u32::from(alpha) + 255 * (255 - u32::from(alpha))) / 255) as u8
        };
        image::Rgb([over(red), over(green), over(blue)])
    })
}

impl Pixels {
    pub fn into_image(self) -> Result<Image, ConversionError> {
        Image::from_custom(Raster(Arc::new(self)), SMOOTHED).map_err(|_| UNREADABLE)
    }
}

/// Adapter for the PDF library; cheap to clone.
#[derive(Clone)]
struct Raster(Arc<Pixels>);

impl Hash for Raster {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.width, self.0.height, self.0.grey, &self.0.bytes).hash(state);
    }
}

impl CustomImage for Raster {
    fn color_channel(&self) -> &[u8] {
        &self.0.bytes
    }

    fn alpha_channel(&self) -> Option<&[u8]> {
        None
    }

    fn bits_per_component(&self) -> BitsPerComponent {
        BitsPerComponent::Eight
    }

    fn size(&self) -> (u32, u32) {
        (self.0.width, self.0.height)
    }

    fn icc_profile(&self) -> Option<&[u8]> {
        None
    }

    fn color_space(&self) -> ImageColorspace {
        if self.0.grey { ImageColorspace::Luma } else { ImageColorspace::Rgb }
    }
}

/// A Letter page, portrait or landscape depending on the picture.
pub(super) fn fitted(image: Image, turn: Turn) -> Page {
    let (width, height) = image.size();
    let (width, height) = if turn.quarters.is_multiple_of(2) { (width, height) } else { (height, width) };
    let (width, height) = (width as f32, height as f32);
    let Sheet { width: short, height: long, .. } = Sheet::LETTER;
    let (page_width, page_height) = if width > height { (long, short) } else { (short, long) };
    let scale = ((page_width - 2.0 * MARGIN) / width).min((page_height - 2.0 * MARGIN) / height);
    // Small pictures are shown at 96 pixels per inch, not enlarged.
    let scale = scale.min(72.0 / 96.0);
    let (drawn_width, drawn_height) = (width * scale, height * scale);
    let x = (page_width - drawn_width) / 2.0;
    let picture = Mark::Picture { x, y: MARGIN, width: drawn_width, height: drawn_height, image, turn };
    Page { width: page_width, height: page_height, marks: vec![picture] }
}

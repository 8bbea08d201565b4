//! TIFF, the format of scanners and fax: several pages, bilevel compression, pixels that are not square.

mod chunks;
mod directory;
mod prepare;
mod salvage;

use std::io::Cursor;

use chrono::NaiveDateTime;
use tiff::decoder::ifd::Value;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffUnsupportedError};

use super::ConversionError;
use super::images::{self, Pixels, fitted};
use crate::Flaws;
use crate::bilevel::{Bilevel, PdfFile};
use crate::pictures::{MAX_DECODED, MAX_SIDE, is_whole_jpeg};
use crate::remarks;
use crate::typeset::{Mark, Page, Sheet, Turn, Typeset, Typesetter};
use chunks::{Chunk, Chunks};
use prepare::{LZW, Prepared};

/// Maximum number of displayed pages.
const MAX_PAGES: usize = 1_000;
/// JPEG compression as defined in 1995 (technical note 2).
const JPEG: u32 = 7;
const UNREADABLE: ConversionError = ConversionError::Broken("the TIFF file is damaged");
const UNUSUAL_COLOURS: ConversionError =
    ConversionError::Broken("the TIFF file has colours of an unusual kind");

type File<'a> = Decoder<Cursor<&'a [u8]>>;

/// A page as far as it could be read.
struct Read {
    pixels: Pixels,
    /// Whether nothing is missing.
    is_whole: bool,
}

/// A page and its orientation and size on paper.
struct Scan {
    pixels: Pixels,
    turn: Turn,
    size: Option<(f32, f32)>,
}

/// One PDF page per picture, in the size stated in the file. Remarks on the pages name missing parts.
pub(super) fn to_pdf(content: &[u8], made: Option<NaiveDateTime>) -> Result<Typeset, ConversionError> {
    let prepared = Prepared::of(content)?;
    let mut flaws = Flaws { is_cut: prepared.is_cut, ..Flaws::default() };
    let pdf = match prepared.is_fax {
        true => fax_to_pdf(&prepared, &mut flaws)?,
        false => scans_to_pdf(&prepared, &mut flaws, made)?,
    };
    Ok(Typeset { flaws, ..pdf.into() })
}

fn scans_to_pdf(
    prepared: &Prepared<'_>,
    flaws: &mut Flaws,
    made: Option<NaiveDateTime>,
) -> Result<Vec<u8>, ConversionError> {
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    each_page(prepared, flaws, |scan, remark| {
        let page = match scan {
            Some(Scan { pixels, turn, size }) => picture_page(pixels.into_image()?, turn, size),
            None => Page { width: Sheet::LETTER.width, height: Sheet::LETTER.height, marks: Vec::new() },
        };
        typesetter.picture_page(match remark {
            Some(words) => page.with_remark(words),
            None => page,
        });
        Ok(())
    })?;
    Ok(typesetter.finish_at("Scan", None, made).ok_or(UNREADABLE)?.pdf)
}

/// Converts page by page and recompresses each as a fax, so that hundreds of pages need little memory and
/// make a small file.
fn fax_to_pdf(prepared: &Prepared<'_>, flaws: &mut Flaws) -> Result<Vec<u8>, ConversionError> {
    let mut pdf = PdfFile::new();
    each_page(prepared, flaws, |scan, remark| {
        let (page, size) = match scan {
            Some(Scan { pixels, size, .. }) => {
                let black = pixels.bytes.iter().map(|&grey| grey < 128).collect();
                let page = Bilevel { width: pixels.width, height: pixels.height, black };
                (page, size.ok_or(UNREADABLE)?)
            }
            None => {
                let Sheet { width, height, .. } = Sheet::LETTER;
                (Bilevel { width: 1, height: 1, black: vec![false] }, (width, height))
            }
        };
        pdf.page(&page, size, remark).ok_or(UNREADABLE)
    })?;
    Ok(pdf.finish())
}

/// Reads the pages in order and calls `each`, with `None` for an unreadable page. Fails if no page can be
/// read.
fn each_page(
    prepared: &Prepared<'_>,
    flaws: &mut Flaws,
    mut each: impl FnMut(Option<Scan>, Option<&str>) -> Result<(), ConversionError>,
) -> Result<(), ConversionError> {
    let mut file = open(&prepared.content)?;
    let mut refused = None;
    for (page, name) in (0..prepared.pages).zip(1u32..) {
        let read = match page > 0 {
            true => file.next_image().map_err(refusal),
            false => Ok(()),
        };
        let scan = match read.and_then(|()| read_page(&mut file, prepared, page)) {
            Ok(Read { pixels, is_whole }) => {
                if !is_whole {
                    flaws.parts.push(name);
                }
                let (turn, size) = (orientation(&mut file), (pixels.width, pixels.height));
                Some(Scan { size: stated_size(&mut file, size), turn, pixels })
            }
            Err(ConversionError::TooLarge) => return Err(ConversionError::TooLarge),
            Err(reason) => {
                flaws.pages.push(name);
                refused.get_or_insert(reason);
                None
            }
        };
        let is_last = page + 1 == prepared.pages;
        let remark = match scan {
            None => Some(remarks::PAGE),
            Some(_) if flaws.parts.last() == Some(&name) => Some(remarks::PART),
            Some(_) => (prepared.is_cut && is_last).then_some(remarks::END),
        };
        each(scan, remark)?;
    }
    match refused {
        Some(reason) if flaws.pages.len() == prepared.pages => Err(reason),
        _ => Ok(()),
    }
}

fn open(content: &[u8]) -> Result<File<'_>, ConversionError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MAX_DECODED as usize;
    limits.intermediate_buffer_size = MAX_DECODED as usize;
    Ok(Decoder::new(Cursor::new(content)).map_err(refusal)?.with_limits(limits))
}

/// The error to report. A file that the library does not support is not necessarily damaged.
fn refusal(error: TiffError) -> ConversionError {
    match error {
        TiffError::LimitsExceeded => ConversionError::TooLarge,
        TiffError::UnsupportedError(TiffUnsupportedError::UnsupportedCompressionMethod(_)) => {
            ConversionError::Broken("the TIFF file is compressed in an unusual way")
        }
        TiffError::UnsupportedError(_) => UNUSUAL_COLOURS,
        _ => UNREADABLE,
    }
}

fn number(file: &mut File<'_>, tag: Tag) -> Option<u32> {
    file.find_tag_unsigned::<u32>(tag).ok().flatten()
}

/// TIFF 6.0 tag Orientation, 1 to 8, as in Exif.
fn orientation(file: &mut File<'_>) -> Turn {
    let (quarters, mirrored) = match number(file, Tag::Orientation) {
        Some(2) => (0, true),
        Some(3) => (2, false),
        Some(4) => (2, true),
        Some(5) => (3, true),
        Some(6) => (1, false),
        Some(7) => (1, true),
        Some(8) => (3, false),
        _ => (0, false),
    };
    Turn { quarters, mirrored }
}

/// Width and height in points from XResolution and YResolution; `None` if missing or implausible for paper.
fn stated_size(file: &mut File<'_>, pixels: (u32, u32)) -> Option<(f32, f32)> {
    let per_inch = match number(file, Tag::ResolutionUnit).unwrap_or(2) {
        2 => 1.0,
        3 => 2.54,
        _ => return None,
    };
    let mut resolution = |tag| match file.find_tag(tag).ok().flatten()? {
        Value::Rational(pixels, units) if units > 0 => Some(pixels as f32 / units as f32 * per_inch),
        Value::Float(pixels) => Some(pixels * per_inch),
        _ => None,
    };
    let (x, y) = (resolution(Tag::XResolution)?, resolution(Tag::YResolution)?);
    let (width, height) = (pixels.0 as f32 / x * 72.0, pixels.1 as f32 / y * 72.0);
    let credible = |side: f32| (72.0..=72.0 * 50.0).contains(&side);
    (credible(width) && credible(height)).then_some((width, height))
}

fn picture_page(image: krilla::image::Image, turn: Turn, size: Option<(f32, f32)>) -> Page {
    let Some((width, height)) = size else {
        return fitted(image, turn);
    };
    let (width, height) = if turn.quarters.is_multiple_of(2) { (width, height) } else { (height, width) };
    Page { width, height, marks: vec![Mark::Picture { x: 0.0, y: 0.0, width, height, image, turn }] }
}

fn read_page(file: &mut File<'_>, prepared: &Prepared<'_>, page: usize) -> Result<Read, ConversionError> {
    let (width, height) = file.dimensions().map_err(refusal)?;
    if width == 0 || height == 0 {
        return Err(UNREADABLE);
    }
    if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_DECODED {
        return Err(ConversionError::TooLarge);
    }
    let compression = number(file, Tag::Compression);
    match compression {
        Some(compression @ 2..=4) => return chunks::fax_page(file, prepared, compression, (width, height)),
        Some(6) => return old_jpeg_page(file, &prepared.content, width, height),
        _ => {}
    }
    let is_palette = prepared.palettes.contains(&page);
    match other_page(file, &prepared.content, is_palette, (width, height)) {
        Ok(pixels) => {
            let is_whole = compression != Some(JPEG) || jpegs_end(file, &prepared.content, (width, height));
            Ok(Read { pixels, is_whole })
        }
        Err(UNREADABLE) if salvage::is_possible(compression) => salvage::page(prepared, page),
        Err(other) => Err(other),
    }
}

/// Whether all JPEG strips and tiles of a page have their end mark. The library fills up what is missing.
fn jpegs_end(file: &mut File<'_>, content: &[u8], (width, height): (u32, u32)) -> bool {
    const END: [u8; 2] = [0xff, 0xd9];
    /// Accepted padding after the end mark, in bytes.
    const FILLED: usize = 16;
    let Ok(chunks) = Chunks::of(file, width, height) else { return true };
    chunks.iter(content).all(|chunk| {
        let last = &chunk.bytes[chunk.bytes.len().saturating_sub(FILLED)..];
        last.windows(END.len()).any(|pair| pair == END)
    })
}

/// JPEG of TIFF 6.0 section 22, which later specifications withdrew. Only files with one whole JPEG stream
/// can be read.
fn old_jpeg_page(
    file: &mut File<'_>,
    content: &[u8],
    width: u32,
    height: u32,
) -> Result<Read, ConversionError> {
    const UNUSUAL: ConversionError =
        ConversionError::Broken("the TIFF file has JPEG data of a withdrawn kind");
    let strip = number(file, Tag::StripOffsets).zip(number(file, Tag::StripByteCounts));
    let stream = number(file, Tag::Unknown(513)).zip(number(file, Tag::Unknown(514))).or(strip);
    let (start, length) = stream.ok_or(UNUSUAL)?;
    let end = (start as usize).saturating_add(length as usize).min(content.len());
    let stream = content.get(start as usize..end).ok_or(UNUSUAL)?;
    let picture = images::decoded(stream).map_err(|_| UNUSUAL)?;
    if (picture.width, picture.height) != (width, height) {
        return Err(UNUSUAL);
    }
    Ok(Read { pixels: picture, is_whole: is_whole_jpeg(stream) })
}

/// The samples of a page; plane by plane if it has several planes.
struct Samples {
    bytes: Vec<u8>,
    planes: usize,
}

/// Reads a page with the library, and converts planes, palettes and colour models, which the library leaves
/// to its caller.
fn other_page(
    file: &mut File<'_>,
    content: &[u8],
    palette: bool,
    (width, height): (u32, u32),
) -> Result<Pixels, ConversionError> {
    let colour = file.colortype().map_err(refusal)?;
    if colour.bit_depth() < 8 && colour.num_samples() == 1 && is_tiled_lzw(file) {
        let bytes = lzw_tiles(file, content, (colour.bit_depth(), palette), (width, height))?;
        let bytes = if palette { coloured(file, &bytes)? } else { bytes };
        return Ok(Pixels { width, height, grey: !palette, bytes });
    }
    let mut decoded = DecodingResult::U8(Vec::new());
    let layout = file.read_image_to_buffer(&mut decoded).map_err(refusal)?;
    let bytes = match decoded {
        DecodingResult::U8(bytes) => bytes,
        DecodingResult::U16(words) => words.into_iter().map(|word| (word >> 8) as u8).collect(),
        _ => return Err(ConversionError::Broken("the TIFF file has pixels of an unusual type")),
    };
    picture(file, Samples { bytes, planes: layout.planes.max(1) }, palette, (width, height))
}

/// Converts samples to a picture.
fn picture(
    file: &mut File<'_>,
    Samples { bytes, planes }: Samples,
    palette: bool,
    (width, height): (u32, u32),
) -> Result<Pixels, ConversionError> {
    let colour = file.colortype().map_err(refusal)?;
    let depth = colour.bit_depth();
    let samples = usize::from(colour.num_samples());
    let pixels = width as usize * height as usize;
    let in_planes = planes > 1;
    let row = width as usize * if in_planes { 1 } else { samples };
    let bytes = if depth < 8 { unpack(&bytes, row, depth, palette) } else { bytes };
    if bytes.len() < pixels * samples || (in_planes && planes < samples) {
        return Err(ConversionError::TooLarge);
    }
    let bytes = if in_planes { interleaved(&bytes, pixels, samples) } else { bytes };
    if palette && depth > 8 {
        return Err(UNUSUAL_COLOURS);
    }
    if palette {
        let bytes: Vec<u8> = bytes.chunks_exact(samples).map(|pixel| pixel[0]).collect();
        return Ok(Pixels { width, height, grey: false, bytes: coloured(file, &bytes)? });
    }
    let each = |pixel: fn(&[u8]) -> [u8; 3]| bytes.chunks_exact(samples).flat_map(pixel).collect::<Vec<u8>>();
    let (grey, bytes) = match colour {
        ColorType::Gray(_) => (true, bytes),
        // Grey with additional channels.
        ColorType::GrayA(_) | ColorType::Multiband { .. } => {
            (true, bytes.chunks_exact(samples).map(|pixel| pixel[0]).collect())
        }
        ColorType::RGB(_) => (false, bytes),
        ColorType::RGBA(_) if number(file, Tag::ExtraSamples) == Some(1) => {
            (false, each(|pixel| on_white(pixel, 255)))
        }
        ColorType::RGBA(_) => (false, each(|pixel| on_white(pixel, pixel[3]))),
        ColorType::CMYK(_) | ColorType::CMYKA(_) => (false, each(cmyk)),
        ColorType::YCbCr(_) => (false, each(ycbcr)),
        _ => return Err(UNUSUAL_COLOURS),
    };
    Ok(Pixels { width, height, grey, bytes })
}

fn is_tiled_lzw(file: &mut File<'_>) -> bool {
    number(file, Tag::Compression) == Some(LZW) && matches!(file.find_tag(Tag::TileOffsets), Ok(Some(_)))
}

/// Decodes LZW tiles with one sample of fewer than 8 bits per pixel: the library fails on such short rows.
fn lzw_tiles(
    file: &mut File<'_>,
    content: &[u8],
    (depth, palette): (u8, bool),
    (width, height): (u32, u32),
) -> Result<Vec<u8>, ConversionError> {
    let chunks = Chunks::of(file, width, height)?;
    let (across, down, side) = (width as usize, height as usize, chunks.width as usize);
    if u64::from(chunks.width) * u64::from(chunks.height) > MAX_DECODED {
        return Err(ConversionError::TooLarge);
    }
    let mut packed = vec![0; (side * usize::from(depth)).div_ceil(8) * chunks.height as usize];
    let mut page = vec![0xff; across * down];
    for Chunk { bytes, left, top, .. } in chunks.iter(content) {
        if top >= down || left >= across {
            break;
        }
        if !unpack_lzw(bytes, &mut packed) {
            return Err(UNREADABLE);
        }
        chunks::place(&unpack(&packed, side, depth, palette), side, &mut page, (across, left, top));
    }
    if !palette && number(file, Tag::PhotometricInterpretation) == Some(0) {
        page.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(page)
}

/// Fills `out`; returns whether there was enough data.
fn unpack_lzw(mut bytes: &[u8], mut out: &mut [u8]) -> bool {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    // One call may stop before all output is written.
    while !out.is_empty() {
        let step = decoder.decode_bytes(bytes, out);
        bytes = &bytes[step.consumed_in..];
        out = &mut out[step.consumed_out..];
        if step.consumed_out == 0 && !matches!(step.status, Ok(weezl::LzwStatus::Ok)) {
            return false;
        }
    }
    true
}

/// Converts planes to pixel-by-pixel order.
fn interleaved(planes: &[u8], pixels: usize, samples: usize) -> Vec<u8> {
    let mut out = vec![0; pixels * samples];
    for (sample, plane) in planes.chunks_exact(pixels).take(samples).enumerate() {
        for (pixel, value) in out.chunks_exact_mut(samples).zip(plane) {
            pixel[sample] = *value;
        }
    }
    out
}

/// Blends a colour with alpha onto white; `share` is 255 if the colour is premultiplied.
fn on_white(pixel: &[u8], share: u8) -> [u8; 3] {
    let white = 255 - u32::from(pixel[3]);
    [0, 1, 2].map(|at| (u32::from(pixel[at]) * u32::from(share) / 255 + white).min(255) as u8)
}

/// Unpacks samples of fewer than 8 bits from rows padded to bytes. Scales them to 8 bits, unless they are
/// palette indexes.
fn unpack(bytes: &[u8], row: usize, bits: u8, numbers: bool) -> Vec<u8> {
    let bits = usize::from(bits);
    let (mask, stretch) = ((1u16 << bits) - 1, if numbers { 1 } else { 255 / ((1u16 << bits) - 1) });
    let sample = |line: &[u8], index: usize| {
        let at = index * bits;
        let pair = u16::from(line[at / 8]) << 8 | u16::from(line.get(at / 8 + 1).copied().unwrap_or(0));
        (((pair >> (16 - bits - at % 8)) & mask) * stretch) as u8
    };
    let lines = bytes.chunks_exact((row * bits).div_ceil(8).max(1));
    lines.flat_map(|line| (0..row).map(move |index| sample(line, index))).collect()
}

fn coloured(file: &mut File<'_>, numbers: &[u8]) -> Result<Vec<u8>, ConversionError> {
    let map = file.find_tag_unsigned_vec::<u16>(Tag::ColorMap).ok().flatten().ok_or(UNREADABLE)?;
    let size = map.len() / 3;
    // Some writers fill the table with 8-bit values.
    let shift = if map.iter().all(|&value| value < 256) { 0 } else { 8 };
    let part = |plane: usize, number: u8| {
        map.get(plane * size + usize::from(number)).map_or(0, |value| (value >> shift) as u8)
    };
    Ok(numbers.iter().flat_map(|&number| [0, 1, 2].map(|plane| part(plane, number))).collect())
}

fn cmyk(pixel: &[u8]) -> [u8; 3] {
    let black = 255 - u32::from(pixel[3]);
    [0, 1, 2].map(|at| ((255 - u32::from(pixel[at])) * black / 255) as u8)
}

/// Converts YCbCr to RGB by ITU-R BT.601, the default of TIFF 6.0 section 21.
fn ycbcr(pixel: &[u8]) -> [u8; 3] {
    let (luma, blue, red) = (f32::from(pixel[0]), f32::from(pixel[1]) - 128.0, f32::from(pixel[2]) - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue]
        .map(|value| value.clamp(0.0, 255.0) as u8)
}

//! TIFF, the format of scanners and fax: many pages, bilevel compression, pixels that are not square.

use std::io::Cursor;

use hayro_ccitt::{DecodeSettings, Decoder as RowSink, DecoderContext, EncodingMode};
use tiff::ColorType;
use tiff::decoder::ifd::Value;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::ConversionError;
use super::images::{MAX_DECODED, MAX_SIDE, Pixels, fitted};
use crate::fax::{Bilevel, PdfFile};
use crate::typeset::{Mark, Page, Sheet, Turn, Typesetter};

/// Most pages that are shown.
const MAX_PAGES: usize = 1_000;
const UNREADABLE: ConversionError = ConversionError::Broken("the TIFF file is damaged");

type File<'a> = Decoder<Cursor<&'a [u8]>>;

/// One page per picture, in the size that the file states.
pub(super) fn to_pdf(content: &[u8]) -> Result<Vec<u8>, ConversionError> {
    if is_fax(content)? {
        return fax_to_pdf(content);
    }
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    let mut file = open(content)?;
    for page in 1.. {
        if page > MAX_PAGES {
            return Err(ConversionError::TooLarge);
        }
        let pixels = read_page(&mut file, content)?;
        let turn = orientation(&mut file);
        let size = stated_size(&mut file, (pixels.width, pixels.height));
        typesetter.picture_page(picture_page(pixels.into_image()?, turn, size));
        if !file.more_images() {
            break;
        }
        file.next_image().map_err(|_| UNREADABLE)?;
    }
    Ok(typesetter.finish("Scan", None).ok_or(UNREADABLE)?.pdf)
}

fn open(content: &[u8]) -> Result<File<'_>, ConversionError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MAX_DECODED as usize;
    limits.intermediate_buffer_size = MAX_DECODED as usize;
    Ok(Decoder::new(Cursor::new(content)).map_err(|_| UNREADABLE)?.with_limits(limits))
}

/// Whether all pages are upright fax pages of a stated size.
fn is_fax(content: &[u8]) -> Result<bool, ConversionError> {
    let mut file = open(content)?;
    for page in 1.. {
        if page > MAX_PAGES {
            return Err(ConversionError::TooLarge);
        }
        let compressed = matches!(number(&mut file, Tag::Compression), Some(2..=4));
        let (width, height) = file.dimensions().map_err(|_| UNREADABLE)?;
        let sized = stated_size(&mut file, (width, height)).is_some();
        if !compressed || !sized || orientation(&mut file) != Turn::default() {
            return Ok(false);
        }
        if !file.more_images() {
            break;
        }
        file.next_image().map_err(|_| UNREADABLE)?;
    }
    Ok(true)
}

/// Page by page, and compressed again as a fax: hundreds of pages neither need much memory nor make a large file.
fn fax_to_pdf(content: &[u8]) -> Result<Vec<u8>, ConversionError> {
    let mut file = open(content)?;
    let mut pdf = PdfFile::new();
    loop {
        let pixels = read_page(&mut file, content)?;
        let size = stated_size(&mut file, (pixels.width, pixels.height)).ok_or(UNREADABLE)?;
        let black = pixels.bytes.iter().map(|&grey| grey < 128).collect();
        let page = Bilevel { width: pixels.width, height: pixels.height, black };
        pdf.page(&page, size).ok_or(UNREADABLE)?;
        if !file.more_images() {
            return Ok(pdf.finish());
        }
        file.next_image().map_err(|_| UNREADABLE)?;
    }
}

fn number(file: &mut File<'_>, tag: Tag) -> Option<u32> {
    file.find_tag_unsigned::<u32>(tag).ok().flatten()
}

/// TIFF 6.0 tag Orientation, 1 to 8, as Exif uses it.
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

/// Width and height in points by XResolution and YResolution; None when missing or not credible for paper.
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

fn read_page(file: &mut File<'_>, content: &[u8]) -> Result<Pixels, ConversionError> {
    let (width, height) = file.dimensions().map_err(|_| UNREADABLE)?;
    if width == 0 || height == 0 {
        return Err(UNREADABLE);
    }
    if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_DECODED {
        return Err(ConversionError::TooLarge);
    }
    match number(file, Tag::Compression) {
        Some(compression @ 2..=4) => fax_page(file, content, compression, width, height),
        _ => other_page(file, width, height),
    }
}

/// Pages compressed for fax: TIFF 6.0 sections 10 and 11, ITU-T T.4 and T.6.
fn fax_page(
    file: &mut File<'_>,
    content: &[u8],
    compression: u32,
    width: u32,
    height: u32,
) -> Result<Pixels, ConversionError> {
    if number(file, Tag::BitsPerSample).unwrap_or(1) != 1 {
        return Err(UNREADABLE);
    }
    let vector = |file: &mut File<'_>, tag| file.find_tag_unsigned_vec::<u64>(tag).ok().flatten();
    let offsets = vector(file, Tag::StripOffsets).ok_or(UNREADABLE)?;
    let lengths = vector(file, Tag::StripByteCounts).ok_or(UNREADABLE)?;
    let rows_per_strip = number(file, Tag::RowsPerStrip).unwrap_or(height).clamp(1, height);
    let options = number(file, Tag::Unknown(292)).unwrap_or(0);
    let encoding = match compression {
        4 => EncodingMode::Group4,
        3 if options & 1 == 1 => EncodingMode::Group3_2D,
        _ => EncodingMode::Group3_1D,
    };
    let mirrored_bits = number(file, Tag::FillOrder) == Some(2);
    let mut rows =
        Rows { width: width as usize, bytes: Vec::new(), limit: (width as usize) * (height as usize) };
    for (index, (offset, length)) in offsets.into_iter().zip(lengths).enumerate() {
        let first_row = index as u32 * rows_per_strip;
        let strip_rows = rows_per_strip.min(height.saturating_sub(first_row));
        if strip_rows == 0 {
            break;
        }
        let end = offset.saturating_add(length).min(content.len() as u64);
        let strip = content.get(offset as usize..end as usize).ok_or(UNREADABLE)?;
        let reversed: Vec<u8>;
        let strip = if mirrored_bits {
            reversed = strip.iter().map(|byte| byte.reverse_bits()).collect();
            &reversed
        } else {
            strip
        };
        let settings = DecodeSettings {
            columns: width,
            rows: strip_rows,
            end_of_block: true,
            end_of_line: compression == 3,
            rows_are_byte_aligned: compression == 2,
            encoding,
            strict: false,
        };
        // A damaged strip keeps the rows that were read, as a fax machine would print them.
        let decoded = hayro_ccitt::decode(strip, &mut rows, &mut DecoderContext::new(settings));
        if decoded.is_err() && rows.bytes.is_empty() {
            return Err(UNREADABLE);
        }
        rows.bytes.resize((first_row + strip_rows) as usize * rows.width, 0xff);
    }
    // MinIsBlack says that what the code calls black is white.
    if number(file, Tag::PhotometricInterpretation) == Some(1) {
        rows.bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    rows.bytes.resize(rows.limit, 0xff);
    Ok(Pixels { width, height, grey: true, bytes: rows.bytes })
}

struct Rows {
    width: usize,
    bytes: Vec<u8>,
    limit: usize,
}

impl RowSink for Rows {
    fn push_row(&mut self, changes: &[u32]) {
        if self.bytes.len() + self.width > self.limit {
            return;
        }
        let start = self.bytes.len();
        self.bytes.resize(start + self.width, 0xff);
        let row = &mut self.bytes[start..];
        for black in changes.chunks(2) {
            let from = (black[0] as usize).min(row.len());
            let to = black.get(1).map_or(row.len(), |&end| end as usize).clamp(from, row.len());
            row[from..to].fill(0);
        }
    }
}

fn other_page(file: &mut File<'_>, width: u32, height: u32) -> Result<Pixels, ConversionError> {
    if number(file, Tag::FillOrder) == Some(2) {
        // TIFF 6.0 advises against it, and the decoder would take the bits for mirrored pixels.
        return Err(ConversionError::Broken("the TIFF file has an unusual order of bits"));
    }
    let colour = file.colortype().map_err(|_| UNREADABLE)?;
    let bytes = match file.read_image().map_err(|_| UNREADABLE)? {
        DecodingResult::U8(bytes) => bytes,
        DecodingResult::U16(words) => words.into_iter().map(|word| (word >> 8) as u8).collect(),
        _ => return Err(ConversionError::Broken("the TIFF file has pixels of an unusual type")),
    };
    let count = width as usize * height as usize;
    let (grey, bytes) = match colour {
        ColorType::Gray(bits @ (1 | 2 | 4)) => (true, unpack(&bytes, width as usize, bits)),
        ColorType::Gray(_) => (true, bytes),
        ColorType::GrayA(_) => (true, bytes.as_chunks::<2>().0.iter().map(|pixel| pixel[0]).collect()),
        ColorType::RGB(_) => (false, bytes),
        ColorType::RGBA(_) => (
            false,
            bytes.as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        ),
        ColorType::CMYK(_) => {
            (false, bytes.as_chunks::<4>().0.iter().flat_map(|pixel| cmyk(pixel)).collect())
        }
        ColorType::YCbCr(_) => {
            (false, bytes.as_chunks::<3>().0.iter().flat_map(|pixel| ycbcr(pixel)).collect())
        }
        ColorType::Palette(bits) => (false, palette(file, &bytes, width as usize, bits)?),
        _ => return Err(ConversionError::Broken("the TIFF file has colours of an unusual type")),
    };
    let mut bytes: Vec<u8> = bytes;
    bytes.resize(count * if grey { 1 } else { 3 }, 0xff);
    Ok(Pixels { width, height, grey, bytes })
}

/// Samples of 1, 2 or 4 bits, rows padded to bytes, stretched to 8 bits.
fn unpack(bytes: &[u8], width: usize, bits: u8) -> Vec<u8> {
    samples(bytes, width, bits).map(|sample| (u32::from(sample) * 255 / ((1 << bits) - 1)) as u8).collect()
}

fn samples(bytes: &[u8], width: usize, bits: u8) -> impl Iterator<Item = u8> + '_ {
    let per_byte = 8 / usize::from(bits);
    let row = width.div_ceil(per_byte).max(1);
    bytes.chunks(row).flat_map(move |row| {
        let unpacked = row.iter().flat_map(move |byte| {
            (0..per_byte)
                .map(move |at| (byte >> (8 - usize::from(bits) * (at + 1))) & ((1u16 << bits) - 1) as u8)
        });
        unpacked.take(width)
    })
}

fn palette(file: &mut File<'_>, bytes: &[u8], width: usize, bits: u8) -> Result<Vec<u8>, ConversionError> {
    let map = file.find_tag_unsigned_vec::<u16>(Tag::ColorMap).ok().flatten().ok_or(UNREADABLE)?;
    let size = map.len() / 3;
    let colour = |index: u8| {
        let at =
            |plane: usize| map.get(plane * size + usize::from(index)).map_or(0, |value| (value >> 8) as u8);
        [at(0), at(1), at(2)]
    };
    Ok(match bits {
        1 | 2 | 4 => samples(bytes, width, bits).flat_map(colour).collect(),
        _ => bytes.iter().copied().flat_map(colour).collect(),
    })
}

fn cmyk(pixel: &[u8]) -> [u8; 3] {
    let black = 255 - u32::from(pixel[3]);
    [0, 1, 2].map(|at| ((255 - u32::from(pixel[at])) * black / 255) as u8)
}

/// ITU-R BT.601, as TIFF 6.0 section 21 has it by default.
fn ycbcr(pixel: &[u8]) -> [u8; 3] {
    let (luma, blue, red) = (f32::from(pixel[0]), f32::from(pixel[1]) - 128.0, f32::from(pixel[2]) - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue]
        .map(|value| value.clamp(0.0, 255.0) as u8)
}

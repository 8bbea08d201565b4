//! TIFF, the format of scanners and fax: many pages, bilevel compression, pixels that are not square.

mod prepare;

use std::io::Cursor;

use chrono::NaiveDateTime;
use hayro_ccitt::{DecodeSettings, Decoder as RowSink, DecoderContext, EncodingMode};
use tiff::decoder::ifd::Value;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError, TiffUnsupportedError};

use super::ConversionError;
use super::images::{self, MAX_DECODED, MAX_SIDE, Pixels, fitted};
use crate::fax::{Bilevel, PdfFile};
use crate::typeset::{Mark, Page, Sheet, Turn, Typesetter};
use prepare::{LZW, Prepared};

/// Most pages that are shown.
const MAX_PAGES: usize = 1_000;
const UNREADABLE: ConversionError = ConversionError::Broken("the TIFF file is damaged");
const UNUSUAL_COLOURS: ConversionError =
    ConversionError::Broken("the TIFF file has colours of an unusual kind");

type File<'a> = Decoder<Cursor<&'a [u8]>>;

/// One page per picture, in the size that the file states.
pub(super) fn to_pdf(content: &[u8], made: Option<NaiveDateTime>) -> Result<Vec<u8>, ConversionError> {
    let prepared = Prepared::of(content)?;
    if prepared.is_fax {
        return fax_to_pdf(&prepared);
    }
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    let mut file = open(&prepared.content)?;
    for page in 0..prepared.pages {
        if page > 0 {
            file.next_image().map_err(refusal)?;
        }
        let pixels = read_page(&mut file, &prepared, page)?;
        let turn = orientation(&mut file);
        let size = stated_size(&mut file, (pixels.width, pixels.height));
        typesetter.picture_page(picture_page(pixels.into_image()?, turn, size));
    }
    Ok(typesetter.finish_at("Scan", None, made).ok_or(UNREADABLE)?.pdf)
}

/// Page by page, and compressed again as a fax: hundreds of pages neither need much memory nor make a large file.
fn fax_to_pdf(prepared: &Prepared<'_>) -> Result<Vec<u8>, ConversionError> {
    let mut file = open(&prepared.content)?;
    let mut pdf = PdfFile::new();
    for page in 0..prepared.pages {
        if page > 0 {
            file.next_image().map_err(refusal)?;
        }
        let pixels = read_page(&mut file, prepared, page)?;
        let size = stated_size(&mut file, (pixels.width, pixels.height)).ok_or(UNREADABLE)?;
        let black = pixels.bytes.iter().map(|&grey| grey < 128).collect();
        let page = Bilevel { width: pixels.width, height: pixels.height, black };
        pdf.page(&page, size).ok_or(UNREADABLE)?;
    }
    Ok(pdf.finish())
}

fn open(content: &[u8]) -> Result<File<'_>, ConversionError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MAX_DECODED as usize;
    limits.intermediate_buffer_size = MAX_DECODED as usize;
    Ok(Decoder::new(Cursor::new(content)).map_err(refusal)?.with_limits(limits))
}

/// A file that the library cannot read is not therefore damaged.
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

fn read_page(file: &mut File<'_>, prepared: &Prepared<'_>, page: usize) -> Result<Pixels, ConversionError> {
    let (width, height) = file.dimensions().map_err(refusal)?;
    if width == 0 || height == 0 {
        return Err(UNREADABLE);
    }
    if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_DECODED {
        return Err(ConversionError::TooLarge);
    }
    match number(file, Tag::Compression) {
        Some(compression @ 2..=4) => fax_page(file, &prepared.content, compression, width, height),
        Some(6) => old_jpeg_page(file, &prepared.content, width, height),
        _ => other_page(file, &prepared.content, prepared.palettes.contains(&page), width, height),
    }
}

/// The strips or tiles of a page: where they lie in the file and on the page.
struct Chunks {
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    width: u32,
    height: u32,
    across: u32,
}

impl Chunks {
    fn of(file: &mut File<'_>, width: u32, height: u32) -> Result<Self, ConversionError> {
        let mut vector = |tag| file.find_tag_unsigned_vec::<u64>(tag).ok().flatten();
        let (offsets, lengths, tiled) = match vector(Tag::TileOffsets) {
            Some(offsets) => (Some(offsets), vector(Tag::TileByteCounts), true),
            None => (vector(Tag::StripOffsets), vector(Tag::StripByteCounts), false),
        };
        let (offsets, lengths) = (offsets.ok_or(UNREADABLE)?, lengths.ok_or(UNREADABLE)?);
        let (chunk_width, chunk_height) = match tiled {
            true => (number(file, Tag::TileWidth), number(file, Tag::TileLength)),
            false => (Some(width), Some(number(file, Tag::RowsPerStrip).unwrap_or(height).clamp(1, height))),
        };
        let side = |side: Option<u32>| side.filter(|side| (1..=MAX_SIDE).contains(side)).ok_or(UNREADABLE);
        let (chunk_width, chunk_height) = (side(chunk_width)?, side(chunk_height)?);
        let across = width.div_ceil(chunk_width);
        Ok(Self { offsets, lengths, width: chunk_width, height: chunk_height, across })
    }

    /// Bytes of each chunk, as far as the file has them, and its left and upper edge on the page.
    fn iter<'c>(&'c self, content: &'c [u8]) -> impl Iterator<Item = (&'c [u8], (usize, usize))> {
        let places = (0..).map(|index| {
            let (column, row) = (index % self.across, index / self.across);
            ((column * self.width) as usize, row as usize * self.height as usize)
        });
        let bytes = self.offsets.iter().zip(&self.lengths).map(|(&offset, &length)| {
            let end = offset.saturating_add(length).min(content.len() as u64);
            content.get(offset as usize..end as usize).unwrap_or_default()
        });
        bytes.zip(places)
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
    if number(file, Tag::BitsPerSample).unwrap_or(1) != 1
        || number(file, Tag::SamplesPerPixel).unwrap_or(1) != 1
    {
        return Err(UNUSUAL_COLOURS);
    }
    let chunks = Chunks::of(file, width, height)?;
    let options = number(file, Tag::Unknown(292)).unwrap_or(0);
    let encoding = match compression {
        4 => EncodingMode::Group4,
        3 if options & 1 == 1 => EncodingMode::Group3_2D,
        _ => EncodingMode::Group3_1D,
    };
    let (across, down) = (width as usize, height as usize);
    let mut page = vec![0xff; across * down];
    let mut readable = false;
    for (bytes, (left, top)) in chunks.iter(content) {
        if top >= down || left >= across {
            break;
        }
        let lines = (chunks.height as usize).min(down - top);
        if chunks.width as u64 * lines as u64 > MAX_DECODED {
            return Err(ConversionError::TooLarge);
        }
        let settings = DecodeSettings {
            columns: chunks.width,
            rows: lines as u32,
            end_of_block: true,
            end_of_line: compression == 3,
            rows_are_byte_aligned: compression == 2,
            encoding,
            strict: false,
        };
        let mut rows =
            Rows { width: chunks.width as usize, bytes: Vec::new(), limit: chunks.width as usize * lines };
        // A damaged chunk keeps the rows that were read, as a fax machine would print them.
        let decoded = hayro_ccitt::decode(bytes, &mut rows, &mut DecoderContext::new(settings));
        readable |= decoded.is_ok() || !rows.bytes.is_empty();
        for (row, line) in
            rows.bytes.chunks_exact(rows.width).zip(page[top * across..].chunks_exact_mut(across))
        {
            let used = rows.width.min(across - left);
            line[left..left + used].copy_from_slice(&row[..used]);
        }
    }
    if !readable {
        return Err(UNREADABLE);
    }
    // MinIsBlack says that what the code calls black is white.
    if number(file, Tag::PhotometricInterpretation) == Some(1) {
        page.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(Pixels { width, height, grey: true, bytes: page })
}

/// JPEG as TIFF 6.0 section 22 had it, which later specifications withdrew: only files that hold one whole JPEG
/// stream can be read.
fn old_jpeg_page(
    file: &mut File<'_>,
    content: &[u8],
    width: u32,
    height: u32,
) -> Result<Pixels, ConversionError> {
    const UNUSUAL: ConversionError =
        ConversionError::Broken("the TIFF file has JPEG data of a withdrawn kind");
    let strip = number(file, Tag::StripOffsets).zip(number(file, Tag::StripByteCounts));
    let stream = number(file, Tag::Unknown(513)).zip(number(file, Tag::Unknown(514))).or(strip);
    let (start, length) = stream.ok_or(UNUSUAL)?;
    let end = (start as usize).saturating_add(length as usize).min(content.len());
    let picture =
        content.get(start as usize..end).and_then(|stream| images::decoded(stream).ok()).ok_or(UNUSUAL)?;
    if (picture.width, picture.height) != (width, height) {
        return Err(UNUSUAL);
    }
    Ok(picture)
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

/// Pages that the library decodes; what it leaves to its caller is done here: planes, palettes and colour models.
fn other_page(
    file: &mut File<'_>,
    content: &[u8],
    palette: bool,
    width: u32,
    height: u32,
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
    let depth = colour.bit_depth();
    let samples = usize::from(colour.num_samples());
    let pixels = width as usize * height as usize;
    let planes = layout.planes.max(1);
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
        // Grey with something else beside it.
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

/// Tiles compressed with LZW, with one sample of fewer than 8 bits per pixel: the library fails on such short rows.
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
    for (bytes, (left, top)) in chunks.iter(content) {
        if top >= down || left >= across {
            break;
        }
        if !unpack_lzw(bytes, &mut packed) {
            return Err(UNREADABLE);
        }
        let tile = unpack(&packed, side, depth, palette);
        for (row, line) in tile.chunks_exact(side).zip(page[top * across..].chunks_exact_mut(across)) {
            let used = side.min(across - left);
            line[left..left + used].copy_from_slice(&row[..used]);
        }
    }
    if !palette && number(file, Tag::PhotometricInterpretation) == Some(0) {
        page.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(page)
}

/// Fills `out`; answers whether there was enough.
fn unpack_lzw(mut bytes: &[u8], mut out: &mut [u8]) -> bool {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    // One call may stop before everything is written.
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

/// Sample by sample instead of plane by plane.
fn interleaved(planes: &[u8], pixels: usize, samples: usize) -> Vec<u8> {
    let mut out = vec![0; pixels * samples];
    for (sample, plane) in planes.chunks_exact(pixels).take(samples).enumerate() {
        for (pixel, value) in out.chunks_exact_mut(samples).zip(plane) {
            pixel[sample] = *value;
        }
    }
    out
}

/// A colour with its transparency in front of white; `share` is 255 where the colour is weighted already.
fn on_white(pixel: &[u8], share: u8) -> [u8; 3] {
    let white = 255 - u32::from(pixel[3]);
    [0, 1, 2].map(|at| (u32::from(pixel[at]) * u32::from(share) / 255 + white).min(255) as u8)
}

/// Samples of fewer than 8 bits, rows padded to bytes: stretched to 8 bits, or as they are where they are numbers of
/// colours.
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
    // Some writers fill the table with values of 8 bits.
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

/// ITU-R BT.601, as TIFF 6.0 section 21 has it by default.
fn ycbcr(pixel: &[u8]) -> [u8; 3] {
    let (luma, blue, red) = (f32::from(pixel[0]), f32::from(pixel[1]) - 128.0, f32::from(pixel[2]) - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue]
        .map(|value| value.clamp(0.0, 255.0) as u8)
}

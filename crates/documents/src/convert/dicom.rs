//! The first picture of a DICOM file and the fields of its header. Text burned into the picture comes from
//! the device; nothing is added to it.

mod colours;
mod rle;

use std::io::Cursor;

use chrono::NaiveDateTime;
use dicom_object::{DefaultDicomObject, OpenFileOptions, Tag, file::ReadPreamble};
use dicom_pixeldata::PixelDecoder;

use super::ConversionError;
use super::cda::{SMALL, lines, note};
use super::images::Pixels;
use super::wavelets::{self, Samples};
use crate::typeset::{Cell, Face, Ink, Look, Piece, Sheet, Table, Typesetter};
use crate::{Kind, kind, pdf};

/// Maximum size of a picture, in pixels.
const MAX_PIXELS: u64 = 64 << 20;
/// Maximum length of a displayed field value, in characters.
const MAX_VALUE: usize = 400;
/// Height of the picture on the page, in points.
const HEIGHT: f32 = 480.0;

const BROKEN: ConversionError = ConversionError::Broken("the DICOM file cannot be read");

const ENCAPSULATED_DOCUMENT: Tag = Tag(0x0042, 0x0011);
const PIXEL_DATA: Tag = Tag(0x7fe0, 0x0010);
const ROWS: Tag = Tag(0x0028, 0x0010);
const COLUMNS: Tag = Tag(0x0028, 0x0011);
const SAMPLES: Tag = Tag(0x0028, 0x0002);
const FRAMES: Tag = Tag(0x0028, 0x0008);
const PLANAR: Tag = Tag(0x0028, 0x0006);
const BITS_ALLOCATED: Tag = Tag(0x0028, 0x0100);
const BITS_STORED: Tag = Tag(0x0028, 0x0101);
const SIGNED: Tag = Tag(0x0028, 0x0103);
const PHOTOMETRIC: Tag = Tag(0x0028, 0x0004);
const WINDOW_CENTER: Tag = Tag(0x0028, 0x1050);
const WINDOW_WIDTH: Tag = Tag(0x0028, 0x1051);
const INTERCEPT: Tag = Tag(0x0028, 0x1052);
const SLOPE: Tag = Tag(0x0028, 0x1053);
/// JPEG 2000, without and with loss.
const WAVELETS: [&str; 2] = ["1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91"];
/// Run-length encoding.
const RLE: &str = "1.2.840.10008.1.2.5";
/// JPEG with eight or more bits: lossy (50, 51) and lossless (57, 70).
const JPEG: [&str; 4] =
    ["1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70"];
/// Uncompressed.
const PLAIN: [&str; 3] = ["1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.1.99"];

const FIELDS: [(&str, Tag); 14] = [
    ("Patient", Tag(0x0010, 0x0010)),
    ("Patient ID", Tag(0x0010, 0x0020)),
    ("Date of birth", Tag(0x0010, 0x0030)),
    ("Sex", Tag(0x0010, 0x0040)),
    ("Study date", Tag(0x0008, 0x0020)),
    ("Study", Tag(0x0008, 0x1030)),
    ("Series", Tag(0x0008, 0x103e)),
    ("Modality", Tag(0x0008, 0x0060)),
    ("Body part", Tag(0x0018, 0x0015)),
    ("Laterality", Tag(0x0020, 0x0060)),
    ("Accession number", Tag(0x0008, 0x0050)),
    ("Referring physician", Tag(0x0008, 0x0090)),
    ("Institution", Tag(0x0008, 0x0080)),
    ("Image", Tag(0x0020, 0x0013)),
];

/// A page with the header and the first picture, or the document embedded in the file.
pub(super) fn to_pdf(
    content: &[u8],
    made: Option<NaiveDateTime>,
) -> Result<crate::typeset::Typeset, ConversionError> {
    let options = OpenFileOptions::new().read_preamble(ReadPreamble::Always);
    let object = options.from_reader(Cursor::new(content)).map_err(|_| BROKEN)?;
    if let Some(document) = encapsulated(&object) {
        pdf::page_count(&document)?;
        return Ok(document.into());
    }
    let picture = picture(&object)?;
    let mut page = Typesetter::new(Sheet::LETTER);
    page.heading("DICOM image", Look::new(Face::SansBold, 16.0), 0.0, 0.0);
    page.space(4.0);
    header(&mut page, &object);
    let frames = number(&object, FRAMES).unwrap_or(1);
    if frames > 1 {
        note(
            &mut page,
            &format!("The first of {frames} pictures is shown. Download the file to see the others."),
        );
    }
    note(&mut page, "For reading along, not for diagnosis.");
    page.picture(picture.into_image()?, HEIGHT);
    page.finish_at("DICOM image", Some("DICOM"), made)
        .ok_or(ConversionError::Broken("the document cannot be set"))
}

/// The PDF of an Encapsulated PDF object.
fn encapsulated(object: &DefaultDicomObject) -> Option<Vec<u8>> {
    let content = object.element_opt(ENCAPSULATED_DOCUMENT).ok()??.to_bytes().ok()?;
    (kind::detect(&content) == Kind::Pdf).then(|| content.into_owned())
}

fn header(page: &mut Typesetter, object: &DefaultDicomObject) {
    let cells = FIELDS.iter().filter_map(|(label, tag)| Some((*label, value(object, *tag)?)));
    let rows = cells.map(|(label, value)| {
        vec![Cell::new(vec![Piece::new(label, SMALL.ink(Ink::GREY))]).shaded(), Cell::new(lines(&value))]
    });
    page.table(&Table {
        head: Vec::new(),
        rows: rows.collect(),
        shares: vec![1.0, 2.6],
        look: SMALL,
        padding: 3.0,
        grid: true,
        after: 8.0,
    });
}

/// Text of a header field: `Roe^Ines` becomes `Roe Ines`, `20261117` becomes `2026-11-17`.
fn value(object: &DefaultDicomObject, tag: Tag) -> Option<String> {
    let text = object.element_opt(tag).ok()??.to_str().ok()?;
    let text: String =
        text.chars().map(|c| if c == '^' || c.is_control() { ' ' } else { c }).take(MAX_VALUE).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_day = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    match is_day {
        true => Some(format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..])),
        false => Some(text).filter(|text| !text.is_empty()),
    }
}

fn number(object: &DefaultDicomObject, tag: Tag) -> Option<u64> {
    object.element_opt(tag).ok()??.to_int().ok()
}

/// The first picture. An unknown compression is reported as unsupported, not as damage.
fn picture(object: &DefaultDicomObject) -> Result<Pixels, ConversionError> {
    if !matches!(object.element_opt(PIXEL_DATA), Ok(Some(_))) {
        return Err(ConversionError::Unsupported);
    }
    let size = [ROWS, COLUMNS].map(|tag| number(object, tag).unwrap_or(0));
    let pixels = size[0].saturating_mul(size[1]).saturating_mul(number(object, SAMPLES).unwrap_or(1));
    if pixels > MAX_PIXELS {
        return Err(ConversionError::TooLarge);
    }
    let syntax = object.meta().transfer_syntax().trim_end_matches(['\0', ' ']);
    if WAVELETS.contains(&syntax) {
        return of_wavelets(object);
    }
    let form = Form::of(object).ok_or(BROKEN)?;
    let samples = match (syntax, form.photometric.as_str(), form.samples, form.bits) {
        (RLE, ..) => rle::samples(&first_frame(object).ok_or(ConversionError::Unsupported)?, &form)?,
        (syntax, _, 3, 8) if JPEG.contains(&syntax) => {
            let data = first_frame(object).ok_or(ConversionError::Unsupported)?;
            return form.picture(false, colours::of_jpeg(&data, &form)?);
        }
        (syntax, "YBR_FULL_422", 3, 8) if PLAIN.contains(&syntax) => {
            let data = object.element_opt(PIXEL_DATA).ok().flatten().and_then(|data| data.to_bytes().ok());
            return form.picture(false, colours::of_halves(&data.ok_or(BROKEN)?, &form)?);
        }
        // JPEG-LS and other compressions that the library does not support return an error.
        _ => decoded(object, &form)?,
    };
    of_samples(object, &form, samples)
}

/// Format of a picture's samples, from the header.
#[derive(Debug)]
struct Form {
    width: usize,
    height: usize,
    /// Samples per pixel.
    samples: usize,
    /// Allocated bits per sample: 8, 16 or 32.
    bits: u16,
    /// Used bits per sample.
    stored: u16,
    is_signed: bool,
    /// Whether samples are stored plane by plane instead of pixel by pixel.
    in_planes: bool,
    photometric: String,
}

impl Form {
    fn of(object: &DefaultDicomObject) -> Option<Self> {
        let of = |tag| number(object, tag);
        let bits = u16::try_from(of(BITS_ALLOCATED)?).ok()?;
        let (width, height) = (u16::try_from(of(COLUMNS)?).ok()?, u16::try_from(of(ROWS)?).ok()?);
        let samples = usize::try_from(of(SAMPLES).unwrap_or(1)).ok()?;
        let is_known = width > 0 && height > 0 && matches!(samples, 1 | 3);
        let stored = of(BITS_STORED).and_then(|bits| u16::try_from(bits).ok());
        is_known.then(|| Self {
            width: width.into(),
            height: height.into(),
            samples,
            bits,
            stored: stored.filter(|stored| (1..=bits).contains(stored)).unwrap_or(bits),
            is_signed: of(SIGNED) == Some(1),
            in_planes: of(PLANAR) == Some(1),
            photometric: value(object, PHOTOMETRIC).unwrap_or_default(),
        })
    }

    fn pixels(&self) -> usize {
        self.width * self.height
    }

    /// Bytes per sample.
    fn bytes(&self) -> usize {
        usize::from(self.bits / 8)
    }

    /// Value of a little-endian sample.
    fn value(&self, sample: &[u8]) -> i64 {
        let all = sample.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        let unused = 64 - u32::from(self.stored);
        match self.is_signed {
            true => ((all << unused) as i64) >> unused,
            false => ((all << unused) >> unused) as i64,
        }
    }

    /// Display pixels: one byte each for grey, three for colour.
    fn picture(&self, grey: bool, bytes: Vec<u8>) -> Result<Pixels, ConversionError> {
        if bytes.len() != self.pixels() * if grey { 1 } else { 3 } {
            return Err(BROKEN);
        }
        Ok(Pixels { width: self.width as u32, height: self.height as u32, grey, bytes })
    }
}

/// The samples of the first picture as decoded by the library, pixel by pixel.
fn decoded(object: &DefaultDicomObject, form: &Form) -> Result<Vec<u8>, ConversionError> {
    // A picture that the library cannot decode has no preview.
    let decoded = pdf::guarded(|| object.decode_pixel_data_frame(0).ok().map(|frame| frame.data().to_vec()));
    let data = decoded.flatten().ok_or(ConversionError::Unsupported)?;
    if data.len() != form.pixels() * form.samples * form.bytes() {
        return Err(BROKEN);
    }
    if form.samples == 1 || !form.in_planes {
        return Ok(data);
    }
    let plane = data.len() / form.samples;
    let sample = |at: usize| {
        (0..form.samples).flat_map(move |part| part * plane + at..part * plane + at + form.bytes())
    };
    Ok((0..plane).step_by(form.bytes()).flat_map(sample).map(|at| data[at]).collect())
}

/// Converts samples, pixel by pixel, to a picture.
fn of_samples(object: &DefaultDicomObject, form: &Form, samples: Vec<u8>) -> Result<Pixels, ConversionError> {
    if !matches!(form.bits, 8 | 16 | 32) {
        return Err(ConversionError::Unsupported);
    }
    let values = samples.chunks_exact(form.bytes()).map(|sample| form.value(sample));
    match (form.samples, form.photometric.as_str()) {
        (1, "MONOCHROME1" | "MONOCHROME2") => form.picture(true, greys(object, form, values)),
        (1, "PALETTE COLOR") => form.picture(false, colours::of_palette(object, values)?),
        (3, "RGB" | "YBR_FULL") => {
            let shift = form.stored.saturating_sub(8);
            let mut pixels: Vec<u8> = values.map(|value| (value >> shift) as u8).collect();
            if form.photometric == "YBR_FULL" {
                pixels.as_chunks_mut::<3>().0.iter_mut().for_each(to_rgb);
            }
            form.picture(false, pixels)
        }
        _ => Err(ConversionError::Unsupported),
    }
}

/// Converts samples to greys with the file's first window; without one, the range of all values is used.
fn greys(object: &DefaultDicomObject, form: &Form, values: impl Iterator<Item = i64>) -> Vec<u8> {
    let values: Vec<f32> = values.map(|value| value as f32).collect();
    windowed(object, values, form.photometric == "MONOCHROME1")
}

/// Applies the rescale slope and intercept and the window of the file to stored values.
fn windowed(object: &DefaultDicomObject, mut values: Vec<f32>, negative: bool) -> Vec<u8> {
    let slope = decimal(object, SLOPE).unwrap_or(1.0);
    let intercept = decimal(object, INTERCEPT).unwrap_or(0.0);
    values.iter_mut().for_each(|value| *value = *value * slope + intercept);
    let window = decimal(object, WINDOW_CENTER).zip(decimal(object, WINDOW_WIDTH));
    shades(&values, window, negative)
}

/// The first picture of a JPEG 2000 file. Its size comes from the codestream.
fn of_wavelets(object: &DefaultDicomObject) -> Result<Pixels, ConversionError> {
    let data = first_frame(object).ok_or(ConversionError::Unsupported)?;
    // A picture that the decoder cannot decode has no preview.
    let decoded = pdf::guarded(|| wavelets::decoded(&data)).unwrap_or(Err(ConversionError::Unsupported))?;
    let photometric = value(object, PHOTOMETRIC).unwrap_or_default();
    let (grey, bytes) = match (decoded.samples, photometric.as_str()) {
        (Samples::Grey(values), "MONOCHROME1" | "MONOCHROME2") => {
            (true, windowed(object, values, photometric == "MONOCHROME1"))
        }
        (Samples::Colours(bytes), "RGB" | "YBR_RCT" | "YBR_ICT") => (false, bytes),
        (Samples::Colours(mut bytes), "YBR_FULL") => {
            bytes.as_chunks_mut::<3>().0.iter_mut().for_each(to_rgb);
            (false, bytes)
        }
        _ => return Err(ConversionError::Unsupported),
    };
    let (width, height) = (decoded.width, decoded.height);
    let wanted = u64::from(width) * u64::from(height) * if grey { 1 } else { 3 };
    if bytes.len() as u64 != wanted || wanted == 0 {
        return Err(BROKEN);
    }
    Ok(Pixels { width, height, grey, bytes })
}

/// Data of the first picture, joined from its fragments: all of them, or those before the second picture.
fn first_frame(object: &DefaultDicomObject) -> Option<Vec<u8>> {
    let value = object.element_opt(PIXEL_DATA).ok()??.value();
    let pieces = value.fragments()?;
    let frames = number(object, FRAMES).unwrap_or(1);
    // Each fragment follows an item header of eight bytes.
    let second = value.offset_table().and_then(|starts| starts.get(1)).map(|start| *start as usize);
    let is_first = |begin: usize| match second {
        Some(second) => begin < second,
        None => frames <= 1 || begin == 0,
    };
    let mut begin = 0;
    let mut data = Vec::new();
    for piece in pieces {
        if !is_first(begin) {
            break;
        }
        data.extend_from_slice(piece);
        begin += piece.len() + 8;
    }
    Some(data).filter(|data| !data.is_empty())
}

/// The first number of a field.
fn decimal(object: &DefaultDicomObject, tag: Tag) -> Option<f32> {
    let numbers = object.element_opt(tag).ok()??.to_multi_float64().ok()?;
    numbers.first().map(|number| *number as f32).filter(|number| number.is_finite())
}

/// Greys for values in a window of this centre and width; without a window, over the range of all values.
fn shades(values: &[f32], window: Option<(f32, f32)>, negative: bool) -> Vec<u8> {
    let (low, high) = match window {
        Some((center, width)) if width >= 1.0 => (center - width / 2.0, center + width / 2.0),
        _ => {
            values.iter().fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(*value), high.max(*value)))
        }
    };
    let range = (high - low).max(f32::EPSILON);
    let shade = |value: &f32| {
        let shade = ((value - low) / range * 255.0).clamp(0.0, 255.0) as u8;
        if negative { 255 - shade } else { shade }
    };
    values.iter().map(shade).collect()
}

/// Converts YBR (PS3.3 C.7.6.3.1.2) to red, green and blue.
fn to_rgb(pixel: &mut [u8; 3]) {
    let [y, blue, red] = pixel.map(f32::from);
    let (blue, red) = (blue - 128.0, red - 128.0);
    let colours = [y + 1.402 * red, y - 0.344_136 * blue - 0.714_136 * red, y + 1.772 * blue];
    *pixel = colours.map(|colour| colour.round().clamp(0.0, 255.0) as u8);
}

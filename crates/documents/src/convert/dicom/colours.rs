//! Colours of pictures: with a palette (DICOM PS3.3 C.7.6.3.1.5), with colour differences shared by two
//! pixels (C.7.6.3.1.2), and in JPEG, whose own markers decide about the colour model.

use std::io::Cursor;

use dicom_object::{DefaultDicomObject, Tag};
use jpeg_decoder::{ColorTransform, Decoder};

use super::{BROKEN, Form, to_rgb};
use crate::error::ConversionError;

/// Descriptor and data of the tables for red, green and blue.
const TABLES: [(Tag, Tag); 3] = [
    (Tag(0x0028, 0x1101), Tag(0x0028, 0x1201)),
    (Tag(0x0028, 0x1102), Tag(0x0028, 0x1202)),
    (Tag(0x0028, 0x1103), Tag(0x0028, 0x1203)),
];

/// Converts palette indexes to three bytes each. Segmented tables are not supported.
pub(super) fn of_palette(
    object: &DefaultDicomObject,
    numbers: impl Iterator<Item = i64> + Clone,
) -> Result<Vec<u8>, ConversionError> {
    let tables: Vec<Table> = TABLES
        .iter()
        .map(|tags| Table::read(object, *tags))
        .collect::<Option<_>>()
        .ok_or(ConversionError::Unsupported)?;
    Ok(numbers.flat_map(|number| [0, 1, 2].map(|part| tables[part].value(number))).collect())
}

/// Table of one colour component.
struct Table {
    first: i64,
    values: Vec<u8>,
}

impl Table {
    fn read(object: &DefaultDicomObject, (descriptor, data): (Tag, Tag)) -> Option<Self> {
        let descriptor = object.element_opt(descriptor).ok()??.to_multi_int::<i64>().ok()?;
        let [entries, first, bits] = descriptor[..] else { return None };
        let entries = match entries {
            0 => 65_536,
            // Some files contain it as a signed number.
            entries => (entries & 0xffff) as usize,
        };
        let data = object.element_opt(data).ok()??.to_bytes().ok()?;
        if bits == 8 && data.len() < entries * 2 {
            let values = data.get(..entries)?.to_vec();
            return Some(Self { first, values });
        }
        let words = data.get(..entries * 2)?.as_chunks::<2>().0;
        let words: Vec<u16> = words.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
        // 8-bit values may be stored in 16-bit words.
        let shift = if words.iter().all(|word| *word < 256) { 0 } else { 8 };
        Some(Self { first, values: words.iter().map(|word| (word >> shift) as u8).collect() })
    }

    /// Indexes outside the table have its first or last value.
    fn value(&self, number: i64) -> u8 {
        let at = (number - self.first).clamp(0, self.values.len().saturating_sub(1) as i64);
        self.values.get(at as usize).copied().unwrap_or(0)
    }
}

/// Converts YBR_FULL_422, in which two pixels share their colour differences, to red, green and blue.
pub(super) fn of_halves(data: &[u8], form: &Form) -> Result<Vec<u8>, ConversionError> {
    let pairs = data.get(..form.pixels() * 2).ok_or(BROKEN)?.as_chunks::<4>().0;
    let mut out: Vec<u8> =
        pairs.iter().flat_map(|&[first, second, blue, red]| [first, blue, red, second, blue, red]).collect();
    out.as_chunks_mut::<3>().0.iter_mut().for_each(to_rgb);
    Ok(out)
}

/// Decodes a JPEG picture of three 8-bit samples. Its own markers decide whether these are red, green and
/// blue; without any, the header does.
pub(super) fn of_jpeg(data: &[u8], form: &Form) -> Result<Vec<u8>, ConversionError> {
    let mut decoder = Decoder::new(Cursor::new(data));
    decoder.set_max_decoding_buffer_size(form.pixels().saturating_mul(8));
    decoder.set_color_transform(ColorTransform::None);
    let mut pixels = decoder.decode().map_err(|_| ConversionError::Unsupported)?;
    let size = decoder.info().map(|info| (usize::from(info.width), usize::from(info.height)));
    if size != Some((form.width, form.height)) || pixels.len() != form.pixels() * 3 {
        return Err(ConversionError::Unsupported);
    }
    if !is_rgb(data, &form.photometric) {
        pixels.as_chunks_mut::<3>().0.iter_mut().for_each(to_rgb);
    }
    Ok(pixels)
}

fn is_rgb(data: &[u8], photometric: &str) -> bool {
    /// Number of bytes searched for markers, which come before the picture.
    const HEAD: usize = 4_096;
    const TRANSFORM: usize = 11;
    let head = &data[..data.len().min(HEAD)];
    if let Some(at) = memchr::memmem::find(head, b"Adobe") {
        return head.get(at + TRANSFORM) == Some(&0);
    }
    photometric == "RGB" && memchr::memmem::find(head, b"JFIF\0").is_none()
}

//! Colours of pictures: by a palette (DICOM PS3.3 C.7.6.3.1.5), with colour differences that two pixels share (C.7.6.3.1.2), and
//! in JPEG, which has a mind of its own about them.

use std::io::Cursor;

use dicom_object::{DefaultDicomObject, Tag};
use jpeg_decoder::{ColorTransform, Decoder};

use super::{BROKEN, Form, to_rgb};
use crate::error::ConversionError;

/// For red, green and blue: what the table is like, and the table.
const TABLES: [(Tag, Tag); 3] = [
    (Tag(0x0028, 0x1101), Tag(0x0028, 0x1201)),
    (Tag(0x0028, 0x1102), Tag(0x0028, 0x1202)),
    (Tag(0x0028, 0x1103), Tag(0x0028, 0x1203)),
];

/// Three bytes for each number of a colour. Tables that are written in segments are not read.
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

/// What one part of the colours is.
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
            // Some files read it as a signed number.
            entries => (entries & 0xffff) as usize,
        };
        let data = object.element_opt(data).ok()??.to_bytes().ok()?;
        if bits == 8 && data.len() < entries * 2 {
            let values = data.get(..entries)?.to_vec();
            return Some(Self { first, values });
        }
        let words = data.get(..entries * 2)?.as_chunks::<2>().0;
        let words: Vec<u16> = words.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
        // Values of eight bits may stand in words of sixteen.
        let shift = if words.iter().all(|word| *word < 256) { 0 } else { 8 };
        Some(Self { first, values: words.iter().map(|word| (word >> shift) as u8).collect() })
    }

    /// Numbers before the first and behind the last have their values.
    fn value(&self, number: i64) -> u8 {
        let at = (number - self.first).clamp(0, self.values.len().saturating_sub(1) as i64);
        self.values.get(at as usize).copied().unwrap_or(0)
    }
}

/// Two brightnesses and the differences that they share, as red, green and blue.
pub(super) fn of_halves(data: &[u8], form: &Form) -> Result<Vec<u8>, ConversionError> {
    let pairs = data.get(..form.pixels() * 2).ok_or(BROKEN)?.as_chunks::<4>().0;
    let mut out: Vec<u8> =
        pairs.iter().flat_map(|&[first, second, blue, red]| [first, blue, red, second, blue, red]).collect();
    out.as_chunks_mut::<3>().0.iter_mut().for_each(to_rgb);
    Ok(out)
}

/// A picture of three samples of eight bits in JPEG. Whether these are red, green and blue is said by its own marks where it has
/// any, and by the file otherwise.
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
    /// Marks stand before the picture.
    const HEAD: usize = 4_096;
    const TRANSFORM: usize = 11;
    let head = &data[..data.len().min(HEAD)];
    if let Some(at) = memchr::memmem::find(head, b"Adobe") {
        return head.get(at + TRANSFORM) == Some(&0);
    }
    photometric == "RGB" && memchr::memmem::find(head, b"JFIF\0").is_none()
}

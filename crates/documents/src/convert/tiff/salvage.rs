//! Reads what is left of a page that the library refuses: strip by strip, up to the end of the data.

use std::io::Cursor;

use tiff::decoder::Decoder;
use tiff::tags::Tag;

use super::chunks::Chunks;
use super::prepare::{LZW, Prepared};
use super::{File, Read, Samples, UNREADABLE, number, open, other_page, picture};
use crate::convert::images::Pixels;
use crate::error::ConversionError;
use crate::pictures::MAX_DECODED;

const NOT_COMPRESSED: u32 = 1;
const HORIZONTAL: u32 = 2;
const WHITE_IS_ZERO: u32 = 0;
/// PackBits, deflate with both of its numbers, and LZW: data before the damage is good.
const PACKED: [u32; 4] = [LZW, 8, 32_773, 32_946];

/// A missing area of a page, in pixels.
struct Gap {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

/// Whether this compression is decoded from its beginning, so that the data before the damage is good.
pub(super) fn is_possible(compression: Option<u32>) -> bool {
    compression.is_none_or(|compression| compression == NOT_COMPRESSED || PACKED.contains(&compression))
}

/// Reads page `page` (from 0) again, with its strips and tiles extended as far as possible; if that fails,
/// the readable rows of each.
pub(super) fn page(prepared: &Prepared<'_>, page: usize) -> Result<Read, ConversionError> {
    let longer = Prepared::reaching(prepared.original)?;
    let mut file = open(&longer.content)?;
    seek(&mut file, page)?;
    let size = file.dimensions().map_err(|_| UNREADABLE)?;
    let is_palette = longer.palettes.contains(&page);
    if let Ok(pixels) = other_page(&mut file, &longer.content, is_palette, size) {
        return Ok(Read { pixels, is_whole: true });
    }
    let (samples, gaps) = parts(&mut file, &longer.content, size)?;
    let mut pixels = picture(&mut file, samples, is_palette, size)?;
    gaps.iter().for_each(|gap| whiten(&mut pixels, gap));
    Ok(Read { pixels, is_whole: false })
}

fn seek(file: &mut File<'_>, page: usize) -> Result<(), ConversionError> {
    for _ in 0..page {
        // Skips pages that cannot be opened.
        _ = file.next_image();
    }
    Ok(())
}

/// The samples of a page, and the gaps in them.
fn parts(
    file: &mut Decoder<Cursor<&[u8]>>,
    content: &[u8],
    (width, height): (u32, u32),
) -> Result<(Samples, Vec<Gap>), ConversionError> {
    let layout = file.image_buffer_layout().map_err(|_| UNREADABLE)?;
    let (planes, size) = (layout.planes.max(1), layout.complete_len);
    let chunks = Chunks::of(file, width, height)?;
    let colour = file.colortype().map_err(|_| UNREADABLE)?;
    // Rows that do not end at a byte cannot be joined.
    if size as u64 > MAX_DECODED
        || colour.bit_depth() > 8
        || (colour.bit_depth() < 8 && chunks.width != width)
    {
        return Err(UNREADABLE);
    }
    let samples = if planes > 1 { 1 } else { usize::from(colour.num_samples()) };
    let row = |pixels: usize| (pixels * samples * usize::from(colour.bit_depth())).div_ceil(8);
    let (across, down) = (row(width as usize), height as usize);
    let (plane, needed) = (across * down, chunks.needed(height));
    if size < plane * planes || needed == 0 {
        return Err(UNREADABLE);
    }
    let mut bytes = vec![0; plane * planes];
    let (mut gaps, mut readable) = (Vec::new(), false);
    for (index, chunk) in chunks.iter(content).enumerate() {
        let (at, number_in_plane) = (index / needed, index % needed);
        let place = chunks.place(number_in_plane);
        if at >= planes || place.1 >= down || place.0 >= width as usize {
            break;
        }
        let part_width = (chunks.width as usize).min(width as usize - place.0);
        let part_height = (chunks.height as usize).min(down - place.1);
        let full = row(if chunks.width == width { part_width } else { chunks.width as usize });
        let read = part(file, index as u32, (chunk.bytes, full, row(part_width), part_height));
        readable |= !read.is_empty();
        let rows = read.len() / row(part_width).max(1);
        for (line, bytes_of) in read.chunks_exact(row(part_width)).enumerate() {
            let start = at * plane + (place.1 + line) * across + row(place.0);
            bytes[start..start + bytes_of.len()].copy_from_slice(bytes_of);
        }
        if rows < part_height {
            let (left, top) = (place.0, place.1 + rows);
            gaps.push(Gap { left, top, width: part_width, height: part_height - rows });
        }
    }
    if readable { Ok((Samples { bytes, planes }, gaps)) } else { Err(UNREADABLE) }
}

/// The rows present in a strip or tile, cut to the width shown on the page.
fn part(
    file: &mut File<'_>,
    index: u32,
    (stored, full, shown, rows): (&[u8], usize, usize, usize),
) -> Vec<u8> {
    let compression = number(file, Tag::Compression).unwrap_or(NOT_COMPRESSED);
    let mut read = vec![0; shown * rows];
    if file.read_chunk_bytes(index, &mut read).is_ok() {
        return read;
    }
    let whole_rows = match compression {
        NOT_COMPRESSED => {
            stored.chunks_exact(full).take(rows).flat_map(|row| &row[..shown]).copied().collect()
        }
        // Bytes that the decoder did not write keep their old value, so they differ between two buffers.
        compression if PACKED.contains(&compression) && shown == full => {
            let mut other = vec![0xff; shown * rows];
            _ = file.read_chunk_bytes(index, &mut other);
            let written = read.iter().zip(&other).position(|(one, other)| one != other).unwrap_or(read.len());
            read.truncate(written / shown * shown);
            read
        }
        _ => Vec::new(),
    };
    as_stored(file, whole_rows, shown)
}

/// Undoes the horizontal predictor and inverted grey, as the library would for a complete page.
fn as_stored(file: &mut File<'_>, mut rows: Vec<u8>, row: usize) -> Vec<u8> {
    let is_different = number(file, Tag::Predictor) == Some(HORIZONTAL);
    let samples = match number(file, Tag::PlanarConfiguration) {
        Some(2) => 1,
        _ => number(file, Tag::SamplesPerPixel).unwrap_or(1).max(1) as usize,
    };
    if is_different {
        for row in rows.chunks_exact_mut(row) {
            (samples..row.len()).for_each(|at| row[at] = row[at].wrapping_add(row[at - samples]));
        }
    }
    if number(file, Tag::PhotometricInterpretation) == Some(WHITE_IS_ZERO) {
        rows.iter_mut().for_each(|byte| *byte = !*byte);
    }
    rows
}

fn whiten(pixels: &mut Pixels, gap: &Gap) {
    let bytes = if pixels.grey { 1 } else { 3 };
    let across = pixels.width as usize * bytes;
    for line in pixels.bytes.chunks_exact_mut(across).skip(gap.top).take(gap.height) {
        line[gap.left * bytes..(gap.left + gap.width) * bytes].fill(0xff);
    }
}

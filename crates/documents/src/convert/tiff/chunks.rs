//! The strips or tiles of a page, and pages in fax compression.

use hayro_ccitt::EncodingMode;
use tiff::tags::Tag;

use super::prepare::Prepared;
use super::{File, Read, UNREADABLE, UNUSUAL_COLOURS, number};
use crate::bilevel::{Coding, Lines, lines};
use crate::convert::images::Pixels;
use crate::error::ConversionError;
use crate::pictures::{MAX_DECODED, MAX_SIDE};

/// The strips or tiles of a page: their positions in the file and on the page.
pub(super) struct Chunks {
    pub offsets: Vec<u64>,
    pub lengths: Vec<u64>,
    pub width: u32,
    pub height: u32,
    across: u32,
}

/// A strip or tile.
pub(super) struct Chunk<'a> {
    /// Its bytes up to the stated length, as far as the file contains them.
    pub bytes: &'a [u8],
    /// Offset in the file.
    pub offset: u64,
    /// Left and upper edge on the page.
    pub left: usize,
    pub top: usize,
}

impl Chunks {
    pub fn of(file: &mut File<'_>, width: u32, height: u32) -> Result<Self, ConversionError> {
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

    /// Number of strips or tiles for each plane of the page.
    pub fn needed(&self, height: u32) -> usize {
        self.across as usize * height.div_ceil(self.height) as usize
    }

    /// Left and upper edge of a strip or tile on the page.
    pub fn place(&self, index: usize) -> (usize, usize) {
        let (column, row) = (index % self.across as usize, index / self.across as usize);
        (column * self.width as usize, row.saturating_mul(self.height as usize))
    }

    pub fn iter<'c>(&'c self, content: &'c [u8]) -> impl Iterator<Item = Chunk<'c>> {
        self.offsets.iter().zip(&self.lengths).zip(0..).map(|((&offset, &length), index)| {
            let end = offset.saturating_add(length).min(content.len() as u64);
            let bytes = content.get(offset as usize..end as usize).unwrap_or_default();
            let (left, top) = self.place(index);
            Chunk { bytes, offset, left, top }
        })
    }
}

/// Decodes pages in fax compression: TIFF 6.0 sections 10 and 11, ITU-T T.4 and T.6.
pub(super) fn fax_page(
    file: &mut File<'_>,
    prepared: &Prepared<'_>,
    compression: u32,
    (width, height): (u32, u32),
) -> Result<Read, ConversionError> {
    if number(file, Tag::BitsPerSample).unwrap_or(1) != 1
        || number(file, Tag::SamplesPerPixel).unwrap_or(1) != 1
    {
        return Err(UNUSUAL_COLOURS);
    }
    let chunks = Chunks::of(file, width, height)?;
    let is_mirrored = number(file, Tag::FillOrder) == Some(2);
    let mode = mode(file, compression);
    let (across, down) = (width as usize, height as usize);
    let mut page = vec![0xff; across * down];
    let (mut readable, mut is_whole) = (false, chunks.offsets.len() >= chunks.needed(height));
    for chunk in chunks.iter(&prepared.content) {
        let Chunk { left, top, .. } = chunk;
        if top >= down || left >= across {
            break;
        }
        if u64::from(chunks.width) * u64::from(chunks.height) > MAX_DECODED {
            return Err(ConversionError::TooLarge);
        }
        let coding = |rows| Coding {
            columns: chunks.width,
            rows,
            mode,
            has_line_ends: compression == 3,
            is_byte_aligned: compression == 2,
        };
        let shown = chunks.height.min((down - top) as u32);
        let mut read = read_lines(prepared, &chunk, coding(shown), is_mirrored);
        // A tile may continue below the page.
        if !read.is_whole && shown < chunks.height {
            read.is_whole = read_lines(prepared, &chunk, coding(chunks.height), is_mirrored).is_whole;
        }
        readable |= read.is_whole || !read.pixels.is_empty();
        is_whole &= read.is_whole;
        place(&read.pixels, chunks.width as usize, &mut page, (across, left, top));
    }
    if !readable {
        return Err(UNREADABLE);
    }
    // With MinIsBlack, black and white of the fax code are swapped.
    if number(file, Tag::PhotometricInterpretation) == Some(1) {
        page.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(Read { pixels: Pixels { width, height, grey: true, bytes: page }, is_whole })
}

fn mode(file: &mut File<'_>, compression: u32) -> EncodingMode {
    const T4_OPTIONS: Tag = Tag::Unknown(292);
    match compression {
        4 => EncodingMode::Group4,
        3 if number(file, T4_OPTIONS).unwrap_or(0) & 1 == 1 => EncodingMode::Group3_2D,
        _ => EncodingMode::Group3_1D,
    }
}

/// The lines of a strip or tile. If its data ends too early, decodes up to the next structure in the file,
/// because many stated lengths are wrong.
fn read_lines(prepared: &Prepared<'_>, chunk: &Chunk<'_>, coding: Coding, is_mirrored: bool) -> Lines {
    let read = |bytes: &[u8]| match is_mirrored {
        true => lines(&bytes.iter().map(|byte| byte.reverse_bits()).collect::<Vec<_>>(), coding),
        false => lines(bytes, coding),
    };
    let stated = read(chunk.bytes);
    if stated.is_whole {
        return stated;
    }
    let reach = prepared.reach(chunk.offset) as usize;
    let longer = prepared.content.get(chunk.offset as usize..reach).unwrap_or_default();
    if longer.len() <= chunk.bytes.len() {
        return stated;
    }
    let more = read(longer);
    if more.pixels.len() > stated.pixels.len() { more } else { stated }
}

/// Copies lines of one byte per pixel to their place on a page.
pub(super) fn place(
    pixels: &[u8],
    width: usize,
    page: &mut [u8],
    (across, left, top): (usize, usize, usize),
) {
    for (row, line) in pixels.chunks_exact(width).zip(page[top * across..].chunks_exact_mut(across)) {
        let used = width.min(across - left);
        line[left..left + used].copy_from_slice(&row[..used]);
    }
}

//! Rewrites structures that the library does not support into ones that it does, before any page is decoded.

use std::borrow::Cow;
use std::ops::Range;

use tiff::tags::{ByteOrder, Tag};

use super::directory::{Lengths, Mended};
use super::{File, MAX_PAGES, Turn, number, open, orientation, refusal, stated_size};
use crate::error::ConversionError;

/// A file that can be decoded page by page.
pub(super) struct Prepared<'a> {
    /// The original file.
    pub original: &'a [u8],
    pub content: Cow<'a, [u8]>,
    pub pages: usize,
    /// Whether the chain of pages was broken.
    pub is_cut: bool,
    /// Whether all pages are upright fax pages of a stated size.
    pub is_fax: bool,
    /// Pages, counted from 0, with palette indexes as pixels. The rewritten file declares them as grey.
    pub palettes: Vec<usize>,
    /// Sorted offsets of strips, tiles and directories, and the end of the file.
    starts: Vec<u64>,
}

const PALETTE: u32 = 3;
const GREY: u16 = 1;
pub(super) const LZW: u32 = 5;
/// JPEG streams have their own bit order.
const OLD_JPEG: u32 = 6;
const JPEG: u32 = 7;

impl<'a> Prepared<'a> {
    pub fn of(content: &'a [u8]) -> Result<Self, ConversionError> {
        Self::with(content, Lengths::Stated)
    }

    /// As [`Self::of`], with strips and tiles extended to the next structure in the file.
    pub fn reaching(content: &'a [u8]) -> Result<Self, ConversionError> {
        Self::with(content, Lengths::Reach)
    }

    /// Latest end of the data at this offset.
    pub fn reach(&self, offset: u64) -> u64 {
        let next = self.starts.partition_point(|start| *start <= offset);
        self.starts.get(next).copied().unwrap_or(offset)
    }

    fn with(original: &'a [u8], lengths: Lengths) -> Result<Self, ConversionError> {
        let Mended { content, format, pages: directories, is_cut, starts } = Mended::of(original, lengths);
        let mut file = open(&content)?;
        let (mut pages, mut is_fax, mut palettes) = (0, true, Vec::new());
        let (mut mirrored, mut grey) = (Vec::new(), Vec::new());
        while pages == 0 || (file.more_images() && pages < directories.len()) {
            if pages == MAX_PAGES {
                return Err(ConversionError::TooLarge);
            }
            pages += 1;
            // A page that cannot be opened is reported when it is read.
            if pages > 1 && file.next_image().is_err() {
                continue;
            }
            let compression = number(&mut file, Tag::Compression);
            let compressed = matches!(compression, Some(2..=4));
            let size = file.dimensions().map_err(refusal)?;
            is_fax &= compressed
                && stated_size(&mut file, size).is_some()
                && orientation(&mut file) == Turn::default();
            let chunks = chunks(&mut file, content.len());
            if is_old_lzw(&mut file, &content, &chunks) {
                return Err(ConversionError::Broken("the TIFF file is compressed in an unusual way"));
            }
            // Fax pages are reversed when they are decoded, and JPEG has its own bit order.
            let in_place = !compressed && !matches!(compression, Some(OLD_JPEG | JPEG));
            if in_place && number(&mut file, Tag::FillOrder) == Some(2) {
                mirrored.extend(chunks);
            }
            if number(&mut file, Tag::PhotometricInterpretation) == Some(PALETTE) {
                palettes.push(pages - 1);
                let directory = directories.get(pages - 1).zip(format);
                grey.extend(directory.and_then(|(directory, format)| directory.photometric(format)));
            }
        }
        let order = file.byte_order();
        let mut content = content;
        reverse_bits(&mut content, mirrored);
        for place in grey {
            let value =
                if order == ByteOrder::LittleEndian { GREY.to_le_bytes() } else { GREY.to_be_bytes() };
            content.to_mut()[place].copy_from_slice(&value);
        }
        Ok(Self { original, content, pages, is_cut, is_fax, palettes, starts })
    }
}

/// Byte ranges of the strips or tiles of a page, as far as the file contains them.
fn chunks(file: &mut File<'_>, length: usize) -> Vec<Range<usize>> {
    let mut vector = |tags: [Tag; 2]| {
        tags.into_iter().find_map(|tag| file.find_tag_unsigned_vec::<u64>(tag).ok().flatten())
    };
    let offsets = vector([Tag::StripOffsets, Tag::TileOffsets]).unwrap_or_default();
    let lengths = vector([Tag::StripByteCounts, Tag::TileByteCounts]).unwrap_or_default();
    let within = |at: u64| at.min(length as u64) as usize;
    let ranges = offsets.into_iter().zip(lengths);
    ranges.map(|(offset, bytes)| within(offset)..within(offset.saturating_add(bytes))).collect()
}

/// Reverses bits for FillOrder 2 (TIFF 6.0 section 8). Pages may share chunks; each is reversed once.
fn reverse_bits(content: &mut Cow<'_, [u8]>, mut chunks: Vec<Range<usize>>) {
    chunks.sort_by_key(|chunk| chunk.start);
    let mut done = 0;
    for chunk in chunks {
        let start = chunk.start.max(done);
        if start < chunk.end {
            content.to_mut()[start..chunk.end].iter_mut().for_each(|byte| *byte = byte.reverse_bits());
            done = chunk.end;
        }
    }
}

/// Whether a page has LZW codes in reversed bit order, as written before TIFF 6.0. The library would decode
/// garbage.
fn is_old_lzw(file: &mut File<'_>, content: &[u8], chunks: &[Range<usize>]) -> bool {
    let mirrored = number(file, Tag::FillOrder) == Some(2);
    let old =
        |chunk: &Range<usize>| matches!(content.get(chunk.clone()), Some([0, second, ..]) if second & 1 == 1);
    !mirrored && number(file, Tag::Compression) == Some(LZW) && chunks.iter().any(old)
}

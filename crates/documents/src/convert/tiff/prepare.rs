//! Rewrites what the library does not understand into what it does, before any page is decoded.

use std::borrow::Cow;
use std::ops::Range;

use tiff::tags::{ByteOrder, Tag};

use super::{File, MAX_PAGES, Turn, number, open, orientation, refusal, stated_size};
use crate::convert::ConversionError;

/// A file that can be decoded page by page.
pub(super) struct Prepared<'a> {
    pub content: Cow<'a, [u8]>,
    pub pages: usize,
    /// All pages are upright fax pages of a stated size.
    pub is_fax: bool,
    /// Pages, counted from 0, whose pixels are numbers of colours; the file now calls them grey.
    pub palettes: Vec<usize>,
}

const PALETTE: u32 = 3;
const GREY: u16 = 1;
pub(super) const LZW: u32 = 5;
/// JPEG streams have an order of bits of their own.
const OLD_JPEG: u32 = 6;
const JPEG: u32 = 7;

impl<'a> Prepared<'a> {
    pub fn of(content: &'a [u8]) -> Result<Self, ConversionError> {
        let mut file = open(content)?;
        let (mut pages, mut is_fax, mut palettes) = (0, true, Vec::new());
        let (mut mirrored, mut grey) = (Vec::new(), Vec::new());
        loop {
            if pages == MAX_PAGES {
                return Err(ConversionError::TooLarge);
            }
            let compression = number(&mut file, Tag::Compression);
            let compressed = matches!(compression, Some(2..=4));
            let size = file.dimensions().map_err(refusal)?;
            is_fax &= compressed
                && stated_size(&mut file, size).is_some()
                && orientation(&mut file) == Turn::default();
            let chunks = chunks(&mut file, content.len());
            if is_old_lzw(&mut file, content, &chunks) {
                return Err(ConversionError::Broken("the TIFF file is compressed in an unusual way"));
            }
            if number(&mut file, Tag::FillOrder) == Some(2) && !matches!(compression, Some(OLD_JPEG | JPEG)) {
                mirrored.extend(chunks);
            }
            if number(&mut file, Tag::PhotometricInterpretation) == Some(PALETTE) {
                palettes.push(pages);
                grey.extend(interpretation(&mut file, content));
            }
            pages += 1;
            if !file.more_images() {
                break;
            }
            file.next_image().map_err(refusal)?;
        }
        let order = file.byte_order();
        let mut content = Cow::Borrowed(content);
        reverse_bits(&mut content, mirrored);
        for place in grey {
            let value =
                if order == ByteOrder::LittleEndian { GREY.to_le_bytes() } else { GREY.to_be_bytes() };
            content.to_mut()[place].copy_from_slice(&value);
        }
        Ok(Self { content, pages, is_fax, palettes })
    }
}

/// Where the strips or tiles of a page lie, as far as the file has them.
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

/// FillOrder 2 of TIFF 6.0 section 8. Pages may share chunks; each is turned round once.
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

/// LZW with its codes the other way round, as writers before TIFF 6.0 had it: the library would decode rubbish.
fn is_old_lzw(file: &mut File<'_>, content: &[u8], chunks: &[Range<usize>]) -> bool {
    let mirrored = number(file, Tag::FillOrder) == Some(2);
    let old =
        |chunk: &Range<usize>| matches!(content.get(chunk.clone()), Some([0, second, ..]) if second & 1 == 1);
    !mirrored && number(file, Tag::Compression) == Some(LZW) && chunks.iter().any(old)
}

/// Where the directory of the page holds the value of PhotometricInterpretation.
fn interpretation(file: &mut File<'_>, content: &[u8]) -> Option<Range<usize>> {
    const TAG: u16 = 262;
    const LONG: u16 = 4;
    let start = usize::try_from(file.ifd_pointer()?.0).ok()?;
    let little = file.byte_order() == ByteOrder::LittleEndian;
    let short = |at: usize| {
        let bytes = content.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    // BigTIFF counts its entries in 8 bytes, and each has 20 instead of 12.
    let big = short(2)? == 43;
    let (head, entry, value) = if big { (8, 20, 12) } else { (2, 12, 8) };
    let entries = (0..4_096).map(|index| start + head + index * entry);
    let at = entries.take_while(|at| at + entry <= content.len()).find(|&at| short(at) == Some(TAG))?;
    // A long number of a big-endian file has its value in the second half.
    let start = at + value + if short(at + 2)? == LONG && !little { 2 } else { 0 };
    Some(start..start + 2)
}

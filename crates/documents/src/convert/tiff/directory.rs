//! The raw directories of a TIFF file, and their repair before decoding: broken chains of pages, and strips
//! or tiles without a length.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::MAX_PAGES;

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const PHOTOMETRIC: u16 = 262;
/// Tags of offsets and lengths, for strips and for tiles.
const CHUNKS: [(u16, u16); 2] = [(273, 279), (324, 325)];
/// Maximum number of strips or tiles of a page.
const MAX_CHUNKS: u64 = 1 << 20;

/// Number format of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    little: bool,
    /// BigTIFF: offsets have eight bytes.
    big: bool,
}

impl Format {
    fn of(content: &[u8]) -> Option<Self> {
        match content {
            [b'I', b'I', kind @ (42 | 43), 0, ..] => Some(Self { little: true, big: *kind == 43 }),
            [b'M', b'M', 0, kind @ (42 | 43), ..] => Some(Self { little: false, big: *kind == 43 }),
            _ => None,
        }
    }

    /// Size of an offset, in bytes.
    fn place(self) -> usize {
        if self.big { 8 } else { 4 }
    }

    /// Sizes of the entry count and of an entry, in bytes.
    fn sizes(self) -> (usize, usize) {
        if self.big { (8, 20) } else { (2, 12) }
    }

    fn number(self, content: &[u8], at: usize, size: usize) -> Option<u64> {
        let bytes = content.get(at..at.checked_add(size)?)?;
        let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) })
    }

    fn bytes(self, number: u64, size: usize) -> Vec<u8> {
        if self.little {
            number.to_le_bytes()[..size].to_vec()
        } else {
            number.to_be_bytes()[8 - size..].to_vec()
        }
    }
}

/// A field of a page.
#[derive(Debug, Clone, Copy)]
struct Entry {
    at: usize,
    tag: u16,
    kind: u64,
    count: u64,
}

impl Entry {
    fn size(self) -> Option<usize> {
        match self.kind {
            1 => Some(1),
            3 => Some(2),
            4 => Some(4),
            16 => Some(8),
            _ => None,
        }
    }

    /// Its numbers, stored in the entry itself or elsewhere.
    fn values(self, content: &[u8], format: Format) -> Option<Vec<u64>> {
        let size = self.size()?;
        if self.count > MAX_CHUNKS {
            return None;
        }
        let inline = self.at + 4 + format.place();
        let start = match size * self.count as usize <= format.place() {
            true => inline,
            false => usize::try_from(format.number(content, inline, format.place())?).ok()?,
        };
        (0..self.count as usize)
            .map(|index| format.number(content, start.checked_add(index * size)?, size))
            .collect()
    }
}

/// The fields of a page.
#[derive(Debug)]
pub(super) struct Directory {
    start: usize,
    entries: Vec<Entry>,
    /// Position of the offset of the next directory.
    next: usize,
}

impl Directory {
    fn read(content: &[u8], format: Format, start: usize) -> Option<Self> {
        let (head, size) = format.sizes();
        let count = usize::try_from(format.number(content, start, head)?).ok()?;
        let first = start.checked_add(head)?;
        let next = first.checked_add(count.checked_mul(size)?)?;
        // The offset of the next directory may be missing at the end of the file.
        if next > content.len() {
            return None;
        }
        let entry = |at: usize| {
            let tag = format.number(content, at, 2)? as u16;
            let kind = format.number(content, at + 2, 2)?;
            Some(Entry { at, tag, kind, count: format.number(content, at + 4, format.place())? })
        };
        let entries: Vec<Entry> =
            (0..count).map(|index| entry(first + index * size)).collect::<Option<_>>()?;
        let directory = Self { start, entries, next };
        let is_page = directory.entry(WIDTH).is_some() && directory.entry(HEIGHT).is_some();
        is_page.then_some(directory)
    }

    fn entry(&self, tag: u16) -> Option<Entry> {
        self.entries.iter().find(|entry| entry.tag == tag).copied()
    }

    /// Position of the value of PhotometricInterpretation: two bytes.
    pub fn photometric(&self, format: Format) -> Option<Range<usize>> {
        const LONG: u64 = 4;
        let entry = self.entry(PHOTOMETRIC)?;
        // In a big-endian file, the value of a long number is in its second half.
        let shift = if entry.kind == LONG && !format.little { 2 } else { 0 };
        let start = entry.at + 4 + format.place() + shift;
        Some(start..start + 2)
    }

    /// Offsets and stated lengths of its strips or tiles, and the tag of the lengths.
    fn chunks(&self, content: &[u8], format: Format) -> Option<Chunks> {
        let (offsets, tag) = CHUNKS.iter().find_map(|(offsets, tag)| Some((self.entry(*offsets)?, *tag)))?;
        let offsets = offsets.values(content, format)?;
        let lengths = self.entry(tag).and_then(|lengths| lengths.values(content, format)).unwrap_or_default();
        Some(Chunks { offsets, lengths, tag })
    }
}

struct Chunks {
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    tag: u16,
}

/// Treatment of the lengths of strips and tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    /// Missing and zero lengths extend to the next structure in the file.
    Stated,
    /// All lengths extend to the next structure in the file.
    Reach,
}

/// A file whose chain of pages ends, and whose strips and tiles have lengths.
pub(super) struct Mended<'a> {
    pub content: Cow<'a, [u8]>,
    pub format: Option<Format>,
    pub pages: Vec<Directory>,
    /// Whether the chain of pages was broken.
    pub is_cut: bool,
    /// Sorted offsets of strips, tiles and directories, and the end of the file.
    pub starts: Vec<u64>,
}

impl<'a> Mended<'a> {
    pub fn of(content: &'a [u8], lengths: Lengths) -> Self {
        let mut mended = Self {
            content: Cow::Borrowed(content),
            format: None,
            pages: Vec::new(),
            is_cut: false,
            starts: Vec::new(),
        };
        let Some(format) = Format::of(content) else { return mended };
        mended.format = Some(format);
        mended.walk(format);
        let chunks: Vec<_> = mended.pages.iter().map(|page| page.chunks(content, format)).collect();
        let starts = chunks.iter().flatten().flat_map(|chunks| chunks.offsets.iter().copied());
        let directories = mended.pages.iter().map(|page| page.start as u64);
        mended.starts = starts.chain(directories).filter(|start| *start < content.len() as u64).collect();
        mended.starts.push(content.len() as u64);
        mended.starts.sort_unstable();
        for (page, chunks) in chunks.into_iter().enumerate() {
            if let Some(chunks) = chunks {
                mended.lengthen(format, page, &chunks, lengths);
            }
        }
        mended
    }

    /// Follows the chain of pages, and ends it at an offset that is invalid or leads back.
    fn walk(&mut self, format: Format) {
        let first = if format.big { 8 } else { 4 };
        let (mut at, mut seen) = (first, HashSet::new());
        while self.pages.len() <= MAX_PAGES {
            let Some(start) = format.number(&self.content, at, format.place()).filter(|start| *start > 0)
            else {
                return;
            };
            let page = usize::try_from(start).ok().filter(|start| seen.insert(*start));
            match page.and_then(|start| Directory::read(&self.content, format, start)) {
                Some(page) => {
                    at = page.next;
                    self.pages.push(page);
                }
                None => {
                    self.is_cut = true;
                    // Without a first page there is nothing to repair.
                    if !self.pages.is_empty() {
                        self.write(at, &format.bytes(0, format.place()));
                    }
                    return;
                }
            }
        }
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.content.to_mut().get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Appends a directory with a length for each strip or tile of a page, if lengths are missing or change.
    fn lengthen(&mut self, format: Format, page: usize, chunks: &Chunks, lengths: Lengths) {
        let length = |(index, offset): (usize, &u64)| {
            let next = self.starts.partition_point(|start| start <= offset);
            let reach = self.starts.get(next).map_or(0, |next| next - offset);
            match chunks.lengths.get(index) {
                Some(&stated) if stated > 0 && lengths == Lengths::Stated => stated,
                // An offset of zero means that there is no such strip.
                _ if *offset == 0 => 0,
                _ => reach,
            }
        };
        let wanted: Vec<u64> = chunks.offsets.iter().enumerate().map(length).collect();
        if wanted == chunks.lengths {
            return;
        }
        let (head, size) = format.sizes();
        let place = format.place();
        let long = if format.big { 16 } else { 4 };
        let values: Vec<u8> = wanted.iter().flat_map(|length| format.bytes(*length, place)).collect();
        let out = self.content.to_mut();
        out.resize(out.len().next_multiple_of(8), 0);
        let values_at = out.len() as u64;
        let inline = if wanted.len() == 1 { values.clone() } else { format.bytes(values_at, place) };
        out.extend(values);
        let entry = [
            format.bytes(chunks.tag.into(), 2),
            format.bytes(long, 2),
            format.bytes(wanted.len() as u64, place),
            inline,
        ]
        .concat();
        let old = &self.pages[page];
        let mut entries: Vec<(u16, Vec<u8>)> = old
            .entries
            .iter()
            .filter(|known| known.tag != chunks.tag)
            .map(|known| (known.tag, out[known.at..known.at + size].to_vec()))
            .collect();
        entries.push((chunks.tag, entry));
        entries.sort_by_key(|(tag, _)| *tag);
        let next = format.number(out, old.next, place).unwrap_or(0);
        let start = out.len().next_multiple_of(8);
        out.resize(start, 0);
        out.extend(format.bytes(entries.len() as u64, head));
        entries.iter().for_each(|(_, entry)| out.extend(entry));
        out.extend(format.bytes(next, place));
        let before = match page.checked_sub(1) {
            Some(before) => self.pages[before].next,
            None => {
                if format.big {
                    8
                } else {
                    4
                }
            }
        };
        self.write(before, &format.bytes(start as u64, place));
        if let Some(directory) = Directory::read(&self.content, format, start) {
            self.pages[page] = directory;
        }
    }
}

//! TIFF of class F (RFC 2306) as written by this module: little endian, Group 4, one strip and one directory
//! per page.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use tiff::decoder::Decoder;
use tiff::decoder::ifd::Value;
use tiff::tags::Tag;

use super::FaxFileError;
use crate::bilevel::Bilevel;

/// A compressed page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'a> {
    pub width: u32,
    pub height: u32,
    /// Pixels per inch, horizontally and vertically.
    pub dpi: (u32, u32),
    /// Group 4 data.
    pub data: &'a [u8],
}

impl Page<'_> {
    pub fn decode(&self) -> Result<Bilevel, FaxFileError> {
        Bilevel::from_group4(self.width, self.height, self.data).ok_or(FaxFileError::Damaged)
    }
}

/// Writes pages in order.
pub(super) struct Writer<W> {
    out: W,
    /// Position of the offset of the next directory.
    link: u64,
    end: u64,
    written: usize,
    pages: usize,
}

impl<W: Write + Seek> Writer<W> {
    /// Starts a file of `pages` pages.
    pub fn new(mut out: W, pages: usize) -> io::Result<Self> {
        out.write_all(b"II*\0\0\0\0\0")?;
        Ok(Self { out, link: 4, end: 8, written: 0, pages })
    }

    pub fn page(&mut self, page: &Page<'_>) -> Result<(), FaxFileError> {
        let strip = offset(self.end)?;
        let padding = page.data.len() % 2;
        let resolution = offset(self.end + (page.data.len() + padding) as u64)?;
        self.out.write_all(page.data)?;
        self.out.write_all(&[0][..padding])?;
        for value in [page.dpi.0, 1, page.dpi.1, 1] {
            self.out.write_all(&value.to_le_bytes())?;
        }
        let directory = directory(page, strip, resolution, (self.written, self.pages));
        self.out.write_all(&directory)?;
        let start = resolution + 16;
        self.out.seek(SeekFrom::Start(self.link))?;
        self.out.write_all(&start.to_le_bytes())?;
        self.end = u64::from(start) + directory.len() as u64;
        self.link = self.end - 4;
        self.out.seek(SeekFrom::Start(self.end))?;
        self.written += 1;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// TIFF has 32-bit offsets.
fn offset(at: u64) -> Result<u32, FaxFileError> {
    u32::try_from(at).map_err(|_| io::Error::other("a TIFF file ends at 4 GiB").into())
}

const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;

/// A directory whose link to the next one is still empty.
fn directory(page: &Page<'_>, strip: u32, resolution: u32, (index, count): (usize, usize)) -> Vec<u8> {
    let number = (index as u32 & 0xffff) | (count as u32) << 16;
    // Tag, type, count, value or offset; sorted by tag, as TIFF requires.
    let entries: [(u16, u16, u32, u32); 16] = [
        (254, LONG, 1, 2),                      // NewSubfileType: page of several
        (256, LONG, 1, page.width),             // ImageWidth
        (257, LONG, 1, page.height),            // ImageLength
        (258, SHORT, 1, 1),                     // BitsPerSample
        (259, SHORT, 1, 4),                     // Compression: Group 4
        (262, SHORT, 1, 0),                     // PhotometricInterpretation: white is zero
        (266, SHORT, 1, 1),                     // FillOrder: most significant bit first
        (273, LONG, 1, strip),                  // StripOffsets
        (277, SHORT, 1, 1),                     // SamplesPerPixel
        (278, LONG, 1, page.height),            // RowsPerStrip
        (279, LONG, 1, page.data.len() as u32), // StripByteCounts
        (282, RATIONAL, 1, resolution),         // XResolution
        (283, RATIONAL, 1, resolution + 8),     // YResolution
        (293, LONG, 1, 0),                      // T6Options: no uncompressed mode
        (296, SHORT, 1, 2),                     // ResolutionUnit: inch
        (297, SHORT, 2, number),                // PageNumber
    ];
    let mut out = (entries.len() as u16).to_le_bytes().to_vec();
    for (tag, kind, count, value) in entries {
        out.extend(tag.to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(value.to_le_bytes());
    }
    out.extend([0; 4]);
    out
}

/// The pages of a file written by this module, at least one.
pub(super) fn read(content: &[u8]) -> Result<Vec<Page<'_>>, FaxFileError> {
    let damaged = |_| FaxFileError::Damaged;
    let mut file = Decoder::new(Cursor::new(content)).map_err(damaged)?;
    let mut pages = Vec::new();
    loop {
        pages.push(page(&mut file, content).ok_or(FaxFileError::Damaged)?);
        if !file.more_images() {
            return Ok(pages);
        }
        file.next_image().map_err(damaged)?;
    }
}

fn page<'a>(file: &mut Decoder<Cursor<&'a [u8]>>, content: &'a [u8]) -> Option<Page<'a>> {
    let (width, height) = file.dimensions().ok()?;
    let mut number = |tag| file.find_tag_unsigned::<u32>(tag).ok().flatten();
    if number(Tag::Compression) != Some(4) || number(Tag::RowsPerStrip)? < height {
        return None;
    }
    let (start, length) = (number(Tag::StripOffsets)? as usize, number(Tag::StripByteCounts)? as usize);
    let mut resolution = |tag| match file.find_tag(tag).ok().flatten()? {
        Value::Rational(pixels, inches) => pixels.checked_div(inches),
        _ => None,
    };
    let dpi = (resolution(Tag::XResolution)?, resolution(Tag::YResolution)?);
    let credible = width == super::WIDTH && (1..=20_000).contains(&height);
    let data = content.get(start..start.checked_add(length)?)?;
    credible.then_some(Page { width, height, dpi, data })
}

/// A file in memory. `None` if there are no pages, or if a page is empty or its size does not match.
pub(crate) fn write(pages: &[Bilevel], dpi: (u32, u32)) -> Option<Vec<u8>> {
    if pages.is_empty() {
        return None;
    }
    let mut writer = Writer::new(Cursor::new(Vec::new()), pages.len()).ok()?;
    for page in pages {
        let data = page.group4()?;
        writer.page(&Page { width: page.width, height: page.height, dpi, data: &data }).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

//! TIFF as fax machines and scanners write it: one bit per pixel, Group 4 (ITU-T T.6), one directory per page.

use fax_codec::encoder::Encoder;
use fax_codec::{Color, VecWriter};

/// A page of black and white pixels.
pub(crate) struct BilevelPage {
    pub width: u32,
    pub height: u32,
    /// Row by row; true is black.
    pub black: Vec<bool>,
}

/// Writes pages with one strip each (TIFF 6.0 sections 3, 8 and 11). None when a page is empty or not of its size.
pub(crate) fn write(pages: &[BilevelPage], dpi: (u32, u32)) -> Option<Vec<u8>> {
    let mut out = b"II*\0".to_vec();
    out.extend([0; 4]);
    let mut link = 4;
    for (index, page) in pages.iter().enumerate() {
        let strip = out.len() as u32;
        let data = group4(page)?;
        out.extend(&data);
        pad(&mut out);
        let resolution = out.len() as u32;
        [dpi.0, 1, dpi.1, 1].iter().for_each(|value| out.extend(value.to_le_bytes()));
        let directory = out.len() as u32;
        out[link..link + 4].copy_from_slice(&directory.to_le_bytes());
        write_directory(&mut out, page, strip, data.len() as u32, resolution, (index, pages.len()));
        link = out.len();
        out.extend([0; 4]);
    }
    (!pages.is_empty()).then_some(out)
}

fn group4(page: &BilevelPage) -> Option<Vec<u8>> {
    let width = page.width as usize;
    if width == 0 || page.black.len() != width * page.height as usize {
        return None;
    }
    let mut encoder = Encoder::new(VecWriter::new());
    for row in page.black.chunks_exact(width) {
        let colours = row.iter().map(|&black| if black { Color::Black } else { Color::White });
        encoder.encode_line(colours, page.width).ok()?;
    }
    Some(encoder.finish().ok()?.finish())
}

fn pad(out: &mut Vec<u8>) {
    if out.len() % 2 == 1 {
        out.push(0);
    }
}

const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;

fn write_directory(
    out: &mut Vec<u8>,
    page: &BilevelPage,
    strip: u32,
    length: u32,
    resolution: u32,
    (index, count): (usize, usize),
) {
    let number = index as u32 | (count as u32) << 16;
    // Tag, type, count, value or offset; in ascending order of tags.
    let entries: [(u16, u16, u32, u32); 15] = [
        (254, LONG, 1, 2),           // NewSubfileType: page of several
        (256, LONG, 1, page.width),  // ImageWidth
        (257, LONG, 1, page.height), // ImageLength
        (258, SHORT, 1, 1),          // BitsPerSample
        (259, SHORT, 1, 4),          // Compression: Group 4
        (262, SHORT, 1, 0),          // PhotometricInterpretation: white is zero
        (266, SHORT, 1, 1),          // FillOrder: most significant bit first
        (273, LONG, 1, strip),       // StripOffsets
        (277, SHORT, 1, 1),          // SamplesPerPixel
        (278, LONG, 1, page.height), // RowsPerStrip
        (279, LONG, 1, length),      // StripByteCounts
        (282, RATIONAL, 1, resolution),
        (283, RATIONAL, 1, resolution + 8),
        (296, SHORT, 1, 2),      // ResolutionUnit: inch
        (297, SHORT, 2, number), // PageNumber
    ];
    out.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        out.extend(tag.to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(value.to_le_bytes());
    }
}

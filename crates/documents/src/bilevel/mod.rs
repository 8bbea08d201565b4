//! Black-and-white pages, as in faxes and scans: conversion from grey, fax compression, and PDF.

mod lines;
mod pdf_file;

use fax_codec::encoder::Encoder;
use fax_codec::{Color, VecWriter};
use hayro_ccitt::EncodingMode;

pub(crate) use lines::{Coding, Lines, lines};
pub(crate) use pdf_file::PdfFile;

/// A black-and-white page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bilevel {
    pub width: u32,
    pub height: u32,
    /// Row by row; `true` is black.
    pub black: Vec<bool>,
}

/// Side of the blocks that are classified as text or picture, in pixels.
const BLOCK: usize = 8;
/// Greys that are common in pictures and coloured areas, but occur in text only at its edges.
const MIDDLE: std::ops::RangeInclusive<u8> = 64..=208;
/// In text and drawings, darker pixels are black. Above the middle, since faxes lose thin lines.
const TEXT_THRESHOLD: u8 = 160;

/// Clustered-dot screen under 45 degrees (R. Ulichney, Digital Halftoning): clustered dots survive
/// transmission and compress well, unlike scattered ones.
const SCREEN: [[u8; BLOCK]; BLOCK] = [
    [24, 10, 12, 26, 35, 47, 49, 37],
    [8, 0, 2, 14, 45, 59, 61, 51],
    [22, 6, 4, 16, 43, 57, 63, 53],
    [30, 20, 18, 28, 33, 41, 55, 39],
    [34, 46, 48, 36, 25, 11, 13, 27],
    [44, 58, 60, 50, 9, 1, 3, 15],
    [42, 56, 62, 52, 23, 7, 5, 17],
    [32, 40, 54, 38, 31, 21, 19, 29],
];

/// Thresholds of the pixels of a halftoned block.
const DOTS: [[u8; BLOCK]; BLOCK] = {
    let mut limits = SCREEN;
    let mut at = 0;
    while at < BLOCK * BLOCK {
        let limit = &mut limits[at / BLOCK][at % BLOCK];
        *limit = *limit * 4 + 2;
        at += 1;
    }
    limits
};

impl Bilevel {
    /// Converts a grey page: mostly grey blocks are halftoned; all others get a plain threshold, which keeps
    /// text sharp.
    pub fn from_grey(width: u32, height: u32, grey: &[u8]) -> Self {
        let across = width as usize;
        let mut black = vec![false; grey.len()];
        let mut middle = vec![0; across.div_ceil(BLOCK)];
        let bands = grey.chunks(across * BLOCK).zip(black.chunks_mut(across * BLOCK));
        for (rows, black) in bands {
            count_middle(rows, across, &mut middle);
            let lines = rows.len() / across;
            for (y, (row, out)) in rows.chunks(across).zip(black.chunks_mut(across)).enumerate() {
                for ((pixels, out), &middle) in row.chunks(BLOCK).zip(out.chunks_mut(BLOCK)).zip(&middle) {
                    if is_white(pixels) {
                        continue;
                    }
                    let dotted = usize::from(middle) * 2 > pixels.len() * lines;
                    let limits = if dotted { &DOTS[y] } else { &[TEXT_THRESHOLD; BLOCK] };
                    for ((&pixel, out), limit) in pixels.iter().zip(out).zip(limits) {
                        *out = pixel < *limit;
                    }
                }
            }
        }
        Self { width, height, black }
    }

    /// The page in Group 4 compression; `None` if it is empty or its size does not match.
    pub fn group4(&self) -> Option<Vec<u8>> {
        let width = self.width as usize;
        if width == 0 || self.height == 0 || self.black.len() != width * self.height as usize {
            return None;
        }
        let mut encoder = Encoder::new(VecWriter::new());
        for row in self.black.chunks_exact(width) {
            let colours = inked(row).iter().map(|&black| if black { Color::Black } else { Color::White });
            encoder.encode_line(colours, self.width).ok()?;
        }
        Some(encoder.finish().ok()?.finish())
    }

    /// Decodes a page in Group 4 compression; `None` if no row can be read.
    pub fn from_group4(width: u32, height: u32, data: &[u8]) -> Option<Self> {
        let size = (width as usize).checked_mul(height as usize)?;
        let mode = EncodingMode::Group4;
        let coding =
            Coding { columns: width, rows: height, mode, has_line_ends: false, is_byte_aligned: false };
        let mut black: Vec<bool> = lines(data, coding).pixels.iter().map(|pixel| *pixel == 0).collect();
        if black.is_empty() {
            return None;
        }
        black.resize(size, false);
        Some(Self { width, height, black })
    }
}

/// A row without its trailing white except for one pixel: the encoder visits every pixel that it gets.
fn inked(row: &[bool]) -> &[bool] {
    let is_white = |pixels: &&[bool]| !pixels.iter().fold(false, |ink, &black| ink | black);
    let white: usize = row.rchunks(64).take_while(is_white).map(<[bool]>::len).sum();
    &row[..(row.len() - white + 1).min(row.len())]
}

/// Counts the middle greys in each block of a band.
fn count_middle(rows: &[u8], across: usize, middle: &mut [u8]) {
    middle.fill(0);
    for row in rows.chunks(across) {
        for (pixels, middle) in row.chunks(BLOCK).zip(&mut *middle) {
            if !is_white(pixels) {
                *middle += pixels.iter().map(|pixel| u8::from(MIDDLE.contains(pixel))).sum::<u8>();
            }
        }
    }
}

/// Whether all pixels are white. Most of a page is white, so testing eight pixels at once saves most of the
/// work.
fn is_white(pixels: &[u8]) -> bool {
    pixels == [u8::MAX; BLOCK]
}

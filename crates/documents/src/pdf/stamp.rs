//! Watermarks burned into page pictures.

use super::{Document, PagePng, draw, grey};
use crate::typeset::{Face, Look, Sheet, Typesetter};
use image::{ExtendedColorType, ImageEncoder, ImageFormat, ImageReader, Limits, codecs::png::PngEncoder};
use std::io::Cursor;

/// Width of the sheet with the text, in points. Its height follows from the picture.
const WIDTH: f32 = 612.0;
const SIZE: f32 = 11.0;
/// Distance between rows of text, in points.
const ROWS: f32 = 96.0;
/// Opacity of the text, out of 256.
const STRENGTH: u32 = 110;
/// Grey of the text, visible on light and dark backgrounds.
const INK: u32 = 120;
const SIDE_MAX: u32 = 20_000;

/// The picture covered with rows of text. `None` if it cannot be decoded.
pub fn stamped(page: &PagePng, words: &str) -> Option<PagePng> {
    let mut reader = ImageReader::with_format(Cursor::new(&page.png), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    reader.limits(limits);
    let mut picture = reader.decode().ok()?.into_rgb8();
    let (width, height) = picture.dimensions();
    let scale = width as f32 / WIDTH;
    let marks = Document::open(&sheet(words, height as f32 / scale)?).ok()?;
    let marks = draw(&marks, &marks.cache(), 1, (scale, scale)).ok()?;
    let (row, ink) = (usize::from(marks.width()), grey(marks.data_as_u8_slice()));
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let (x, y) = (x as usize, y as usize);
        let darkness =
            if x < row { ink.get(y * row + x).map_or(0, |grey| 255 - u32::from(*grey)) } else { 0 };
        let cover = darkness * STRENGTH / 255;
        for channel in &mut pixel.0 {
            *channel = ((u32::from(*channel) * (256 - cover) + INK * cover) / 256) as u8;
        }
    }
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(&picture, width, height, ExtendedColorType::Rgb8).ok()?;
    Some(PagePng { png, width, height })
}

/// A one-page PDF of this height with the rows of text.
fn sheet(words: &str, height: f32) -> Option<Vec<u8>> {
    let sheet = Sheet { width: WIDTH, height, left: 0.0, right: 0.0, top: 0.0, bottom: 0.0 };
    let mut typesetter = Typesetter::new(sheet);
    let look = Look::new(Face::Sans, SIZE);
    let line = format!("{words}     ").repeat(4);
    let (mut y, mut shift) = (ROWS / 2.0, 0.0);
    while y < height {
        typesetter.text(&line, -shift, y, look);
        (y, shift) = (y + ROWS, (shift + 130.0) % 260.0);
    }
    Some(typesetter.finish("", None)?.pdf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    #[test]
    fn words_darken_white_and_lighten_black_all_over_the_picture() {
        for ground in [255_u8, 0] {
            let mut png = Vec::new();
            let picture = RgbImage::from_pixel(800, 500, image::Rgb([ground; 3]));
            picture.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).expect("a picture");
            let page = PagePng { png, width: 800, height: 500 };
            let stamped = stamped(&page, "Ola Ng, Nov 25, 2026").expect("a stamped picture");
            let after = image::load_from_memory(&stamped.png).expect("a picture").into_rgb8();
            for third in 0..3 {
                let rows = (third * 166)..((third + 1) * 166);
                let changed = rows.flat_map(|y| (0..800).map(move |x| (x, y)));
                assert!(changed.filter(|(x, y)| after.get_pixel(*x, *y).0[0] != ground).count() > 100);
            }
        }
    }
}

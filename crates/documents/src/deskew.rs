//! Measures and corrects the skew of scanned pages.

use image::imageops::{self, FilterType};
use image::{GrayImage, Luma};

use crate::places::Area;

/// Longest side of the picture used for measuring, in pixels: about 100 pixels per inch.
const MEASURED: u32 = 1_100;
/// Largest skew of a page, in radians (5 degrees). A larger angle is deliberate, or the page has no text.
const MOST: f32 = 0.087;
/// Smallest visible skew, in radians (a tenth of a degree).
const LEAST: f32 = 0.0017;
/// Steps to either side, in the coarse and in the fine search.
const STEPS: i16 = 10;
/// Grey value below which a pixel counts as print.
const DARK: u8 = 128;
/// Minimum ratio of the sharpness of the lines at the best and the worst angle. Photographs do not reach it.
const SHARPER: f64 = 1.15;

/// The angle at which the lines of a page fall to the right, in radians; `None` for a straight page or one
/// without lines. Counts the dark pixels of each row along every angle: at the angle of the lines, rows are
/// fullest and emptiest.
pub(crate) fn lean(page: &GrayImage) -> Option<f32> {
    let longest = page.width().max(page.height());
    let small;
    let page = if longest > MEASURED {
        let side = |side: u32| (u64::from(side) * u64::from(MEASURED) / u64::from(longest)).max(1) as u32;
        small = imageops::resize(page, side(page.width()), side(page.height()), FilterType::Triangle);
        &small
    } else {
        page
    };
    let dots: Vec<(f32, f32)> = page
        .enumerate_pixels()
        .filter(|(_, _, pixel)| pixel.0[0] < DARK)
        .map(|(x, y, _)| (x as f32, y as f32))
        .collect();
    if dots.is_empty() {
        return None;
    }
    let rows = (page.height() + 2 * page.width()) as usize;
    let sharpness = |angle: f32| sharpness(&dots, angle.tan(), page.width() as f32, rows);
    let (coarse, fine) = (MOST / f32::from(STEPS), MOST / f32::from(STEPS * STEPS));
    let (near, worst) = search(0.0, coarse, sharpness);
    let (found, _) = search(near.0, fine, sharpness);
    // At the edge of the range, the best angle may lie beyond it.
    let is_inside = near.0.abs() < MOST - coarse / 2.0;
    (is_inside && found.1 > worst * SHARPER && found.0.abs() >= LEAST).then_some(found.0)
}

/// The best angle around `around` with its sharpness, and the worst sharpness.
fn search(around: f32, step: f32, sharpness: impl Fn(f32) -> f64) -> ((f32, f64), f64) {
    let tried =
        (-STEPS..=STEPS).map(|at| around + f32::from(at) * step).map(|angle| (angle, sharpness(angle)));
    tried.fold(((around, 0.0), f64::MAX), |(best, worst), tried| {
        (if tried.1 > best.1 { tried } else { best }, worst.min(tried.1))
    })
}

fn sharpness(dots: &[(f32, f32)], slope: f32, width: f32, rows: usize) -> f64 {
    let mut counts = vec![0u32; rows];
    for (x, y) in dots {
        let row = (y - x * slope + width).max(0.0) as usize;
        if let Some(count) = counts.get_mut(row) {
            *count += 1;
        }
    }
    counts.iter().map(|count| f64::from(*count) * f64::from(*count)).sum()
}

/// The page, straightened by this angle. New areas are white.
pub(crate) fn turned_back(page: &GrayImage, angle: f32) -> GrayImage {
    let size = (page.width() as f32, page.height() as f32);
    GrayImage::from_fn(page.width(), page.height(), |x, y| {
        let (x, y) = before((x as f32, y as f32), angle, size);
        imageops::interpolate_bilinear(page, x, y).unwrap_or(Luma([255]))
    })
}

/// Position of a point of the straightened page on the original page.
fn before((x, y): (f32, f32), angle: f32, (width, height): (f32, f32)) -> (f32, f32) {
    let (sin, cos) = angle.sin_cos();
    let (dx, dy) = (x - width / 2.0, y - height / 2.0);
    (dx * cos - dy * sin + width / 2.0, dx * sin + dy * cos + height / 2.0)
}

/// Area of the original page for an area of the straightened page of this size.
pub(crate) fn as_it_lay(area: Area, angle: f32, (width, height): (f32, f32)) -> Area {
    let (left, top) = (area.left * width, area.top * height);
    let (right, bottom) = (left + area.width * width, top + area.height * height);
    let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
    let corners = corners.map(|corner| before(corner, angle, (width, height)));
    let least = |side: fn(&(f32, f32)) -> f32| corners.iter().map(side).fold(f32::MAX, f32::min);
    let most = |side: fn(&(f32, f32)) -> f32| corners.iter().map(side).fold(f32::MIN, f32::max);
    let (from, to) = ((least(|at| at.0), least(|at| at.1)), (most(|at| at.0), most(|at| at.1)));
    let wide = |(x, y): (f32, f32)| (f64::from(x), f64::from(y));
    Area::between(wide(from), wide(to), wide((width, height))).unwrap_or(area)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A page whose lines of words fall to the right by this angle.
    fn page(angle: f32) -> GrayImage {
        GrayImage::from_fn(850, 1_100, |x, y| {
            let row = y as f32 - x as f32 * angle.tan() + 100.0;
            let is_print = row.rem_euclid(24.0) < 8.0 && x % 60 > 9 && (80..770).contains(&x);
            Luma([if is_print && (120..980).contains(&y) { 0 } else { 255 }])
        })
    }

    #[test]
    fn the_lean_of_lines_is_measured_and_taken_back() {
        for degrees in [-3.0f32, -0.7, 0.4, 2.5] {
            let angle = degrees.to_radians();
            let found = lean(&page(angle)).expect("it leans");
            assert!((found - angle).abs() < 0.002, "{degrees}: {}", found.to_degrees());
            let left = lean(&turned_back(&page(angle), found)).unwrap_or_default();
            assert!(left.abs() < 0.004, "{degrees}: {} is left", left.to_degrees());
        }
        assert_eq!(lean(&page(0.0)), None);
        assert_eq!(lean(&GrayImage::from_pixel(200, 300, Luma([255]))), None);
    }

    #[test]
    fn a_place_on_the_straightened_page_is_found_on_the_page_as_it_lay() {
        let area = Area { left: 0.7, top: 0.2, width: 0.1, height: 0.02 };
        let (size, angle) = ((850.0, 1_100.0), 0.03);
        let lay = as_it_lay(area, angle, size);
        let (x, y) = before((0.75 * size.0, 0.21 * size.1), angle, size);
        assert!((lay.left..lay.left + lay.width).contains(&(x / size.0)));
        assert!((lay.top..lay.top + lay.height).contains(&(y / size.1)));
        assert!(lay.width < 0.11 && lay.height < 0.03, "{lay:?}");
    }

    proptest! {
        #[test]
        fn any_picture_has_a_small_angle_or_none(
            width in 1u32..60, bytes in prop::collection::vec(any::<u8>(), 1..2_000),
        ) {
            let height = (bytes.len() as u32 / width).max(1);
            let pixel = |x: u32, y: u32| bytes.get((y * width + x) as usize).copied().unwrap_or(255);
            let page = GrayImage::from_fn(width, height, |x, y| Luma([pixel(x, y)]));
            if let Some(angle) = lean(&page) {
                prop_assert!(angle.abs() <= MOST * 1.01);
                prop_assert_eq!(turned_back(&page, angle).dimensions(), page.dimensions());
            }
        }
    }
}

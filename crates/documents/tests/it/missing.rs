//! Files with truncated, broken or misplaced data: the readable parts are shown, and the missing ones are
//! named on the page and with the result.

use documents::worker::Input;
use documents::{Flaws, Kind, samples};
use image::{ImageFormat, Rgb, RgbImage};

use crate::support::{converter, day, ink, tiffcp, visit_note};

const OFFSETS: u16 = 273;
const LENGTHS: u16 = 279;
const PART: &str = "A part of this page is missing in the file.";

/// Offsets of the directories of a little-endian file.
fn directories(tiff: &[u8]) -> Vec<usize> {
    let number = |at: usize| u32::from_le_bytes(tiff[at..at + 4].try_into().unwrap()) as usize;
    let mut at = number(4);
    let mut all = Vec::new();
    while at > 0 && !all.contains(&at) {
        all.push(at);
        at = number(next_of(tiff, at));
    }
    all
}

/// Position of the offset of the next directory.
fn next_of(tiff: &[u8], directory: usize) -> usize {
    directory + 2 + 12 * usize::from(u16::from_le_bytes([tiff[directory], tiff[directory + 1]]))
}

/// Position of the entry of a tag in the first directory.
fn entry(tiff: &[u8], tag: u16) -> usize {
    let directory = u32::from_le_bytes(tiff[4..8].try_into().unwrap()) as usize;
    let mut entries = (directory + 2..next_of(tiff, directory)).step_by(12);
    entries.find(|at| tiff[*at..at + 2] == tag.to_le_bytes()).expect("the tag is there")
}

fn value(tiff: &[u8], tag: u16) -> u32 {
    let at = entry(tiff, tag) + 8;
    u32::from_le_bytes(tiff[at..at + 4].try_into().unwrap())
}

fn with_number(mut tiff: Vec<u8>, at: usize, number: u32) -> Vec<u8> {
    tiff[at..at + 4].copy_from_slice(&number.to_le_bytes());
    tiff
}

fn with_value(tiff: Vec<u8>, tag: u16, number: u32) -> Vec<u8> {
    let at = entry(&tiff, tag) + 8;
    with_number(tiff, at, number)
}

/// One page in one strip.
fn scan(compression: &str) -> Vec<u8> {
    let scan = samples::scanned_tiff(&visit_note());
    tiffcp(
        &["-c", compression, "-s", "-r", "100000", "-f", "msb2lsb"],
        &tiffcp(&["-c", "none"], &first_page(scan)),
    )
}

fn first_page(tiff: Vec<u8>) -> Vec<u8> {
    let next = next_of(&tiff, directories(&tiff)[0]);
    with_number(tiff, next, 0)
}

/// Ink of the first page in percent, the flaws, and the text of all pages.
async fn shown(kind: Kind, content: Vec<u8>) -> (f64, Flaws, String) {
    let converter = converter();
    let at = day().and_hms_opt(8, 0, 0).unwrap();
    let (pdf, flaws) = converter.preview(Input::bytes(kind, content), at).await.expect("it can be shown");
    let text = converter.text(Input::bytes(Kind::Pdf, pdf.clone())).await.unwrap().join("\n");
    let page = converter.render_page(Input::bytes(Kind::Pdf, pdf.clone()), 1, 100).await.unwrap();
    let (looks, _) = converter.look_at_pages(pdf.into(), 1, 20).await.unwrap();
    assert!(looks.iter().all(|look| !look.is_blank), "a page that is damaged is not blank");
    (ink(&page.png), flaws, text)
}

#[tokio::test]
async fn strips_without_a_length_or_with_one_that_is_too_short_are_read_to_their_end() {
    for compression in ["g4", "g3:1d", "lzw", "packbits", "zip", "none"] {
        let whole = scan(compression);
        let (wanted, flaws, text) = shown(Kind::Tiff, whole.clone()).await;
        assert!(flaws.is_empty() && text.trim().is_empty(), "{compression}: {flaws:?}");
        let length = value(&whole, LENGTHS);
        let tag = entry(&whole, LENGTHS);
        let mut missing = whole.clone();
        missing[tag..tag + 2].copy_from_slice(&65_000u16.to_le_bytes());
        let cases = [
            ("zero", with_value(whole.clone(), LENGTHS, 0)),
            ("half", with_value(whole.clone(), LENGTHS, length / 2)),
            ("none", missing),
        ];
        for (what, tiff) in cases {
            let (found, flaws, _) = shown(Kind::Tiff, tiff).await;
            assert!((found - wanted).abs() < 0.02, "{compression}, {what}: {found} instead of {wanted}");
            assert!(flaws.is_empty(), "{compression}, {what}: {flaws:?}");
        }
    }
}

#[tokio::test]
async fn data_that_ends_half_way_shows_what_there_is_and_says_so() {
    for compression in ["g4", "g3:1d", "lzw", "packbits", "zip", "none"] {
        let whole = scan(compression);
        let (wanted, ..) = shown(Kind::Tiff, whole.clone()).await;
        let (offset, length) = (value(&whole, OFFSETS) as usize, value(&whole, LENGTHS) as usize);
        // The directory comes first, so that the file can be truncated.
        assert!(offset < 16, "the data stands before the directory");
        let directory = directories(&whole)[0];
        let half = length / 2 / 8 * 8;
        let moved = |at: usize| (at - length + half) as u32;
        let mut tiff = [&whole[..offset + half], &whole[offset + length..]].concat();
        tiff = with_number(tiff, 4, moved(directory));
        // Values outside the entries have moved too.
        let first = moved(directory) as usize;
        for at in (first + 2..next_of(&tiff, first)).step_by(12) {
            let place = u32::from_le_bytes(tiff[at + 8..at + 12].try_into().unwrap()) as usize;
            if place >= offset + length && place < whole.len() && tiff[at + 2] == 5 {
                tiff = with_number(tiff, at + 8, moved(place));
            }
        }
        let tiff = with_value(tiff, LENGTHS, half as u32);
        let (found, flaws, text) = shown(Kind::Tiff, tiff).await;
        assert_eq!(flaws, Flaws { parts: vec![1], ..Flaws::default() }, "{compression}");
        assert!(text.contains(PART), "{compression}: {text}");
        assert!(found > wanted * 0.2 && found < wanted * 1.05, "{compression}: {found} of {wanted}");
    }
}

#[tokio::test]
async fn a_bad_byte_in_the_data_of_a_fax_is_told() {
    let whole = scan("g4");
    let (offset, length) = (value(&whole, OFFSETS) as usize, value(&whole, LENGTHS) as usize);
    for part in 1..8 {
        let mut tiff = whole.clone();
        tiff[offset + part * length / 8] ^= 0x5a;
        let (_, flaws, text) = shown(Kind::Tiff, tiff).await;
        assert_eq!(flaws.words().as_deref(), Some("A part of page 1 is missing in the file."), "{part} of 8");
        assert!(text.contains(PART));
    }
}

#[tokio::test]
async fn a_chain_of_pages_that_breaks_keeps_the_pages_before_it() {
    let page = samples::scanned_tiff(&visit_note());
    let scan = tiffcp(&["-c", "g4"], &page);
    let pages = directories(&scan);
    assert!(pages.len() > 1, "the note has several pages");
    let last = next_of(&scan, *pages.last().unwrap());
    let first = next_of(&scan, pages[0]);
    let cases = [
        ("back", with_number(scan.clone(), last, pages[0] as u32), pages.len()),
        ("to itself", with_number(scan.clone(), first, pages[0] as u32), 1),
        ("nowhere", with_number(scan.clone(), first, 0x7fff_fff0), 1),
        ("into data", with_number(scan.clone(), first, 9), 1),
    ];
    for (what, tiff, wanted) in cases {
        for fax in [true, false] {
            // Without a resolution, a file is not a fax.
            let tiff = if fax { tiff.clone() } else { without_resolution(tiff.clone()) };
            let (_, flaws, text) = shown(Kind::Tiff, tiff.clone()).await;
            assert_eq!(flaws, Flaws { is_cut: true, ..Flaws::default() }, "{what}");
            assert!(text.contains("further pages may be missing"), "{what}: {text}");
            let counted = converter().page_count(Input::bytes(Kind::Tiff, tiff)).await.unwrap();
            assert_eq!(counted as usize, wanted, "{what}");
        }
    }
}

fn without_resolution(mut tiff: Vec<u8>) -> Vec<u8> {
    const RESOLUTION: u16 = 282;
    let at = entry(&tiff, RESOLUTION);
    tiff[at..at + 2].copy_from_slice(&65_001u16.to_le_bytes());
    tiff
}

#[tokio::test]
async fn a_page_that_cannot_be_read_does_not_cost_the_others() {
    let scan = tiffcp(&["-c", "g4"], &samples::scanned_tiff(&visit_note()));
    let at = entry(&scan, OFFSETS) + 8;
    let (_, flaws, text) = shown(Kind::Tiff, with_number(scan, at, 0x7fff_fff0)).await;
    assert_eq!(flaws, Flaws { pages: vec![1], ..Flaws::default() });
    assert!(text.contains("This page cannot be read"), "{text}");
}

#[tokio::test]
async fn a_photograph_that_is_cut_off_says_so() {
    let mut jpeg = std::io::Cursor::new(Vec::new());
    let picture =
        RgbImage::from_fn(640, 480, |x, y| Rgb([(x / 4) as u8, (y / 2) as u8, (x * y / 977) as u8]));
    picture.write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    let (_, flaws, text) = shown(Kind::Jpeg, jpeg.clone()).await;
    assert!(flaws.is_empty() && text.trim().is_empty());
    for end in [jpeg.len() / 2, jpeg.len() * 9 / 10] {
        let (_, flaws, text) = shown(Kind::Jpeg, jpeg[..end].to_vec()).await;
        assert_eq!(flaws.parts, [1]);
        assert!(text.contains(PART));
    }
}

//! Pages are taken apart and assembled without redrawing.

use documents::paging::{self, AssemblyError, PickedPage, SHEET_COLUMNS, THUMBNAIL};
use documents::pdf::{self, PdfError};
use documents::worker::{ConvertError, Input};
use documents::{Kind, convert};
use image::{GrayImage, ImageFormat, Luma};
use proptest::prelude::*;
use std::io::Cursor;

use crate::support::{converter, grey, peer, visit_note};

/// A PDF with labelled pages: `A1`, `A2` and so on.
fn lettered(letter: char, pages: u32) -> Vec<u8> {
    let text: Vec<String> = (1..=pages).map(|page| format!("{letter}{page}")).collect();
    convert::to_pdf(Kind::Text, text.join("\x0c").as_bytes()).unwrap()
}

fn picked(file: usize, page: u32, turn: u8) -> PickedPage {
    PickedPage { file, page, turn, straighten: false }
}

/// A file of these objects without a cross-reference table, which readers rebuild.
fn file(objects: &[&str]) -> Vec<u8> {
    let numbered =
        objects.iter().enumerate().map(|(i, object)| format!("{} 0 obj\n{object}\nendobj\n", i + 1));
    format!("%PDF-1.7\n{}trailer\n<< /Root 1 0 R >>\n%%EOF\n", numbered.collect::<String>()).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn picked_pages_stand_in_their_order_and_are_turned(
        picks in prop::collection::vec((0usize..2, 1u32..=6, 0u8..4), 1..20)
    ) {
        let files = [lettered('A', 6), lettered('B', 6)];
        let pages: Vec<_> = picks.iter().map(|&(file, page, turn)| picked(file, page, turn)).collect();
        let made = paging::assemble(&[&files[0], &files[1]], &pages).unwrap();
        let words = pdf::text(&made).unwrap();
        let wanted: Vec<_> = picks.iter().map(|(file, page, _)| format!("{}{page}", ["A", "B"][*file])).collect();
        prop_assert_eq!(words.iter().map(|text| text.lines().next().unwrap_or_default()).collect::<Vec<_>>(), wanted);
        for (index, (_, _, turn)) in picks.iter().enumerate() {
            let page = pdf::render_page(&made, index as u32 + 1, 10).unwrap();
            prop_assert_eq!(page.width > page.height, turn % 2 == 1);
        }
    }

    #[test]
    fn a_file_that_is_split_and_merged_again_says_the_same(at in 1u32..8) {
        let whole = lettered('C', 8);
        let pages = |range: std::ops::RangeInclusive<u32>| range.map(|page| picked(0, page, 0)).collect::<Vec<_>>();
        let parts = [pages(1..=at), pages(at + 1..=8)];
        let parts = parts.map(|pages| if pages.is_empty() { Vec::new() } else { paging::assemble(&[&whole], &pages).unwrap() });
        let again: Vec<_> =
            (1..=at).map(|page| picked(0, page, 0)).chain((1..=8 - at).map(|page| picked(1, page, 0))).collect();
        let merged = paging::assemble(&[&parts[0], &parts[1]], &again).unwrap();
        prop_assert_eq!(pdf::text(&merged).unwrap(), pdf::text(&whole).unwrap());
    }
}

#[tokio::test]
async fn other_programs_read_what_was_put_together() {
    let made = converter()
        .assemble(&[visit_note().into(), lettered('A', 2).into()], &[picked(1, 2, 1), picked(0, 1, 0)])
        .await
        .unwrap();
    let info = peer("pdfinfo", &["-f", "1", "-l", "2", "{}"], &made);
    assert!(info.contains("Pages:           2"), "{info}");
    assert!(info.contains("Page    1 rot:   90") && info.contains("Page    2 rot:   0"), "{info}");
    let text = peer("pdftotext", &["{}", "-"], &made);
    assert!(text.starts_with("A2") && text.contains("Tenney"), "{text}");
}

#[tokio::test]
async fn scans_keep_their_compression() {
    let converter = converter();
    let noise = GrayImage::from_fn(1700, 2200, |x, y| Luma([((x * 7 + y * 13) % 251) as u8]));
    let mut jpeg = Cursor::new(Vec::new());
    noise.write_to(&mut jpeg, ImageFormat::Jpeg).unwrap();
    let jpeg = jpeg.into_inner();
    let scan = converter.to_pdf(Input::bytes(Kind::Jpeg, jpeg.clone())).await.unwrap();
    let made = converter.assemble(&[scan.into()], &[picked(0, 1, 2)]).await.unwrap();
    assert!(made.windows(jpeg.len()).any(|part| part == jpeg), "the picture is in it, byte for byte");

    let (fax, _) =
        converter.fax(Input::bytes(Kind::Pdf, visit_note()), documents::fax::Resolution::Fine).await.unwrap();
    let pages = converter.to_pdf(Input::bytes(Kind::Tiff, fax.clone())).await.unwrap();
    let made = converter.assemble(&[pages.into()], &[picked(0, 1, 0)]).await.unwrap();
    assert!(made.windows(15).any(|part| part == b"/CCITTFaxDecode"));
    assert!(made.len() < fax.len() * 2, "{} of {}", made.len(), fax.len());
}

/// Two pages that share one list of pictures and one form.
fn shared() -> Vec<u8> {
    let page = |number: u32, drawn: &str, field: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /Contents {number} 0 R /Annots [{field} 0 R] /Resources 9 0 R /Marker /{drawn} >>"
        )
    };
    let content = |name: &str| format!("<< /Length {} >>\nstream\n/{name} Do\nendstream", name.len() + 4);
    let form = |secret: &str| {
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << >> /Length {} >>\nstream\n% {secret}\nendstream",
            secret.len() + 2
        )
    };
    let field = |name: &str, page: u32| {
        format!(
            "<< /Type /Annot /Subtype /Widget /Parent 12 0 R /T ({name}) /P {page} 0 R /Rect [50 50 300 70] /DA (/Helv 12 Tf) /FT /Tx /V (Value of {name}) >>"
        )
    };
    file(&[
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [12 0 R] >> >>",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 612 792] >>",
        &page(5, "First", 10),
        &page(6, "Second", 11),
        &content("First"),
        &content("Second"),
        &form("Picture of Tenney"),
        &form("Picture of Sorensen"),
        "<< /XObject << /First 7 0 R /Second 8 0 R >> >>",
        &field("Tenney", 3),
        &field("Sorensen", 4),
        "<< /T (Patient) /Kids [10 0 R 11 0 R] >>",
    ])
}

#[test]
fn form_values_come_along_and_nothing_of_other_pages_does() {
    let made = paging::assemble(&[&shared()], &[picked(0, 2, 0)]).unwrap();
    assert!(pdf::text(&made).unwrap()[0].contains("Value of Sorensen"));
    let raw = String::from_utf8_lossy(&made);
    assert!(raw.contains("Picture of Sorensen") && raw.contains("/AcroForm"));
    assert!(!raw.contains("Tenney"), "{raw}");
}

#[test]
fn layers_that_the_file_hides_stay_hidden() {
    let content = "/OC /Draft BDC 0 0 612 792 re f EMC";
    let hidden = file(&[
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Properties << /Draft 5 0 R >> >> >>",
        &format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /OCG /Name (Draft) >>",
    ]);
    let made = paging::assemble(&[&hidden], &[picked(0, 1, 0)]).unwrap();
    for content in [&hidden, &made] {
        let page = grey(&pdf::render_page(content, 1, 20).unwrap().png);
        assert!(page.pixels().all(|pixel| pixel.0[0] == 255));
    }
}

#[tokio::test]
async fn what_cannot_be_put_together_is_refused_with_a_reason() {
    let file = lettered('A', 1);
    let assemble = |pages: &[PickedPage]| paging::assemble(&[&file], pages).unwrap_err();
    assert_eq!(assemble(&[]), AssemblyError::Empty);
    assert_eq!(assemble(&vec![picked(0, 1, 0); paging::MAX_PAGES + 1]), AssemblyError::TooMany);
    assert_eq!(assemble(&[picked(1, 1, 0)]), AssemblyError::NoSuchFile);
    for page in [0, 2] {
        assert_eq!(assemble(&[picked(0, page, 0)]), PdfError::NoSuchPage { page, pages: 1 }.into());
    }
    let converter = converter();
    for (content, wanted) in [
        (&visit_note()[..200], "the document cannot be read: the PDF is damaged"),
        (&b"no PDF at all"[..], "the document cannot be read: the PDF is damaged"),
    ] {
        let error = converter.assemble(&[content.to_vec().into()], &[picked(0, 1, 0)]).await.unwrap_err();
        assert_eq!(error.to_string(), wanted);
        let error = converter.look_at_pages(content.to_vec().into(), 1, 1).await.unwrap_err();
        assert_eq!(error.to_string(), wanted);
    }
    let error = converter.look_at_pages(file.into(), 2, 5).await.unwrap_err();
    assert!(matches!(error, ConvertError::NoSuchPage { .. }), "{error:?}");
}

#[test]
fn ten_thousand_pages_are_counted_and_a_few_of_them_taken() {
    let kids: String = (3..10_003).map(|number| format!("{number} 0 R ")).collect();
    let tree = format!("<< /Type /Pages /Kids [{kids}] /Count 10000 /MediaBox [0 0 612 792] >>");
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>", &tree];
    objects.resize(10_002, "<< /Type /Page /Parent 2 0 R >>");
    let huge = file(&objects);
    assert_eq!(pdf::page_count(&huge), Ok(10_000));
    let made = paging::assemble(&[&huge], &[picked(0, 9_999, 0)]).unwrap();
    assert_eq!(pdf::page_count(&made), Ok(1));
}

#[tokio::test]
async fn blank_pages_and_separator_sheets_are_found_even_after_a_fax() {
    let converter = converter();
    let sheet = paging::separator_sheet("Records, Dr. Marchetti").unwrap();
    let blank = file(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
        "<< /Type /Page /Parent 2 0 R >>",
    ]);
    let pages = [picked(0, 1, 0), picked(1, 1, 0), picked(1, 1, 2), picked(2, 1, 0)];
    let stack = converter.assemble(&[visit_note().into(), sheet.into(), blank.into()], &pages).await.unwrap();
    let input = Input::bytes(Kind::Pdf, stack.clone());
    let (fax, _) = converter.fax(input, documents::fax::Resolution::Standard).await.unwrap();
    let faxed = converter.to_pdf(Input::bytes(Kind::Tiff, fax)).await.unwrap();
    for stack in [stack, faxed] {
        let (looks, png) = converter.look_at_pages(stack.into(), 1, 20).await.unwrap();
        let blank: Vec<_> = looks.iter().map(|look| look.is_blank).collect();
        assert_eq!(blank, [false, false, false, true]);
        let labels: Vec<_> =
            looks.iter().map(|look| look.separator.as_ref().map(|s| s.label.as_str())).collect();
        let label = Some("Records, Dr. Marchetti");
        assert_eq!(labels, [None, label, label, None]);
        assert_eq!(grey(&png).dimensions(), (THUMBNAIL.0 * SHEET_COLUMNS, THUMBNAIL.1));
    }
}

#[test]
fn a_page_that_leans_is_put_straight_and_stays_what_it_is() {
    let scan = convert::to_pdf(Kind::Tiff, &documents::samples::standard_fax_tiff(&visit_note())).unwrap();
    let before = paging::lean(&scan, 1).unwrap().expect("a scan leans");
    assert!((before - 0.012).abs() < 0.003, "{before}");
    // Includes a page that was scanned sideways and is rotated too.
    let sideways = paging::assemble(&[&scan], &[picked(0, 1, 1)]).unwrap();
    for (source, turn) in [(&scan, 0), (&sideways, 3)] {
        let page = PickedPage { straighten: true, ..picked(0, 1, turn) };
        let made = paging::assemble(&[source], &[page]).unwrap();
        let left = paging::lean(&made, 1).unwrap().unwrap_or_default();
        assert!(left.abs() < 0.004, "{left}");
        assert!(made.len() < scan.len() + 2_000, "its picture is not drawn anew");
    }
    let note = visit_note();
    let page = PickedPage { straighten: true, ..picked(0, 1, 0) };
    let made = paging::assemble(&[&note], &[page]).unwrap();
    assert_eq!(made, paging::assemble(&[&note], &[picked(0, 1, 0)]).unwrap(), "one that stands straight");
}

//! Every kind of document is converted to a PDF on which other programs agree.

use std::io::Cursor;

use documents::Kind;
use documents::samples;
use documents::worker::{ConvertError, Input, Job};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use crate::support::{converter, day, grey, ink, patient, peer, practice, tiffcp, visit_note};

/// A picture with a dark left and a light right half, to make rotation and mirroring visible.
fn picture() -> DynamicImage {
    RgbImage::from_fn(320, 200, |x, _| if x < 160 { Rgb([20, 30, 90]) } else { Rgb([230, 220, 200]) }).into()
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    picture().write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// Average grey of the left and right half of the drawn picture.
fn halves(png: &[u8]) -> (u8, u8) {
    let page = grey(png);
    // The picture is 18 points below the top, centred.
    let (middle, y) = (page.width() / 2, page.height() / 5);
    (page.get_pixel(middle - 40, y).0[0], page.get_pixel(middle + 40, y).0[0])
}

#[tokio::test]
async fn pictures_become_one_page_that_shows_them() {
    let cases = [
        (Kind::Png, ImageFormat::Png),
        (Kind::Jpeg, ImageFormat::Jpeg),
        (Kind::Gif, ImageFormat::Gif),
        (Kind::Bmp, ImageFormat::Bmp),
    ];
    let converter = converter();
    for (kind, format) in cases {
        let pdf = converter.to_pdf(Input::bytes(kind, encoded(format))).await.unwrap();
        assert!(peer("pdfinfo", &["{}"], &pdf).contains("Pages:           1"), "{kind:?}");
        let page = converter.render_page(Input::bytes(Kind::Pdf, pdf), 1, 72).await.unwrap();
        let (left, right) = halves(&page.png);
        assert!(left < 60 && right > 190, "{kind:?}: {left} {right}");
    }
}

#[tokio::test]
async fn photographs_stand_upright_as_their_camera_says() {
    // Exif header with Orientation 3 (upside down), inserted after the start of the file.
    let exif =
        [&b"\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x03\0\0\0\0\0\0\0"[..]]
            .concat();
    let jpeg = encoded(ImageFormat::Jpeg);
    let turned = [&jpeg[..2], &exif, &jpeg[2..]].concat();
    let page = converter().render_page(Input::bytes(Kind::Jpeg, turned), 1, 72).await.unwrap();
    let (left, right) = halves(&page.png);
    assert!(left > 190 && right < 60, "{left} {right}");
}

#[tokio::test]
async fn scans_keep_their_pages_size_and_ink_in_every_compression() {
    let note = visit_note();
    let tiff = samples::scanned_tiff(&note);
    let converter = converter();
    let pages = converter.page_count(Input::bytes(Kind::Pdf, note)).await.unwrap();
    let first_page =
        async |tiff| converter.render_page(Input::bytes(Kind::Tiff, tiff), 1, 100).await.unwrap();
    // Fax pages remain black and white, and are sampled more coarsely than grey pictures.
    let black_and_white = ink(&first_page(tiff.clone()).await.png);
    let grey = ink(&first_page(tiffcp(&["-c", "none"], &tiff)).await.png);
    assert!(grey > 1.0 && (black_and_white - grey).abs() < 0.6, "{black_and_white} {grey}");
    let mirrored = ["g4", "g3:1d", "g3:2d:fill", "lzw", "packbits", "zip", "none"]
        .map(|compression| (compression, "lsb2msb"));
    let all = ["g4", "g3:1d", "g3:2d", "lzw", "packbits", "zip", "none"]
        .map(|compression| (compression, "msb2lsb"));
    for (compression, order) in all.into_iter().chain(mirrored) {
        let pdf = converter
            .to_pdf(Input::bytes(Kind::Tiff, tiffcp(&["-c", compression, "-f", order], &tiff)))
            .await;
        let pdf = pdf.unwrap_or_else(|error| panic!("{compression} {order}: {error:?}"));
        assert_eq!(documents::pdf::page_count(&pdf).unwrap(), pages, "{compression} {order}");
        let page = converter.render_page(Input::bytes(Kind::Pdf, pdf), 1, 100).await.unwrap();
        assert!((840..=860).contains(&page.width) && (1090..=1110).contains(&page.height), "{compression}");
        let ink = ink(&page.png);
        let expected = if compression.starts_with('g') { black_and_white } else { grey };
        assert!((ink - expected).abs() < 0.05, "{compression} {order}: {ink} instead of {expected}");
    }
}

#[tokio::test]
async fn a_scan_in_many_strips_is_read_whole() {
    let tiff = samples::scanned_tiff(&visit_note());
    let converter = converter();
    for compression in ["g4", "g3:1d", "lzw"] {
        let whole = tiffcp(&["-c", compression, "-r", "100000"], &tiff);
        let whole = converter.render_page(Input::bytes(Kind::Tiff, whole), 1, 60).await.unwrap();
        let strips = tiffcp(&["-c", compression, "-r", "64"], &tiff);
        let page = converter.render_page(Input::bytes(Kind::Tiff, strips), 1, 60).await.unwrap();
        assert!((ink(&page.png) - ink(&whole.png)).abs() < 0.02, "{compression}");
    }
}

#[tokio::test]
async fn text_keeps_its_lines_and_pages() {
    let text = "Discharge summary\r\n\tindented\r\nna\u{ef}ve \u{2265} 60\x0cSecond page";
    let pdf = converter().to_pdf(Input::bytes(Kind::Text, text)).await.unwrap();
    let read = peer("pdftotext", &["-layout", "{}", "-"], &pdf);
    assert!(read.contains("Discharge summary") && read.contains("naïve ≥ 60"), "{read}");
    assert!(read.contains("Page 2 of 2") && read.contains("Second page"), "{read}");
}

#[tokio::test]
async fn what_is_kept_can_be_read_in_many_years() {
    let at = day().and_hms_opt(9, 30, 0).unwrap();
    let files = [
        (Kind::Text, b"Discharge summary".to_vec()),
        (Kind::Png, encoded(ImageFormat::Png)),
        (Kind::Jpeg, encoded(ImageFormat::Jpeg)),
        (Kind::Cda, samples::ccd_xml(&patient(), &practice(0), day()).into()),
    ];
    for (kind, file) in files {
        let kept = converter().to_pdf_to_keep(Input::bytes(kind, file), at).await.unwrap();
        let has = |words: &str| kept.windows(words.len()).any(|part| part == words.as_bytes());
        assert!(has("<pdfaid:part>2</pdfaid:part>"), "{kind:?}");
        assert!(peer("pdfinfo", &["-isodates", "{}"], &kept).contains("T09:30:00"), "{kind:?}");
    }
}

#[tokio::test]
async fn windows_text_is_read_as_such() {
    let pdf = converter().to_pdf(Input::bytes(Kind::Text, &b"Temp 38 \xb0C, Fran\xe7ois"[..])).await.unwrap();
    assert!(peer("pdftotext", &["{}", "-"], &pdf).contains("Temp 38 °C, François"));
}

#[tokio::test]
async fn clinical_documents_become_readable_paper() {
    let xml = samples::ccd_xml(&patient(), &practice(0), day());
    let converter = converter();
    let pdf = converter.to_pdf(Input::bytes(Kind::Cda, xml.clone())).await.unwrap();
    let read = peer("pdftotext", &["-layout", "{}", "-"], &pdf);
    for words in [
        "Continuity of Care Document",
        "Marisol J Tenney",
        "03/14/1961",
        "Allergies",
        "Lisinopril",
        "Page 1 of",
    ] {
        assert!(read.contains(words), "{words}: {read}");
    }
    let html = converter.cda_html(Input::bytes(Kind::Cda, xml.clone())).await.unwrap();
    assert!(html.contains("Marisol J Tenney") && !html.contains("<script"));
    let outline = converter.cda_outline(Input::bytes(Kind::Cda, xml.clone())).await.unwrap();
    let counts: Vec<_> =
        outline.sections.iter().map(|section| (section.title.as_str(), section.entry_count)).collect();
    assert_eq!(counts[..3], [("Allergies", 1), ("Medications", 3), ("Problems", 3)]);
    let found = converter.patient(Input::bytes(Kind::Cda, xml)).await.unwrap();
    assert_eq!((found.last_name.as_deref(), found.page), (Some("Tenney"), None));
}

#[tokio::test]
async fn a_clinical_document_that_is_not_well_formed_is_shown_with_a_notice() {
    let converter = converter();
    let section = |text: &str| {
        format!(
            "\n<?xml version='1.0'?><ClinicalDocument><legalAuthenticator><assignedEntity><assignedPerson><name>Ines Roe</name>\
             </assignedPerson></assignedEntity></legalAuthenticator><component><structuredBody><component><section><title>Plan</title>\
             <text>{text}</text></section></component></structuredBody></component></ClinicalDocument>"
        )
    };
    for (xml, notice) in [
        (section("5&nbsp;mg daily"), "This document was repaired to be shown"),
        (section("5 mg daily</text>next"), "This document is damaged"),
    ] {
        let input = || Input::bytes(Kind::Cda, xml.clone());
        let pdf = converter.to_pdf(input()).await.unwrap();
        let pages = converter.text(Input::bytes(Kind::Pdf, pdf)).await.unwrap().join(" ");
        let pages = pages.split_whitespace().collect::<Vec<_>>().join(" ");
        for shown in [notice, "Ines Roe", "mg daily"] {
            assert!(pages.contains(shown), "{shown}: {pages}");
        }
        assert!(converter.cda_html(input()).await.unwrap().contains(notice));
        assert!(converter.cda_outline(input()).await.unwrap().notice.unwrap().starts_with(notice));
        assert!(converter.text(input()).await.unwrap()[0].contains("mg daily"));
        assert!(converter.patient(input()).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_file_inside_an_unstructured_document_is_shown() {
    use std::io::Write;
    let note = visit_note();
    let mut base64 = Vec::new();
    let mut encoder =
        base64::write::EncoderWriter::new(&mut base64, &base64::engine::general_purpose::STANDARD);
    encoder.write_all(&note).unwrap();
    drop(encoder);
    let xml = format!(
        "<ClinicalDocument xmlns='urn:hl7-org:v3'><title>Scan</title><component><nonXMLBody><text \
         mediaType='application/pdf' representation='B64'>{}</text></nonXMLBody></component></ClinicalDocument>",
        String::from_utf8(base64).unwrap()
    );
    let shown = converter().to_pdf(Input::bytes(Kind::Cda, xml)).await.unwrap();
    assert_eq!(shown, note);
}

#[tokio::test]
async fn pages_are_drawn_in_the_size_asked_for_and_missing_ones_are_named() {
    let (converter, note) = (converter(), visit_note());
    let input = || Input::bytes(Kind::Pdf, note.clone());
    let page = converter.render_page(input(), 1, 100).await.unwrap();
    assert_eq!((page.width, page.height), (850, 1100));
    assert_eq!(grey(&page.png).dimensions(), (850, 1100));
    for page in [0, 99] {
        let error = converter.render_page(input(), page, 100).await.unwrap_err();
        assert!(
            matches!(error, ConvertError::NoSuchPage { page: asked, pages } if asked == page && pages >= 1),
            "{error:?}"
        );
    }
    let huge = converter.render_page(input(), 1, 100_000).await.unwrap();
    assert!(u64::from(huge.width) * u64::from(huge.height) <= 41_000_000, "{}x{}", huge.width, huge.height);
}

#[tokio::test]
async fn damaged_and_foreign_files_have_typed_errors() {
    let converter = converter();
    let torn = visit_note()[..200].to_vec();
    for (kind, content) in [
        (Kind::Pdf, &torn[..]),
        (Kind::Pdf, b"%PDF-1.7 and nothing"),
        (Kind::Tiff, b"II*\0\x08\0\0\0"),
        (Kind::Png, b"\x89PNG\r\n\x1a\n"),
        (Kind::Jpeg, b"\xff\xd8\xff\xe0torn"),
        (Kind::Gif, b"GIF89a"),
        (Kind::Bmp, b"BM"),
    ] {
        let error = converter.to_pdf(Input::bytes(kind, content.to_vec())).await.unwrap_err();
        assert!(matches!(error, ConvertError::Broken(_)), "{kind:?}: {error:?}");
        assert!(error.is_permanent());
    }
    let error = converter.to_pdf(Input::bytes(Kind::Unknown, "x")).await.unwrap_err();
    assert!(matches!(error, ConvertError::Unsupported(Kind::Unknown)), "{error:?}");
}

#[tokio::test]
async fn an_entity_of_a_clinical_document_is_never_fetched() {
    let outside =
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><ClinicalDocument>&b;</ClinicalDocument>";
    let pdf = converter().to_pdf(Input::bytes(Kind::Cda, outside)).await.expect("a page that says so");
    let words = documents::pdf::text(&pdf).expect("text").join(" ");
    assert!(!words.contains("root:"), "{words}");
}

#[tokio::test]
async fn a_picture_that_claims_to_be_huge_is_refused() {
    // PNG header of 60,000 by 60,000 pixels.
    let mut png = encoded(ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let error = converter().to_pdf(Input::bytes(Kind::Png, png)).await.unwrap_err();
    assert!(matches!(error, ConvertError::TooLarge | ConvertError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn text_of_pages_agrees_with_other_readers() {
    let note = visit_note();
    let pages = converter().text(Input::bytes(Kind::Pdf, note.clone())).await.unwrap();
    let words =
        |text: &str| text.split_whitespace().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (ours, theirs) = (words(&pages.concat()), words(&peer("pdftotext", &["{}", "-"], &note)));
    let common = ours.intersection(&theirs).count();
    assert!(common * 10 >= theirs.len() * 9, "{common} of {} words", theirs.len());
}

#[tokio::test]
async fn a_pdf_that_asks_for_a_password_is_named_as_such_and_one_that_does_not_is_shown() {
    let converter = converter();
    for cipher in ["rc4-128", "aes-128", "aes-256"] {
        let folder = tempfile::tempdir().unwrap();
        let encrypted = |passwords: &[&str]| {
            let (from, to) = (folder.path().join("in.pdf"), folder.path().join("out.pdf"));
            std::fs::write(&from, visit_note()).unwrap();
            let mut command = std::process::Command::new("mutool");
            command.args(["clean", "-E", cipher]).args(passwords).arg(&from).arg(&to);
            assert!(command.status().unwrap().success());
            std::fs::read(to).unwrap()
        };
        let locked = encrypted(&["-U", "secret", "-O", "owner"]);
        let look = Job::LookAtPages { from: 1, count: 1 };
        for job in [Job::ToPdf, Job::PageCount, Job::Text, Job::RenderPage { page: 1, dpi: 50 }, look] {
            let error = converter.run(job, Input::bytes(Kind::Pdf, locked.clone())).await.unwrap_err();
            assert!(matches!(error, ConvertError::Encrypted), "{cipher} {job:?}: {error:?}");
        }
        let open = Input::bytes(Kind::Pdf, encrypted(&["-O", "owner"]));
        assert!(ink(&converter.render_page(open, 1, 50).await.unwrap().png) > 0.1, "{cipher}");
    }
}

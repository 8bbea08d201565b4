//! Messages, mails, archives, FHIR resources, pictures of devices and office files are converted to pages,
//! and the files inside them are found.

use documents::worker::{ConvertError, Input};
use documents::{Kind, office};
use proptest::prelude::*;

use crate::support::{converter, ink, peer};
use crate::targets;

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/corpus/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn pages(pdf: &[u8]) -> String {
    peer("pdftotext", &["-layout", "{}", "-"], pdf)
}

#[tokio::test]
async fn a_message_shows_its_fields_by_name_and_the_document_in_it_behind() {
    let converter = converter();
    let input = || Input::bytes(Kind::Hl7, sample("hl7/oru-with-document"));
    let pdf = converter.to_pdf(input()).await.unwrap();
    let read = pages(&pdf);
    for words in
        ["Ines Q Roe", "1970-01-02", "Glucose (2345-7, LN)", "High (H)", "Report.pdf", "Its pages follow."]
    {
        assert!(read.contains(words), "{words}: {read}");
    }
    assert!(!read.contains("JVBERi0"), "the document is not shown as text");
    assert_eq!(documents::pdf::page_count(&pdf), Ok(2));
    let parts = converter.parts(input()).await.unwrap();
    assert_eq!((parts.len(), parts[0].kind, &*parts[0].name), (1, Kind::Pdf, "Report.pdf"));
    let (info, content) = converter.part(input(), 0).await.unwrap();
    assert!(info == parts[0] && content.starts_with(b"%PDF-"));
    assert!(matches!(converter.part(input(), 1).await, Err(ConvertError::NoSuchPart)));
    let patient = converter.patient(input()).await.unwrap();
    assert_eq!((patient.last_name.as_deref(), patient.first_name.as_deref()), (Some("Roe"), Some("Ines")));
}

#[tokio::test]
async fn a_mail_shows_its_head_and_text_and_mails_in_it_open_in_turn() {
    let converter = converter();
    let input = || Input::bytes(Kind::Mail, sample("mail/mixed-with-enclosed"));
    let read = pages(&converter.to_pdf(input()).await.unwrap());
    for words in ["Referral für Ines Roe", "Ada Poe <ada@larkfield.example>", "Dear colleague", "Inner text"]
    {
        assert!(read.contains(words), "{words}: {read}");
    }
    let parts = converter.parts(input()).await.unwrap();
    assert_eq!(parts.iter().map(|part| part.kind).collect::<Vec<_>>(), [Kind::Pdf, Kind::Mail]);
    let (inner, content) = converter.part(input(), 1).await.unwrap();
    assert!(inner.has_parts && inner.name == "Old  news.eml");
    let read = pages(&converter.to_pdf(Input::bytes(inner.kind, content)).await.unwrap());
    assert!(read.contains("Inner text") && !read.contains("Dear colleague"), "{read}");
}

#[tokio::test]
async fn a_package_is_a_list_of_its_documents_and_one_that_is_unsafe_is_not_opened() {
    let converter = converter();
    let input = || Input::bytes(Kind::Zip, sample("archive/xdm"));
    let read = pages(&converter.to_pdf(input()).await.unwrap());
    assert!(
        read.contains("XDM package") && read.contains("Visit note") && !read.contains("138/84"),
        "{read}"
    );
    let parts = converter.parts(input()).await.unwrap();
    assert_eq!((parts.len(), &*parts[0].title, parts[0].kind), (1, "Visit note", Kind::Text));
    let trick = Input::bytes(Kind::Zip, sample("archive/path-trick"));
    assert!(matches!(converter.to_pdf(trick).await, Err(ConvertError::Broken(_))));
}

#[tokio::test]
async fn a_resource_is_read_as_json_and_as_xml() {
    let converter = converter();
    let json = pages(&converter.to_pdf(Input::bytes(Kind::Fhir, sample("fhir/document"))).await.unwrap());
    for words in ["Discharge summary", "Ines Roe", "mg daily", "Asthma"] {
        assert!(json.contains(words), "{words}: {json}");
    }
    assert!(!json.contains("alert"), "{json}");
    let xml = pages(&converter.to_pdf(Input::bytes(Kind::Xml, sample("fhir/collection-xml"))).await.unwrap());
    assert!(xml.contains("Glucose") && xml.contains("104 mg/dL"), "{xml}");
    let other = pages(&converter.to_pdf(Input::bytes(Kind::Xml, &b"<note>5 mg</note>"[..])).await.unwrap());
    assert!(other.contains("<note>5 mg</note>"), "{other}");
}

#[tokio::test]
async fn the_first_picture_of_a_device_is_shown_with_its_header() {
    let converter = converter();
    let to_pdf = async |name: &str| {
        converter.to_pdf(Input::bytes(Kind::Dicom, sample(&format!("dicom/{name}")))).await
    };
    let pdf = to_pdf("grey").await.unwrap();
    assert!(pages(&pdf).contains("Roe Ines") && pages(&pdf).contains("1970-01-02"));
    let page = converter.render_page(Input::bytes(Kind::Pdf, pdf), 1, 72).await.unwrap();
    assert!(ink(&page.png) > 0.0);
    assert!(to_pdf("colour").await.is_ok());
    assert!(to_pdf("wavelets").await.is_ok(), "JPEG 2000");
    for unknown in ["unknown-compression", "no-picture"] {
        assert!(matches!(to_pdf(unknown).await, Err(ConvertError::Unsupported(Kind::Dicom))), "{unknown}");
    }
    assert!(matches!(to_pdf("huge").await, Err(ConvertError::TooLarge)));
}

#[tokio::test]
async fn files_of_office_programs_are_shown_where_libreoffice_is_installed() {
    let letter = || Input::bytes(Kind::Rtf, &b"{\\rtf1\\ansi Dear colleague, stable.\\par}"[..]);
    let shown = converter().to_pdf(letter()).await;
    if !office::is_installed() {
        assert!(matches!(shown, Err(ConvertError::Unsupported(Kind::Rtf))));
        return;
    }
    let shown = shown.unwrap();
    assert!(pages(&shown).contains("Dear colleague, stable."));
    let mark = b"<pdfaid:part>2</pdfaid:part>";
    assert!(shown.windows(mark.len()).any(|part| part == mark), "it can be kept: PDF/A-2b");
    assert!(converter().text(letter()).await.unwrap().concat().contains("Dear colleague"));
}

/// Random bytes with fragments of each format, so that parsers get beyond their first line.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        "(MSH\\|\\^~\\\\&\\||OBX\\|1\\|ED\\|x\\|\\|\\^\\^\\^Base64\\^|PID\\||\r|\\\\X|~|\\^)".prop_map(String::into_bytes),
        "(Content-Type: |multipart/mixed; boundary=b|message/rfc822|\r\n|\n\n|--b|From: |=\\?utf-8\\?Q\\?)".prop_map(String::into_bytes),
        "(\\{\"resourceType\":|\"Bundle\"|\"entry\":\\[|\"data\":\"YQ==\"|,|\\}|\\]|<Bundle xmlns='http://hl7.org/fhir'>|</Bundle>|<div>|value=')"
            .prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_bytes_break_a_reader(data in noise()) {
        targets::hl7(&data);
        targets::mail(&data);
        targets::archive(&data);
        targets::fhir(&data);
        targets::dicom(&[&[0; 128][..], b"DICM", &data].concat());
        targets::tnef(&[b"\x78\x9f\x3e\x22\0\0", &data[..]].concat());
    }
}

/// A DICOM file with a picture of 4 by 4 pixels; each element has a tag and a value representation.
fn dicom(syntax: &str, elements: &[(u16, u16, &str, Vec<u8>)]) -> Vec<u8> {
    let element = |group: u16, number: u16, kind: &str, mut value: Vec<u8>| {
        if value.len() % 2 == 1 {
            value.push(if kind == "UI" { 0 } else { b' ' });
        }
        let length = match kind {
            "OB" | "OW" => [&[0, 0][..], &(value.len() as u32).to_le_bytes()].concat(),
            _ => (value.len() as u16).to_le_bytes().to_vec(),
        };
        [&group.to_le_bytes()[..], &number.to_le_bytes(), kind.as_bytes(), &length, &value].concat()
    };
    let meta = [
        element(2, 1, "OB", vec![0, 1]),
        element(2, 2, "UI", b"1.2.840.10008.5.1.4.1.1.7".to_vec()),
        element(2, 3, "UI", b"1.2.3.4".to_vec()),
        element(2, 0x10, "UI", syntax.into()),
        element(2, 0x12, "UI", b"1.2.3".to_vec()),
    ]
    .concat();
    let length = element(2, 0, "UL", (meta.len() as u32).to_le_bytes().to_vec());
    let elements =
        elements.iter().map(|(group, number, kind, value)| element(*group, *number, kind, value.clone()));
    [&[0; 128][..], b"DICM", &length, &meta, &elements.collect::<Vec<_>>().concat()].concat()
}

#[tokio::test]
async fn colours_of_devices_by_palette_and_in_halves_are_shown_right() {
    const PLAIN: &str = "1.2.840.10008.1.2.1";
    let shorts =
        |numbers: &[u16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let head = |samples: u16, photometric: &str| {
        let short = |tag: u16, number: u16| (0x28, tag, "US", shorts(&[number]));
        let mut head = vec![short(2, samples), (0x28, 4, "CS", photometric.as_bytes().to_vec())];
        let numbers = [(6, 0), (0x10, 4), (0x11, 4), (0x100, 8), (0x101, 8), (0x102, 7), (0x103, 0)];
        head.extend(numbers.map(|(tag, number)| short(tag, number)));
        head
    };
    let mut palette = head(1, "PALETTE COLOR");
    for (part, value) in (0u16..).zip([200u16, 40, 20]) {
        palette.push((0x28, 0x1101 + part, "US", shorts(&[2, 0, 16])));
        // Index 1 is the colour, index 0 is white.
        palette.push((0x28, 0x1201 + part, "OW", shorts(&[0xffff, value << 8])));
    }
    palette.sort_by_key(|element| element.1);
    palette.push((0x7fe0, 0x10, "OB", vec![1; 16]));
    let mut halves = head(3, "YBR_FULL_422");
    // The same colour as luma and chroma.
    halves.push((0x7fe0, 0x10, "OB", [86, 86, 91, 209].repeat(8)));
    for (what, elements) in [("palette", palette), ("halves", halves)] {
        let file = dicom(PLAIN, &elements);
        let page = converter().render_page(Input::bytes(Kind::Dicom, file), 1, 72).await.unwrap();
        let page = image::load_from_memory(&page.png).unwrap().into_rgb8();
        let is_red = |pixel: &image::Rgb<u8>| {
            pixel.0.iter().zip([200u8, 40, 20]).all(|(found, wanted)| found.abs_diff(wanted) < 8)
        };
        assert!(page.pixels().any(is_red), "{what}");
    }
}

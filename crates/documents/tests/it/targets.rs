//! Properties that must hold for any input: each target panics if one does not. The fuzzers in `fuzz/` call
//! the targets, and `corpus.rs` replays the files of `tests/corpus/<target>/`.

use documents::convert::{self, ConversionError};
use documents::paging::{self, PickedPage};
use documents::{Kind, detect, pdf, reading};

/// A TIFF file is converted to a PDF with pages, or refused with a reason.
pub fn tiff(data: &[u8]) {
    match convert::to_pdf(Kind::Tiff, data) {
        Ok(made) => assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0)),
        Err(ConversionError::Broken(reason)) => assert!(reason.starts_with("the ")),
        Err(error) => assert_eq!(error, ConversionError::TooLarge),
    }
}

/// A text in an unknown encoding can always be read and typeset, and no character of a valid text is changed.
pub fn text(data: &[u8]) {
    let pages = convert::to_text(Kind::Text, data).expect("a text can always be read");
    if data.len() < 4_096 {
        let made = convert::to_pdf(Kind::Text, data).expect("a text can always be typeset");
        assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0));
    }
    let valid = std::str::from_utf8(data).ok().filter(|text| !text.contains('\0'));
    if let Some(text) = valid {
        assert_eq!(pages.join("\x0c"), text.strip_prefix('\u{feff}').unwrap_or(text));
        let printable = |c: char| !c.is_ascii_control() || c.is_ascii_whitespace();
        if !text.trim_start_matches('\u{feff}').trim().is_empty() && text.chars().all(printable) {
            assert_ne!(detect(data), Kind::Unknown);
        }
    }
}

/// A PDF file has a text for each of its pages, or is refused with a reason.
pub fn pdf(data: &[u8]) {
    if let (Ok(texts), Ok(pages)) = (pdf::text(data), pdf::page_count(data)) {
        assert_eq!(texts.len(), pages as usize);
        assert!(texts.iter().all(|text| !text.contains('\0')));
    }
}

/// The pages of a PDF file can be extracted, assembled, rotated and examined, or are refused with a reason.
pub fn paging(data: &[u8]) {
    let Ok(pages) = pdf::page_count(data) else { return };
    let picked = |page| PickedPage { file: 0, page, turn: (page % 4) as u8, straighten: page % 2 == 0 };
    let all: Vec<_> = (1..=pages.min(10)).rev().map(picked).collect();
    let together = paging::assemble(&[data], &all).expect("a file that opens can be taken apart");
    assert_eq!(pdf::page_count(&together), Ok(all.len() as u32));
    let first = paging::assemble(&[&together], &all[..1]).expect("what was put together opens");
    assert_eq!(pdf::page_count(&first), Ok(1));
    if let Ok((looks, _)) = paging::contact_sheet(&together, 1, 2) {
        assert_eq!(looks.len(), all.len().min(2));
    }
}

/// An HL7 v2 message, mail, archive or FHIR resource is converted to pages and a list of its files, or
/// refused with a reason.
fn carrier(kind: Kind, data: &[u8]) {
    match convert::to_pdf(kind, data) {
        Ok(made) => assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0)),
        Err(error) => assert!(!matches!(error, ConversionError::Unsupported), "{kind:?} is known"),
    }
    if let Ok(parts) = reading::list(kind, data) {
        assert!(parts.len() <= reading::MAX_PARTS);
        assert!(parts.iter().map(|part| part.size).sum::<u64>() <= reading::MAX_PART_BYTES as u64);
        for part in parts {
            assert!(part.name.contains('.') && !part.name.contains(['/', '\\', '\0']), "{:?}", part.name);
        }
    }
}

/// An HL7 v2 message; a damaged one is shown too.
pub fn hl7(data: &[u8]) {
    carrier(Kind::Hl7, data);
    let shown = convert::to_text(Kind::Hl7, data).expect("a message can always be shown");
    assert!(shown[0].starts_with("HL7 message"));
}

/// A mail.
pub fn mail(data: &[u8]) {
    carrier(Kind::Mail, data);
}

/// Outlook's container for the attachments of a mail.
pub fn tnef(data: &[u8]) {
    carrier(Kind::Tnef, data);
}

/// A zip archive.
pub fn archive(data: &[u8]) {
    carrier(Kind::Zip, data);
}

/// A FHIR resource as JSON or XML; other content is shown as text.
pub fn fhir(data: &[u8]) {
    carrier(Kind::Fhir, data);
    carrier(Kind::Xml, data);
}

/// The first picture of a DICOM file is shown, or refused with a reason.
pub fn dicom(data: &[u8]) {
    if let Ok(made) = convert::to_pdf(Kind::Dicom, data) {
        assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0));
    }
}

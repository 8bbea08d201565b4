//! Converts every kind of document that can be shown to PDF. Call it inside the [`crate::worker`] process
//! only.

mod cda;
mod dicom;
mod images;
mod plain;
mod sheets;
mod tiff;
mod wavelets;

pub use crate::error::ConversionError;
pub(crate) use images::picture;

use clinical::cda::{Body, Unstructured, narrative};

use chrono::NaiveDateTime;

use crate::pdf;
use crate::reading::{self, Reading};
use crate::typeset::Typeset;
use crate::{Flaws, Kind, kind, text};

/// The document as PDF. PDF files are checked and returned unchanged. An unstructured CDA document is
/// replaced by its file.
pub fn to_pdf(kind: Kind, content: &[u8]) -> Result<Vec<u8>, ConversionError> {
    Ok(typeset(kind, content)?.pdf)
}

/// As [`to_pdf`], for archiving: as PDF/A-2b where the content allows it, created at `at` (UTC). PDF files
/// stay unchanged, and fax pages and combinations of several files remain plain PDF. Also returns the missing
/// parts of the document.
pub fn to_pdf_to_keep(
    kind: Kind,
    content: &[u8],
    at: NaiveDateTime,
) -> Result<(Vec<u8>, Flaws), ConversionError> {
    let set = typeset_at(kind, content, 0, Some(at))?;
    let flaws = if kind == Kind::Pdf { pdf::flaws(content)? } else { set.flaws };
    Ok((set.pdf, flaws))
}

/// As [`to_pdf`], with the characters that no font has. The pages show their code points instead.
pub(crate) fn typeset(kind: Kind, content: &[u8]) -> Result<Typeset, ConversionError> {
    typeset_at(kind, content, 0, None)
}

/// As [`typeset`], for a file nested `depth` files deep; `made` is the creation time of a file for archiving.
fn typeset_at(
    kind: Kind,
    content: &[u8],
    depth: usize,
    made: Option<NaiveDateTime>,
) -> Result<Typeset, ConversionError> {
    match kind {
        Kind::Pdf => {
            pdf::page_count(content)?;
            Ok(content.to_vec().into())
        }
        Kind::Tiff => tiff::to_pdf(content, made),
        Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp => images::to_pdf(kind, content, made),
        Kind::Text => plain::text_to_pdf(&text::decode(content), made),
        Kind::Hl7 | Kind::Mail | Kind::Tnef | Kind::Zip => {
            sheets::to_pdf(kind, &reading::read(kind, content)?, depth, made)
        }
        Kind::Xml | Kind::Fhir => match resource(kind, content) {
            Some(reading) => sheets::to_pdf(kind, &reading, depth, made),
            None => plain::text_to_pdf(&text::decode(content), made),
        },
        Kind::Dicom => dicom::to_pdf(content, made),
        Kind::Cda => cda_to_pdf(content, depth, made),
        // LibreOffice converts office files before this function is called.
        _ => Err(ConversionError::Unsupported),
    }
}

/// A FHIR resource; `None` for other XML and JSON and for damaged files, which are shown as text.
fn resource(kind: Kind, content: &[u8]) -> Option<Reading> {
    let is_resource = kind == Kind::Fhir || reading::is_fhir_xml(&text::decode(content));
    if is_resource { reading::read(kind, content).ok() } else { None }
}

fn cda_to_pdf(content: &[u8], depth: usize, made: Option<NaiveDateTime>) -> Result<Typeset, ConversionError> {
    let document = clinical::cda::parse_or_text(content)?;
    if let Body::Unstructured(Unstructured::Embedded { content, .. }) = &document.body {
        // The declared type is only the sender's claim, so the content decides. A CDA document inside another
        // is not opened.
        let inner = kind::detect(content);
        if inner.previewable() && !inner.is_office() && inner != Kind::Cda {
            return typeset_at(inner, content, depth + 1, made);
        }
    }
    cda::to_pdf(&document, made)
}

/// Text of each page. A picture has none, so its list contains one empty page.
pub fn to_text(kind: Kind, content: &[u8]) -> Result<Vec<String>, ConversionError> {
    match kind {
        Kind::Pdf => Ok(pdf::text(content)?),
        Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp | Kind::Dicom => Ok(vec![String::new()]),
        Kind::Text => Ok(plain_text(content)),
        Kind::Hl7 | Kind::Mail | Kind::Tnef | Kind::Zip => {
            Ok(vec![reading::read(kind, content)?.plain_text()])
        }
        Kind::Xml | Kind::Fhir => match resource(kind, content) {
            Some(reading) => Ok(vec![reading.plain_text()]),
            None => Ok(plain_text(content)),
        },
        Kind::Cda => cda_text(content),
        _ => Err(ConversionError::Unsupported),
    }
}

fn plain_text(content: &[u8]) -> Vec<String> {
    text::decode(content).split('\x0c').map(str::to_owned).collect()
}

fn cda_text(content: &[u8]) -> Result<Vec<String>, ConversionError> {
    let document = clinical::cda::parse_or_text(content)?;
    match &document.body {
        Body::Unstructured(Unstructured::Embedded { content, .. }) if kind::detect(content) != Kind::Cda => {
            to_text(kind::detect(content), content)
        }
        Body::Structured(sections) => {
            let mut out = String::new();
            section_text(sections, &mut out);
            Ok(vec![out])
        }
        Body::Unstructured(_) | Body::Missing => Ok(vec![String::new()]),
    }
}

fn section_text(sections: &[clinical::cda::Section], out: &mut String) {
    for section in sections {
        out.push_str(&format!("{}\n{}\n\n", section.title, narrative::plain_text(&section.narrative)));
        section_text(&section.sections, out);
    }
}

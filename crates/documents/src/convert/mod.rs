//! Makes a PDF to look at out of every kind of document that can be shown. Call it inside the [`crate::worker`]
//! process only.

mod cda;
mod images;
mod plain;
mod tiff;

pub(crate) use images::picture;

use clinical::cda::{Body, CdaError, Unstructured, narrative};

use std::collections::BTreeSet;

use crate::pdf::{self, PdfError};
use crate::typeset::Typeset;
use crate::{Kind, kind, text};

/// Why there is no PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// There is no way to show files of this kind.
    #[error("documents of this kind cannot be shown")]
    Unsupported,
    /// Too many pages or pixels.
    #[error("the document is too large to be shown")]
    TooLarge,
    /// The file is damaged; the words hold nothing of its content.
    #[error("{0}")]
    Broken(&'static str),
    /// The PDF is damaged or protected.
    #[error(transparent)]
    Pdf(#[from] PdfError),
    /// The CDA document cannot be read.
    #[error(transparent)]
    Cda(#[from] CdaError),
    /// No font has these characters.
    #[error("there is no font for some of the text")]
    Unprintable(BTreeSet<char>),
}

/// The document as PDF. PDF files are checked and come back unchanged; the file inside an unstructured CDA document
/// is shown in its place.
pub fn to_pdf(kind: Kind, content: &[u8]) -> Result<Vec<u8>, ConversionError> {
    Ok(typeset(kind, content)?.pdf)
}

/// As [`to_pdf`], with the characters of the document that no font has and that are shown by their numbers.
pub(crate) fn typeset(kind: Kind, content: &[u8]) -> Result<Typeset, ConversionError> {
    match kind {
        Kind::Pdf => {
            pdf::page_count(content)?;
            Ok(content.to_vec().into())
        }
        Kind::Tiff => Ok(tiff::to_pdf(content)?.into()),
        Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp => Ok(images::to_pdf(kind, content)?.into()),
        Kind::Text => plain::text_to_pdf(&text::decode(content)),
        Kind::Xml => plain::text_to_pdf(&text::decode(content)),
        Kind::Hl7 => plain::hl7_to_pdf(&text::decode(content)),
        Kind::Cda => cda_to_pdf(content),
        Kind::Rtf | Kind::Doc | Kind::Docx | Kind::Zip | Kind::Unknown => Err(ConversionError::Unsupported),
    }
}

fn cda_to_pdf(content: &[u8]) -> Result<Typeset, ConversionError> {
    let document = clinical::cda::parse_or_text(content)?;
    if let Body::Unstructured(Unstructured::Embedded { content, .. }) = &document.body {
        // By content: the declared type is the sender's word only. A document inside a document ends here.
        let inner = kind::detect(content);
        if inner.previewable() && inner != Kind::Cda {
            return typeset(inner, content);
        }
    }
    cda::to_pdf(&document)
}

/// Text of each page; pictures have none, so their list holds one empty page.
pub fn to_text(kind: Kind, content: &[u8]) -> Result<Vec<String>, ConversionError> {
    match kind {
        Kind::Pdf => Ok(pdf::text(content)?),
        Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp => Ok(vec![String::new()]),
        Kind::Text | Kind::Xml | Kind::Hl7 => {
            Ok(text::decode(content).split('\x0c').map(str::to_owned).collect())
        }
        Kind::Cda => cda_text(content),
        Kind::Rtf | Kind::Doc | Kind::Docx | Kind::Zip | Kind::Unknown => Err(ConversionError::Unsupported),
    }
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

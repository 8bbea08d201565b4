//! Files inside a CDA document: the body of an unstructured one, and files in sections and entries.

use clinical::cda::{self, Body, Unstructured};

use super::{Part, Reading, file_name};
use crate::error::ConversionError;

/// The files in a document, up to the limits. Its text is converted elsewhere.
pub(super) fn parts(content: &[u8]) -> Result<Vec<Part>, ConversionError> {
    let document = cda::parse_or_text(content)?;
    let mut reading = Reading::default();
    let title = document.display_title();
    let body = match document.body {
        Body::Unstructured(Unstructured::Embedded { content, .. }) => Some((title, content)),
        _ => None,
    };
    let inside = document.files.into_iter().map(|file| (file.title, file.content));
    for (title, content) in body.into_iter().chain(inside) {
        let name = file_name(&title.replace(['/', ':'], "-"), &content, reading.parts.len() + 1);
        reading.part(Part { name, title, content, is_decoration: false });
    }
    Ok(reading.parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn document(body: &str) -> String {
        format!(
            "<ClinicalDocument xmlns='urn:hl7-org:v3' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><title>Visit</title>\
             <component>{body}</component></ClinicalDocument>"
        )
    }

    #[test]
    fn notes_and_values_in_base64_are_files_of_the_document() {
        let note = "<act classCode='ACT'><code code='34109-9' displayName='Progress note'/>\
            <text mediaType='application/pdf' representation='B64'>JVBERi0x\n LjcK</text></act>";
        let value = "<observation><code displayName='Spirometry'/>\
            <value xsi:type='ED' mediaType='application/pdf' representation='b64'>JVBERi0xLjcK</value></observation>";
        let xml = document(&format!(
            "<structuredBody><component><section><title>Notes</title><text>See files</text><entry>{note}</entry>\
             <entry>{value}</entry></section></component></structuredBody>"
        ));
        let parts = parts(xml.as_bytes()).unwrap();
        let named: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.kind())).collect();
        assert_eq!(named, [("Progress note.pdf", Kind::Pdf), ("Spirometry.pdf", Kind::Pdf)]);
    }

    #[test]
    fn the_file_of_an_unstructured_document_opens_with_and_without_its_representation() {
        for attributes in ["mediaType='application/pdf' representation='B64'", "mediaType='application/pdf'"]
        {
            let xml = document(&format!("<nonXMLBody><text {attributes}>JVBERi0xLjcK</text></nonXMLBody>"));
            let parts = parts(xml.as_bytes()).unwrap();
            assert_eq!(parts.len(), 1, "{attributes}");
            assert_eq!((parts[0].name.as_str(), &parts[0].content[..]), ("Visit.pdf", &b"%PDF-1.7\n"[..]));
        }
    }
}

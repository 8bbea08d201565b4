//! What the crate promises about C-CDA documents, seen from outside.

mod collection;
mod hostile;
mod reading;
mod showing;
mod writing;

/// A document with this header and body around it.
fn document(header: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\" \
         xmlns:sdtc=\"urn:hl7-org:sdtc\">{header}<component><structuredBody>{body}</structuredBody></component>\
         </ClinicalDocument>"
    )
}

/// A document with one section of this narrative.
fn narrative(text: &str) -> String {
    document(
        "",
        &format!("<component><section><title>Notes</title><text>{text}</text></section></component>"),
    )
}

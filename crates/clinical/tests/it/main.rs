//! Reading, rendering and writing C-CDA documents through the public interface.

mod collection;
mod ebrim;
mod embedded;
mod entries;
mod hl7;
mod hostile;
mod names;
mod news;
mod people;
mod properties;
mod reading;
mod record_number;
mod referrals;
mod repairs;
mod several;
mod showing;
mod standing;
mod targets;
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

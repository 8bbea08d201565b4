//! Codes in words.

use roxmltree::Node;

use super::xml::{attribute, child, children, text};

/// A coded value in words: its name, the sender's original text, or the bare code.
pub(super) fn code_words(node: Node<'_, '_>) -> Option<String> {
    let bare = |node: Node<'_, '_>| {
        let code = attribute(Some(node), "code")?;
        let system = attribute(Some(node), "codeSystemName");
        Some(system.map_or_else(|| code.clone(), |system| format!("{code} ({system})")))
    };
    own_words(node).or_else(|| children(node, "translation").find_map(own_words)).or_else(|| bare(node))
}

/// Name of a coded value in its own code system.
pub(super) fn own_words(node: Node<'_, '_>) -> Option<String> {
    attribute(Some(node), "displayName").or_else(|| text(child(node, "originalText")?))
}

/// Words for a reason why a vaccine was not given (ActNoImmunizationReason, 2.16.840.1.113883.1.11.19717), for
/// senders that write only codes.
pub(super) fn refusal_words(code: &str) -> Option<&'static str> {
    Some(match code {
        "PATOBJ" => "Patient objection",
        "IMMUNE" => "Immunity",
        "MEDPREC" => "Medical precaution",
        "OSTOCK" => "Product out of stock",
        "PHILISOP" => "Philosophical objection",
        "RELIG" => "Religious objection",
        "VACEFF" => "Concern about its effect",
        "VACSAF" => "Concern about its safety",
        _ => return None,
    })
}

/// Words for a missing value (NullFlavor, 2.16.840.1.113883.5.1008).
pub(super) fn null_words(flavor: &str) -> &'static str {
    match flavor {
        "UNK" => "Unknown",
        "ASKU" => "Asked, but not known",
        "NASK" => "Not asked",
        "NAV" => "Not available at this time",
        "NA" => "Not applicable",
        "MSK" => "Withheld",
        "OTH" => "Other",
        "TRC" => "Trace",
        "QS" => "As much as needed",
        "PINF" => "More than can be said",
        "NINF" => "Less than can be said",
        "INV" => "Invalid",
        _ => "No information",
    }
}

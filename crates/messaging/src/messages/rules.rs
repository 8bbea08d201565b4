//! Checks of input about a message.

use crate::model::{AttachmentMeta, ChartChoices, PRESCRIPTION_NETWORK, Patient};
use chrono::NaiveDate;
use platform::{
    Error, Result,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
};

/// Maximum length of a file description, in characters.
pub const DESCRIPTION_LIMIT: usize = 255;

/// The only way of processing without a file.
pub const PRINTED: &str = "Printed";

pub const URGENT_NEEDS_REVIEWER: &str = "An urgent message needs a reviewer.";

/// Why a structured document's metadata cannot be changed.
const READ_ONLY: &str = "The details of a structured document come from its content. It can be removed, but not \
                         changed.";

/// Details missing for finding the documents of a message later. `files`: name, whether structured, and metadata.
pub fn gaps(patient: Option<&Patient>, files: &[(String, bool, AttachmentMeta)]) -> Vec<String> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.trim().is_empty());
    let is_named = |p: &Patient| [&p.first_name, &p.last_name, &p.patient_id].into_iter().any(given);
    let mut gaps = Vec::new();
    if !patient.is_some_and(is_named) {
        gaps.push("There is no patient yet, so it will not show up under any patient.".into());
    }
    let untyped =
        files.iter().filter(|(_, is_structured, meta)| !is_structured && !given(&meta.document_type));
    gaps.extend(untyped.map(|(name, ..)| format!("No document type is chosen for {name}.")));
    gaps
}

/// Checks the metadata of a file.
pub fn check_meta(meta: &AttachmentMeta, today: NaiveDate, errors: &mut FieldErrors) {
    let short = meta.document_description.as_deref().is_none_or(|d| d.chars().count() <= DESCRIPTION_LIMIT);
    errors.require(short, "documentDescription", DEFAULT_FIELD_ERROR);
    let past = meta.document_date.is_none_or(|d| d <= today);
    errors.require(past, "documentDate", "Document Date must be equal or less than today.");
    if let Some(choices) = &meta.integration_meta {
        check_choices(choices, errors);
    }
}

/// Most characters of a note to the reviewer, and most orders of a document.
const REVIEWER_NOTE: usize = 500;
const ORDERS: usize = 50;

/// Longest id and name of an EHR, in characters.
const CHART_TEXT: usize = 255;

/// Checks the choices for filing into a chart.
fn check_choices(choices: &ChartChoices, errors: &mut FieldErrors) {
    let ChartChoices {
        order_ids,
        reviewer_id,
        group_reviewer_id,
        reviewer_note,
        urgent,
        document_type_id,
        document_type,
        user_email: _,
    } = choices;
    let is_short = reviewer_note.as_deref().is_none_or(|note| note.chars().count() <= REVIEWER_NOTE);
    errors.require(is_short, "reviewerNote", "Please enter a note of at most 500 characters.");
    let fits = |id: &String| id.chars().count() <= CHART_TEXT;
    let are_orders = order_ids.len() <= ORDERS && order_ids.iter().all(fits);
    errors.require(are_orders, "orderIds", "At most 50 orders can be chosen.");
    errors.require(reviewer_id.iter().all(fits), "reviewerId", DEFAULT_FIELD_ERROR);
    let is_group = |id: &String| fits(id) && (id.starts_with("Group/") || id.starts_with("CareTeam/"));
    errors.require(group_reviewer_id.iter().all(is_group), "groupReviewerId", DEFAULT_FIELD_ERROR);
    let is_type = |id: &String| fits(id) && id.contains('|');
    errors.require(document_type_id.iter().all(is_type), "documentTypeId", DEFAULT_FIELD_ERROR);
    errors.require(document_type.iter().all(fits), "documentType", DEFAULT_FIELD_ERROR);
    let has_reviewer = reviewer_id.is_some() || group_reviewer_id.is_some();
    errors.require(!*urgent || has_reviewer, "urgent", URGENT_NEEDS_REVIEWER);
}

/// Metadata of an arriving structured document: its own has priority over what the sender gives for all files.
pub fn described_by_itself(given: AttachmentMeta, own: AttachmentMeta) -> AttachmentMeta {
    AttachmentMeta {
        confidentiality: own.confidentiality,
        document_type: own.document_type.filter(|name| !name.is_empty()).or(given.document_type),
        document_date: own.document_date.or(given.document_date),
        patient: None,
        ..given
    }
}

/// The metadata of a structured document, if a request agrees with it. Fields absent in the request are unchanged.
///
/// # Errors
///
/// A conflict: the metadata of a structured document is read-only.
pub fn unchanged(asked: AttachmentMeta, kept: &AttachmentMeta) -> Result<AttachmentMeta> {
    let AttachmentMeta {
        document_type,
        document_date,
        confidentiality,
        document_description,
        patient,
        integration_meta,
        version: _,
        document_date_type: _,
    } = asked;
    if patient.is_some() && patient != kept.patient {
        return Err(Error::Conflict("The patient of a structured document comes from its content.".into()));
    }
    let agrees = |asked: &Option<String>, kept: &Option<String>| {
        asked.as_deref().is_none_or(|asked| asked == kept.as_deref().unwrap_or_default())
    };
    let is_same = agrees(&document_type, &kept.document_type)
        && confidentiality.is_none_or(|asked| Some(asked) == kept.confidentiality)
        && agrees(&document_description, &kept.document_description)
        && document_date.is_none_or(|date| Some(date) == kept.document_date);
    // How it is filed is not part of its content.
    let integration_meta = integration_meta.or_else(|| kept.integration_meta.clone());
    if is_same {
        Ok(AttachmentMeta { integration_meta, ..kept.clone() })
    } else {
        Err(Error::Conflict(READ_ONLY.into()))
    }
}

/// Refuses a visit in the future for a message from a prescription network.
pub fn check_visit(
    origin: Option<&str>,
    patient: Option<&Patient>,
    today: NaiveDate,
    errors: &mut FieldErrors,
) {
    let visit = patient.and_then(|patient| patient.visit_date);
    let is_good = origin != Some(PRESCRIPTION_NETWORK) || visit.is_none_or(|day| day <= today);
    errors.require(is_good, "patient.visitDate", DEFAULT_FIELD_ERROR);
}

/// Requirements of an organization that files by patient for processing an Intake message. `files`: name, whether
/// structured, and metadata.
pub fn check_processable(patient: Option<&Patient>, files: &[(String, bool, AttachmentMeta)]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.trim().is_empty());
    match patient.filter(|p| given(&p.first_name) || given(&p.last_name)) {
        None => errors.add("patient", "\"Patient Details\" information is required."),
        Some(patient) => {
            let (first, last) = (given(&patient.first_name), given(&patient.last_name));
            errors.require(first, "patient.firstName", "\"Patient First Name\" is required.");
            errors.require(last, "patient.lastName", "\"Patient Last Name\" is required.");
        }
    }
    for (name, _, _) in
        files.iter().filter(|(_, structured, meta)| !structured && !given(&meta.document_type))
    {
        errors.add("attachments", format!("\"Document Type\" is required for file {name}"));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
    }

    /// MSG-R-296
    #[test]
    fn a_visit_that_lies_ahead_is_refused_from_a_prescription_network_alone() {
        let wrong = |origin: Option<&str>, visit_date: Option<NaiveDate>| {
            let mut errors = FieldErrors::default();
            check_visit(origin, Some(&Patient { visit_date, ..Patient::default() }), today(), &mut errors);
            errors.0.contains_key("patient.visitDate")
        };
        assert!(wrong(Some(PRESCRIPTION_NETWORK), today().succ_opt()));
        assert!(!wrong(Some(PRESCRIPTION_NETWORK), Some(today())));
        assert!(!wrong(None, today().succ_opt()) && !wrong(Some("Larkfield"), today().succ_opt()));
    }

    #[test]
    fn a_document_date_after_today_is_refused_in_the_documented_words() {
        let mut errors = FieldErrors::default();
        let meta = AttachmentMeta { document_date: today().succ_opt(), ..AttachmentMeta::default() };
        check_meta(&meta, today(), &mut errors);
        assert_eq!(errors.0["documentDate"], ["Document Date must be equal or less than today."]);
    }
}

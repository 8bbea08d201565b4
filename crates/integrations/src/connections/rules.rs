//! Rules of connections: what a form may contain, and what an EHR's offers mean.

use super::types::{ConnectionState, IntegrationForm};
use chrono::{DateTime, NaiveDate, Utc};
use fetch::AddressGuard;
use fhir::model::Offers;
use platform::fields::FieldErrors;
use store::entities::integration::{Authentication, Capability, Model, Offered};

pub const NOT_PUBLIC: &str =
    "This address is in a private network. Please ask the operator of this installation to allow it.";
pub const CLIENT_NEEDED: &str = "Please enter the client ID that the EHR gave you.";
pub const PATIENT_NEEDED: &str = "Please put {patient} where the patient's id belongs.";
const UNKNOWN_PLACEHOLDER: &str = "Only {type}, {date}, {from} and {subject} are filled in.";
/// Placeholders of the description of a filed document.
const PLACEHOLDERS: [&str; 4] = ["{type}", "{date}", "{from}", "{subject}"];

/// Checks the rules of a form that involve several fields or the installation.
pub fn check(guard: &AddressGuard, form: &IntegrationForm) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    errors.require(!crate::network::is_refused(guard, &form.base_url), "baseUrl", NOT_PUBLIC);
    // The EHR gives it out after our address was registered there.
    let needs_client = form.authentication != Authentication::Open && form.is_active;
    errors.require(!needs_client || !form.client_id.is_empty(), "clientId", CLIENT_NEEDED);
    let has_patient = form.chart_url.is_empty() || form.chart_url.contains("{patient}");
    errors.require(has_patient, "chartUrl", PATIENT_NEEDED);
    let bare =
        PLACEHOLDERS.iter().fold(form.description_template.to_string(), |text, name| text.replace(name, ""));
    errors.require(!bare.contains(['{', '}']), "descriptionTemplate", UNKNOWN_PLACEHOLDER);
    if errors.0.is_empty() { Ok(()) } else { Err(errors) }
}

/// What an EHR's capability statement means for us.
pub fn offered(offers: &Offers) -> Offered {
    let all = [
        (Capability::PatientLookup, offers.patient_search),
        (Capability::PatientDetailsLookup, offers.patient_search),
        (Capability::VisitLookup, offers.visits),
        (Capability::OrderLookup, offers.orders),
        (Capability::ReviewerLookup, offers.reviewers),
        (Capability::ReviewerGroupLookup, offers.groups || offers.care_teams),
        (Capability::FacilityLookup, offers.facilities),
        (Capability::DocumentTypeLookup, offers.document_types),
        (Capability::DocumentUpload, offers.file_documents && offers.read_documents),
        (Capability::PatientCreate, offers.patient_create),
    ];
    Offered {
        software: offers.software.clone(),
        fhir_version: offers.fhir_version.clone(),
        capabilities: all.into_iter().filter(|(_, is_offered)| *is_offered).map(|(own, _)| own).collect(),
    }
}

/// State of a connection for people.
pub fn state(row: &Model, is_allowed: bool) -> ConnectionState {
    match row {
        _ if !is_allowed => ConnectionState::NotAllowed,
        row if !row.is_enabled => ConnectionState::Off,
        row if row.failing_since.is_some() => ConnectionState::Failing,
        _ => ConnectionState::Connected,
    }
}

/// The next try of a paused connection.
pub fn next_try(row: &Model, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    row.retry_at.filter(|at| *at > now)
}

/// Values for the description of a filed document.
#[derive(Debug, Default)]
pub struct Described<'a> {
    pub document_type: &'a str,
    pub date: Option<NaiveDate>,
    pub from: &'a str,
    pub subject: &'a str,
}

/// The template of a connection; by default the type and the sender.
pub fn template(own: &str) -> &str {
    if own.is_empty() { "{type} from {from}" } else { own }
}

/// The description of a filed document by the connection's template.
pub fn describe(template: &str, of: &Described) -> String {
    let template = self::template(template);
    let date = of.date.map(|date| date.format("%m/%d/%Y").to_string()).unwrap_or_default();
    // Placeholders within the values are text.
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, name, after)) = next_placeholder(rest) {
        text.push_str(before);
        text.push_str(match name {
            "{type}" => of.document_type,
            "{date}" => &date,
            "{from}" => of.from,
            _ => of.subject,
        });
        rest = after;
    }
    text.push_str(rest);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(255).collect()
}

fn next_placeholder(text: &str) -> Option<(&str, &'static str, &str)> {
    let found = PLACEHOLDERS.iter().filter_map(|name| text.find(name).map(|at| (at, *name)));
    let (at, name) = found.min()?;
    Some((&text[..at], name, &text[at + name.len()..]))
}

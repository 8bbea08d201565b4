//! Rules of connections: what a form may contain, and what an EHR's offers mean.

use super::{
    template,
    types::{ConnectionState, IntegrationForm},
};
use crate::{
    ehr::{self, Address},
    network::Guards,
};
use chrono::{DateTime, NaiveDate, Utc};
use fhir::model::Offers;
use openssl::x509::X509;
use platform::fields::{FieldErrors, is_secure_url};
use store::entities::integration::{Authentication, Capability, IntegrationType, Model, Offered};

pub const NOT_PUBLIC: &str =
    "This address is in a private network. Please ask the operator of this installation to allow it.";
pub const CLIENT_NEEDED: &str = "Please enter the client ID that the EHR gave you.";
const NO_FHIR_URL: &str = "Please enter an https address, such as https://fhir.hospital.example/r4.";
const NO_URL: &str = "Please enter an https address, such as https://documents.example/incoming.";
const NO_MLLP: &str =
    "Please enter an address such as mllps://ehr.hospital.example:2575, folder: for files, or nothing.";
const NOT_ENCRYPTED: &str = "Patient data may leave this installation unencrypted in its own private networks only. Please use mllps://, or ask the operator to allow the network.";
const OPEN_ONLY: &str = "Systems of this kind are used without sign-in.";
const NO_CERTIFICATE: &str = "This is no certificate. Please paste it as PEM, with its first and last line.";
pub const PATIENT_NEEDED: &str = "Please put {patient} where the patient's id belongs.";
const UNKNOWN_PLACEHOLDER: &str = "Only {type}, {date}, {from} and {subject} are filled in.";
/// Placeholders of the description of a filed document.
const PLACEHOLDERS: [&str; 4] = ["{type}", "{date}", "{from}", "{subject}"];

/// What is wrong with an address.
fn address_problem(guards: &Guards, form: &IntegrationForm) -> Option<&'static str> {
    match form.integration_type {
        IntegrationType::Fhir | IntegrationType::WebService => {
            let is_web = form.integration_type == IntegrationType::WebService;
            let wrong = if is_web { NO_URL } else { NO_FHIR_URL };
            if !is_secure_url(&form.base_url) {
                return Some(wrong);
            }
            guards.all.refuses(&form.base_url).then_some(NOT_PUBLIC)
        }
        IntegrationType::Hl7 if form.base_url.is_empty() => None,
        IntegrationType::Hl7 => match Address::parse(&form.base_url) {
            None => Some(NO_MLLP),
            Some(Address::Encrypted(target)) => target.is_refused_by(&guards.all).then_some(NOT_PUBLIC),
            Some(Address::Plain(target)) => target.is_refused_by(&guards.private).then_some(NOT_ENCRYPTED),
            Some(Address::Folder) => (!guards.has_folder).then_some(ehr::NO_FOLDER),
        },
    }
}

/// Checks the rules of a form that involve several fields or the installation.
pub fn check(guards: &Guards, form: &IntegrationForm) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if let Some(problem) = address_problem(guards, form) {
        errors.require(false, "baseUrl", problem);
    }
    let is_fhir = form.integration_type == IntegrationType::Fhir;
    errors.require(is_fhir || form.authentication == Authentication::Open, "authentication", OPEN_ONLY);
    errors.require(is_certificate(&form.messages.certificate), "messages.certificate", NO_CERTIFICATE);
    if let Err(problem) = template::check(template::of(&form.body_template)) {
        errors.require(false, "bodyTemplate", problem.text());
    }
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

fn is_certificate(pem: &str) -> bool {
    let pem = pem.trim();
    pem.is_empty() || X509::stack_from_pem(pem.as_bytes()).is_ok_and(|all| !all.is_empty())
}

/// What an EHR with HL7 v2 offers: lookups if it has reported patients, filing if it has an address.
pub fn offered_by_messages(has_patients: bool, has_address: bool) -> Offered {
    let lookups = [
        Capability::PatientLookup,
        Capability::PatientDetailsLookup,
        Capability::VisitLookup,
        Capability::OrderLookup,
    ];
    let lookups = lookups.into_iter().filter(|_| has_patients);
    let filing = [Capability::DocumentUpload].into_iter().filter(|_| has_address);
    Offered {
        software: "HL7 v2".into(),
        fhir_version: String::new(),
        capabilities: lookups.chain(filing).collect(),
    }
}

/// What a web service offers.
pub fn offered_by_service() -> Offered {
    Offered {
        software: "Web service".into(),
        fhir_version: String::new(),
        capabilities: vec![Capability::DocumentSend],
    }
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

//! Data model of a CDA document.

use std::fmt;

use chrono::{NaiveDate, NaiveDateTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entries::Entries;
use super::narrative::Block;
use crate::record_number;

/// A CDA document: header and body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClinicalDocument {
    /// The document's own identity.
    pub id: Option<InstanceId>,
    /// Templates that the document claims to follow.
    pub template_ids: Vec<InstanceId>,
    /// Kind of document, normally a LOINC code.
    pub code: Option<Code>,
    /// Title as written by the author.
    pub title: Option<String>,
    /// Time of creation.
    pub effective_time: Option<Timestamp>,
    /// Confidentiality; Normal if the document does not state it.
    pub confidentiality: Confidentiality,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Identity shared by all versions.
    pub set_id: Option<InstanceId>,
    /// Number of this version.
    pub version: Option<u32>,
    /// The (first) patient.
    pub patient: Option<Patient>,
    /// Further patients; a document about more than one person must not be filed under the first of them unasked.
    pub other_patients: Vec<Patient>,
    /// All other participants in the header: persons, devices, organizations.
    pub people: Vec<Participant>,
    /// Keeper of the original.
    pub custodian: Option<Organization>,
    /// The visit that is documented.
    pub encounter: Option<Encounter>,
    /// Orders fulfilled by this document (`inFulfillmentOf/order/id`), including referral ids.
    pub orders: Vec<InstanceId>,
    /// Documents that this one replaces, appends or transforms.
    pub parent_documents: Vec<InstanceId>,
    /// Embedded pictures of safe types referenced by the narrative.
    pub media: Vec<Media>,
    /// The content.
    pub body: Body,
    /// Files in its sections and entries.
    pub files: Vec<EmbeddedFile>,
    /// Notice for readers: how the file was repaired, or that it could not be.
    pub notice: Option<String>,
}

impl ClinicalDocument {
    /// Authors: persons, devices, organizations.
    pub fn authors(&self) -> impl Iterator<Item = &Participant> {
        self.people.iter().filter(|person| person.role == Role::Author)
    }

    /// All patients of the document.
    pub fn patients(&self) -> impl Iterator<Item = &Patient> {
        self.patient.iter().chain(&self.other_patients)
    }

    /// The patient, if the document has exactly one.
    pub fn only_patient(&self) -> Option<&Patient> {
        self.patient.as_ref().filter(|_| self.other_patients.is_empty())
    }

    /// The title, or the name of the document's kind, or "Clinical document".
    pub fn display_title(&self) -> String {
        self.title
            .clone()
            .or_else(|| self.code.as_ref().and_then(|code| code.display.clone()))
            .unwrap_or_else(|| "Clinical document".to_owned())
    }

    /// Release of C-CDA, by the versions of the document's US Realm templates.
    pub fn standard(&self) -> Option<&'static str> {
        let ccda = |id: &&InstanceId| id.root.starts_with("2.16.840.1.113883.10.20.22.1.");
        let newest =
            self.template_ids.iter().filter(ccda).map(|id| id.extension.as_deref().unwrap_or("")).max()?;
        Some(match newest {
            "" => "C-CDA R1.1",
            date if date < "2015-01-01" => "C-CDA R2.0",
            _ => "C-CDA R2.1",
        })
    }
}

/// The content of a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Body {
    /// Sections with narrative (`structuredBody`).
    Structured(Vec<Section>),
    /// One file of another format (`nonXMLBody`).
    Unstructured(Unstructured),
    /// The document has no readable body.
    #[default]
    Missing,
}

/// Body of an Unstructured Document (C-CDA template 2.16.840.1.113883.10.20.22.1.10).
#[derive(Debug, Clone, PartialEq)]
pub enum Unstructured {
    /// The file is inside the document.
    Embedded {
        /// Media type as declared, lower case; `text/plain` when none is (CDA's default for ED).
        media_type: String,
        /// The file.
        content: Vec<u8>,
    },
    /// The file is outside the document.
    Referenced {
        /// Media type as declared.
        media_type: Option<String>,
        /// `reference/@value`, never followed.
        reference: String,
    },
    /// There is a file, but it cannot be read (bad Base64, compressed).
    Unreadable {
        /// Media type as declared, lower case.
        media_type: String,
    },
}

/// One section of a structured body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Templates that the section claims to follow.
    pub template_ids: Vec<InstanceId>,
    /// Kind of section, normally a LOINC code.
    pub code: Option<Code>,
    /// Title, falling back to the code's name.
    pub title: String,
    /// The narrative text.
    pub narrative: Vec<Block>,
    /// Number of discrete entries of this section, not counting those of sub-sections.
    pub entries: usize,
    /// The entries as a list, if requested.
    pub list: Option<Entries>,
    /// Sub-sections.
    pub sections: Vec<Section>,
}

/// A picture embedded as `observationMedia`.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// XML id that `renderMultiMedia` refers to.
    pub id: String,
    /// `image/png`, `image/jpeg` or `image/gif`; checked against the content.
    pub media_type: &'static str,
    /// The picture.
    pub content: Vec<u8>,
}

/// A Base64 file in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// Name of the surrounding statement or section; may be empty.
    pub title: String,
    /// Media type as declared, lower case.
    pub media_type: Option<String>,
    /// The file.
    pub content: Vec<u8>,
}

/// The patient of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Patient {
    /// Identifiers assigned by organizations, those of the organizations that wrote or keep the document first. Not
    /// all are record numbers: see [`Patient::record_numbers`].
    pub ids: Vec<InstanceId>,
    /// Legal name if one is marked, otherwise the first name.
    pub name: PersonName,
    /// Day of birth.
    pub birth_date: Option<NaiveDate>,
    /// Administrative gender.
    pub gender: Option<Gender>,
    /// Home address if one is marked, otherwise the first.
    pub address: Option<Address>,
    /// Telephone numbers and addresses for messages.
    pub telecoms: Vec<Telecom>,
}

impl Patient {
    /// Candidates for the record number, best first.
    pub fn record_numbers(&self) -> Vec<&InstanceId> {
        record_number::best_first(&self.ids, |id| id.kind())
    }

    /// Identifiers that are stored: all except social security numbers.
    pub fn kept_ids(&self) -> impl Iterator<Item = &InstanceId> {
        self.ids.iter().filter(|id| id.kind() != record_number::Kind::SocialSecurity)
    }

    /// First telephone number, without the `tel:` scheme.
    pub fn phone(&self) -> Option<&str> {
        self.telecoms.iter().find_map(Telecom::phone)
    }

    /// First e-mail address, without the `mailto:` scheme.
    pub fn email(&self) -> Option<&str> {
        self.telecoms.iter().find_map(|telecom| strip_scheme(&telecom.value, "mailto:"))
    }
}

/// HL7 instance identifier (data type II).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceId {
    /// OID, UUID or RUID of the naming system.
    pub root: String,
    /// Identifier within the naming system.
    pub extension: Option<String>,
    /// Name of the assigning authority.
    pub authority: Option<String>,
}

impl InstanceId {
    /// Its kind, by its authority, since the format has no types.
    pub fn kind(&self) -> record_number::Kind {
        let id = self.extension.as_deref().unwrap_or_default();
        let authorities = [self.root.as_str(), self.authority.as_deref().unwrap_or_default()];
        record_number::Identifier { id, authorities, ..record_number::Identifier::default() }.kind()
    }

    /// Whether its root is `root` or below it.
    pub(super) fn is_of(&self, root: &str) -> bool {
        self.root.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// A coded value (data types CD, CE).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// The code.
    pub code: String,
    /// OID of the code system.
    pub system: Option<String>,
    /// Name to show.
    pub display: Option<String>,
}

/// A person's name in parts (data type PN).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonName {
    /// Title before the name.
    pub prefix: Option<String>,
    /// First given name.
    pub first: Option<String>,
    /// Further given names.
    pub middle: Option<String>,
    /// Family name.
    pub last: Option<String>,
    /// Suffix of the name, such as Jr. or MD.
    pub suffix: Option<String>,
}

impl PersonName {
    /// Whether no part of the name is known.
    pub fn is_empty(&self) -> bool {
        self.parts().next().is_none()
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        [&self.prefix, &self.first, &self.middle, &self.last, &self.suffix]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.parts().collect();
        f.write_str(&parts.join(" "))
    }
}

/// A postal address (data type AD).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Street lines.
    pub lines: Vec<String>,
    /// City.
    pub city: Option<String>,
    /// State or province, in the US two letters.
    pub state: Option<String>,
    /// ZIP or postal code.
    pub postal_code: Option<String>,
    /// Country code.
    pub country: Option<String>,
}

impl fmt::Display for Address {
    /// One line: `27 Orchard Row, Larkfield, OH 43999`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region: Vec<_> =
            [&self.state, &self.postal_code].into_iter().flatten().map(String::as_str).collect();
        let mut parts: Vec<String> = self.lines.clone();
        parts.extend(self.city.clone());
        parts.push(region.join(" "));
        parts.extend(self.country.clone().filter(|country| !matches!(country.as_str(), "US" | "USA")));
        parts.retain(|part| !part.is_empty());
        f.write_str(&parts.join(", "))
    }
}

/// A way to reach someone (data type TEL).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Telecom {
    /// URL such as `tel:+15550100164` or `mailto:...`, as written.
    pub value: String,
    /// HL7 use code, such as HP, WP or MC.
    pub use_code: Option<String>,
}

impl Telecom {
    /// The telephone number, if this is one: a `tel:` URL, or a value without scheme.
    pub fn phone(&self) -> Option<&str> {
        strip_scheme(&self.value, "tel:")
            .or_else(|| (!self.value.contains([':', '@'])).then_some(self.value.as_str()))
    }

    /// The value to show: without its scheme, a US number as `(555) 010-0164`.
    pub fn display(&self) -> String {
        let value = ["tel:", "mailto:", "fax:"]
            .into_iter()
            .find_map(|scheme| strip_scheme(&self.value, scheme))
            .unwrap_or(&self.value);
        match us_number(value) {
            Some(us) => format!("({}) {}-{}", &us[..3], &us[3..6], &us[6..]),
            None => value.to_owned(),
        }
    }
}

/// Whether a telephone number has the calling code of a country outside North America: `+` and a digit other than 1
/// (E.164).
pub fn is_foreign_number(phone: &str) -> bool {
    phone.trim_start().strip_prefix('+').is_some_and(|rest| rest.starts_with(|c| matches!(c, '2'..='9')))
}

/// The ten digits of a US telephone number written with or without its country code; None for anything else.
pub fn us_number(phone: &str) -> Option<String> {
    let is_number =
        phone.chars().all(|c| c.is_ascii_digit() || "+-.() ".contains(c)) && !is_foreign_number(phone);
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    let national = digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits);
    (is_number && national.len() == 10).then(|| national.to_owned())
}

fn strip_scheme<'a>(value: &'a str, scheme: &str) -> Option<&'a str> {
    let head = value.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| value[scheme.len()..].trim()).filter(|rest| !rest.is_empty())
}

/// A participant in the header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// Role in the document.
    pub role: Role,
    /// Their function or their relationship to the patient, such as "Primary care provider" or "Mother".
    pub function: Option<String>,
    /// Name of the person; empty for devices and organizations.
    pub name: PersonName,
    /// Name of the device or software, if the author is not a person.
    pub device: Option<String>,
    /// Organization that the participant represents.
    pub organization: Option<String>,
    /// Time of participation.
    pub time: Option<Timestamp>,
    /// Own address, otherwise that of the organization.
    pub address: Option<Address>,
    /// Own contacts, otherwise those of the organization.
    pub telecoms: Vec<Telecom>,
}

impl Participant {
    /// An empty participant in this role.
    pub fn new(role: Role) -> Self {
        Self { role, ..Self::default() }
    }

    /// Person and organization, device and organization, or the known part; empty if nothing is known.
    pub fn display(&self) -> String {
        let parts = [self.who(), self.organization.clone().unwrap_or_default()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The person, otherwise the device; empty if neither is known.
    pub fn who(&self) -> String {
        if self.name.is_empty() { self.device.clone().unwrap_or_default() } else { self.name.to_string() }
    }

    /// Whether neither identity nor contacts are known.
    pub fn is_nobody(&self) -> bool {
        self.display().is_empty() && self.address.is_none() && self.telecoms.is_empty()
    }
}

/// Role of a participant in the document or towards its patient.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// `author`
    Author,
    /// `legalAuthenticator`
    LegalAuthenticator,
    /// `authenticator`
    Authenticator,
    /// `dataEnterer`
    DataEnterer,
    /// `informant`
    Informant,
    /// `informationRecipient`
    Recipient,
    /// Performer of `documentationOf/serviceEvent`.
    CareTeam,
    /// `patient/guardian`, or a participant of class GUARD.
    Guardian,
    /// `patientRole/providerOrganization`
    Provider,
    /// Participant of class ECON.
    EmergencyContact,
    /// Participant of class NOK.
    NextOfKin,
    /// Participant of class CAREGIVER.
    Caregiver,
    /// Participant of class POLHOLD or type HLD.
    PolicyHolder,
    /// Participant of class PAYOR or UNDWRT.
    Payer,
    /// Participant of type REF or REFB.
    Referrer,
    /// Participant of type REFT.
    ReferredTo,
    /// Participant of type CALLBCK.
    CallbackContact,
    /// `encompassingEncounter/responsibleParty`
    Responsible,
    /// Encounter participant of type ATND.
    Attending,
    /// Encounter participant of type ADM.
    Admitter,
    /// Encounter participant of type DIS.
    Discharger,
    /// Encounter participant of type CON.
    Consultant,
    /// Location of the encounter.
    Place,
    /// Any other participant.
    #[default]
    Participant,
}

impl Role {
    /// Label to show.
    pub fn label(self) -> &'static str {
        match self {
            Self::Author => "Author",
            Self::LegalAuthenticator => "Legal authenticator",
            Self::Authenticator => "Authenticator",
            Self::DataEnterer => "Entered by",
            Self::Informant => "Informant",
            Self::Recipient => "Recipient",
            Self::CareTeam => "Care team",
            Self::Guardian => "Guardian",
            Self::Provider => "Provider organization",
            Self::EmergencyContact => "Emergency contact",
            Self::NextOfKin => "Next of kin",
            Self::Caregiver => "Caregiver",
            Self::PolicyHolder => "Policy holder",
            Self::Payer => "Payer",
            Self::Referrer => "Referred by",
            Self::ReferredTo => "Referred to",
            Self::CallbackContact => "Callback contact",
            Self::Responsible => "Responsible for the encounter",
            Self::Attending => "Attending",
            Self::Admitter => "Admitted by",
            Self::Discharger => "Discharged by",
            Self::Consultant => "Consultant",
            Self::Place => "Place of the encounter",
            Self::Participant => "Participant",
        }
    }
}

/// An organization named in the header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Identifiers.
    pub ids: Vec<InstanceId>,
    /// Name.
    pub name: Option<String>,
    /// Address.
    pub address: Option<Address>,
    /// Telephone numbers and other ways to reach it.
    pub telecoms: Vec<Telecom>,
}

/// The visit documented (`componentOf/encompassingEncounter`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Encounter {
    /// Identifiers of the visit.
    pub ids: Vec<InstanceId>,
    /// Kind of visit.
    pub code: Option<Code>,
    /// Start.
    pub from: Option<Timestamp>,
    /// End.
    pub to: Option<Timestamp>,
    /// Location.
    pub location: Option<String>,
    /// Clinician responsible.
    pub responsible: Option<String>,
}

/// Administrative gender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Gender {
    /// M
    #[serde(rename = "M")]
    Male,
    /// F
    #[serde(rename = "F")]
    Female,
    /// UN
    #[serde(rename = "UN")]
    Undifferentiated,
}

impl Gender {
    /// HL7 AdministrativeGender code: M, F or UN.
    pub fn code(self) -> &'static str {
        match self {
            Self::Male => "M",
            Self::Female => "F",
            Self::Undifferentiated => "UN",
        }
    }

    /// Label to show.
    pub fn label(self) -> &'static str {
        match self {
            Self::Male => "Male",
            Self::Female => "Female",
            Self::Undifferentiated => "Undifferentiated",
        }
    }

    /// Reads an HL7 AdministrativeGender code (2.16.840.1.113883.5.1), in any case.
    pub fn from_code(code: &str) -> Option<Self> {
        match code.trim().to_ascii_uppercase().as_str() {
            "M" => Some(Self::Male),
            "F" => Some(Self::Female),
            "UN" | "O" | "X" => Some(Self::Undifferentiated),
            _ => None,
        }
    }
}

/// Confidentiality of a document; stricter values compare greater.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
pub enum Confidentiality {
    /// N and all codes not listed below.
    #[default]
    Normal,
    /// R
    Restricted,
    /// V, also written VR
    VeryRestricted,
}

impl Confidentiality {
    /// Reads a code of 2.16.840.1.113883.5.25; `VR` is an older spelling of V.
    pub fn from_code(code: &str) -> Self {
        match code.trim().to_ascii_uppercase().as_str() {
            "R" => Self::Restricted,
            "V" | "VR" => Self::VeryRestricted,
            _ => Self::Normal,
        }
    }

    /// Only people with the permission may open such a document.
    pub fn is_restricted(self) -> bool {
        match self {
            Self::Normal => false,
            Self::Restricted | Self::VeryRestricted => true,
        }
    }

    /// The HL7 code: N, R or V.
    pub fn code(self) -> &'static str {
        match self {
            Self::Normal => "N",
            Self::Restricted => "R",
            Self::VeryRestricted => "V",
        }
    }

    /// Label to show.
    pub fn label(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Restricted => "Restricted",
            Self::VeryRestricted => "Very restricted",
        }
    }
}

/// A point in time of any precision (data type TS: `YYYY[MM[DD[HHMM[SS[.S]]]]][+/-ZZzz]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

impl Timestamp {
    /// Keeps the value as written, without surrounding spaces; None if it does not start with a year.
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        let year = value.get(..4)?;
        year.bytes().all(|byte| byte.is_ascii_digit()).then(|| Self(value.to_owned()))
    }

    /// The value as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The local calendar day, if the value is that precise.
    pub fn date(&self) -> Option<NaiveDate> {
        NaiveDate::parse_from_str(self.digits().get(..8)?, "%Y%m%d").ok()
    }

    fn digits(&self) -> &str {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        &self.0[..end]
    }

    /// Local time in minutes, if the value is that precise.
    fn date_time(&self) -> Option<NaiveDateTime> {
        NaiveDateTime::parse_from_str(self.digits().get(..12)?, "%Y%m%d%H%M").ok()
    }

    fn offset(&self) -> Option<&str> {
        let at = self.0.rfind(['+', '-'])?;
        Some(&self.0[at..])
            .filter(|offset| offset.len() == 5 && offset[1..].bytes().all(|b| b.is_ascii_digit()))
    }
}

impl fmt::Display for Timestamp {
    /// `11/17/2026`, `11/17/2026 09:30 AM -0500`, `11/2026` or `2026`, as precise as the value; otherwise the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits();
        if let Some(time) = self.date_time() {
            write!(f, "{}", time.format("%m/%d/%Y %I:%M %p"))?;
            return self.offset().map_or(Ok(()), |offset| write!(f, " {offset}"));
        }
        match (self.date(), digits.len()) {
            (Some(date), _) => write!(f, "{}", date.format("%m/%d/%Y")),
            (None, 6) => write!(f, "{}/{}", &digits[4..], &digits[..4]),
            _ => f.write_str(&self.0),
        }
    }
}

//! Persons, organizations and the visit in the header of a document.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::data_types::{Address, Code, InstanceId, PersonName, Telecom, Timestamp, strip_scheme};
use crate::record_number;

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

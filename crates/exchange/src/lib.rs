//! Exchange with interfaces of other systems: HL7 v2 over MLLP, ITI-41 and XDR over SOAP, and plain web services. The
//! crate knows no tenants, no database and no API.

pub mod folder;
pub mod hl7;
pub mod link;
pub mod mllp;
pub mod multipart;
pub mod networks;
pub mod receive;
pub mod saml;
pub mod soap;
pub mod web;
pub mod xdr;

pub use clinical::cda::Confidentiality;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use saml::Claims;

/// A facility, as known to the other side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facility {
    pub name: String,
    pub oid: String,
    /// Kind of facility: code, name and coding scheme.
    pub kind: Option<Code>,
}

/// A code of a coding scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    pub code: String,
    pub name: String,
    /// OID of the scheme.
    pub scheme: String,
}

/// A number with its assigning authority (CX).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identifier {
    pub number: String,
    /// Name of the authority; may be empty.
    pub authority: String,
    /// OID of the authority, or another universal id; may be empty.
    pub oid: String,
    /// Code of table 0203, such as `MR`; may be empty.
    pub kind: String,
}

/// The patient of the documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// Candidates for the record number, best first, each with the OID of its assigning authority.
    pub ids: Vec<(String, String)>,
    pub family: String,
    pub given: String,
    pub middle: String,
    pub born: Option<NaiveDate>,
    /// M, F, O or U.
    pub sex: String,
    pub street: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub phone: String,
    /// Visit of the documents.
    pub visit: String,
}

/// One document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The same on every attempt.
    pub id: uuid::Uuid,
    pub title: String,
    /// Document type, if known.
    pub kind: Option<Code>,
    pub media_type: String,
    pub file_name: String,
    pub created_at: DateTime<Utc>,
    pub confidentiality: Confidentiality,
    pub content: Bytes,
}

/// Documents to be sent from one facility to another.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The same on every attempt.
    pub id: uuid::Uuid,
    pub at: DateTime<Utc>,
    pub from: Facility,
    pub to: Facility,
    /// Direct addresses.
    pub from_address: String,
    pub to_address: String,
    /// Location code of the recipient.
    pub location: String,
    pub patient: Person,
    pub documents: Vec<Document>,
    /// Marked as a test, so that the receiver does not treat it as patient data.
    pub is_test: bool,
}

impl Delivery {
    /// Who sends it, for the assertion of a request.
    pub fn claims(&self) -> Claims<'_> {
        Claims { address: &self.from_address, organization: &self.from.name, organization_id: &self.from.oid }
    }
}

/// Outcome of an attempt to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted,
    /// The other side received and refused it. The reason, without quoting the other side.
    Refused(String),
    /// Nothing was sent, so another endpoint may get it.
    NotReached(String),
    /// It may have arrived: only this endpoint may get it again, under the same id.
    NoAnswer(String),
}

impl Outcome {
    /// Nothing if the other side accepted it, otherwise the outcome.
    pub fn into_result(self) -> Result<(), Self> {
        if self == Self::Accepted { Ok(()) } else { Err(self) }
    }
}

/// Record of an exchange, shown to people who test an endpoint; truncated.
#[derive(Clone, Debug)]
pub struct Dialogue {
    pub outcome: Outcome,
    pub sent: Vec<u8>,
    pub received: Vec<u8>,
}

impl Dialogue {
    /// Bytes kept of each side, since messages are large.
    const SHOWN: usize = 8 << 10;

    pub fn new(outcome: Outcome, sent: &[u8], received: &[u8]) -> Self {
        let beginning = |bytes: &[u8]| bytes[..bytes.len().min(Self::SHOWN)].to_vec();
        Self { outcome, sent: beginning(sent), received: beginning(received) }
    }

    /// A dialogue without any exchange.
    pub fn none(outcome: Outcome) -> Self {
        Self::new(outcome, &[], &[])
    }

    /// Appends the next exchange, whose outcome counts.
    pub fn then(&mut self, next: Self) {
        self.outcome = next.outcome;
        for (all, more) in [(&mut self.sent, next.sent), (&mut self.received, next.received)] {
            all.extend(more);
            all.truncate(Self::SHOWN);
        }
    }
}

/// A UUID as an object identifier (X.667).
pub fn oid_of(id: uuid::Uuid) -> String {
    format!("2.25.{}", id.as_u128())
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use chrono::TimeZone;

    pub fn delivery() -> Delivery {
        Delivery {
            id: uuid::Uuid::from_u128(7),
            at: Utc.with_ymd_and_hms(2026, 11, 20, 10, 31, 7).unwrap(),
            from: Facility {
                name: "Larkfield & Sons".into(),
                oid: "1.2.3.4".into(),
                kind: Some(Code { code: "HOSP".into(), name: "Hospital".into(), scheme: "2.16.1".into() }),
            },
            to: Facility { name: String::new(), oid: "1.2.3.9".into(), kind: None },
            from_address: "dana@larkfield.direct.example".into(),
            to_address: "results@northgate.direct.example".into(),
            location: "rrh".into(),
            patient: Person {
                ids: vec![("MRN^7".into(), "1.2.3.4.5".into())],
                family: "Tenney".into(),
                given: "Marisol".into(),
                born: NaiveDate::from_ymd_opt(1961, 4, 2),
                sex: "F".into(),
                ..Person::default()
            },
            documents: vec![Document {
                id: uuid::Uuid::from_u128(8),
                title: "Discharge | summary".into(),
                kind: Some(Code {
                    code: "18842-5".into(),
                    name: "Discharge summary".into(),
                    scheme: "2.16.840.1.113883.6.1".into(),
                }),
                media_type: "application/pdf".into(),
                file_name: "summary.pdf".into(),
                created_at: Utc.with_ymd_and_hms(2026, 11, 19, 8, 0, 0).unwrap(),
                confidentiality: Confidentiality::Restricted,
                content: Bytes::from_static(b"%PDF-1.7 made up"),
            }],
            is_test: false,
        }
    }
}

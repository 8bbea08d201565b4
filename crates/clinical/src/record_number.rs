//! Selection of a patient's record number among its identifiers, in one order for all formats.
//!
//! 1. a medical record number (type MR) of the organization that wrote or keeps the document, or any number of its own where the
//!    format has no types, as C-CDA
//! 2. another medical record number, then a temporary one
//! 3. an internal number (PI, PT)
//! 4. a number without a type, or of a type that is neither here nor below
//!
//! Never a social security number, driver's license, passport or other number of a state, an insurance number, an
//! account or visit number, or the number of a clinician: see [`Kind`]. The first of equal rank wins.

/// An identifier from a document or message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identifier<'a> {
    /// The number.
    pub id: &'a str,
    /// Its assigning authority in any form: an OID, a URI, or the name of a namespace.
    pub authorities: [&'a str; 2],
    /// Its type (HL7 table 0203); empty where it has none.
    pub kind: &'a str,
    /// Whether it was assigned by the organization that wrote or keeps the document.
    pub is_own: bool,
}

/// Kind of an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A record at the organization that wrote or keeps the document.
    OwnRecord,
    /// A record elsewhere.
    Record,
    /// A temporary record.
    TemporaryRecord,
    /// A patient inside a system.
    Internal,
    /// Unknown, but none of the excluded kinds.
    Other,
    /// A social security number, which is not a record number and is not stored.
    SocialSecurity,
    /// Any other number that is not a record number: insurance, license, passport, account, visit.
    NoRecord,
}

impl Identifier<'_> {
    /// Its kind, by its type, or otherwise by its authority.
    pub fn kind(&self) -> Kind {
        let kind = self.kind.trim().to_ascii_uppercase();
        if matches!(kind.as_str(), "SS" | "SSN" | "SB") || self.is_social() {
            return Kind::SocialSecurity;
        }
        if is_no_record(&kind) || self.authorities.iter().any(|authority| is_no_record_authority(authority)) {
            return Kind::NoRecord;
        }
        match (kind.as_str(), self.is_own) {
            ("MR" | "MRN" | "", true) => Kind::OwnRecord,
            ("MR" | "MRN", false) => Kind::Record,
            ("MRT", _) => Kind::TemporaryRecord,
            ("PI" | "PT", _) => Kind::Internal,
            _ => Kind::Other,
        }
    }

    fn is_social(&self) -> bool {
        let written = |authority: &&str| {
            let authority = authority.trim().trim_start_matches("urn:oid:").to_ascii_lowercase();
            matches!(
                authority.as_str(),
                "2.16.840.1.113883.4.1" | "ssa" | "ssn" | "usssa" | "us-ssn" | "ussa"
            ) || authority.ends_with("/us-ssn")
        };
        let is_nobodys =
            self.kind.trim().is_empty() && self.authorities.iter().all(|given| given.trim().is_empty());
        self.authorities.iter().any(written) || is_nobodys && has_social_form(self.id)
    }
}

/// The candidates for the record number, best first.
pub fn best_first<T>(all: impl IntoIterator<Item = T>, read: impl Fn(&T) -> Kind) -> Vec<T> {
    let mut known: Vec<(Kind, T)> = all
        .into_iter()
        .map(|one| (read(&one), one))
        .filter(|(kind, _)| *kind < Kind::SocialSecurity)
        .collect();
    known.sort_by_key(|(kind, _)| *kind);
    known.into_iter().map(|(_, one)| one).collect()
}

/// `901-44-1234`
fn has_social_form(id: &str) -> bool {
    let parts: Vec<&str> = id.trim().split('-').collect();
    parts.iter().map(|part| part.len()).eq([3, 2, 4])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a type of HL7 table 0203 is not a record number.
fn is_no_record(kind: &str) -> bool {
    matches!(
        kind,
        // Licenses, passports, other numbers of a state or of a bank.
        "DL" | "DN" | "DR" | "PPN" | "PRC" | "TAX" | "NI" | "NIIP" | "NNXXX" | "BC" | "CC" | "MI" | "DP" | "SL" | "LN" | "VS" | "CZ"
            | "EN" | "EI" | "SID"
            // Insurance.
            | "MB" | "MC" | "MA" | "MCR" | "MCD" | "MS" | "HC" | "JHN" | "NH" | "SN" | "SR" | "WC" | "WCN" | "PNT" | "INS"
            // Accounts and visits.
            | "AN" | "ANC" | "AND" | "ANON" | "ANT" | "AM" | "BA" | "GN" | "PE" | "VN" | "AMA" | "CONM"
            // Clinicians.
            | "NPI" | "DEA" | "UPIN" | "MD"
    )
}

/// Whether an OID or URI is an authority for numbers that are not record numbers.
fn is_no_record_authority(authority: &str) -> bool {
    let authority = authority.trim().trim_start_matches("urn:oid:");
    let is_below = |root: &str| {
        authority.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    [
        // Taxpayers, driver's licenses of the states, clinicians.
        "2.16.840.1.113883.4.2",
        "2.16.840.1.113883.4.3",
        "2.16.840.1.113883.4.6",
        // Passports, Medicare (two), insurers.
        "2.16.840.1.113883.4.330",
        "2.16.840.1.113883.4.572",
        "2.16.840.1.113883.4.927",
        "2.16.840.1.113883.6.300",
    ]
    .into_iter()
    .any(is_below)
        || ["/us-npi", "/us-medicare", "/us-mbi"].iter().any(|end| authority.ends_with(end))
        || authority.contains("/sid/passport-")
}

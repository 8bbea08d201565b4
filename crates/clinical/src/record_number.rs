//! Which identifier of a patient is the record number: the one order for all formats.
//!
//! 1. a medical record number (type MR) of the organization that wrote or keeps the document, or any number of its own where the
//!    format has no types, as C-CDA
//! 2. another medical record number, then one that is temporary
//! 3. an internal number (PI, PT)
//! 4. a number without a type, or of a type that is neither here nor below
//!
//! Never a social security number, driver's license, passport or other number of a state, an insurance number, a number of an
//! account or visit, or that of a clinician: see [`Kind`]. Among equals the first one written wins.

/// An identifier as a document or message writes it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Identifier<'a> {
    /// The number.
    pub id: &'a str,
    /// Who gave it, by whatever it is written: an OID, a URI, or the name of a namespace.
    pub authorities: [&'a str; 2],
    /// Its type (HL7 table 0203); empty where it has none.
    pub kind: &'a str,
    /// Whether the organization that wrote or keeps the document gave it.
    pub is_own: bool,
}

/// What an identifier numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A record at the organization that wrote or keeps the document.
    OwnRecord,
    /// A record elsewhere.
    Record,
    /// A record that is numbered for a time only.
    TemporaryRecord,
    /// A patient inside a system.
    Internal,
    /// Not known, but nothing that it must not be taken for.
    Other,
    /// A person to the social security administration. It is no record number, and is not kept.
    SocialSecurity,
    /// Anything else that is not the record: insurance, license, passport, account, visit.
    NoRecord,
}

impl Identifier<'_> {
    /// What it numbers, by its type, or else by who gave it.
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

/// The identifiers that may be the record number, the best first.
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

/// Types of HL7 table 0203 that number something else than a record.
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

/// OIDs and URIs of those who give such numbers.
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

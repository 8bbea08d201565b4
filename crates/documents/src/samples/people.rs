//! Invented patients and practices.

use chrono::{Datelike, NaiveDate};
use clinical::cda::Gender;

/// A patient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePatient {
    /// First name.
    pub first: String,
    /// Middle initial or name; may be empty.
    pub middle: String,
    /// Last name.
    pub last: String,
    /// Day of birth.
    pub birth_date: NaiveDate,
    /// Administrative gender.
    pub gender: Gender,
    /// Medical record number; determines the content of the documents.
    pub mrn: String,
    /// Street and number.
    pub street: String,
    /// City.
    pub city: String,
    /// Two letters.
    pub state: String,
    /// ZIP code.
    pub postal_code: String,
    /// Printed form, such as `(555) 010-0164`.
    pub phone: String,
}

impl SamplePatient {
    /// `TENNEY, MARISOL J`, as printed on forms.
    pub fn chart_name(&self) -> String {
        format!("{}, {} {}", self.last, self.first, self.middle).trim_end().to_uppercase()
    }

    /// `Marisol J Tenney`.
    pub fn full_name(&self) -> String {
        let parts = [self.first.as_str(), &self.middle, &self.last];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// `Ms. Tenney`; the full name for people of undifferentiated gender.
    pub(super) fn formal(&self) -> String {
        match self.gender {
            Gender::Male => format!("Mr. {}", self.last),
            Gender::Female => format!("Ms. {}", self.last),
            Gender::Undifferentiated => self.full_name(),
        }
    }

    /// `She`, `He`, `They`.
    pub(super) fn pronoun(&self) -> &'static str {
        match self.gender {
            Gender::Male => "He",
            Gender::Female => "She",
            Gender::Undifferentiated => "They",
        }
    }

    /// `65-year-old woman`.
    pub(super) fn described(&self, on: NaiveDate) -> String {
        let noun = match self.gender {
            Gender::Male => "man",
            Gender::Female => "woman",
            Gender::Undifferentiated => "person",
        };
        format!("{}-year-old {noun}", self.age(on))
    }

    /// Age in completed years.
    pub(super) fn age(&self, on: NaiveDate) -> i32 {
        let before = (on.month(), on.day()) < (self.birth_date.month(), self.birth_date.day());
        on.year() - self.birth_date.year() - i32::from(before)
    }
}

/// A practice, clinic or laboratory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePractice {
    /// Name on the letterhead.
    pub name: String,
    /// Street and number.
    pub street: String,
    /// City.
    pub city: String,
    /// Two letters.
    pub state: String,
    /// ZIP code.
    pub postal_code: String,
    /// Printed form.
    pub phone: String,
    /// Printed form.
    pub fax: String,
    /// Direct address.
    pub direct_address: String,
    /// OID of the practice's record numbers.
    pub oid: String,
    /// First and last name of the signing clinician.
    pub clinician: String,
    /// Degrees of the clinician, such as `MD`.
    pub credentials: String,
    /// National Provider Identifier of the clinician, ten digits.
    pub npi: String,
}

impl SamplePractice {
    /// `Ines Marchetti, MD`.
    pub fn signer(&self) -> String {
        format!("{}, {}", self.clinician, self.credentials)
    }

    /// Address on one line.
    pub(super) fn address(&self) -> String {
        format!("{} · {}, {} {}", self.street, self.city, self.state, self.postal_code)
    }
}

type PatientRow = (
    &'static str,
    &'static str,
    &'static str,
    (i32, u32, u32),
    Gender,
    &'static str,
    &'static str,
    &'static str,
);

const PATIENTS: &[PatientRow] = &[
    (
        "Marisol",
        "J",
        "Tenney",
        (1961, 3, 14),
        Gender::Female,
        "LFM-20417",
        "118 Millrace Lane",
        "(555) 010-0151",
    ),
    ("Desmond", "A", "Pruitt", (1957, 11, 8), Gender::Male, "LFM-08842", "27 Orchard Row", "(555) 010-0164"),
    (
        "Aiyana",
        "",
        "Whitcomb",
        (1989, 7, 22),
        Gender::Female,
        "LFM-31180",
        "402 Quarry Street, Apt 3",
        "(555) 010-0172",
    ),
    (
        "Teodor",
        "M",
        "Halvorsen",
        (1944, 1, 30),
        Gender::Male,
        "LFM-00973",
        "9 Larkspur Court",
        "(555) 010-0108",
    ),
    (
        "Ngozi",
        "C",
        "Adeyemi",
        (1975, 5, 2),
        Gender::Female,
        "LFM-14226",
        "731 Cedar Hollow Road",
        "(555) 010-0119",
    ),
    ("Caleb", "R", "Stroud", (2009, 9, 17), Gender::Male, "LFM-40055", "56 Ferry Landing", "(555) 010-0133"),
    (
        "Beatriz",
        "L",
        "Cardenas-Roy",
        (1968, 12, 5),
        Gender::Female,
        "LFM-22791",
        "1440 North Mill Avenue",
        "(555) 010-0185",
    ),
    (
        "Oskar",
        "",
        "Lindqvist",
        (1982, 2, 28),
        Gender::Male,
        "LFM-27314",
        "83 Tannery Street",
        "(555) 010-0127",
    ),
    (
        "Rowan",
        "E",
        "Ashby",
        (1996, 10, 11),
        Gender::Undifferentiated,
        "LFM-35608",
        "215 Weaver Street, Unit B",
        "(555) 010-0190",
    ),
    (
        "Hye-jin",
        "",
        "Paek",
        (1953, 6, 19),
        Gender::Female,
        "LFM-06150",
        "12 Bellflower Way",
        "(555) 010-0143",
    ),
    (
        "Samuel",
        "T",
        "O'Rourke",
        (1979, 4, 25),
        Gender::Male,
        "LFM-19932",
        "640 Station Road",
        "(555) 010-0156",
    ),
    (
        "Prisca",
        "N",
        "Vandermolen",
        (2017, 8, 3),
        Gender::Female,
        "LFM-44871",
        "30 Hayfield Terrace",
        "(555) 010-0178",
    ),
];

/// Twelve patients, from children to the elderly.
pub fn patients() -> Vec<SamplePatient> {
    PATIENTS.iter().filter_map(patient).collect()
}

fn patient(row: &PatientRow) -> Option<SamplePatient> {
    let &(first, middle, last, (year, month, day), gender, mrn, street, phone) = row;
    Some(SamplePatient {
        first: first.to_owned(),
        middle: middle.to_owned(),
        last: last.to_owned(),
        birth_date: NaiveDate::from_ymd_opt(year, month, day)?,
        gender,
        mrn: mrn.to_owned(),
        street: street.to_owned(),
        city: "Larkfield".to_owned(),
        state: "OH".to_owned(),
        postal_code: "43999".to_owned(),
        phone: phone.to_owned(),
    })
}

/// Name, street, telephone, fax, Direct domain, clinician, credentials, NPI.
type PracticeRow = [&'static str; 8];

const PRACTICES: &[PracticeRow] = &[
    [
        "Larkfield Family Medicine",
        "410 Main Street",
        "(555) 010-0110",
        "(555) 010-0111",
        "larkfield",
        "Ines Marchetti",
        "MD",
        "1999999901",
    ],
    [
        "Tri-Valley Cardiology",
        "2200 Cedar Hollow Road, Suite 310",
        "(555) 010-0140",
        "(555) 010-0142",
        "trivalley",
        "Anselm Okonkwo",
        "MD, FACC",
        "1999999902",
    ],
    [
        "Quarry Lab Services",
        "75 Quarry Street",
        "(555) 010-0160",
        "(555) 010-0161",
        "quarrylab",
        "Lena Fairweather",
        "PhD, HCLD",
        "1999999903",
    ],
    [
        "Mill Creek Orthopedics",
        "18 Millrace Lane, Floor 2",
        "(555) 010-0180",
        "(555) 010-0181",
        "millcreek",
        "Jonas Abernathy",
        "MD",
        "1999999904",
    ],
];

/// A family practice, a cardiologist, a laboratory and an orthopedist, in this order.
pub fn practices() -> Vec<SamplePractice> {
    PRACTICES.iter().enumerate().map(|(index, row)| practice(index, row)).collect()
}

fn practice(index: usize, row: &PracticeRow) -> SamplePractice {
    let [name, street, phone, fax, domain, clinician, credentials, npi] = row.map(str::to_owned);
    SamplePractice {
        name,
        street,
        city: "Larkfield".to_owned(),
        state: "OH".to_owned(),
        postal_code: "43999".to_owned(),
        phone,
        fax,
        direct_address: format!("office@{domain}.direct.example"),
        // The OID arc that HL7 reserves for examples.
        oid: format!("2.16.840.1.113883.19.5.{}", index + 1),
        clinician,
        credentials,
        npi,
    }
}

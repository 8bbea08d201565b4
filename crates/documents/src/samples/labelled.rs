//! Documents of invented people in varied layouts, with their patient details, for measuring the extraction
//! of patients.

use chrono::NaiveDate;
use clinical::cda::Gender;

use super::papers::consultant_number;
use super::{SamplePatient, SamplePractice, patients, practices};
use super::{cardiology_consultation_pdf, fax_tiff, lab_report_pdf, referral_letter_pdf, visit_note_pdf};
use super::{scanned_tiff, standard_fax_tiff};
use crate::extract::ExtractedPatient;
use crate::{Kind, convert};

/// Medium of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A PDF with text.
    Text,
    /// A clean scan, fine fax resolution.
    Scan,
    /// A fax at 204 by 98 pixels per inch, askew and speckled.
    Fax,
}

impl Medium {
    /// Required share of correctly read fields, in percent.
    pub fn aim(self) -> f64 {
        match self {
            Self::Text => 95.0,
            Self::Scan => 90.0,
            Self::Fax => 80.0,
        }
    }
}

/// A document and its patient details.
#[derive(Debug, Clone)]
pub struct Labelled {
    /// Name of the layout.
    pub layout: &'static str,
    pdf: Vec<u8>,
    /// Expected result.
    pub says: ExtractedPatient,
}

impl Labelled {
    /// The file in this medium.
    pub fn file(&self, medium: Medium) -> (Kind, Vec<u8>) {
        match medium {
            Medium::Text => (Kind::Pdf, self.pdf.clone()),
            Medium::Scan => (Kind::Tiff, scanned_tiff(&self.pdf)),
            Medium::Fax if self.layout == "referral" => {
                (Kind::Tiff, fax_tiff(&self.pdf, "11/19/2026 08:12 AM", "LARKFIELD +1 555 010 0111"))
            }
            Medium::Fax => (Kind::Tiff, standard_fax_tiff(&self.pdf)),
        }
    }
}

/// Comparison of read and expected details.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of fields in the documents.
    pub said: u32,
    /// Number of correctly read fields.
    pub right: u32,
    /// Number of read values that are in no document.
    pub invented: u32,
}

impl Score {
    /// Adds the result for a document.
    pub fn add(&mut self, says: &ExtractedPatient, read: &ExtractedPatient) {
        let text = |patient: &ExtractedPatient| {
            [
                &patient.first_name,
                &patient.middle_name,
                &patient.last_name,
                &patient.identifier,
                &patient.street,
                &patient.city,
                &patient.state,
                &patient.postal_code,
                &patient.telephone,
            ]
            .map(|value| value.as_ref().map(|value| value.to_lowercase()))
        };
        for (said, read) in text(says).into_iter().zip(text(read)) {
            self.field(said, read);
        }
        self.field(says.birth_date, read.birth_date);
        self.field(says.gender, read.gender);
    }

    /// Share of correctly read fields, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.said.max(1))
    }

    fn field<T: PartialEq>(&mut self, said: Option<T>, read: Option<T>) {
        self.said += u32::from(said.is_some());
        self.right += u32::from(said.is_some() && said == read);
        self.invented += u32::from(read.is_some() && said != read);
    }
}

type Layout = (&'static str, fn(&SamplePatient, &[SamplePractice], NaiveDate) -> Vec<u8>);

/// Layouts with name, birth date and gender. Layouts with less are in [`labelled`].
const LAYOUTS: &[Layout] = &[
    ("visit note", |who, practices, day| visit_note_pdf(who, &practices[0], day)),
    ("consultation", |who, practices, day| {
        cardiology_consultation_pdf(who, &practices[1], &practices[0], day)
    }),
    ("referral", |who, practices, day| referral_letter_pdf(who, &practices[0], &practices[3], day)),
    ("laboratory", |who, practices, day| lab_report_pdf(who, &practices[2], &practices[0], day)),
    ("one line", |who, practices, day| {
        page(&format!(
            "{}\n{}\n\nDISCHARGE SUMMARY\n\nPatient Name: {}   DOB: {}\nSex: {}   MRN: {}\nDate of visit: {}\n\n{PROSE}",
            practices[3].name,
            practices[3].street,
            who.full_name(),
            us(who),
            letter(who),
            who.mrn,
            day.format("%m/%d/%Y"),
        ))
    }),
    ("labels above", |who, _, _| {
        page(&format!(
            "OPERATIVE REPORT\n\nPatient name\n{}\n\nDate of birth\n{}\n\nGender\n{}\n\nPhysician\nJonas Abernathy, MD\n\n{PROSE}",
            who.chart_name(),
            who.birth_date.format("%B %-d, %Y"),
            who.gender.label(),
        ))
    }),
    ("columns", |who, _, _| {
        page(&format!(
            "IMMUNIZATION RECORD\n\n{:<22}{:<22}{}\n{:<22}{:<22}{}\n\n{:<22}{}\n{:<22}{}\n\n{PROSE}",
            "Last name",
            "First name",
            "Date of birth",
            who.last,
            who.first,
            us(who),
            "Gender",
            "Phone",
            who.gender.label(),
            who.phone,
        ))
    }),
    ("parts", |who, _, _| {
        page(&format!(
            "REGISTRATION FORM\n\nLast name: {}\nFirst name: {}\nMiddle name: {}\nBirth date: {}\nSex at birth: {}\nPhone: {}\n\n{PROSE}",
            who.last,
            who.first,
            who.middle,
            who.birth_date,
            who.gender.label(),
            who.phone,
        ))
    }),
    ("cover sheet", |who, practices, day| {
        page(&format!(
            "FAX\n\nTo: {}\nFax: {}\nFrom: {}\nDate: {}\nPages: 3\n\nRe: {}\nDOB: {}\nSex: {}\n\nPlease call with questions.\n",
            practices[0].name,
            practices[0].fax,
            practices[1].name,
            day.format("%m/%d/%Y"),
            who.chart_name(),
            us(who),
            letter(who),
        ))
    }),
    ("letter", |who, practices, day| {
        page(&format!(
            "{}\n\n{}\n\nPatient: {}\nDate of Birth: {}\n\nDear Dr. Marchetti,\n\n{PROSE}\n\nSincerely,\nJonas Abernathy, MD\n",
            practices[3].name,
            day.format("%B %-d, %Y"),
            who.chart_name(),
            us(who),
        ))
    }),
    ("nobody", |_, practices, day| {
        page(&format!(
            "{}\n\nOFFICE HOURS\n\nDear colleagues,\n\nfrom {} on our patient portal is open all day. Name any patient by the \
             number that we gave you. Dr. Anselm Okonkwo and Lena Fairweather will answer.\n\nPhone: {}\n",
            practices[1].name,
            day.format("%m/%d/%Y"),
            practices[1].phone,
        ))
    }),
];

const PROSE: &str = "The patient tolerated the procedure well and went home the same day. Blood pressure 142/86, pulse 78 and regular.\n\
    Please continue lisinopril 20 mg daily and see us again in two weeks.";

/// 24 documents, each available in every [`Medium`].
pub fn labelled() -> Vec<Labelled> {
    let practices = practices();
    let Some(day) = NaiveDate::from_ymd_opt(2026, 11, 18) else { return Vec::new() };
    let of = |(at, who): (usize, &SamplePatient)| {
        [at, at + 5].map(|at| {
            let (layout, make) = LAYOUTS[at % LAYOUTS.len()];
            Labelled { layout, pdf: make(who, &practices, day), says: said(layout, who) }
        })
    };
    patients().iter().enumerate().flat_map(of).collect()
}

fn said(layout: &str, who: &SamplePatient) -> ExtractedPatient {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let all = ExtractedPatient {
        first_name: text(&who.first),
        middle_name: text(&who.middle),
        last_name: text(&who.last),
        birth_date: Some(who.birth_date),
        gender: Some(who.gender),
        ..ExtractedPatient::default()
    };
    let telephone = clinical::cda::us_number(&who.phone);
    match layout {
        "visit note" | "laboratory" | "one line" => ExtractedPatient { identifier: text(&who.mrn), ..all },
        "consultation" => ExtractedPatient { identifier: text(&consultant_number(who)), ..all },
        "referral" => ExtractedPatient {
            identifier: text(&who.mrn),
            street: text(&who.street),
            city: text(&who.city),
            state: text(&who.state),
            postal_code: text(&who.postal_code),
            telephone,
            ..all
        },
        "nobody" => ExtractedPatient::default(),
        "letter" => ExtractedPatient { gender: None, ..all },
        "columns" => ExtractedPatient { middle_name: None, telephone, ..all },
        "parts" => ExtractedPatient { telephone, ..all },
        _ => all,
    }
}

fn page(text: &str) -> Vec<u8> {
    convert::to_pdf(Kind::Text, text.as_bytes()).unwrap_or_default()
}

fn us(who: &SamplePatient) -> String {
    who.birth_date.format("%m/%d/%Y").to_string()
}

fn letter(who: &SamplePatient) -> &'static str {
    match who.gender {
        Gender::Female => "F",
        Gender::Male => "M",
        Gender::Undifferentiated => "X",
    }
}

//! Letters between the demo's practices: people, times, patients and papers.

use super::practices::{LARKFIELD, NORTHGATE, QUARRY_LAB, SUMMIT, TRI_VALLEY};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use documents::samples::{self, SamplePatient, SamplePractice};

/// A message of the story.
pub struct Letter {
    pub at: DateTime<Utc>,
    /// Subdomain and person.
    pub from: (&'static str, &'static str),
    /// Subdomain and local part of the address.
    pub to: (&'static str, &'static str),
    pub release_type: &'static str,
    pub subject: String,
    pub body: String,
    pub patient: SamplePatient,
    pub papers: Vec<Paper>,
    /// Stays a draft.
    pub draft: bool,
}

pub struct Paper {
    pub name: String,
    pub content: Vec<u8>,
    pub document_type: &'static str,
    pub date: NaiveDate,
}

/// Ages in days of Larkfield's received mail, most of it recent.
const DAYS: [i64; 26] =
    [41, 36, 32, 28, 26, 23, 21, 20, 18, 16, 14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 3, 3, 2, 1, 1, 0];

/// All letters, oldest first.
pub fn all(now: DateTime<Utc>) -> Vec<Letter> {
    let writer = Writer { patients: samples::patients(), practices: samples::practices(), now };
    let mut letters: Vec<Letter> =
        DAYS.iter().enumerate().map(|(n, days)| writer.to_larkfield(n, *days)).collect();
    letters.extend([30, 22, 15, 11, 6, 2].iter().enumerate().map(|(n, days)| writer.to_summit(n, *days)));
    letters.extend([17, 1].iter().enumerate().map(|(n, days)| writer.to_cardiology(n, *days)));
    letters.push(writer.to_nobody(5));
    letters.extend([0, 0].iter().enumerate().map(|(n, days)| writer.draft(n, *days)));
    letters.sort_by_key(|letter| letter.at);
    letters
}

struct Writer {
    patients: Vec<SamplePatient>,
    practices: Vec<SamplePractice>,
    now: DateTime<Utc>,
}

impl Writer {
    fn patient(&self, n: usize) -> &SamplePatient {
        &self.patients[n % self.patients.len()]
    }

    fn larkfield(&self) -> &SamplePractice {
        &self.practices[0]
    }

    fn cardiology(&self) -> &SamplePractice {
        &self.practices[1]
    }

    fn laboratory(&self) -> &SamplePractice {
        &self.practices[2]
    }

    fn orthopedics(&self) -> SamplePractice {
        SamplePractice { name: "Summit Orthopedics".into(), ..self.practices[3].clone() }
    }

    fn hospital(&self) -> SamplePractice {
        SamplePractice { name: "Northgate Regional Hospital".into(), ..self.practices[0].clone() }
    }

    /// Spread over the day, and never in the future.
    fn time(&self, days: i64, n: usize) -> DateTime<Utc> {
        self.now - Duration::days(days) - Duration::minutes(7 + 53 * (n as i64 % 5))
    }

    fn letter(&self, at: DateTime<Utc>, patient: &SamplePatient) -> Letter {
        Letter {
            at,
            from: (LARKFIELD, "dana"),
            to: (LARKFIELD, "records"),
            release_type: "Referral",
            subject: String::new(),
            body: String::new(),
            patient: patient.clone(),
            papers: Vec::new(),
            draft: false,
        }
    }

    fn to_larkfield(&self, n: usize, days: i64) -> Letter {
        let (at, patient) = (self.time(days, n), self.patient(n));
        let day = at.date_naive() - Duration::days(1);
        let letter = self.letter(at, patient);
        let us = day.format("%m/%d/%Y");
        match n % 5 {
            0 => Letter {
                from: (TRI_VALLEY, "anselm"),
                to: (LARKFIELD, "referrals"),
                release_type: "Consultation report",
                subject: format!("Cardiology consultation, visit of {us}"),
                body: format!("Thank you for referring {}. My report is attached.", patient.full_name()),
                papers: vec![paper(
                    "Consultation.pdf",
                    samples::cardiology_consultation_pdf(patient, self.cardiology(), self.larkfield(), day),
                    "Consultation",
                    day,
                )],
                ..letter
            },
            1 => Letter {
                from: (QUARRY_LAB, "lena"),
                release_type: "Laboratory results",
                subject: format!("Laboratory results of {us}"),
                body: "The results that you ordered are attached.".into(),
                papers: vec![paper(
                    "Results.pdf",
                    samples::lab_report_pdf(patient, self.laboratory(), self.larkfield(), day),
                    "Laboratory results",
                    day,
                )],
                ..letter
            },
            2 => Letter {
                from: (NORTHGATE, "ruth"),
                release_type: "Summary of care",
                subject: format!("Summary of care, discharged {us}"),
                body: "Your patient was discharged. The summary of care is attached as C-CDA and as a note."
                    .into(),
                papers: vec![
                    paper(
                        "Summary of care.xml",
                        samples::ccd_xml(patient, &self.hospital(), day).into_bytes(),
                        "Summary of care",
                        day,
                    ),
                    paper(
                        "Discharge note.pdf",
                        samples::visit_note_pdf(patient, &self.hospital(), day),
                        "Discharge summary",
                        day,
                    ),
                ],
                ..letter
            },
            3 => Letter {
                from: (SUMMIT, "sam"),
                to: (LARKFIELD, "referrals"),
                release_type: "Consultation report",
                subject: format!("Orthopedic visit note of {us}"),
                body: format!("{} was seen here. The note is attached.", patient.full_name()),
                papers: vec![paper(
                    "Visit note.pdf",
                    samples::visit_note_pdf(patient, &self.orthopedics(), day),
                    "Progress note",
                    day,
                )],
                ..letter
            },
            _ => Letter {
                from: (NORTHGATE, "ruth"),
                to: (LARKFIELD, "frontdesk"),
                release_type: "Records request response",
                subject: "Scanned outside records, as requested".into(),
                body: "The pages you asked for are attached as a scan.".into(),
                papers: vec![paper(
                    "Outside records.tif",
                    samples::scanned_tiff(&samples::visit_note_pdf(patient, &self.hospital(), day)),
                    "Outside records",
                    day,
                )],
                ..letter
            },
        }
    }

    fn to_summit(&self, n: usize, days: i64) -> Letter {
        let (at, patient) = (self.time(days, n + 1), self.patient(n + 3));
        let day = at.date_naive();
        Letter {
            from: (LARKFIELD, if n.is_multiple_of(2) { "dana" } else { "priya" }),
            to: (SUMMIT, "intake"),
            subject: format!("Orthopedic referral: {}", patient.last),
            body: "Please see this patient. The referral and a summary of care are attached.".into(),
            papers: vec![
                paper(
                    "Referral.pdf",
                    samples::referral_letter_pdf(patient, self.larkfield(), &self.orthopedics(), day),
                    "Referral",
                    day,
                ),
                paper(
                    "Referral note.xml",
                    samples::referral_note_xml(patient, self.larkfield(), &self.orthopedics(), day)
                        .into_bytes(),
                    "Referral",
                    day,
                ),
            ],
            ..self.letter(at, patient)
        }
    }

    fn to_cardiology(&self, n: usize, days: i64) -> Letter {
        let (at, patient) = (self.time(days, n + 2), self.patient(n + 7));
        let day = at.date_naive();
        Letter {
            from: (LARKFIELD, "priya"),
            to: (TRI_VALLEY, "office"),
            subject: "Cardiology referral".into(),
            body: "Please evaluate. The referral letter is attached.".into(),
            papers: vec![paper(
                "Referral.pdf",
                samples::referral_letter_pdf(patient, self.larkfield(), self.cardiology(), day),
                "Referral",
                day,
            )],
            ..self.letter(at, patient)
        }
    }

    /// An address that does not exist, so that a failed delivery can be seen.
    fn to_nobody(&self, days: i64) -> Letter {
        let letter = self.to_summit(4, days);
        Letter { to: (SUMMIT, "dr.nobody"), at: letter.at + Duration::minutes(1), ..letter }
    }

    fn draft(&self, n: usize, days: i64) -> Letter {
        let letter = if n == 0 { self.to_summit(1, days) } else { self.to_cardiology(1, days) };
        Letter { draft: true, from: (LARKFIELD, "dana"), ..letter }
    }
}

fn paper(name: &str, content: Vec<u8>, document_type: &'static str, date: NaiveDate) -> Paper {
    Paper { name: name.into(), content, document_type, date }
}

//! Documents of practices and laboratories as PDF.

use chrono::NaiveDate;

use super::cases::{Case, Panel, Test, case};
use super::people::{SamplePatient, SamplePractice};
use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet, Table, Typesetter};

const BODY: Look = Look::new(Face::Serif, 10.5);
const HEADING: Look = Look::new(Face::SansBold, 10.0);
const FORM: Look = Look::new(Face::Sans, 9.0);
const FINE: Look = Look::new(Face::Sans, 8.5);

fn us(date: NaiveDate) -> String {
    date.format("%m/%d/%Y").to_string()
}

/// Office visit note.
pub fn visit_note_pdf(patient: &SamplePatient, practice: &SamplePractice, visit: NaiveDate) -> Vec<u8> {
    let case = case(patient);
    let mut paper = Paper::new(practice, "Office visit note", patient, visit);
    paper.form(&[
        ("Patient", patient.chart_name(), "Date of birth", us(patient.birth_date)),
        ("Sex", patient.gender.label().to_owned(), "MRN", patient.mrn.clone()),
        ("Date of visit", us(visit), "Clinician", practice.signer()),
    ]);
    paper.section("Reason for visit", case.reason);
    paper.section("History of present illness", &history(patient, case, visit));
    paper.heading("Problems");
    paper.bullets(case.problems.iter().map(|problem| format!("{} ({})", problem.name, problem.icd10)));
    paper.medications(case);
    paper.heading("Vital signs");
    paper.vitals(case);
    paper.section("Examination", case.examination);
    paper.section("Social history", case.social);
    paper.heading("Assessment and plan");
    paper.numbers(case.plan);
    paper.signature(practice, visit);
    paper.finish()
}

/// Cardiology consultation that answers a referral.
pub fn cardiology_consultation_pdf(
    patient: &SamplePatient,
    from: &SamplePractice,
    to: &SamplePractice,
    visit: NaiveDate,
) -> Vec<u8> {
    let case = case(patient);
    let day = us(visit);
    let mut paper = Paper::new(from, "Cardiology consultation", patient, visit);
    paper.form(&[
        ("Patient", patient.chart_name(), "Date of birth", us(patient.birth_date)),
        ("Sex", patient.gender.label().to_owned(), "MRN (TVC)", consultant_number(patient)),
        ("Date of visit", day.clone(), "Referred by", to.name.clone()),
    ]);
    paper.section(
        "Reason for consultation",
        "Exertional dyspnea over three months and intermittent palpitations. Referred for evaluation of suspected \
         diastolic dysfunction and rhythm assessment.",
    );
    paper.section("History of present illness", &history(patient, case, visit));
    paper.medications(case);
    let vitals = &case.vitals;
    paper.heading("Examination");
    paper.text(vec![
        Piece::new(
            format!("BP {}/{}, pulse {} and regular, SpO", vitals.systolic, vitals.diastolic, vitals.pulse),
            BODY,
        ),
        lowered("2"),
        Piece::new(format!(" {}% on room air, BMI {}. {}", vitals.oxygen, bmi(case), case.examination), BODY),
    ]);
    paper.heading("Studies");
    paper.text(vec![
        Piece::new(
            format!(
                "ECG {day}: sinus rhythm, {}/min, left atrial enlargement, no acute changes. Echocardiogram {day}: LVEF \
                 60%, mild concentric LV hypertrophy, grade I diastolic dysfunction, LA volume index 36 mL/m",
                vitals.pulse
            ),
            BODY,
        ),
        raised("2"),
        Piece::new(". 14-day patch monitor placed today.", BODY),
    ]);
    paper.heading("Impression and plan");
    paper.bullets([
        "Hypertensive heart disease with grade I diastolic dysfunction. Blood pressure goal below 130/80; basic \
         metabolic panel two weeks after any change of dose.",
        "Palpitations, low risk. Await patch monitor; call with results within four weeks.",
        "Consider an SGLT2 inhibitor with diabetes and early diastolic disease; defer to primary care.",
        "Return to clinic in three months with a log of home blood pressures.",
    ]);
    paper.section(
        "Correspondence",
        &format!(
            "Thank you for referring {}. Echo images are available on request. Please confirm all changes of \
             medication with the patient.",
            patient.formal()
        ),
    );
    paper.signature(from, visit);
    paper.finish()
}

/// Referral letter to a colleague.
pub fn referral_letter_pdf(
    patient: &SamplePatient,
    from: &SamplePractice,
    to: &SamplePractice,
    day: NaiveDate,
) -> Vec<u8> {
    let case = case(patient);
    let mut paper = Paper::new(from, "Referral", patient, day);
    paper.lines(&[
        &us(day),
        "",
        &to.name,
        &to.street,
        &format!("{}, {} {}", to.city, to.state, to.postal_code),
        &format!("Fax {}", to.fax),
    ]);
    paper.form(&[
        ("Patient name", patient.full_name(), "DOB", us(patient.birth_date)),
        ("Sex", patient.gender.label().to_owned(), "Phone", patient.phone.clone()),
        (
            "Address",
            format!("{}, {}, {} {}", patient.street, patient.city, patient.state, patient.postal_code),
            "MRN",
            patient.mrn.clone(),
        ),
        ("Priority", "Routine".to_owned(), "Service", "Consultation".to_owned()),
    ]);
    let colleague = to.clinician.rsplit(' ').next().unwrap_or_default();
    paper.text(vec![Piece::new(format!("Dear Dr. {colleague},"), BODY)]);
    paper.text(vec![Piece::new(
        format!("Thank you for seeing {}, a {} {}", patient.formal(), patient.described(day), case.history),
        BODY,
    )]);
    paper.text(vec![Piece::new(format!("We ask for {}.", case.referral), BODY)]);
    paper.heading("Diagnoses");
    paper.bullets(case.problems.iter().map(|problem| format!("{} ({})", problem.name, problem.icd10)));
    paper.medications(case);
    let allergy = &case.allergy;
    paper.section(
        "Allergies",
        &format!("{}: {} ({}).", allergy.substance, allergy.reaction, allergy.severity.to_lowercase()),
    );
    paper.text(vec![Piece::new(
        format!(
            "Recent results and notes are attached. Please send your findings to {} or by fax to {}.",
            from.direct_address, from.fax
        ),
        BODY,
    )]);
    paper.text(vec![Piece::new("With kind regards,", BODY)]);
    paper.signature(from, day);
    paper.finish()
}

/// Laboratory report to the ordering practice.
pub fn lab_report_pdf(
    patient: &SamplePatient,
    laboratory: &SamplePractice,
    ordering: &SamplePractice,
    collected: NaiveDate,
) -> Vec<u8> {
    let case = case(patient);
    let mut paper = Paper::new(laboratory, "Laboratory report", patient, collected);
    paper.form(&[
        ("Patient", patient.chart_name(), "Date of birth", us(patient.birth_date)),
        ("Sex", patient.gender.label().to_owned(), "Patient ID", patient.mrn.clone()),
        ("Ordered by", ordering.signer(), "Practice", ordering.name.clone()),
        ("Collected", format!("{} 07:42 AM", us(collected)), "Specimen", "Serum, whole blood".to_owned()),
        ("Reported", format!("{} 02:15 PM", us(collected)), "Status", "Final".to_owned()),
    ]);
    for panel in case.panels {
        paper.panel(panel);
    }
    paper.text(vec![Piece::new(
        "H above, L below the reference range. Reference ranges are those for adults. Results marked final replace all \
         earlier reports of the same specimen.",
        FINE.ink(Ink::GREY),
    )]);
    paper.text(vec![Piece::new(
        format!(
            "Laboratory director: {}. Questions about this report: {}.",
            laboratory.signer(),
            laboratory.phone
        ),
        FINE.ink(Ink::GREY),
    )]);
    paper.finish()
}

fn history(patient: &SamplePatient, case: &Case, on: NaiveDate) -> String {
    let (who, verb) = (patient.formal(), "is a");
    let allergy = &case.allergy;
    format!(
        "{who} {verb} {} {} {} is allergic to {}, with {}.",
        patient.described(on),
        case.history,
        patient.pronoun().replace("They", &patient.last),
        allergy.substance.to_lowercase(),
        allergy.reaction.to_lowercase()
    )
}

/// Record number at the consultant, who has numbers of their own for patients.
pub(super) fn consultant_number(patient: &SamplePatient) -> String {
    let digits: String = patient.mrn.chars().filter(char::is_ascii_digit).collect();
    let number = digits.parse::<u64>().unwrap_or_default() * 7 % 100_000;
    format!("TVC-{number:07}")
}

fn bmi(case: &Case) -> String {
    let (weight, height) = (f64::from(case.vitals.weight_lb), f64::from(case.vitals.height_in));
    format!("{:.1}", weight * 703.0 / (height * height))
}

fn lowered(text: &str) -> Piece {
    Piece::new(text, Look { rise: -2.0, size: 7.5, ..BODY })
}

fn raised(text: &str) -> Piece {
    Piece::new(text, Look { rise: 4.0, size: 7.5, ..BODY })
}

/// A document in the making: letterhead first, signature last.
struct Paper {
    typesetter: Typesetter,
    title: String,
    footer: String,
}

impl Paper {
    fn new(practice: &SamplePractice, kind: &str, patient: &SamplePatient, day: NaiveDate) -> Self {
        let running =
            format!("{} · DOB {} · {kind} {}", patient.chart_name(), us(patient.birth_date), us(day));
        let mut paper = Self {
            typesetter: Typesetter::new(Sheet::LETTER).with_running_head(running),
            title: kind.to_owned(),
            footer: format!("{} · Confidential patient information", practice.name),
        };
        paper.letterhead(practice);
        let title = Look::new(Face::SansBold, 12.0);
        paper.typesetter.heading(&kind.to_uppercase(), title, 0.0, 0.0);
        paper.typesetter.space(5.0);
        paper
    }

    fn letterhead(&mut self, practice: &SamplePractice) {
        let look = FINE.ink(Ink::GREY);
        let setter = &mut self.typesetter;
        let top = setter.y;
        setter.right_text(&practice.address(), top + 6.0, look);
        setter.right_text(&format!("Phone {} · Fax {}", practice.phone, practice.fax), top + 18.0, look);
        let name = Look::new(Face::SansBold, 16.0);
        setter.paragraph(&[Piece::new(&*practice.name, name)], Setting { after: 8.0, ..Setting::new(name) });
        setter.rule(1.5, Ink::BLACK);
        setter.space(18.0);
    }

    fn form(&mut self, rows: &[(&str, String, &str, String)]) {
        let label = |text: &str| Cell::new(vec![Piece::new(text, FORM.ink(Ink::GREY))]).shaded();
        let value = |text: &str| Cell::new(vec![Piece::new(text, FORM)]);
        let rows = rows.iter().map(|(a, b, c, d)| vec![label(a), value(b), label(c), value(d)]);
        self.typesetter.table(&Table {
            head: Vec::new(),
            rows: rows.collect(),
            shares: vec![1.2, 2.0, 1.2, 2.0],
            look: FORM,
            padding: 5.5,
            grid: true,
            after: 10.0,
        });
    }

    fn heading(&mut self, text: &str) {
        self.typesetter.heading(text, HEADING, 5.0, 30.0);
    }

    fn text(&mut self, pieces: Vec<Piece>) {
        self.typesetter.paragraph(&pieces, Setting { after: 8.0, ..Setting::new(BODY) });
    }

    fn section(&mut self, heading: &str, text: &str) {
        self.heading(heading);
        self.text(vec![Piece::new(text, BODY)]);
    }

    fn lines(&mut self, lines: &[&str]) {
        for line in lines {
            self.typesetter
                .paragraph(&[Piece::new(*line, BODY)], Setting { after: 0.0, ..Setting::new(BODY) });
        }
        self.typesetter.space(10.0);
    }

    fn bullets(&mut self, items: impl IntoIterator<Item = impl Into<String>>) {
        for item in items {
            let setting = Setting { indent: 18.0, marker: Some("•"), after: 2.0, ..Setting::new(BODY) };
            self.typesetter.paragraph(&[Piece::new(item.into(), BODY)], setting);
        }
        self.typesetter.space(6.0);
    }

    fn numbers(&mut self, items: &[&str]) {
        for (index, item) in items.iter().enumerate() {
            let marker = format!("{}.", index + 1);
            let setting = Setting { indent: 20.0, marker: Some(&marker), after: 3.0, ..Setting::new(BODY) };
            self.typesetter.paragraph(&[Piece::new(*item, BODY)], setting);
        }
        self.typesetter.space(6.0);
    }

    fn medications(&mut self, case: &Case) {
        self.heading("Medications");
        self.bullets(case.medications.iter().map(|drug| format!("{}, {}", drug.name, drug.directions)));
    }

    fn vitals(&mut self, case: &Case) {
        let vitals = &case.vitals;
        let facts = [
            ("Blood pressure", format!("{}/{} mmHg", vitals.systolic, vitals.diastolic)),
            ("Pulse", format!("{} /min", vitals.pulse)),
            ("Temperature", format!("{} °F", vitals.temperature_f)),
            ("Oxygen saturation", format!("{}%", vitals.oxygen)),
            ("Weight", format!("{} lb", vitals.weight_lb)),
            ("BMI", bmi(case)),
        ];
        let cell = |text: &str, look| Cell::new(vec![Piece::new(text, look)]);
        let head = facts.iter().map(|(name, _)| cell(name, FINE.ink(Ink::GREY)).shaded()).collect();
        let values = facts.iter().map(|(_, value)| cell(value, FORM)).collect();
        let (head, rows) = (vec![head], vec![values]);
        self.typesetter.table(&Table {
            head,
            rows,
            shares: vec![1.0; 6],
            look: FORM,
            padding: 4.0,
            grid: true,
            after: 10.0,
        });
    }

    fn panel(&mut self, panel: &Panel) {
        self.typesetter.heading(panel.name, HEADING, 8.0, 60.0);
        let bold = Look::new(Face::SansBold, 9.0);
        let cell = |text: &str, look: Look| Cell::new(vec![Piece::new(text, look)]);
        let head = ["Test", "Result", "Flag", "Units", "Reference range", "LOINC"];
        let title = |name: &str| Cell { right: name == "Result", ..cell(name, FINE.ink(Ink::GREY)).shaded() };
        let row = |test: &Test| {
            let look = if test.flag.is_empty() { FORM } else { bold };
            vec![
                cell(test.name, FORM),
                Cell { right: true, ..cell(test.value, look) },
                cell(test.flag, look),
                cell(test.unit, FORM),
                cell(test.reference, FORM),
                cell(test.loinc, Look::new(Face::Mono, 8.5).ink(Ink::GREY)),
            ]
        };
        self.typesetter.table(&Table {
            head: vec![head.iter().map(|name| title(name)).collect()],
            rows: panel.tests.iter().map(row).collect(),
            shares: vec![3.2, 1.0, 0.6, 1.2, 1.7, 1.1],
            look: FORM,
            padding: 4.5,
            grid: false,
            after: 8.0,
        });
    }

    fn signature(&mut self, practice: &SamplePractice, day: NaiveDate) {
        self.typesetter.need(60.0);
        self.typesetter.space(10.0);
        let signed = format!("Electronically signed by {} on {} at 04:36 PM", practice.signer(), us(day));
        let look = Look::new(Face::SansItalic, 9.5);
        self.typesetter.paragraph(&[Piece::new(signed, look)], Setting { after: 1.0, ..Setting::new(look) });
        let details = format!("{} · NPI {} · {}", practice.name, practice.npi, practice.direct_address);
        let fine = FINE.ink(Ink::GREY);
        self.typesetter.paragraph(&[Piece::new(details, fine)], Setting::new(fine));
    }

    /// Writes the PDF. Typesetting our own content cannot fail.
    fn finish(self) -> Vec<u8> {
        self.typesetter.finish(&self.title, Some(&self.footer)).map(|set| set.pdf).unwrap_or_default()
    }
}

//! Realistic documents of invented people, for demonstrations and tests.
//!
//! Output depends on the arguments only: the same patient, practice and day give the same bytes. The medical
//! record number determines a patient's conditions, so documents about one patient agree with each other.
//! Names, numbers and addresses are invented: telephone numbers have the area code 555, which is not
//! assigned, and message addresses end in `.example`.

mod cases;
mod cda;
mod labelled;
mod papers;
mod people;
mod scan;

pub use cda::{ccd_xml, referral_note_xml};
pub use labelled::{Labelled, Medium, Score, labelled};
pub use papers::{cardiology_consultation_pdf, lab_report_pdf, referral_letter_pdf, visit_note_pdf};
pub use people::{SamplePatient, SamplePractice, patients, practices};
pub use scan::{fax_tiff, scanned_tiff, standard_fax_tiff};

//! Names of files and folders in an export: valid on every system, and never outside of their folder. Pure functions.

use crate::model::Patient;
use chrono::{DateTime, Utc};
use std::collections::HashSet;
use store::entities::export_task::{ExportForm, ExportLayout};

/// Maximum length of a part of a path, in characters.
const PART_MAX: usize = 80;
/// Reserved device names of Windows.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The form in file names.
fn kind(form: ExportForm) -> &'static str {
    match form {
        ExportForm::Printed => "print",
        ExportForm::StructuredExport => "xds-sd-cda",
        ExportForm::PDFExport => "pdf-export",
        ExportForm::NativeExport => "native-export",
    }
}

/// `carepost_native-export_20261125T222740Z`: brand, form and time.
pub fn stamped(brand: &str, form: ExportForm, at: DateTime<Utc>) -> String {
    let brand: String =
        brand.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    format!("{}_{}_{}", brand.trim_matches('-'), kind(form), at.format("%Y%m%dT%H%M%SZ"))
}

/// A file name: the stamp, the name of the document, and the extension.
pub fn file_name(stamp: &str, name: &str, extension: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).take(10).collect();
    let extension = if extension.is_empty() { "bin" } else { &extension };
    match part(stem) {
        stem if stem.is_empty() => format!("{stamp}.{extension}"),
        stem => format!("{stamp}_{stem}.{extension}"),
    }
}

/// The folder of a message, with a trailing slash; empty if all files are in one folder.
pub fn folder(layout: ExportLayout, patient: Option<&Patient>) -> String {
    if layout == ExportLayout::Single {
        return String::new();
    }
    let nobody = Patient::default();
    let patient = patient.unwrap_or(&nobody);
    let id = patient.patient_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
    let born = patient.birth_date.map(|day| day.to_string());
    let who = [Some(patient.display_name()), born, id.map(Into::into)];
    let mut folder = directory(&joined(who), "No patient");
    if layout == ExportLayout::VisitFolder {
        let visit = [patient.visit_date.map(|day| day.to_string()), patient.visit_id.clone()];
        folder.push_str(&directory(&joined(visit), "No visit"));
    }
    folder
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.trim().is_empty()).collect();
    parts.join(" - ")
}

fn directory(name: &str, without: &str) -> String {
    let name = part(name);
    if name.is_empty() { format!("{without}/") } else { format!("{name}/") }
}

/// A part of a path, without reserved characters and names of any system.
fn part(text: &str) -> String {
    let is_reserved = |c: char| c.is_control() || "<>:\"/\\|?*".contains(c);
    let is_mark =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = text.chars().filter(|c| !is_mark(*c)).map(|c| if is_reserved(c) { '-' } else { c });
    let plain: String = plain.take(PART_MAX).collect();
    let plain = plain.trim_matches(|c: char| c.is_whitespace() || c == '.');
    if DEVICES.contains(&plain.to_lowercase().as_str()) { format!("{plain}_") } else { plain.to_owned() }
}

/// Adds a number to paths that differ only by case or not at all.
pub fn distinct(paths: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut free = |path: String| {
        let (stem, extension) = path.rsplit_once('.').unwrap_or((&path, "bin"));
        let numbered = (2..).map(|number| format!("{stem}_{number}.{extension}"));
        let mut all = std::iter::once(path.clone()).chain(numbered);
        all.find(|path| taken.insert(path.to_lowercase())).unwrap_or_default()
    };
    paths.into_iter().map(&mut free).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patient() -> Patient {
        Patient {
            first_name: Some("Marisol".into()),
            last_name: Some("Tenney".into()),
            birth_date: "1980-03-04".parse().ok(),
            patient_id: Some("MRN 7/2".into()),
            visit_id: Some("V9".into()),
            ..Patient::default()
        }
    }

    /// MSG-R-469
    #[test]
    fn names_say_brand_kind_and_utc_time() {
        let at = "2026-11-25T22:27:40.9Z".parse().expect("a time");
        let stamp = stamped("Care post", ExportForm::StructuredExport, at);
        assert_eq!(stamp, "Care-post_xds-sd-cda_20261125T222740Z");
        assert_eq!(file_name(&stamp, "Lab.pdf", "xml"), format!("{stamp}_Lab.xml"));
        assert_eq!(file_name(&stamp, "", ""), format!("{stamp}.bin"));
    }

    #[test]
    fn folders_are_those_of_patient_and_visit() {
        assert_eq!(folder(ExportLayout::Single, Some(&patient())), "");
        let of_patient = "Tenney, Marisol - 1980-03-04 - MRN 7-2/";
        assert_eq!(folder(ExportLayout::PatientFolder, Some(&patient())), of_patient);
        assert_eq!(folder(ExportLayout::VisitFolder, Some(&patient())), format!("{of_patient}V9/"));
        assert_eq!(folder(ExportLayout::VisitFolder, None), "No patient/No visit/");
    }

    #[test]
    fn no_name_leads_out_of_its_folder() {
        assert_eq!(part("../../etc/passwd"), "-..-etc-passwd");
        assert_eq!(part("..\\C:"), "-C-");
        assert_eq!(part("a\u{202e}fdp.exe\n"), "afdp.exe-");
        assert_eq!(part(" Con. "), "Con_");
        assert_eq!(part("é".repeat(500).as_str()).chars().count(), PART_MAX);
    }

    #[test]
    fn files_of_the_same_name_are_numbered() {
        let paths = ["P/a.pdf", "P/A.pdf", "Q/a.pdf", "P/a.pdf"].map(String::from);
        assert_eq!(distinct(paths), ["P/a.pdf", "P/A_2.pdf", "Q/a.pdf", "P/a_3.pdf"]);
    }
}

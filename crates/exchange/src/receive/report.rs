//! Readable text of results, and of documents sent as text.

use super::{
    encapsulated::{Embedded, is_text},
    message::{moment_text, named, person},
};
use clinical::hl7::{Message, Segment, Value};
use std::fmt::Write;

/// The segments with content that is not part of a file.
fn values<'a>(message: &'a Message, files: &'a Embedded) -> impl Iterator<Item = Segment<'a>> {
    let all = message.segments().enumerate().filter(|(number, segment)| files.leaves(*number, segment));
    all.map(|(_, segment)| segment)
}

/// The text of a document sent as text, in one segment or line by line in many, including values and links with their
/// names.
pub(super) fn plain(message: &Message, files: &Embedded) -> Option<String> {
    let mut text = String::new();
    for obx in values(message, files) {
        if is_text(&obx) {
            if matches!(obx.field(11).raw.trim(), "W" | "D") {
                let _ = writeln!(text, "{}:", status(obx.field(11).raw.trim()));
            }
            obx.field(5).lines().for_each(|line| text.extend([line.as_str(), "\n"]));
            continue;
        }
        let [name, value, unit, _, flag] = row(obx);
        if !value.is_empty() {
            let said = [value, unit, flag].join(" ");
            let _ = writeln!(text, "{name}: {}", said.trim_end());
        }
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| format!("{text}\n"))
}

/// A coded result: its name, and the original text if it says more.
fn coded(value: Value) -> String {
    let (name, original) = (named(value), value.component(9).text());
    let says_more = !name.to_lowercase().contains(&original.to_lowercase());
    if says_more { format!("{name} ({original})") } else { name }
}

/// Reference to an external document: its location, and the application that opens it.
fn link(value: Value) -> String {
    let place = value.component(1).text();
    let kept = [2, 4].map(|number| value.component(number).text());
    let kept: Vec<&str> = kept.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    if kept.is_empty() { place } else { format!("{place} ({})", kept.join(", ")) }
}

fn unit(value: Value) -> String {
    let code = value.component(1).text();
    if code.is_empty() { named(value) } else { code }
}

/// Results with their patient, as a readable table; `None` if the message consists of files only.
pub(super) fn report(message: &Message, files: &Embedded) -> Option<String> {
    values(message, files).next()?;
    let mut text = message.segment("PID").map(heading).unwrap_or_default();
    let mut rows: Vec<[String; 5]> = Vec::new();
    for (number, segment) in message.segments().enumerate() {
        match segment.name() {
            "OBR" => {
                table(&mut text, &mut rows);
                order(&mut text, segment);
            }
            "OBX" if files.leaves(number, &segment) => {
                let row = row(segment);
                // Long texts get their own lines under a name that is shown once.
                if row[1].contains('\n') || row[1].chars().count() > 40 {
                    table(&mut text, &mut rows);
                    let state = if row[4].is_empty() { String::new() } else { format!(" ({})", row[4]) };
                    let _ = writeln!(text, "{}{state}:\n{}\n", row[0], row[1]);
                } else {
                    rows.push(row);
                }
            }
            "NTE" => {
                table(&mut text, &mut rows);
                for line in segment.field(3).repetitions() {
                    let _ = writeln!(text, "  {}", line.text());
                }
            }
            _ => {}
        }
    }
    table(&mut text, &mut rows);
    Some(text)
}

fn heading(pid: Segment) -> String {
    let patient = person(pid, String::new());
    let name = [patient.given.as_str(), &patient.middle, &patient.family];
    let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let mut text = format!("Patient: {name}\n");
    if let Some(born) = patient.born {
        let _ = writeln!(text, "Born: {}", born.format("%m/%d/%Y"));
    }
    if let Some((id, _)) = patient.ids.first() {
        let _ = writeln!(text, "Patient ID: {id}");
    }
    text
}

fn order(text: &mut String, obr: Segment) {
    let _ = writeln!(text, "\n{}", named(obr.field(4)));
    let at = |number: usize| moment_text(&obr.field(number).component(1).text());
    let said = [
        ("Order", obr.field(2).component(1).text()),
        ("Accession", obr.field(3).component(1).text()),
        ("Collected", at(7)),
        ("Reported", at(22)),
        ("Ordered by", provider(obr.field(16))),
        ("Status", status(&obr.field(25).text()).to_owned()),
    ];
    for (label, value) in said.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "{label}: {value}");
    }
}

fn provider(value: Value) -> String {
    let (family, given) = (value.component(2).subcomponent(1).text(), value.component(3).text());
    format!("{given} {family}").trim().to_owned()
}

fn status(code: &str) -> &str {
    match code {
        "F" => "Final",
        "P" => "Preliminary",
        "C" => "Corrected",
        "X" => "Cancelled",
        "R" => "Not verified",
        "I" | "S" | "O" => "Pending",
        "W" => "Withdrawn",
        "D" => "Deleted",
        other => other,
    }
}

/// Name, value, unit, range, flag.
fn row(obx: Segment) -> [String; 5] {
    let values = obx.field(5).repetitions().map(|value| match obx.field(2).raw.trim() {
        "TX" | "FT" => value.lines().collect(),
        "CE" | "CWE" | "CNE" | "CF" => coded(value),
        "RP" => link(value),
        "SN" => [1, 2, 3, 4].map(|number| value.component(number).text()).join(""),
        "DT" | "TS" | "DTM" => moment_text(&value.component(1).text()),
        _ => value.text(),
    });
    let value = values.collect::<Vec<_>>().join("\n");
    let flag = obx.field(8).component(1).text();
    let state = obx.field(11).text();
    let flag = match &*state {
        "C" | "P" | "X" | "W" | "D" => format!("{flag} {}", status(&state)).trim().to_owned(),
        _ => flag,
    };
    let name = named(obx.field(3));
    [name, value.trim_end().to_owned(), unit(obx.field(6)), obx.field(7).text(), flag]
}

/// Writes rows in columns.
fn table(text: &mut String, rows: &mut Vec<[String; 5]>) {
    if rows.is_empty() {
        return;
    }
    rows.insert(0, ["Test", "Result", "Unit", "Reference", "Flag"].map(str::to_owned));
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().min(40);
    let widths: [usize; 5] = std::array::from_fn(width);
    text.push('\n');
    for row in rows.drain(..) {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let line = cells.map(|(cell, width)| format!("{cell:width$}")).collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
}

//! New entries of a document since the patient's last one.

use clinical::cda::outline::{Outline, outline};
use clinical::cda::{compare, parse_with_entries};
use proptest::prelude::*;

use crate::document;

/// A section of this code with these entries.
fn section(code: &str, entries: &str) -> String {
    format!("<component><section><code code='{code}'/><title>S</title>{entries}</section></component>")
}

/// A result: identifier, code, time, value.
fn result(id: &str, code: &str, time: &str, value: &str) -> String {
    format!(
        "<entry><observation><id root='1.2.3' extension='{id}'/><code code='{code}' displayName='Test {code}'/>\
         <effectiveTime value='{time}'/><value xsi:type='PQ' value='{value}'/></observation></entry>"
    )
}

fn read(body: &str) -> Outline {
    outline(&parse_with_entries(document("", body).as_bytes()).unwrap())
}

fn news(outline: &Outline) -> Vec<Option<bool>> {
    let entries = outline.sections.iter().flat_map(|section| &section.entries);
    entries.flat_map(|entries| &entries.rows).map(|row| row.is_new).collect()
}

fn compared(now: &str, before: &str) -> Vec<Option<bool>> {
    let mut now = read(now);
    compare(&mut now, Some(&read(before)));
    news(&now)
}

#[test]
fn an_entry_is_known_again_by_its_identifier_or_by_what_it_is_at_its_time() {
    let before =
        section("30954-2", &(result("a", "1-1", "20260101", "5") + &result("b", "2-2", "20260101", "7")));
    let now = section(
        "30954-2",
        &[
            // Corrected, under its identifier.
            result("a", "1-1", "20260102", "6"),
            // The same under another identifier, and the same test on another day.
            result("x", "2-2", "20260101", "7"),
            result("y", "2-2", "20260301", "7"),
        ]
        .concat(),
    );
    assert_eq!(compared(&now, &before), [Some(false), Some(false), Some(true)]);
    let elsewhere = section("8716-3", &result("a", "1-1", "20260101", "5"));
    assert_eq!(compared(&elsewhere, &before), [Some(true)], "in another section it is another thing");
}

#[test]
fn an_identifier_of_several_entries_tells_none_of_them() {
    let before = section("30954-2", &result("same", "1-1", "20260101", "5"));
    let now = section(
        "30954-2",
        &(result("same", "2-2", "20260101", "7") + &result("same", "3-3", "20260101", "8")),
    );
    assert_eq!(compared(&now, &before), [Some(true), Some(true)]);
}

#[test]
fn without_another_document_nothing_is_said() {
    let mut alone = read(&section("30954-2", &result("a", "1-1", "20260101", "5")));
    compare(&mut alone, None);
    assert_eq!(news(&alone), [None]);
    let json = serde_json::to_string(&alone).unwrap();
    assert!(!json.contains("isNew") && !json.contains("knownBy"), "{json}");
}

proptest! {
    #[test]
    fn nothing_is_new_to_itself_and_what_is_added_is(
        tests in prop::collection::vec(("[a-c]", "[1-3]-[1-3]", "2026010[1-9]"), 0..12),
    ) {
        let entries: String = tests.iter().map(|(id, code, time)| result(id, code, time, "5")).collect();
        let before = section("30954-2", &entries);
        prop_assert!(compared(&before, &before).iter().all(|new| *new == Some(false)));
        let now = section("30954-2", &(entries + &result("z", "9-9", "20260110", "5")));
        let found = compared(&now, &before);
        prop_assert_eq!(found.last(), Some(&Some(true)));
        prop_assert!(found[..tests.len()].iter().all(|new| *new == Some(false)));
    }
}

//! Rules for searches, and labels of events.

use super::types::AuditSearch;
use chrono::{DateTime, Duration, Utc};
use platform::{
    Error, Result,
    audit::event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::DayOrMoment,
};
use serde_json::{Value, json};

const DATES: &str = "Start Date must be smaller or equal than End Date.";
const TOO_LONG: &str = "Please choose 93 days at most to search for words.";
const EVENTS: &str = "Please choose from the list of events.";

/// A search for words reads every entry of the span.
const WORDS_SPAN: Duration = Duration::days(93);
/// Each word is compared with every entry.
const WORDS_MAX: usize = 6;

/// A checked search.
#[derive(Debug)]
pub struct Span {
    pub start: DateTime<Utc>,
    /// End of the span, exclusive.
    pub end: DateTime<Utc>,
    pub username: String,
    pub events: Vec<&'static str>,
    pub words: Vec<String>,
}

impl Span {
    /// Checks a search, and returns all its errors at once.
    pub fn of(search: &AuditSearch) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let start = search.start_date.map(DayOrMoment::begin);
        let end = search.end_date.and_then(DayOrMoment::behind);
        errors.require(start.is_some(), "startDate", DEFAULT_FIELD_ERROR);
        errors.require(end.is_some(), "endDate", DEFAULT_FIELD_ERROR);
        let (start, end) = (start.unwrap_or_default(), end.unwrap_or_default());
        errors.require(start < end, "startDate", DATES);
        let words: Vec<String> =
            search.search.as_deref().unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
        errors.require(words.len() <= WORDS_MAX, "search", DEFAULT_FIELD_ERROR);
        let is_short = end - start <= WORDS_SPAN;
        errors.require(words.is_empty() || is_short, "endDate", TOO_LONG);
        let wanted = search.event_types.as_deref().unwrap_or_default();
        let events: Vec<&str> =
            event::ALL.iter().copied().filter(|known| wanted.iter().any(|name| name == known)).collect();
        errors.require(wanted.iter().all(|name| events.contains(&name.as_str())), "eventTypes", EVENTS);
        errors.check()?;
        let username = search.username.as_deref().unwrap_or_default().to_owned();
        Ok(Self { start, end, username, events, words })
    }

    /// Refuses searches for words that would have to read too many entries.
    pub fn require_short(&self) -> Result<()> {
        if self.end - self.start <= WORDS_SPAN { Ok(()) } else { Err(Error::field("endDate", TOO_LONG)) }
    }

    /// Details for the audit trail, without the words: they may be patient data.
    pub fn detail(&self) -> Value {
        json!({
            "start": self.start, "end": self.end, "username": self.username, "eventTypes": self.events,
            "words": self.words.len(),
        })
    }

    pub fn file_name(&self) -> String {
        let last = self.end - Duration::milliseconds(1);
        format!("AuditEntries_{}-{}.csv", self.start.format("%m%d%Y"), last.format("%m%d%Y"))
    }
}

/// Label of an event for people: `SignInFailed` is Sign in failed.
pub fn label(event: &str) -> String {
    let mut label = String::with_capacity(event.len() + 8);
    for (at, letter) in event.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            label.push(' ');
            label.push(letter.to_ascii_lowercase());
        } else {
            label.push(letter);
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(value: Value) -> AuditSearch {
        serde_json::from_value(value).expect("a search")
    }

    fn wrong(value: Value) -> Vec<String> {
        match Span::of(&search(value)) {
            Err(Error::Invalid(errors)) => errors.0.into_keys().collect(),
            other => panic!("{other:?}"),
        }
    }

    // ADB-R-237
    #[test]
    fn a_search_needs_a_start_that_is_not_later_than_its_end() {
        assert_eq!(wrong(json!({})), ["endDate", "startDate"]);
        assert_eq!(wrong(json!({ "startDate": "2026-11-02", "endDate": "2026-11-01" })), ["startDate"]);
        let day =
            Span::of(&search(json!({ "startDate": "2026-11-01", "endDate": "2026-11-01" }))).expect("a span");
        assert_eq!(day.end - day.start, Duration::days(1));
    }

    #[test]
    fn words_are_searched_in_spans_that_can_be_looked_through() {
        let year = json!({ "startDate": "2026-01-01", "endDate": "2026-11-01", "search": "fax" });
        assert_eq!(wrong(year), ["endDate"]);
        let many = json!({ "startDate": "2026-11-01", "endDate": "2026-11-01", "search": "a b c d e f g" });
        assert_eq!(wrong(many), ["search"]);
    }

    #[test]
    fn only_events_of_the_product_are_asked_for() {
        let span =
            json!({ "startDate": "2026-11-01", "endDate": "2026-11-01", "eventTypes": ["Viewed", "Eaten"] });
        assert_eq!(wrong(span), ["eventTypes"]);
    }

    // ADB-T-054 ADB-R-236
    #[test]
    fn the_file_is_named_by_its_first_and_last_day() {
        let span =
            Span::of(&search(json!({ "startDate": "2026-11-01", "endDate": "2026-11-24" }))).expect("a span");
        assert_eq!(span.file_name(), "AuditEntries_11012026-11242026.csv");
    }

    #[test]
    fn an_event_is_labelled_by_its_words() {
        assert_eq!(label("SignInFailed"), "Sign in failed");
        assert_eq!(label("Viewed"), "Viewed");
    }
}

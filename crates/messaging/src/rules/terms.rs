//! Conditions and actions of a rule. Pure functions.

use crate::model::SourceType;
use platform::{
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    text::Rule as TextRule,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum number of texts in a condition.
const TEXTS_MAX: usize = 20;
const TAGS_MAX: usize = 10;
const DOES_NOTHING: &str =
    "Please choose what the rule does: assign, tag, set the type, mark as urgent, file to a chart, or stop.";
/// Certainty below which a rule may not file. A comparison never yields more than 99 percent.
const PERCENT_MIN: u8 = 90;
const PERCENT_MAX: u8 = 99;
const NOT_CERTAIN: &str = "Please enter a certainty from 90 to 99 percent.";
/// Minimum number of digits for treating a condition as a fax number.
const DIGITS_OF_A_NUMBER: usize = 4;

platform::text! {
    /// Text of a condition.
    pub Sought = TextRule::line(1, 255);
    /// A short label by which people find messages again.
    pub Tag = TextRule::line(1, 40).pattern(r"[^,;]+").says("Please enter tags of at most 40 characters without commas.");
    /// A document type, or none.
    pub TypeName = TextRule::line(0, 255);
}

/// Source of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RuleSource {
    Direct,
    Fax,
    Upload,
    /// By HL7 v2 or XDR.
    Interface,
}

impl RuleSource {
    fn of(source: SourceType) -> Self {
        match source {
            SourceType::DirectMessage => Self::Direct,
            SourceType::Fax => Self::Fax,
            SourceType::Upload | SourceType::Triage => Self::Upload,
            SourceType::Interface => Self::Interface,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Direct => "Received by Direct",
            Self::Fax => "Received by fax",
            Self::Upload => "It was uploaded",
            Self::Interface => "Received from an interface",
        }
    }
}

/// Whether a document names its patient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum PatientIs {
    #[default]
    Any,
    Known,
    Unknown,
}

/// Filing of the documents into the chart of their patient, without a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntakeRuleFiling)]
pub struct FileToChart {
    /// The connection, at which people do not sign in themselves.
    pub integration_id: Uuid,
    /// Files only if the patient is at least as certain: 90 to 99 percent, 98 by default.
    #[serde(default = "usual_percent")]
    pub minimum_percent: u8,
    /// Also marks the message as processed.
    #[serde(default = "yes")]
    pub marks_processed: bool,
}

fn usual_percent() -> u8 {
    98
}

fn yes() -> bool {
    true
}

/// Conditions and actions. All given conditions must hold; in a list, one match is enough. Text comparisons ignore
/// case. A rule without conditions applies to every message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = IntakeRuleTerms)]
pub struct Terms {
    pub sources: Vec<RuleSource>,
    /// Part of the sender's address, number or name.
    pub senders: Vec<Sought>,
    /// Own addresses or numbers that received it.
    pub recipients: Vec<Sought>,
    /// Part of the subject.
    pub subjects: Vec<Sought>,
    /// The type of one of its documents.
    pub document_types: Vec<Sought>,
    pub patient: PatientIs,
    /// Names of patients: each word occurs in the patient's name.
    pub patient_names: Vec<Sought>,
    /// Added to the message.
    pub tags: Vec<Tag>,
    /// Set on documents without one.
    pub document_type: TypeName,
    /// Only together with an assignee.
    pub is_urgent: bool,
    /// Files the documents into a chart.
    #[schema(inline = false)]
    pub file_to_chart: Option<FileToChart>,
}

/// Properties of a message for conditions.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub source: SourceType,
    pub from_address: &'a str,
    pub from_name: &'a str,
    /// Separated by semicolons.
    pub to_address: &'a str,
    pub subject: &'a str,
    pub document_types: Vec<String>,
    /// Empty if unknown.
    pub patient_name: &'a str,
}

impl Terms {
    /// Checks the number of texts, and that there is at least one action.
    pub fn check(&self, acts_otherwise: bool, errors: &mut FieldErrors) {
        let lists = [
            ("senders", self.senders.len(), TEXTS_MAX),
            ("recipients", self.recipients.len(), TEXTS_MAX),
            ("subjects", self.subjects.len(), TEXTS_MAX),
            ("documentTypes", self.document_types.len(), TEXTS_MAX),
            ("patientNames", self.patient_names.len(), TEXTS_MAX),
            ("sources", self.sources.len(), TEXTS_MAX),
            ("tags", self.tags.len(), TAGS_MAX),
        ];
        for (field, length, most) in lists {
            errors.require(length <= most, field, DEFAULT_FIELD_ERROR);
        }
        let names_nobody = self.patient == PatientIs::Unknown && !self.patient_names.is_empty();
        errors.require(
            !names_nobody,
            "patientNames",
            "A rule for unknown patients cannot have patient names.",
        );
        if let Some(filing) = &self.file_to_chart {
            let is_certain = (PERCENT_MIN..=PERCENT_MAX).contains(&filing.minimum_percent);
            errors.require(is_certain, "minimumPercent", NOT_CERTAIN);
        }
        let acts = acts_otherwise
            || !self.tags.is_empty()
            || !self.document_type.is_empty()
            || self.is_urgent
            || self.file_to_chart.is_some();
        errors.require(acts, "isUrgent", DOES_NOTHING);
    }

    /// Why a message matches, one sentence per condition; `None` if it does not match.
    pub fn judge(&self, facts: &Facts<'_>) -> Option<Vec<String>> {
        let mut reasons = Vec::new();
        if !self.sources.is_empty() {
            let source = self.sources.iter().find(|s| **s == RuleSource::of(facts.source))?;
            reasons.push(source.words().to_owned());
        }
        let mut given = |sought: &[Sought], words: &str, holds: &dyn Fn(&str) -> bool| {
            if sought.is_empty() {
                return Some(());
            }
            let found = sought.iter().find(|text| holds(text))?;
            reasons.push(format!("{words} “{}”", &**found));
            Some(())
        };
        given(&self.senders, "The sender contains", &|text| {
            contains(facts.from_address, text) || contains(facts.from_name, text)
        })?;
        given(&self.recipients, "Received at", &|text| {
            facts.to_address.split(';').any(|to| is_same(to, text))
        })?;
        given(&self.subjects, "The subject contains", &|text| contains(facts.subject, text))?;
        given(&self.document_types, "The document type is", &|text| {
            facts.document_types.iter().any(|of_file| is_same(of_file, text))
        })?;
        given(&self.patient_names, "The patient is", &|text| is_named(facts.patient_name, text))?;
        match (self.patient, facts.patient_name.is_empty()) {
            (PatientIs::Any, _) => {}
            (PatientIs::Known, false) => reasons.push("The patient is known".into()),
            (PatientIs::Unknown, true) => reasons.push("The patient is not known".into()),
            _ => return None,
        }
        if reasons.is_empty() {
            reasons.push("The rule applies to every message".into());
        }
        Some(reasons)
    }
}

fn is_same(text: &str, other: &str) -> bool {
    text.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Whether a text contains another one. Numbers are compared by their digits, in any notation.
fn contains(text: &str, sought: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_number = sought.chars().all(|c| c.is_ascii_digit() || "+-(). ".contains(c));
    let sought_digits = digits(sought);
    if is_number && sought_digits.len() >= DIGITS_OF_A_NUMBER && digits(text).contains(&sought_digits) {
        return true;
    }
    text.to_lowercase().contains(&sought.to_lowercase())
}

/// Whether each word occurs in the name, in any order.
fn is_named(name: &str, sought: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let name = words(name);
    let sought = words(sought);
    !sought.is_empty() && sought.iter().all(|word| name.contains(word))
}

/// A rule that is being applied.
#[derive(Clone, Debug)]
pub struct Rule {
    pub id: Uuid,
    pub name: String,
    pub stops: bool,
    pub people: Vec<Uuid>,
    pub terms: Terms,
}

/// A matching rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Its index in the rules.
    pub rule: usize,
    pub reasons: Vec<String>,
}

/// Combined actions of the rules. The first rule that sets a value wins; tags are collected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One of them gets the message.
    pub people: Vec<Uuid>,
    pub tags: Vec<String>,
    pub document_type: String,
    pub is_urgent: bool,
    /// Index of the rule that files into a chart.
    pub files: Option<usize>,
}

/// Evaluates rules in order.
pub fn run(rules: &[Rule], facts: &Facts<'_>) -> (Vec<Matched>, Outcome) {
    let (mut matched, mut outcome) = (Vec::new(), Outcome::default());
    for (number, rule) in rules.iter().enumerate() {
        let Some(reasons) = rule.terms.judge(facts) else { continue };
        matched.push(Matched { rule: number, reasons });
        if outcome.people.is_empty() {
            outcome.people.clone_from(&rule.people);
        }
        if outcome.document_type.is_empty() {
            outcome.document_type = rule.terms.document_type.to_string();
        }
        for tag in &rule.terms.tags {
            if !outcome.tags.iter().any(|known| is_same(known, tag)) {
                outcome.tags.push(tag.to_string());
            }
        }
        outcome.is_urgent |= rule.terms.is_urgent;
        if outcome.files.is_none() && rule.terms.file_to_chart.is_some() {
            outcome.files = Some(number);
        }
        if rule.stops {
            break;
        }
    }
    (matched, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(texts: &[&str]) -> Vec<Sought> {
        texts.iter().map(|text| Sought::new(text).expect("a text")).collect()
    }

    fn facts() -> Facts<'static> {
        Facts {
            source: SourceType::Fax,
            from_address: "+17405550110",
            from_name: "County Lab",
            to_address: "+17405550120",
            subject: "Fax from 740-555-0110, 2 pages",
            document_types: vec!["Lab report".into()],
            patient_name: "Tenney, Marisol J",
        }
    }

    #[test]
    fn every_condition_has_to_hold_and_of_a_list_one_text() {
        let terms = Terms {
            sources: vec![RuleSource::Fax],
            senders: sought(&["radiology", "county lab"]),
            subjects: sought(&["PAGES"]),
            document_types: sought(&["lab report"]),
            ..Terms::default()
        };
        let reasons = terms.judge(&facts()).expect("a match");
        assert_eq!(
            reasons,
            [
                "Received by fax",
                "The sender contains “county lab”",
                "The subject contains “PAGES”",
                "The document type is “lab report”",
            ]
        );
        let other = Terms { sources: vec![RuleSource::Direct], ..terms };
        assert_eq!(other.judge(&facts()), None);
    }

    #[test]
    fn numbers_are_compared_by_digits_and_own_ones_whole() {
        let from = |text| Terms { senders: sought(&[text]), ..Terms::default() }.judge(&facts()).is_some();
        assert!(from("(740) 555-0110") && from("740-555") && !from("740-555-0111"));
        let to = |text| Terms { recipients: sought(&[text]), ..Terms::default() }.judge(&facts()).is_some();
        assert!(to("+17405550120") && !to("+1740555012"));
    }

    #[test]
    fn a_patient_is_known_or_not_and_named_in_any_order() {
        let named =
            |text| Terms { patient_names: sought(&[text]), ..Terms::default() }.judge(&facts()).is_some();
        assert!(named("marisol tenney") && named("Tenney") && !named("Ten") && !named("Tenney, Rosa"));
        let is = |patient, patient_name| {
            Terms { patient, ..Terms::default() }.judge(&Facts { patient_name, ..facts() }).is_some()
        };
        assert!(is(PatientIs::Known, "Tenney") && !is(PatientIs::Known, ""));
        assert!(is(PatientIs::Unknown, "") && !is(PatientIs::Unknown, "Tenney"));
    }

    fn rule(people: &[Uuid], tags: &[&str], stops: bool) -> Rule {
        let tags = tags.iter().map(|tag| Tag::new(tag).expect("a tag")).collect();
        let terms = Terms { tags, ..Terms::default() };
        Rule { id: Uuid::now_v7(), name: String::new(), stops, people: people.into(), terms }
    }

    #[test]
    fn what_a_rule_has_set_no_later_one_changes_and_one_that_stops_is_the_last() {
        let [dana, priya] = [Uuid::now_v7(), Uuid::now_v7()];
        let rules = [
            rule(&[], &["lab"], false),
            rule(&[dana], &["Lab", "county"], false),
            rule(&[priya], &[], true),
            rule(&[], &["late"], false),
        ];
        let (matched, outcome) = run(&rules, &facts());
        assert_eq!(matched.iter().map(|m| m.rule).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((outcome.people, outcome.tags), (vec![dana], vec!["lab".to_owned(), "county".to_owned()]));
    }

    #[test]
    fn the_first_rule_that_files_does_and_a_rule_that_stops_keeps_later_ones_from_it() {
        let filing = |percent| FileToChart {
            integration_id: Uuid::nil(),
            minimum_percent: percent,
            marks_processed: true,
        };
        let files = |percent, stops| {
            let rule = rule(&[], &["lab"], stops);
            Rule { terms: Terms { file_to_chart: Some(filing(percent)), ..rule.terms }, ..rule }
        };
        let (_, outcome) = run(&[rule(&[], &["lab"], false), files(97, false), files(99, false)], &facts());
        assert_eq!(outcome.files, Some(1));
        let (_, outcome) = run(&[rule(&[], &["lab"], true), files(97, false)], &facts());
        assert_eq!(outcome.files, None);
        let refused = |percent| {
            let mut errors = FieldErrors::default();
            Terms { file_to_chart: Some(filing(percent)), ..Terms::default() }.check(false, &mut errors);
            errors.0.contains_key("minimumPercent")
        };
        assert_eq!([89, 90, 99, 100].map(refused), [true, false, false, true]);
    }

    #[test]
    fn a_rule_that_does_nothing_is_refused() {
        let refused = |terms: Terms, acts: bool| {
            let mut errors = FieldErrors::default();
            terms.check(acts, &mut errors);
            errors.check().is_err()
        };
        assert!(refused(Terms::default(), false) && !refused(Terms::default(), true));
        let too_many = sought(&["a"; 21]);
        assert!(refused(Terms { subjects: too_many, ..Terms::default() }, true));
    }
}

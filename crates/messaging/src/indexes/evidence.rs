//! Features that messages have in common, and proposals by earlier choices.

use crate::sealed::Summary;
use serde::Serialize;
use std::collections::BTreeSet;
use store::{entities::message, keys::DataKey, search};
use utoipa::ToSchema;

/// Maximum number of words of a subject that count.
const WORDS_MAX: usize = 6;
const SHORTEST_WORD: usize = 4;
/// Minimum number of choices for a proposal.
const TIMES_MIN: i64 = 5;
/// Minimum share of a choice, with 95 % probability.
const SHARE_MIN: f64 = 0.5;

/// What a message has in common with those on which a proposal is based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[schema(as = ProposalBasis)]
pub enum Basis {
    SenderAndWord,
    Sender,
    Word,
}

/// A feature that messages can have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    pub basis: Basis,
    /// A word of the subject.
    pub word: Option<String>,
    pub token: Vec<u8>,
}

/// The features for finding similar messages, most specific first.
pub fn features(key: &DataKey, row: &message::Model, summary: &Summary) -> Vec<Feature> {
    let sender = row.from_address.trim().to_lowercase();
    let words = words(summary);
    let mut features = Vec::new();
    if !sender.is_empty() {
        features.extend(words.iter().map(|word| Feature {
            basis: Basis::SenderAndWord,
            word: Some(word.clone()),
            token: key.token("filing sender and word", &format!("{sender}|{word}")),
        }));
        let token = key.token("filing sender", &sender);
        features.push(Feature { basis: Basis::Sender, word: None, token });
    }
    features.extend(words.into_iter().map(|word| Feature {
        basis: Basis::Word,
        token: key.token("filing word", &word),
        word: Some(word),
    }));
    features
}

/// Words of the subject that indicate the topic: without numbers and words of the patient's name.
fn words(summary: &Summary) -> Vec<String> {
    let named: BTreeSet<_> = search::words(&[&summary.patient_name]).into_iter().collect();
    search::words(&[&summary.subject])
        .into_iter()
        .filter(|word| word.chars().count() >= SHORTEST_WORD && word.chars().all(char::is_alphabetic))
        .filter(|word| !named.contains(word))
        .take(WORDS_MAX)
        .collect()
}

/// How often each value was chosen for messages with one feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<T> {
    pub basis: Basis,
    pub word: Option<String>,
    pub times: Vec<(T, i64)>,
}

/// Reason for a proposal: how often it was chosen, and for how many messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProposalReason)]
pub struct Because {
    /// The feature in common.
    pub basis: Basis,
    /// The word of the subject, if the feature is one.
    pub word: Option<String>,
    pub matching: i64,
    pub of: i64,
}

/// The value with the strongest evidence. `None` if there is too little evidence, or if it is contradictory.
pub fn propose<T: Clone>(all: &[Evidence<T>]) -> Option<(T, Because)> {
    let mut best: Option<(f64, &Evidence<T>, &T, i64, i64)> = None;
    for evidence in all {
        let of: i64 = evidence.times.iter().map(|(_, times)| times).sum();
        let Some((choice, matching)) = evidence.times.iter().max_by_key(|(_, times)| *times) else {
            continue;
        };
        let share = lower_bound(*matching, of);
        let is_enough = of >= TIMES_MIN && share >= SHARE_MIN;
        if is_enough && best.as_ref().is_none_or(|(other, ..)| share > *other) {
            best = Some((share, evidence, choice, *matching, of));
        }
    }
    let (_, evidence, choice, matching, of) = best?;
    Some((choice.clone(), Because { basis: evidence.basis, word: evidence.word.clone(), matching, of }))
}

/// Lower bound of the true share with 95 % probability (Wilson, 1927).
fn lower_bound(matching: i64, of: i64) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let (z, n) = (1.96_f64, of as f64);
    let share = matching as f64 / n;
    let centre = share + z * z / (2.0 * n);
    let margin = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    (centre - margin) / (1.0 + z * z / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(basis: Basis, times: &[(&'static str, i64)]) -> Evidence<&'static str> {
        Evidence { basis, word: None, times: times.to_vec() }
    }

    fn proposed(all: &[Evidence<&'static str>]) -> Option<(&'static str, i64, i64)> {
        propose(all).map(|(choice, because)| (choice, because.matching, because.of))
    }

    #[test]
    fn a_choice_is_proposed_once_it_was_made_often_enough_and_nearly_always() {
        let of = |times| proposed(&[evidence(Basis::Sender, times)]);
        assert_eq!(of(&[("Lab", 14), ("Visit note", 1)]), Some(("Lab", 14, 15)));
        assert_eq!(of(&[("Lab", 5)]), Some(("Lab", 5, 5)));
        assert_eq!(of(&[("Lab", 4)]), None);
        assert_eq!(of(&[("Lab", 4), ("Visit note", 1)]), None);
        assert_eq!(of(&[("Lab", 60), ("Visit note", 50)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn the_strongest_evidence_decides() {
        let all = [
            evidence(Basis::SenderAndWord, &[("Echo", 6)]),
            evidence(Basis::Sender, &[("Consultation", 30), ("Echo", 8)]),
            evidence(Basis::Word, &[("Echo", 40), ("Other", 30)]),
        ];
        assert_eq!(proposed(&all), Some(("Consultation", 30, 38)));
        assert_eq!(proposed(&all[..1]), Some(("Echo", 6, 6)));
    }

    #[test]
    fn words_that_name_the_patient_and_numbers_do_not_count() {
        let summary = Summary {
            subject: "Echocardiogram of Marisol Tenney, 11/18/2026, ref A1234".into(),
            patient_name: "Tenney, Marisol J".into(),
            ..Summary::default()
        };
        assert_eq!(words(&summary), ["echocardiogram"]);
    }
}

//! The identity service of demonstrations: it asks for the details just entered, so that every path can be tried. It
//! proves nothing, and exists in demo mode only.

use super::port::{Answers, Identity, IdentityProofing, Question, Step};
use async_trait::async_trait;
use chrono::Datelike;
use platform::{Error, Result};
use rand::seq::{IndexedRandom, SliceRandom};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

const QUESTIONS: usize = 4;
const CHOICES: usize = 4;
/// The last choice of every question; sometimes the right one.
const NONE_OF_THESE: &str = "None of these";
const NONE_IN: u32 = 5;

pub struct Embedded;

/// All possible questions, and the right answers of the open quiz.
#[derive(Serialize, Deserialize)]
struct State {
    deck: Vec<Card>,
    right: HashMap<String, String>,
}

/// A question with its right answer and wrong ones.
#[derive(Clone, Serialize, Deserialize)]
struct Card {
    text: String,
    right: String,
    wrong: Vec<String>,
}

#[async_trait]
impl IdentityProofing for Embedded {
    async fn start(&self, identity: &Identity) -> Result<Step> {
        quiz(deck(identity))
    }

    async fn answer(&self, state: &Value, answers: &Answers) -> Result<Step> {
        let state: State = serde_json::from_value(state.clone()).map_err(Error::internal)?;
        if state.right.iter().all(|(id, right)| answers.get(id) == Some(right)) {
            return Ok(Step::Passed);
        }
        quiz(state.deck)
    }

    async fn retry(&self, state: &Value) -> Result<Step> {
        let state: State = serde_json::from_value(state.clone()).map_err(Error::internal)?;
        quiz(state.deck)
    }
}

/// Some of the questions, with another order and other choices each time.
fn quiz(deck: Vec<Card>) -> Result<Step> {
    let mut cards = deck.clone();
    cards.shuffle(&mut rand::rng());
    cards.truncate(QUESTIONS);
    let mut right = HashMap::new();
    let mut questions = Vec::new();
    for (card, number) in cards.into_iter().zip(1..) {
        let id = format!("q{number}");
        let is_none = rand::random_range(0..NONE_IN) == 0;
        let mut choices: Vec<String> =
            card.wrong.sample(&mut rand::rng(), CHOICES - usize::from(!is_none)).cloned().collect();
        if !is_none {
            choices.push(card.right.clone());
        }
        choices.shuffle(&mut rand::rng());
        choices.push(NONE_OF_THESE.into());
        right.insert(id.clone(), if is_none { NONE_OF_THESE.into() } else { card.right });
        questions.push(Question { id, text: card.text, choices });
    }
    let state = serde_json::to_value(State { deck, right }).map_err(Error::internal)?;
    Ok(Step::Quiz { questions, state })
}

fn card(text: &str, right: &str, others: &[&str]) -> Card {
    let wrong = others.iter().filter(|o| !o.eq_ignore_ascii_case(right)).map(|o| (*o).to_owned()).collect();
    Card { text: text.to_owned(), right: right.to_owned(), wrong }
}

const STREETS: &[&str] = &[
    "Alder Hollow Road",
    "Cinder Mill Lane",
    "Dovecote Avenue",
    "Harrow Bend Drive",
    "Kestrel Ridge Way",
    "Old Quarry Street",
];
const CITIES: &[&str] = &["Ashby Falls", "Cold Spring", "Elk Junction", "Marlow", "Port Renner", "Vandalia"];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const STATES: &[&str] = &["AK", "DE", "ID", "MT", "NM", "RI", "VT", "WY"];
const ZIPS: &[&str] = &["05401", "19901", "59101", "82001", "87501", "99501"];

fn deck(identity: &Identity) -> Vec<Card> {
    let born = identity.date_of_birth;
    let years: Vec<String> =
        [-7, -4, -2, 3, 5, 8].iter().map(|years| (born.year() + years).to_string()).collect();
    let years: Vec<&str> = years.iter().map(String::as_str).collect();
    let at = &identity.current_address;
    let mut deck = vec![
        card("On which of these streets do you live?", street(&at.line), STREETS),
        card("In which of these cities do you live?", &at.city, CITIES),
        card("In which of these states do you live?", &at.state, STATES),
        card("Which of these is the zip code of your address?", &at.zip, ZIPS),
        card("In which month were you born?", MONTHS[born.month0() as usize], MONTHS),
        card("In which year were you born?", &born.year().to_string(), &years),
    ];
    if let Some(before) = &identity.former_address {
        deck.push(card("In which of these cities did you live before?", &before.city, CITIES));
        deck.push(card("On which of these streets did you live before?", street(&before.line), STREETS));
    }
    deck
}

/// A street without its number.
fn street(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_ascii_digit()).trim()
}

#[cfg(test)]
mod tests {
    use super::super::port::Address;
    use super::*;
    use chrono::NaiveDate;

    fn identity() -> Identity {
        Identity {
            first_name: "Fern".into(),
            last_name: "Hill".into(),
            date_of_birth: NaiveDate::from_ymd_opt(1975, 3, 14).expect("a day"),
            ssn: None,
            phone: None,
            current_address: Address {
                line: "12 Birch Lane".into(),
                city: "Larkfield".into(),
                state: "OH".into(),
                zip: "43999".into(),
                ..Address::default()
            },
            former_address: None,
        }
    }

    #[test]
    fn every_question_has_the_same_number_of_different_choices_and_one_of_them_is_right() {
        for _ in 0..200 {
            let Step::Quiz { questions, state } = quiz(deck(&identity())).expect("a quiz") else {
                panic!("questions")
            };
            let state: State = serde_json::from_value(state).expect("a state");
            assert_eq!(questions.len(), QUESTIONS);
            for question in questions {
                let different: std::collections::HashSet<_> = question.choices.iter().collect();
                assert_eq!((different.len(), question.choices.len()), (CHOICES + 1, CHOICES + 1));
                assert!(question.choices.contains(&state.right[&question.id]));
            }
        }
    }

    #[test]
    fn a_street_is_named_without_its_number() {
        assert_eq!(street("410 Main Street"), "Main Street");
        assert_eq!(street("Main Street"), "Main Street");
    }
}

//! The port to a service that asks people about themselves.

use super::embedded::Embedded;
use async_trait::async_trait;
use chrono::NaiveDate;
use platform::{App, Result, config::Mode, fields::FieldErrors};
use serde_json::Value;
use zeroize::Zeroizing;

/// Somebody as they describe themselves. The social security number is handed on in memory and never written down.
pub struct Identity {
    pub first_name: String,
    pub last_name: String,
    pub date_of_birth: NaiveDate,
    /// Nine digits.
    pub ssn: Option<Zeroizing<String>>,
    /// Ten digits.
    pub phone: Option<String>,
    pub current_address: Address,
    pub former_address: Option<Address>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub line: String,
    pub unit: String,
    pub city: String,
    /// Two letters.
    pub state: String,
    pub zip: String,
}

/// A question with its choices, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Question {
    pub id: String,
    pub text: String,
    pub choices: Vec<String>,
}

/// What somebody chose, by the id of the question. A question that was left out has no answer.
pub type Answers = std::collections::HashMap<String, String>;

/// What the service says next.
pub enum Step {
    /// These are to be answered. `state` comes back with the answers; it is sealed meanwhile and must hold no social
    /// security number.
    Quiz {
        questions: Vec<Question>,
        state: Value,
    },
    Passed,
    Failed,
    /// What is wrong with the description, by field.
    Refused(FieldErrors),
}

/// A service for the proof of identities. Calls may be repeated when a node dies half-way.
#[async_trait]
pub trait IdentityProofing: Send + Sync {
    /// Begins with a description.
    async fn start(&self, identity: &Identity) -> Result<Step>;

    /// Goes on with the answers to a quiz. A quiz in return is a further attempt.
    async fn answer(&self, state: &Value, answers: &Answers) -> Result<Step>;

    /// Goes on after a quiz whose time ran out.
    async fn retry(&self, state: &Value) -> Result<Step>;
}

/// The service of this installation; none where people upload a photo ID instead.
pub fn service(app: &App) -> Option<&'static dyn IdentityProofing> {
    (app.config.mode == Mode::Demo).then_some(&Embedded as &dyn IdentityProofing)
}

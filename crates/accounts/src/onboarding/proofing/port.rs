//! The port to an identity service, which asks people about themselves.

use super::embedded::Embedded;
use async_trait::async_trait;
use chrono::NaiveDate;
use platform::{App, Result, config::Mode, fields::FieldErrors};
use serde_json::Value;
use zeroize::Zeroizing;

/// An applicant's description. The social security number is only kept in memory and never stored.
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

/// A question with its choices in display order.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Question {
    pub id: String,
    pub text: String,
    pub choices: Vec<String>,
}

/// The chosen answers by question id. A skipped question has no answer.
pub type Answers = std::collections::HashMap<String, String>;

/// Next step from the service.
pub enum Step {
    /// Questions to answer. `state` is returned with the answers; it is stored sealed and must not contain a social
    /// security number.
    Quiz {
        questions: Vec<Question>,
        state: Value,
    },
    Passed,
    Failed,
    /// Errors of the description, by field.
    Refused(FieldErrors),
}

/// An identity service. Calls may be repeated if a node crashes half-way.
#[async_trait]
pub trait IdentityProofing: Send + Sync {
    /// Begins with a description.
    async fn start(&self, identity: &Identity) -> Result<Step>;

    /// Continues with the answers to a quiz. A quiz in return is a further attempt.
    async fn answer(&self, state: &Value, answers: &Answers) -> Result<Step>;

    /// Continues after a quiz whose time ran out.
    async fn retry(&self, state: &Value) -> Result<Step>;
}

/// The service of this installation; `None` if people upload a photo ID instead.
pub fn service(app: &App) -> Option<&'static dyn IdentityProofing> {
    (app.config.mode == Mode::Demo).then_some(&Embedded as &dyn IdentityProofing)
}

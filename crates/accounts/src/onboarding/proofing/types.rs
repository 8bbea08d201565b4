//! Requests and answers of [`super::http`].

use super::port::{Answers, Question};
use chrono::{DateTime, Utc};
use platform::{Result, secret::Secret};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use zeroize::Zeroizing;

/// A trimmed text; null is empty.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.unwrap_or_default().trim().to_owned())
}

/// An applicant's description. Missing fields are empty.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdentityForm {
    #[serde(default, deserialize_with = "text")]
    pub first_name: String,
    #[serde(default, deserialize_with = "text")]
    pub last_name: String,
    /// MM/DD/YYYY, MM/DD/YY or YYYY-MM-DD
    #[serde(default, deserialize_with = "text")]
    pub date_of_birth: String,
    /// Used for the verification and not stored.
    #[serde(default)]
    #[schema(value_type = Option<Secret>)]
    pub ssn: Ssn,
    #[serde(default, deserialize_with = "text")]
    pub phone_number: String,
    #[serde(default)]
    pub current_address: AddressForm,
    pub former_address: Option<AddressForm>,
}

/// A social security number as typed; wiped from memory when dropped.
#[derive(Default)]
pub struct Ssn(pub Zeroizing<String>);

impl<'de> Deserialize<'de> for Ssn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let typed = Zeroizing::new(Option::<String>::deserialize(deserializer)?.unwrap_or_default());
        Ok(Self(Zeroizing::new(typed.trim().to_owned())))
    }
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddressForm {
    #[serde(default, deserialize_with = "text")]
    pub address_line: String,
    #[serde(default, deserialize_with = "text")]
    pub address_unit: String,
    #[serde(default, deserialize_with = "text")]
    pub city: String,
    /// Two letters.
    #[serde(default, deserialize_with = "text")]
    pub state: String,
    #[serde(default, deserialize_with = "text")]
    pub zip: String,
}

impl AddressForm {
    pub fn is_empty(&self) -> bool {
        [&self.address_line, &self.address_unit, &self.city, &self.state, &self.zip]
            .iter()
            .all(|t| t.is_empty())
    }
}

/// Status of an identity check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum Decision {
    Passed,
    /// An operator reviews the document.
    UnderReview,
    /// A photo ID is needed.
    Failed,
}

/// Status of the proof of identity.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// None before the description is entered, and while there are questions to answer.
    pub decision: Option<Decision>,
    /// Open questions for the caller.
    pub quiz_id: Option<Uuid>,
    /// Whether this installation asks questions. Otherwise, a photo ID is requested after the description.
    pub asks_questions: bool,
    /// A photo ID was refused.
    pub document_refused: bool,
    /// The operator's reason.
    pub refusal_reason: Option<String>,
    /// Number of further quizzes allowed for the organization today.
    pub attempts_left: u32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quiz {
    pub quiz_id: Uuid,
    pub questions: Vec<QuizQuestion>,
    pub expires_at: DateTime<Utc>,
    /// Seconds left to answer; 0 if the time is over.
    pub seconds_left: i64,
    /// Number of further quizzes allowed today.
    pub attempts_left: u32,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct QuizQuestion {
    pub question_id: String,
    pub question_text: String,
    pub answer_choice: Vec<AnswerChoice>,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AnswerChoice {
    pub value: String,
    pub selected: bool,
}

impl From<Question> for QuizQuestion {
    fn from(question: Question) -> Self {
        let choice = |value| AnswerChoice { value, selected: false };
        Self {
            question_id: question.id,
            question_text: question.text,
            answer_choice: question.choices.into_iter().map(choice).collect(),
        }
    }
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct QuizAnswers {
    /// The questions with the chosen answers marked.
    pub questions: Vec<QuizQuestion>,
}

impl QuizAnswers {
    /// A question with two answers counts as unanswered.
    pub fn chosen(self) -> Answers {
        let one = |q: QuizQuestion| {
            let mut chosen = q.answer_choice.into_iter().filter(|c| c.selected);
            match (chosen.next(), chosen.next()) {
                (Some(choice), None) => Some((q.question_id, choice.value)),
                _ => None,
            }
        };
        self.questions.into_iter().filter_map(one).collect()
    }
}

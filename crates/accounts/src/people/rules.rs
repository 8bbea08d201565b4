//! Rules for the form of a user, and for who may change what, without a database.

use super::types::{RoleName, UserForm};
use crate::{plan::has_room, user_name};
use platform::{
    Error, Result,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, phone_digits, user_name_key},
};
use serde::Deserialize;
use store::entities::app_user;

pub use crate::user_name::{EXISTS, NOT_VALID};

const NAME_MAX: usize = 255;
/// Maximum number of words in a search.
const WORDS_MAX: usize = 5;

pub const NOT_ONESELF: &str = "You cannot change your own role. Please ask another administrator.";
pub const NOT_REMOVE_ONESELF: &str = "You cannot remove your own account.";
pub const NOT_DISABLE_ONESELF: &str = "You cannot disable your own account.";
pub const LAST_ADMINISTRATOR: &str = "An organization needs an administrator who can sign in.";
pub const OF_THE_PERSON: &str = "Only this person can change this, in their own profile.";
pub const ACCEPTED: &str = "The user name can be changed only until the invitation is accepted.";
pub const BY_OPERATOR: &str = "This account was disabled by the operator of this installation.";
pub const NO_SUCH_RULE: &str = "This intake rule does not exist.";
pub const JOB_REQUIRED: &str = "Primary job function is required.";

/// Errors of the form itself.
pub fn check(form: &UserForm, is_new: bool) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.require(user_name::is_valid(form.user_name.trim()), "userName", NOT_VALID);
    for (field, text, needed) in [
        ("firstName", &form.first_name, "First Name is required."),
        ("lastName", &form.last_name, "Last Name is required."),
    ] {
        errors.require(!text.trim().is_empty(), field, needed);
        let fits = text.chars().count() <= NAME_MAX && !text.contains(char::is_control);
        errors.require(fits, field, DEFAULT_FIELD_ERROR);
    }
    let phone = form.phone_number.trim();
    errors.require(phone.is_empty() || phone_digits(phone).is_some(), "phoneNumber", DEFAULT_FIELD_ERROR);
    errors.require(form.role_name.is_some(), "roleName", "Role is required.");
    errors.require(!is_new || form.job_function_id.is_some(), "jobFunctionId", JOB_REQUIRED);
    errors
}

/// Checks that a plan has room for one more user.
pub fn check_room(plan: &str, allowed_users: i32, users: u64) -> Result<()> {
    if has_room(allowed_users, users + 1) {
        return Ok(());
    }
    let people = if allowed_users == 1 { "1 user".into() } else { format!("{allowed_users} users") };
    let text = format!(
        "Your plan ({plan}) has room for {people}. Please disable somebody or choose a larger plan first."
    );
    Err(Error::Conflict(text.into()))
}

/// Names, number and user name belong to a person. Administrators of one organization may change them only if the
/// person has no role elsewhere.
pub fn check_person(
    before: &app_user::Model,
    form: &UserForm,
    is_elsewhere: bool,
    is_invited: bool,
    errors: &mut FieldErrors,
) {
    let phone = phone_digits(form.phone_number.trim()).unwrap_or_default();
    for (field, stays) in [
        ("firstName", form.first_name.trim() == before.first_name),
        ("lastName", form.last_name.trim() == before.last_name),
        ("phoneNumber", phone == before.phone),
    ] {
        errors.require(stays || !is_elsewhere, field, OF_THE_PERSON);
    }
    if user_name_key(&form.user_name) != before.user_name_key {
        let text = if is_elsewhere { OF_THE_PERSON } else { ACCEPTED };
        errors.require(!is_elsewhere && is_invited, "userName", text);
    }
}

/// The words of a search, each of which must be contained in a name.
pub fn words(search: &str) -> Vec<String> {
    let text: String = search.chars().take(NAME_MAX).collect();
    text.split(|c: char| c.is_whitespace() || c.is_control() || c == ',')
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(str::to_lowercase)
        .collect()
}

/// The spellings of a word in a name that the database has lowered: SQLite only lowers ASCII letters, so other
/// letters stay as typed, at the beginning of a name or in one in capitals.
pub fn spellings(word: &str) -> Vec<String> {
    if word.is_ascii() {
        return vec![word.into()];
    }
    let lower = |text: String| text.to_ascii_lowercase();
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let mut all = vec![word.to_owned(), lower(first + letters.as_str()), lower(word.to_uppercase())];
    all.dedup();
    all
}

/// Sort keys of user lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SortBy {
    UserName,
    #[default]
    Name,
    RoleName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    #[default]
    Asc,
    Desc,
}

/// An order in the JSON of a list's `sort`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Sort {
    pub by: SortBy,
    pub dir: Direction,
}

impl Sort {
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Self::default()) };
        serde_json::from_str(text)
            .map_err(|_| Error::BadRequest("The list cannot be sorted in this order.".into()))
    }
}

impl RoleName {
    pub fn of(role: &str) -> Self {
        if role == platform::session::ROLE_ADMINISTRATOR { Self::Administrator } else { Self::User }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::User => platform::session::ROLE_USER,
            Self::Administrator => platform::session::ROLE_ADMINISTRATOR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_for_three_has_no_room_for_a_fourth() {
        assert!(check_room("Free", 3, 2).is_ok() && check_room("Enterprise", -1, 1_000_000).is_ok());
        assert!(check_room("Free", 3, 3).is_err());
    }

    #[test]
    fn an_order_is_json_and_nothing_else() {
        let order = |text| Sort::parse(Some(text));
        assert_eq!(Sort::parse(None).expect("an order"), Sort::default());
        let named = order(r#"{"by":"userName","dir":"desc"}"#).expect("an order");
        assert_eq!(named, Sort { by: SortBy::UserName, dir: Direction::Desc });
        assert!(order(r#"{"by":"password_hash"}"#).is_err() && order("userName").is_err());
    }

    #[test]
    fn a_search_is_words() {
        assert_eq!(words(" Nandakumar,  Priya "), ["nandakumar", "priya"]);
        assert!(words(" , ").is_empty());
    }
}

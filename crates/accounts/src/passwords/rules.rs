//! Rules for new passwords, without a database: long, not common, and without the user's names. There are no rules about
//! kinds of characters (NIST SP 800-63B 5.1.1.2).

use std::time::Duration;
use zxcvbn::{Score, zxcvbn};

/// Minimum length of a password that is the only factor.
pub const ALONE: usize = 15;
/// Minimum length of a password beside a second factor.
pub const WITH_SECOND_STEP: usize = 8;
/// Maximum length in bytes; longer input only costs hashing time.
pub const LONGEST: usize = 1024;
/// Minimum response time if the time must not reveal whether an account exists.
pub const ANSWER_AFTER: Duration = Duration::from_millis(250);

pub const TOO_LONG: &str = "Please use at most 1024 characters.";
pub const COMMON: &str = "This password is too easy to guess. Please choose another; several words that do not belong together work well.";
pub const PERSONAL: &str = "Please choose a password without your name, your user name, your organization’s name or the product’s name.";
pub const SAME: &str = "Please choose a password that differs from the current one.";

/// Shorter words are too common within other words.
const SHORTEST_WORD: usize = 4;
/// Maximum length for the strength estimate, whose time grows with the length.
const LOOKED_AT: usize = 100;
const PRODUCT: &str = "carepost";

/// The owner of a password.
#[derive(Clone, Debug, Default)]
pub struct Owner {
    words: Vec<String>,
    pub has_second_step: bool,
}

impl Owner {
    /// `others` are the names of organizations and brands. Each word of the person's name counts separately, those of
    /// organizations only together.
    pub fn new(person: &[&str], user_name: &str, others: &[&str], has_second_step: bool) -> Self {
        let local = user_name.split('@').next().unwrap_or_default();
        let words = person.iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric()));
        let words = words.chain([local, PRODUCT]).chain(others.iter().copied()).map(squeezed);
        Self { words: words.filter(|w| w.chars().count() >= SHORTEST_WORD).collect(), has_second_step }
    }

    pub fn shortest(&self) -> usize {
        if self.has_second_step { WITH_SECOND_STEP } else { ALONE }
    }
}

/// The reason for refusing a new password, if any.
pub fn refusal(password: &str, owner: &Owner) -> Option<String> {
    if password.len() > LONGEST {
        return Some(TOO_LONG.into());
    }
    if password.chars().count() < owner.shortest() {
        return Some(format!("Please use at least {} characters.", owner.shortest()));
    }
    let plain = squeezed(password);
    if owner.words.iter().any(|word| plain.contains(word.as_str())) {
        return Some(PERSONAL.into());
    }
    let beginning: String = password.chars().take(LOOKED_AT).collect();
    let words: Vec<&str> = owner.words.iter().map(String::as_str).collect();
    (zxcvbn(&beginning, &words).score() <= Score::One).then(|| COMMON.into())
}

/// Letters and digits in lower case, so that spaces and dots cannot hide a name.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dana(has_second_step: bool) -> Owner {
        let others = ["Larkfield Family Medicine", "larkfield"];
        Owner::new(&["Dana", "Whitfield"], "dana.w@carepost.example", &others, has_second_step)
    }

    #[test]
    fn a_password_alone_has_15_characters_and_with_a_second_step_8() {
        assert_eq!(
            refusal("violet-tram-92", &dana(false)),
            Some("Please use at least 15 characters.".into())
        );
        assert_eq!(refusal("violet-tram-924", &dana(false)), None);
        assert_eq!(refusal("tram-92", &dana(true)), Some("Please use at least 8 characters.".into()));
        assert_eq!(refusal("tram-92q", &dana(true)), None);
    }

    #[test]
    fn a_password_may_be_of_any_letters_but_not_longer_than_1024_bytes() {
        assert_eq!(refusal("nur kleine wörter und leerzeichen", &dana(false)), None);
        assert_eq!(refusal("密码很长但是没有数字和大写字母吗好", &dana(false)), None);
        let long: String = ('a'..='z').cycle().step_by(7).take(1024).collect();
        assert_eq!(refusal(&long, &dana(false)), None);
        assert_eq!(refusal(&format!("{long}x"), &dana(false)), Some(TOO_LONG.into()));
    }

    #[test]
    fn common_passwords_and_patterns_are_refused_however_long() {
        for common in ["passwordpassword", "123456789012345", "qwertyuiopasdfgh", "aaaaaaaaaaaaaaaaaaaaaaa"] {
            assert_eq!(refusal(common, &dana(false)), Some(COMMON.into()), "{common}");
        }
        for common in ["password1", "iloveyou", "Football1", "trustno1"] {
            assert_eq!(refusal(common, &dana(true)), Some(COMMON.into()), "{common}");
        }
    }

    #[test]
    fn a_password_holds_no_name_of_the_person_the_organization_or_the_product() {
        for personal in [
            "the cat of WHITFIELD sleeps",
            "d a n a likes green tea",
            "dana.w rides the tram 9",
            "larkfield by the river 7",
            "Larkfield-Family-Medicine 12",
            "my carepost is my castle",
        ] {
            assert_eq!(refusal(personal, &dana(false)), Some(PERSONAL.into()), "{personal}");
        }
        assert_eq!(refusal("family breakfast on tuesday", &dana(false)), None);
    }
}

//! Decisions of sign-in and renewal, without a database.

use chrono::{DateTime, Duration, Utc};

/// A second step is needed, and there is no way to take it.
pub const NO_SECOND_STEP: &str = "This account needs a second step to sign in, and this installation cannot send the code for it by e-mail. Please ask its operator.";

/// To somebody whom an organization's provider has signed in.
pub const CONFINED: &str = "You are signed in by single sign-on, which opens this organization only. Sign in with your password to work in another one.";

/// Two tabs may renew with the same cookie at the same moment, and an answer may be lost with the page that asked; only a
/// later repeat is a stolen token.
const RENEWAL_GRACE: Duration = Duration::seconds(10);

/// An e-mail address as somebody else may see it: enough to know one's own by.
pub fn masked(address: &str) -> String {
    let hidden = |part: &str| match part.chars().next() {
        Some(first) => format!("{first}•••"),
        None => String::new(),
    };
    match address.rsplit_once('@') {
        Some((local, domain)) => {
            let (name, end) = domain.rsplit_once('.').unwrap_or((domain, ""));
            format!("{}@{}.{end}", hidden(local), hidden(name))
        }
        None => hidden(address),
    }
}

/// What to do with a renewal token that was found.
#[derive(Debug, PartialEq, Eq)]
pub enum Renewal {
    Rotate,
    /// Another tab was a moment faster, or the answer did not arrive: the token that it got.
    Again,
    /// The token came back long after its use: somebody else has it.
    Stolen,
}

pub fn renewal(used_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Renewal {
    match used_at {
        None => Renewal::Rotate,
        Some(at) if now - at <= RENEWAL_GRACE => Renewal::Again,
        Some(_) => Renewal::Stolen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_masked_but_for_its_first_letters() {
        assert_eq!(masked("dana.whitfield@mail.carepost.example"), "d•••@m•••.example");
    }

    #[test]
    fn a_used_renewal_token_is_theft_unless_another_tab_was_a_moment_faster() {
        let now = DateTime::UNIX_EPOCH + Duration::minutes(1);
        assert_eq!(renewal(None, now), Renewal::Rotate);
        assert_eq!(renewal(Some(now - Duration::seconds(9)), now), Renewal::Again);
        assert_eq!(renewal(Some(now - Duration::seconds(11)), now), Renewal::Stolen);
    }
}

//! Rules of sign-in and renewal, without a database.

use chrono::{DateTime, Duration, Utc};

/// A second step is required, but no method is available.
pub const NO_SECOND_STEP: &str = "This account needs a second step to sign in, and this installation cannot e-mail the code. Please ask its operator.";

/// Shown to users who signed in by an organization's provider.
pub const CONFINED: &str = "You are signed in by single sign-on, which is for this organization only. Sign in with your password to work in another one.";

/// Time within which a used token may be repeated: two tabs may renew with the same cookie at the same moment, and an
/// answer may be lost with its page. A later repetition means a stolen token.
const RENEWAL_GRACE: Duration = Duration::seconds(10);

/// A masked e-mail address, enough to recognize one's own.
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

/// Result of a renewal token's check.
#[derive(Debug, PartialEq, Eq)]
pub enum Renewal {
    Rotate,
    /// Another tab was faster, or the answer was lost: continue with the token that was given out.
    Again,
    /// The token was repeated long after its use: somebody else has it.
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

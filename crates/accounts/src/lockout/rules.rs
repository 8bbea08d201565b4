//! Decisions about locks, without a database.

use chrono::{DateTime, Duration, Utc};
use platform::config::Session;

/// The same text for a wrong name, a wrong password and a locked account, so that it reveals nothing.
pub fn refused(settings: &Session) -> String {
    format!("The user name or password is incorrect. {}", lockout(settings))
}

/// Shown to somebody who has proven that the account is theirs.
pub fn locked(settings: &Session) -> String {
    format!("{} Please try again then.", lockout(settings))
}

fn lockout(settings: &Session) -> String {
    let attempts = number(settings.lockout_after, "failed attempt");
    let minutes = number(settings.lockout_minutes, "minute");
    format!("After {attempts} an account is locked for {minutes}.")
}

fn number(count: u32, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

/// Effect of a failed sign-in on an account.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    Counted(i32),
    Locked { until: DateTime<Utc> },
}

pub fn count_failure(failed_before: i32, limit: u32, lock: Duration, now: DateTime<Utc>) -> Failure {
    let failed = failed_before + 1;
    if failed >= limit as i32 { Failure::Locked { until: now + lock } } else { Failure::Counted(failed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_failure_locks_for_ten_minutes() {
        let now = DateTime::UNIX_EPOCH;
        let lock = Duration::minutes(10);
        assert_eq!(count_failure(1, 3, lock, now), Failure::Counted(2));
        assert_eq!(count_failure(2, 3, lock, now), Failure::Locked { until: now + lock });
    }

    #[test]
    fn the_sentences_on_locks_tell_what_is_configured() {
        let mut settings = platform::Config::default().session;
        let usual = "After 3 failed attempts an account is locked for 10 minutes.";
        assert_eq!(refused(&settings), format!("The user name or password is incorrect. {usual}"));
        assert_eq!(locked(&settings), format!("{usual} Please try again then."));
        (settings.lockout_after, settings.lockout_minutes) = (5, 1);
        let text = "After 5 failed attempts an account is locked for 1 minute. Please try again then.";
        assert_eq!(locked(&settings), text);
    }
}

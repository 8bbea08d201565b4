//! How calls end, and whether they are retried.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How an attempt to send a fax ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = FaxOutcome)]
pub enum Outcome {
    /// The other machine confirmed every page.
    Delivered,
    /// The line of the recipient is in use.
    Busy,
    /// It rang, and nobody answered.
    NoAnswer,
    /// The call was answered, but without a modem signal.
    NoCarrier,
    /// A person answered.
    VoiceAnswered,
    /// A modem answered, but no fax machine.
    NoFaxSignal,
    /// The machines found no speed that works on the line (training failed).
    TrainingFailed,
    /// Pages were sent that the other machine did not confirm.
    PagesLost,
    /// The other machine ended the call early.
    RemoteHangUp,
    /// The number does not exist, or the line or the provider refuses it.
    BadNumber,
    /// Our own line or modem failed.
    LocalFault,
    /// The provider failed.
    ProviderFault,
    /// It was cancelled, by the sender or at the provider.
    Cancelled,
    /// Unknown whether it was sent; a person decides whether to send it again.
    Uncertain,
}

impl Outcome {
    /// Every outcome, in the order of a fax log's filter.
    pub const ALL: [Self; 14] = [
        Self::Delivered,
        Self::Busy,
        Self::NoAnswer,
        Self::NoCarrier,
        Self::VoiceAnswered,
        Self::NoFaxSignal,
        Self::TrainingFailed,
        Self::PagesLost,
        Self::RemoteHangUp,
        Self::BadNumber,
        Self::LocalFault,
        Self::ProviderFault,
        Self::Cancelled,
        Self::Uncertain,
    ];

    /// Whether the call may be retried. Not where a person answered the telephone, and not where the fax may have been
    /// sent.
    pub fn may_retry(self) -> bool {
        match self {
            Self::Busy
            | Self::NoAnswer
            | Self::NoCarrier
            | Self::TrainingFailed
            | Self::PagesLost
            | Self::RemoteHangUp
            | Self::LocalFault
            | Self::ProviderFault => true,
            Self::Delivered
            | Self::VoiceAnswered
            | Self::NoFaxSignal
            | Self::BadNumber
            | Self::Cancelled
            | Self::Uncertain => false,
        }
    }

    /// The name of the variant, as it is stored and sent to browsers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "Delivered",
            Self::Busy => "Busy",
            Self::NoAnswer => "NoAnswer",
            Self::NoCarrier => "NoCarrier",
            Self::VoiceAnswered => "VoiceAnswered",
            Self::NoFaxSignal => "NoFaxSignal",
            Self::TrainingFailed => "TrainingFailed",
            Self::PagesLost => "PagesLost",
            Self::RemoteHangUp => "RemoteHangUp",
            Self::BadNumber => "BadNumber",
            Self::LocalFault => "LocalFault",
            Self::ProviderFault => "ProviderFault",
            Self::Cancelled => "Cancelled",
            Self::Uncertain => "Uncertain",
        }
    }

    /// The outcome with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }

    /// The sentence shown to the sender.
    pub fn words(self) -> &'static str {
        match self {
            Self::Delivered => "The fax was delivered.",
            Self::Busy => "The recipient's line is busy.",
            Self::NoAnswer => "Nobody answered the call.",
            Self::NoCarrier => "The call was answered, but there was no signal of a modem.",
            Self::VoiceAnswered => "A person answered the call.",
            Self::NoFaxSignal => "The call was answered, but not by a fax machine.",
            Self::TrainingFailed => "The line is too poor to send pages.",
            Self::PagesLost => "Pages were sent that the recipient's fax machine did not confirm.",
            Self::RemoteHangUp => "The recipient's fax machine ended the call early.",
            Self::BadNumber => "The fax number does not exist or is refused.",
            Self::LocalFault => "The own fax line did not work.",
            Self::ProviderFault => "The fax provider could not send the fax.",
            Self::Cancelled => "The fax was cancelled.",
            Self::Uncertain => "It is not known whether the fax was sent.",
        }
    }
}

/// When and how often a call is retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retries {
    /// Pauses before the second, third … call; the last one also before every later call.
    pub pauses: Vec<Duration>,
    /// Most calls for one fax, the first one included.
    pub most_dials: u32,
}

impl Default for Retries {
    /// Retries after 3, 6 and 12 minutes: four calls at most.
    fn default() -> Self {
        Self { pauses: [3, 6, 12].map(|minutes| Duration::from_secs(minutes * 60)).to_vec(), most_dials: 4 }
    }
}

impl Retries {
    /// The pause before the next call, after `dials` calls of which the last ended with `last`; None when there is no next
    /// call.
    pub fn pause(&self, dials: u32, last: Outcome) -> Option<Duration> {
        if !last.may_retry() || dials == 0 || dials >= self.most_dials {
            return None;
        }
        self.pauses.get(dials as usize - 1).or(self.pauses.last()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faxes_that_may_have_been_sent_and_calls_answered_by_people_are_not_retried() {
        for outcome in [Outcome::Uncertain, Outcome::VoiceAnswered, Outcome::BadNumber, Outcome::Delivered] {
            assert_eq!(Retries::default().pause(1, outcome), None, "{outcome:?}");
        }
    }

    #[test]
    fn a_busy_line_is_retried_after_3_6_and_12_minutes() {
        let retries = Retries::default();
        let minutes = |dials| retries.pause(dials, Outcome::Busy).map(|pause| pause.as_secs() / 60);
        assert_eq!([1, 2, 3, 4].map(minutes), [Some(3), Some(6), Some(12), None]);
        let patient = Retries { most_dials: 9, ..retries };
        assert_eq!(patient.pause(7, Outcome::Busy), Some(Duration::from_secs(720)));
    }

    #[test]
    fn every_outcome_is_found_by_its_name() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_name(outcome.as_str()), Some(outcome));
            assert_eq!(serde_name(outcome), outcome.as_str());
        }
    }

    fn serde_name(outcome: Outcome) -> String {
        format!("{outcome:?}")
    }
}

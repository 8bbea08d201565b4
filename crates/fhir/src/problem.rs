//! Why an EHR gave no answer, in words of ours: what it wrote itself may contain patient data.

use crate::outcome::IssueCode;
use fetch::{FetchError, TlsRefusal};
use std::time::Duration;

/// Why something could not be read from an EHR or written to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Not the base address of a FHIR server.
    #[error("{}", self.text())]
    Address,
    /// The address is in a network that is not allowed.
    #[error("{}", self.text())]
    Forbidden,
    /// No server has this name.
    #[error("{}", self.text())]
    NameNotFound,
    /// No connection, so nothing was sent.
    #[error("{}", self.text())]
    NotConnected,
    /// No encrypted connection, so nothing was sent.
    #[error("{}", self.text())]
    Tls(TlsRefusal),
    /// Timeout or broken transfer. The request may have arrived.
    #[error("{}", self.text())]
    Unreachable,
    /// The EHR does not accept the sign-in.
    #[error("{}", self.text())]
    SignInRefused {
        /// What is wrong with it.
        reason: SignInReason,
    },
    /// Signed in, but not permitted (403).
    #[error("{}", self.text())]
    NotAllowed,
    /// The EHR has no such operation.
    #[error("{}", self.text())]
    NotOffered,
    /// The EHR has no such entry.
    #[error("{}", self.text())]
    NotFound,
    /// The entry was deleted.
    #[error("{}", self.text())]
    Gone,
    /// Too much at the moment (429, 503).
    #[error("{}", self.text())]
    Busy {
        /// When to try again, if the EHR said so; at most one hour.
        retry_after: Option<Duration>,
    },
    /// Any other refusal.
    #[error("{}", self.text())]
    Refused {
        /// HTTP status.
        status: u16,
        /// Codes of the OperationOutcome.
        issues: Vec<IssueCode>,
    },
    /// The answer is larger than the limit.
    #[error("{}", self.text())]
    TooLarge,
    /// The pages of a list lead in a circle.
    #[error("{}", self.text())]
    TooManyPages,
    /// Not an answer of a FHIR server.
    #[error("{}", self.text())]
    Unreadable,
    /// The EHR answered for another patient than was asked for.
    #[error("{}", self.text())]
    WrongPatient,
    /// The EHR pointed to another address, which is not followed.
    #[error("{}", self.text())]
    Redirected,
}

/// Why a sign-in was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInReason {
    /// The client is not registered.
    UnknownClient,
    /// The EHR does not know the key, or the signature does not belong to it.
    UnknownKey,
    /// The client is not registered, or its key is not; the EHR does not say which.
    UnknownClientOrKey,
    /// Nothing of what was asked for was granted.
    WrongScope,
    /// The sign-in is addressed to another server.
    WrongAudience,
    /// The clocks differ by more than a minute.
    ClockSkew,
    /// Anything else, such as a code or token that is no longer valid.
    Other,
}

/// Step of a connection at which it failed, for a test that shows its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The address and the connection to it.
    Name,
    /// The encrypted connection.
    Tls,
    /// The sign-in.
    SignIn,
    /// Reading and writing.
    Read,
}

impl Problem {
    /// What happened, in one plain sentence.
    pub fn text(&self) -> String {
        let fixed = match self {
            Self::Address => "This is not the address of a FHIR server.",
            Self::Forbidden => "The address of the EHR is in a network that is not allowed.",
            Self::NameNotFound => "No server has this name.",
            Self::NotConnected => "The EHR could not be reached.",
            Self::Tls(TlsRefusal::Expired) => "The certificate of the EHR has expired.",
            Self::Tls(TlsRefusal::NotAccepted) => "The certificate of the EHR is not accepted.",
            Self::Tls(TlsRefusal::NotAcceptedThere) => "The EHR does not accept the encrypted connection.",
            Self::Unreachable => "The EHR did not answer in time.",
            Self::SignInRefused { reason } => reason.text(),
            Self::NotAllowed => "The EHR does not permit this.",
            Self::NotOffered => "The EHR does not offer this.",
            Self::NotFound => "The EHR has no such entry.",
            Self::Gone => "The entry was deleted in the EHR.",
            Self::Busy { .. } => "The EHR is busy at the moment.",
            Self::Refused { status, issues } => return refused(*status, issues),
            Self::TooLarge => "The answer of the EHR is too large.",
            Self::TooManyPages => "The list of the EHR does not end.",
            Self::Unreadable => "The answer of the EHR cannot be read.",
            Self::WrongPatient => "The EHR answered for another patient.",
            Self::Redirected => "The EHR pointed to another address.",
        };
        fixed.to_owned()
    }

    /// What to do now, in one plain sentence.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Address => "Please check the base address that the EHR's administrator gave you.",
            Self::Forbidden => "Ask the administrator of this server to allow the network.",
            Self::NameNotFound => "Please check the spelling of the address.",
            Self::NotConnected => "Please check the address, and whether the EHR is running.",
            Self::Tls(_) => "Ask the EHR's administrator to check its certificate.",
            Self::Unreachable | Self::Busy { .. } => "Please try again in a moment.",
            Self::SignInRefused { reason } => reason.remedy(),
            Self::NotAllowed => "Ask the EHR's administrator to permit it for this app.",
            Self::NotOffered => "Ask the EHR's administrator whether it can be turned on.",
            Self::NotFound | Self::Gone => "Search for it again in the EHR.",
            Self::Refused { status: 500.., .. } => "Please try again in a moment.",
            Self::Refused { .. } => "Ask the EHR's administrator, and name the status and the codes.",
            Self::TooLarge | Self::TooManyPages => "Please search for something more specific.",
            Self::Unreadable => "Please check that the address is the base address of a FHIR R4 server.",
            Self::WrongPatient => "Please check the patient in the EHR, and tell its administrator.",
            Self::Redirected => "Please enter the address that the EHR pointed to, if you trust it.",
        }
    }

    /// Whether the same request may succeed later, without anybody doing anything.
    pub fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::NotConnected | Self::Unreachable | Self::Busy { .. } | Self::Refused { status: 500.., .. }
        )
    }

    /// The step of the connection at which it failed.
    pub fn step(&self) -> Step {
        match self {
            Self::Address | Self::Forbidden | Self::NameNotFound | Self::NotConnected | Self::Redirected => {
                Step::Name
            }
            Self::Tls(_) => Step::Tls,
            Self::SignInRefused { .. } => Step::SignIn,
            _ => Step::Read,
        }
    }
}

fn refused(status: u16, issues: &[IssueCode]) -> String {
    let codes: Vec<_> = issues.iter().map(|code| code.as_str()).collect();
    match codes.is_empty() {
        true => format!("The EHR refused this with status {status}."),
        false => format!("The EHR refused this with status {status} ({}).", codes.join(", ")),
    }
}

impl SignInReason {
    fn text(self) -> &'static str {
        match self {
            Self::UnknownClient => "The EHR does not know this app.",
            Self::UnknownKey => "The EHR does not accept the key of this app.",
            Self::UnknownClientOrKey => "The EHR does not accept this app or its key.",
            Self::WrongScope => "The EHR did not grant the access that was asked for.",
            Self::WrongAudience => "The EHR says that the sign-in was meant for another server.",
            Self::ClockSkew => "The clocks of this server and of the EHR differ.",
            Self::Other => "The EHR did not accept the sign-in.",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::UnknownClient => "Please check the client id, and whether the app is registered.",
            Self::UnknownKey => "Please register the current public key of this app at the EHR.",
            Self::UnknownClientOrKey => {
                "Please check the client id, and whether the current public key of this app is registered at the EHR."
            }
            Self::WrongScope => "Ask the EHR's administrator to grant the access to this app.",
            Self::WrongAudience => "Please check the base address of the EHR.",
            Self::ClockSkew => "Please set the clock of this server, or ask the EHR's administrator.",
            Self::Other => "Please sign in again, or ask the administrator of the EHR what it refused.",
        }
    }
}

impl From<FetchError> for Problem {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::BadAddress => Self::Address,
            FetchError::Forbidden => Self::Forbidden,
            FetchError::TooLarge => Self::TooLarge,
            FetchError::Status(status) => Self::Refused { status, issues: Vec::new() },
            FetchError::Unreadable => Self::Unreadable,
            FetchError::Busy => Self::Busy { retry_after: None },
            FetchError::NotConnected => Self::NotConnected,
            FetchError::Tls(refusal) => Self::Tls(refusal),
            FetchError::Unreachable => Self::Unreachable,
        }
    }
}

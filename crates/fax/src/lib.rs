//! Fax: numbers, pages, lines and providers.
//!
//! A fax leaves as a TIFF of class F through a [`Provider`]: own modems behind HylaFAX, WestFax, eFax Corporate, or,
//! between numbers of one installation, no line at all. The crate knows no tenants, no database and no API; the
//! [`Outcome`] of a call tells whether it may be repeated, and the caller keeps the attempts.

pub mod number;
pub mod outcome;
pub mod pages;
pub mod port;
pub mod providers;

pub use number::{DialRules, FaxNumber, Home, NumberError};
pub use outcome::{Outcome, Retries};
pub use port::{
    FileFormat, Finished, Found, OutgoingFax, Progress, Provider, ProviderError, ProviderJob, ReceivedFile,
    Reception, Resolution, State, SubmitError,
};

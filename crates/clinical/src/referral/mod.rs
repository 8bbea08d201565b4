//! Closed-loop referrals (IHE PCC 360X): HL7 v2 messages in XDM packages.

pub mod message;
pub mod package;

pub use message::{Action, Message, ReferralError, ReferredPatient};
pub use package::{Document, Package, PackageError, message_of, read, write};

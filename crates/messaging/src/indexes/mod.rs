//! Indexes beside a message for finding and counting it: the words of its documents ([`text`]), the patient that it
//! names ([`patient_links`]), and choices of staff ([`choices`]). Each is updated in the transaction that changes the
//! message.

pub mod choices;
pub mod evidence;
pub mod patient_links;
pub mod text;

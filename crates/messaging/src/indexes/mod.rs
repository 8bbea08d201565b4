//! What is kept beside a message so that it is found and counted: the words of its documents ([`text`]), the patient whom it
//! names ([`patient_links`]), and what staff chose for it ([`choices`]). Each follows in the transaction that changes the message.

pub mod choices;
pub mod evidence;
pub mod patient_links;
pub mod text;

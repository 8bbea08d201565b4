//! HL7 v2 messages: the one reader of their bytes, and the escaping of what is written (HL7 v2.5.1, chapter 2).
//!
//! | Module | Sections | Contents |
//! |---|---|---|
//! | [`frame`] | 2.5, 2.10.3 | lines and framing, before the character set is known |
//! | [`read`] | 2.5 | messages, segments, fields, repetitions, components, subcomponents |
//! | [`separators`] | 2.5.4, 2.16.9.1–2 | the delimiters that a header declares |
//! | [`charset`] | 2.16.9.18, table 0211 | the character set |
//! | [`escape`] | 2.7 | escapes, read and written |
//! | [`time`] | 2.A.21, 2.A.77 | times with their precision and offset |
//! | [`identifiers`] | 3.4.2 | the identifiers of a PID segment |
//!
//! A message is read without a model of its type: any segment and field can be asked for by name and number, and a
//! missing one is empty. [`Message::read`] is for messages that are acted on: they begin with MSH, and nothing is lost.
//! [`Message::lenient`] is for messages that are shown: any text is one.
//!
//! ```
//! use clinical::hl7::Message;
//!
//! let message = Message::read(b"MSH|^~\\&|LAB\rPID|1||77^^^&1.2&ISO||Roe^Ines").unwrap();
//! let pid = message.segment("PID").unwrap();
//! assert_eq!(pid.field(5).component(2).text(), "Ines");
//! ```
//!
//! What a reader of a certain message does with its fields is not here: see `exchange::receive` (MDM, ORU),
//! [`crate::referral::message`] (OMG, OSU, SIU) and `documents` (the words of a preview).

pub mod charset;
pub mod escape;
pub mod frame;
pub mod identifiers;
pub mod read;
pub mod separators;
pub mod time;

pub use escape::escape;
pub use identifiers::{PatientId, patient_ids};
pub use read::{Message, Segment, Unreadable, Value};
pub use separators::Separators;
pub use time::Time;

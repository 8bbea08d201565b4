//! Documents as files: their kind, their PDF and pictures, and their patient.
//!
//! Files come from strangers. [`kind`] reads names and first bytes only and is safe anywhere. Everything that
//! interprets content ([`convert`], [`pdf`], [`extract`]) must run behind the process boundary of [`worker`].
//! The crate knows nothing of tenants, databases or networks.

pub mod archive;
mod bilevel;
mod contact;
pub mod convert;
mod deskew;
mod error;
pub mod extract;
pub mod fax;
pub mod kind;
mod limits;
pub mod ocr;
pub mod office;
pub mod paging;
pub mod pdf;
mod pictures;
pub mod places;
pub mod reading;
mod remarks;
pub mod report;
pub mod samples;
mod signing;
pub mod summary;
pub mod terms;
mod text;
mod typeset;
pub mod worker;

pub use kind::{FileType, HEAD, Kind, UploadError, check_upload, detect, file_types, kind_of, name_note};
pub use remarks::Flaws;
pub use text::charset;

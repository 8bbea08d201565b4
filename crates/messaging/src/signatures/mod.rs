//! Signatures of colleagues under the documents of a message. A signature contains the hashes of the signed files, and is
//! put into a PDF of each of them, under the certificate of the organization.

mod certificate;
mod documents;
mod hashes;
mod http;
mod mail;
mod marks;
mod queries;
mod settle;
mod signer;
mod steps;
mod types;

pub use http::api;
pub use signer::{Embedded, Signed, Signer};
pub use steps::{MAKE, MakeSignedPdf, WORKFLOW};

//! Reading of resources: takes what is there, and never fails because of an element that is not asked for.

mod capabilities;
mod document;
mod order;
mod parts;
mod patient;
mod people;
mod value_set;
mod visit;

pub(crate) use capabilities::oauth_uri;
pub use capabilities::offers;
pub(crate) use document::URI;
pub use document::{ReadDocument, document};
pub use order::order;
pub use parts::{Subject, is_id, subject};
pub(crate) use parts::{reference_id, resource_type, written_born};
pub use patient::patient;
pub use people::{facility, reviewer, reviewer_group};
pub use value_set::document_types;
pub use visit::visit;

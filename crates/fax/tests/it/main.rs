//! Faxes over each kind of line, as the product sees them.

mod embedded;
mod support;

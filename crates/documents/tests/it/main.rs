//! The crate's guarantees, tested from outside and checked with other programs.

mod boundary;
mod conversion;
mod corpus;
mod faxes;
mod kinds;
mod labelled;
mod missing;
mod paging;
mod papers;
mod readings;
mod support;
mod targets;
mod test_data;
mod tiffs;

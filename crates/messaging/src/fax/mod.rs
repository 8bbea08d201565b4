//! Fax: accounts at providers, numbers, sending and receiving. The calls themselves are made by crate `fax`.

pub mod accounts;
pub mod arrivals;
pub mod calls;
pub mod covers;
pub mod exchange;
pub mod log;
pub mod numbers;
pub mod old;
pub mod pages;
pub mod queue;
pub mod scope;
pub mod sending;
pub mod settings;

use platform::api::Api;

/// `document_source.kind` of fax numbers.
pub const KIND: &str = "fax";
/// Most bytes of the pages of a fax.
pub const FILE_LIMIT: u64 = 256 << 20;

pub fn api() -> Api {
    accounts::http::api()
        .merge(accounts::services::api())
        .merge(numbers::http::api())
        .merge(numbers::providers::api())
        .merge(settings::http::api())
        .merge(queue::http::api())
        .merge(log::http::api())
        .merge(sending::http::api())
}

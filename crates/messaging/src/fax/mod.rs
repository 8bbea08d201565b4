//! Fax: accounts at providers, numbers, sending and receiving. The calls themselves are made by the crate `fax`.

pub mod accounts;
pub mod arrivals;
pub mod calls;
pub mod covers;
pub mod exchange;
pub mod log;
pub mod numbers;
pub mod pages;
pub mod queue;
pub mod retention;
pub mod sending;
pub mod settings;

use platform::api::Api;
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::ExprTrait,
    sea_query::SelectStatement,
};
use store::entities::organization;

/// Maximum size of the pages of a fax, in bytes.
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
        .merge(covers::http::api())
}

/// The ids of organizations that receive no faxes: deleted, or not activated.
fn closed_organizations() -> SelectStatement {
    organization::Entity::find()
        .select_only()
        .column(organization::Column::Id)
        .filter(organization::Column::DeletedAt.is_not_null().or(organization::Column::IsActivated.eq(false)))
        .into_query()
}

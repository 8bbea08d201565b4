//! `/api/directory/lookup`: whether the addresses of a forward can be sent to, and alternative fax numbers.

use crate::{
    direct::DirectServices,
    fax::{sending::queries as sending, settings::FaxSettings},
};
use axum::{Extension, Json, extract::State};
use direct::DirectAddress;
use fax::{FaxNumber, Home};
use futures::{StreamExt, stream};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    http::{Body, Items},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, ExprTrait, Func},
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, time::Duration};
use store::entities::directory_entry;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MEMBERS, routes!(look_addresses_up))
}

/// Maximum number of addresses in a request.
const MOST: usize = 100;
/// Maximum number of concurrent lookups.
const CONCURRENT_LOOKUPS: usize = 8;
/// Time limit of a lookup, after which the address counts as not found.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Deserialize, ToSchema)]
struct AddressLookup {
    /// Direct addresses, at most 100; further ones are ignored.
    addresses: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookedUp {
    pub address: String,
    /// The organization trusts a certificate for encrypting to it.
    pub is_found: bool,
    /// The directory's fax number for an address that was not found, if the caller can send faxes.
    pub fax_number: Option<String>,
}

/// Whether Direct addresses can be sent to, and fax numbers for those that cannot
#[utoipa::path(post, path = "/api/directory/lookup", operation_id = "lookAddressesUp", tag = "lookups",
    request_body = AddressLookup, responses((status = 200, body = Items<LookedUp>)))]
async fn look_addresses_up(
    State(app): State<App>,
    Extension(direct): Extension<DirectServices>,
    member: Member,
    Body(wanted): Body<AddressLookup>,
) -> Result<Json<Items<LookedUp>>> {
    let db = app.store.db();
    let own = direct.credentials(&app, member.organization_id).await?;
    let look_up = |address: String| {
        let (app, direct, own) = (&app, &direct, &own);
        async move {
            let Ok(recipient) = DirectAddress::parse(&address) else { return (address, false) };
            let found =
                direct.discovery.find(&recipient, &own.anchors.outgoing, &direct.trust, app.clock.now());
            let is_found = tokio::time::timeout(SEARCH_TIMEOUT, found).await.is_ok_and(|found| found.is_ok());
            (address, is_found)
        }
    };
    let addresses = wanted.addresses.into_iter().take(MOST);
    let found: Vec<_> = stream::iter(addresses).map(look_up).buffered(CONCURRENT_LOOKUPS).collect().await;
    let missing: Vec<&str> =
        found.iter().filter(|(_, is_found)| !is_found).map(|(a, _)| a.as_str()).collect();
    let home = FaxSettings::of(db, member.organization_id).await?.home();
    let numbers = match sending::numbers(db, &member).await?.is_empty() {
        true => HashMap::new(),
        false => fax_numbers(db, &missing, &home).await?,
    };
    let items = found.into_iter().map(|(address, is_found)| LookedUp {
        fax_number: numbers.get(&address.to_lowercase()).cloned().filter(|_| !is_found),
        address,
        is_found,
    });
    Ok(Json(Items { items: items.collect() }))
}

/// The directory's fax numbers for addresses, by lower-case address.
async fn fax_numbers(
    db: &impl ConnectionTrait,
    addresses: &[&str],
    home: &Home,
) -> Result<HashMap<String, String>, DbErr> {
    if addresses.is_empty() {
        return Ok(HashMap::new());
    }
    let address = Expr::expr(Func::lower(Expr::col(directory_entry::Column::DirectAddress)));
    let entries = directory_entry::Entity::find()
        .filter(address.is_in(addresses.iter().map(|a| a.to_lowercase())))
        // Written as in the index's condition.
        .filter(Expr::cust("direct_address <> ''"))
        .filter(directory_entry::Column::Fax.ne(""))
        .order_by_asc(directory_entry::Column::Id)
        .all(db)
        .await?;
    let numbers = entries.into_iter().filter_map(|entry| {
        let number = FaxNumber::parse(&entry.fax, home).ok()?;
        Some((entry.direct_address.to_lowercase(), number.to_string()))
    });
    Ok(numbers.collect())
}

//! Addresses for sending: contacts, saved addresses, validation.

use crate::{
    fax::{sending::queries as sending, settings::FaxSettings},
    model::{DeliveryKind, DeliveryState},
    release::rules::{self, Recipient},
};
use axum::{Json, extract::State, http::Uri};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use direct::DirectAddress;
use fax::FaxNumber;
use platform::{
    App, Error, Member, MemberOrOperator, Result, Role,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    fields::FieldErrors,
    http::{Body, Items, Page, Paged, Params},
    secret::token_hash,
    text::SearchWords,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{
    entities::{delivery, organization, saved_address},
    tenant::Tenant,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(MEMBERS, routes!(contacts))
        .route(MEMBERS, routes!(search_contacts))
        .route(MEMBERS, routes!(validate, validate_typed))
        .route(KEEPERS, routes!(get_saved, put_saved))
}

/// People of an organization, and operators for any organization.
const KEEPERS: &[Role] = &[Role::User, Role::Admin, Role::SysAdmin];

/// Maximum number of saved addresses of an organization.
const SAVED_LIMIT: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The latest message to it was not delivered, so it is offered last.
    pub is_failing: bool,
    pub name: String,
    pub company: String,
    /// The address or number.
    pub value: String,
}

#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct ContactSearch {
    search: Option<SearchWords>,
    page_start: Option<u64>,
    page_size: Option<u64>,
}

/// Addresses that the organization saved or sent to before
///
/// Send text that somebody typed in the body of `POST /api/contacts/_search`, which answers the same.
#[utoipa::path(get, path = "/api/contacts", operation_id = "contacts", tag = "lookups", params(ContactSearch),
    responses((status = 200, body = Paged<Contact>)))]
async fn contacts(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ContactSearch>,
) -> Result<Json<Paged<Contact>>> {
    find_contacts(&app, &member, &params).await
}

/// Addresses that the organization saved or sent to before, matching typed text
#[utoipa::path(post, path = "/api/contacts/_search", operation_id = "searchContacts", tag = "lookups",
    request_body = ContactSearch, responses((status = 200, body = Paged<Contact>)))]
async fn search_contacts(
    State(app): State<App>,
    member: Member,
    Body(search): Body<ContactSearch>,
) -> Result<Json<Paged<Contact>>> {
    find_contacts(&app, &member, &search).await
}

async fn find_contacts(app: &App, member: &Member, params: &ContactSearch) -> Result<Json<Paged<Contact>>> {
    let page = Page::new(params.page_start, params.page_size, 15, 100)?;
    let wanted = params.search.as_deref().unwrap_or_default().to_lowercase();
    let mut found: Vec<Contact> = known(app, member.tenant())
        .await?
        .into_iter()
        .filter(|c| [&c.name, &c.company, &c.value].iter().any(|t| t.to_lowercase().contains(&wanted)))
        .collect();
    found.sort();
    let total = found.len() as u64;
    let items = found.into_iter().skip(page.offset() as usize).take(page.size as usize).collect();
    Ok(Json(Paged::capped(items, total)))
}

/// Distinct saved addresses and latest recipients. Both sources are limited.
async fn known(app: &App, tenant: Tenant) -> Result<Vec<Contact>> {
    const RECENT: u64 = 500;
    let saved = tenant.saved_addresses().all(app.store.db()).await?;
    let recent =
        tenant.deliveries().order_by_desc(delivery::Column::Id).limit(RECENT).all(app.store.db()).await?;
    let latest = |address: &str| recent.iter().find(|d| d.address.eq_ignore_ascii_case(address));
    let contact = |name: String, company: String, value: String| Contact {
        is_failing: latest(&value).is_some_and(|d| d.state == DeliveryState::Failed),
        name,
        company,
        value,
    };
    let mut found: Vec<Contact> = saved.into_iter().map(|s| contact(s.name, s.company, s.address)).collect();
    for d in &recent {
        if found.iter().all(|c| !c.value.eq_ignore_ascii_case(&d.address)) {
            found.push(contact(d.name.clone(), String::new(), d.address.clone()));
        }
    }
    Ok(found)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddressCheck {
    pub address: String,
    pub is_valid: bool,
    pub message: Option<String>,
    pub kind: DeliveryKind,
    /// A fax number, formatted for people.
    pub display_address: Option<String>,
    /// A fax number to which the organization has never sent: it has to be confirmed.
    pub is_new: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the repeated query parameter")]
struct Addresses {
    /// May be repeated.
    addresses: Vec<String>,
}

/// Texts typed by a person.
#[derive(Deserialize, ToSchema)]
struct TypedAddresses {
    /// At most 100; further ones are ignored.
    addresses: Vec<String>,
}

/// Maximum number of texts in a request.
const TYPED_MAX: usize = 100;

/// Whether texts are valid addresses or fax numbers to send to
///
/// Send text that somebody typed in the body of the `POST`, which answers the same.
#[utoipa::path(get, path = "/api/directory/validate", operation_id = "validateAddresses", tag = "lookups",
    params(Addresses), responses((status = 200, body = Items<AddressCheck>)))]
async fn validate(State(app): State<App>, member: Member, uri: Uri) -> Result<Json<Items<AddressCheck>>> {
    let addresses: Vec<String> = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .filter(|(name, _)| name == "addresses")
        .map(|(_, value)| value.into_owned())
        .collect();
    judge(&app, &member, addresses).await
}

/// Whether typed texts are valid addresses or fax numbers to send to
#[utoipa::path(post, path = "/api/directory/validate", operation_id = "validateTypedAddresses", tag = "lookups",
    request_body = TypedAddresses, responses((status = 200, body = Items<AddressCheck>)))]
async fn validate_typed(
    State(app): State<App>,
    member: Member,
    Body(typed): Body<TypedAddresses>,
) -> Result<Json<Items<AddressCheck>>> {
    judge(&app, &member, typed.addresses).await
}

async fn judge(app: &App, member: &Member, addresses: Vec<String>) -> Result<Json<Items<AddressCheck>>> {
    let db = app.store.db();
    let home = FaxSettings::of(db, member.organization_id).await?.home();
    let parsed: Vec<_> =
        addresses.into_iter().take(TYPED_MAX).map(|a| (Recipient::parse(&a, &home), a)).collect();
    let numbers: Vec<FaxNumber> = parsed
        .iter()
        .filter_map(|(r, _)| if let Ok(Recipient::Fax(number)) = r { Some(number.clone()) } else { None })
        .collect();
    let unknown = sending::unknown(db, member.organization_id, &numbers).await?;
    let items = parsed.into_iter().map(|(recipient, address)| check(recipient, address, &unknown));
    Ok(Json(Items { items: items.collect() }))
}

fn check(recipient: Result<Recipient, String>, address: String, unknown: &BTreeSet<String>) -> AddressCheck {
    let is_number = rules::is_number(&address);
    let (message, number) = match recipient {
        Err(reason) => (Some(reason), None),
        Ok(Recipient::Direct(_)) => (None, None),
        Ok(Recipient::Fax(number)) => (None, Some(number)),
    };
    AddressCheck {
        is_valid: message.is_none(),
        message,
        kind: if is_number { DeliveryKind::Fax } else { DeliveryKind::DirectMessage },
        is_new: number.as_ref().is_some_and(|n| unknown.contains(&n.to_string())),
        display_address: number.map(|n| n.display()),
        address,
    }
}

#[derive(Serialize, Deserialize, ToSchema)]
pub struct SavedAddresses {
    pub addresses: Vec<String>,
    /// Version of the list. A change based on another version is refused.
    pub version: Option<String>,
}

impl SavedAddresses {
    fn new(rows: Vec<saved_address::Model>) -> Self {
        Self::of(rows.into_iter().map(|row| row.address).collect())
    }

    fn of(mut addresses: Vec<String>) -> Self {
        addresses.sort();
        let version = URL_SAFE_NO_PAD.encode(token_hash(&addresses.join("\n")));
        Self { addresses, version: Some(version) }
    }
}

/// The saved Direct addresses of the organization
#[utoipa::path(get, path = "/api/directaddresscache", operation_id = "getSavedAddresses", tag = "lookups",
    params(MemberOrOperator), responses((status = 200, body = SavedAddresses)))]
async fn get_saved(State(app): State<App>, keeper: MemberOrOperator) -> Result<Json<SavedAddresses>> {
    Ok(Json(SavedAddresses::new(keeper.tenant().saved_addresses().all(app.store.db()).await?)))
}

/// Replaces the saved addresses
#[utoipa::path(put, path = "/api/directaddresscache", operation_id = "putSavedAddresses", tag = "lookups",
    params(MemberOrOperator), request_body = SavedAddresses, responses((status = 200, body = SavedAddresses)))]
async fn put_saved(
    State(app): State<App>,
    keeper: MemberOrOperator,
    Body(body): Body<SavedAddresses>,
) -> Result<Json<SavedAddresses>> {
    let tenant = keeper.tenant();
    let mut errors = FieldErrors::default();
    errors.require(body.addresses.len() <= SAVED_LIMIT, "addresses", "At most 500 addresses can be saved.");
    for address in &body.addresses {
        if let Err(error) = DirectAddress::parse(address) {
            errors.add("addresses", format!("{address}: {error}"));
        }
    }
    errors.check()?;
    let mut addresses: Vec<String> = body.addresses.iter().map(|a| a.trim().to_lowercase()).collect();
    addresses.sort();
    addresses.dedup();
    let txn = app.store.begin().await?;
    // Serializes saves: the second of two concurrent ones is refused.
    organization::Entity::find_by_id(tenant.0).lock_exclusive().one(&txn).await?;
    let old = tenant.saved_addresses().all(&txn).await?;
    let kept = SavedAddresses::new(old.clone()).version.unwrap_or_default();
    Error::unless_current(body.version, &kept, "these addresses")?;
    saved_address::Entity::delete_many()
        .filter(saved_address::Column::OrganizationId.eq(tenant.0))
        .filter(saved_address::Column::Address.is_not_in(addresses.clone()))
        .exec(&txn)
        .await?;
    let new = addresses.iter().filter(|a| old.iter().all(|o| o.address != **a)).map(|address| {
        saved_address::ActiveModel {
            organization_id: Set(tenant.0),
            address: Set(address.clone()),
            name: Set(String::new()),
            company: Set(String::new()),
        }
    });
    let new: Vec<_> = new.collect();
    if !new.is_empty() {
        saved_address::Entity::insert_many(new).exec_without_returning(&txn).await?;
    }
    let act = Act::new(event::CHANGED, "savedaddresses", tenant.0);
    audit::record(&app, &txn, &keeper.actor(), act).await?;
    txn.commit().await?;
    Ok(Json(SavedAddresses::of(addresses)))
}

//! `/api/settings/directaddresses`: the Direct addresses of an organization, for its administrators, and for operators
//! of any organization. All are covered by the certificate of the organization's domain.

use super::{
    addresses::{self, LocalPart},
    certificates,
};
use crate::{
    model::{DeliveryState, SourceKind, SourceStatus},
    rules::queries::at_work,
};
use ::direct::address::DirectAddress;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Manager, Result,
    access::MANAGERS,
    api::Api,
    fields::DEFAULT_FIELD_ERROR,
    http::{Body, Created, Id, Page, Paged, Params, given},
    records::{self, Record},
    sql::{self, holds_words},
    text::{RequiredLine, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, Order, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, RelationDef, Select, SelectExt,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        delivery,
        document_source::{Column, Entity, Model},
        document_source_reader, message, organization, user_document_source,
    },
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of addresses of an organization, including retired ones.
const ADDRESSES_MAX: u64 = 500;
const PEOPLE_MAX: usize = 500;
const TOO_MANY: &str = "An organization has at most 500 Direct addresses.";
const NO_READER: &str = "Choose at least one person who may read its mail.";
const NOT_SERVED: &str =
    "Addresses accept mail once the organization is activated and its identity is verified.";
const IN_USE: &str = "Messages from this address are still being sent. \
                      You can retire it once they are delivered or have failed.";

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(own_direct_addresses, request_direct_address))
        .route(MANAGERS, routes!(own_direct_address, save_direct_address))
        .route(MANAGERS, routes!(activate_direct_address))
        .route(MANAGERS, routes!(retire_direct_address))
}

struct DirectAddresses;

impl Record for DirectAddresses {
    type Entity = Entity;
    const OBJECT: &'static str = "documentsource";
    const NOUN: &'static str = "this Direct address";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] =
        &[Column::Address, Column::DisplayName, Column::Status, Column::LimitsReaders];
    const TAKEN: (&'static str, &'static str) = ("localPart", "This address is in use or was used before.");
}

/// State of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum AddressState {
    /// Requested, but not yet in use.
    Requested,
    Active,
    /// Mail to it is refused. It is kept, so that nobody else can get it.
    Retired,
}

impl AddressState {
    fn of(status: SourceStatus) -> Self {
        match status {
            SourceStatus::Deleted | SourceStatus::PendingDeletion => Self::Retired,
            SourceStatus::Provisioning | SourceStatus::Failed => Self::Requested,
            SourceStatus::Activated | SourceStatus::PendingUpdate => Self::Active,
        }
    }
}

/// A Direct address of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnDirectAddress {
    pub id: Uuid,
    pub address: String,
    /// The organization's name for it, such as `Front desk`.
    pub display_name: String,
    pub state: AddressState,
    /// People who may send from it.
    pub people: Vec<Uuid>,
    /// People who may read its mail; null for everybody in the organization.
    pub readers: Option<Vec<Uuid>>,
    pub created_date: DateTime<Utc>,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestedAddress {
    pub local_part: LocalPart,
    /// The organization's name for it, such as `Front desk`.
    pub display_name: RequiredLine,
    /// People who may send from it, at most 500. Absent: the requester, or the administrators if an operator asks.
    pub people: Option<Vec<Uuid>>,
    /// People who may read its mail, 1 to 500; absent for everybody in the organization.
    pub readers: Option<Vec<Uuid>>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnDirectAddressForm {
    pub display_name: RequiredLine,
    /// People who may send from it, at most 500.
    #[serde(default)]
    pub people: Vec<Uuid>,
    /// People who may read its mail, 1 to 500; null for everybody in the organization. Absent: unchanged.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<Uuid>>)]
    pub readers: Option<Option<Vec<Uuid>>>,
    /// The version that was read.
    pub version: Option<i32>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct AddressQuery {
    /// Words that all occur in the address.
    #[param(inline)]
    search: Option<SearchWords>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// Includes retired ones.
fn of_organization(organization_id: Uuid) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Kind.eq(SourceKind::Direct))
}

fn one(organization_id: Uuid, id: Uuid) -> Select<Entity> {
    of_organization(organization_id).filter(Column::Id.eq(id))
}

async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<OwnDirectAddress>> {
    let links = user_document_source::Entity::find()
        .filter(user_document_source::Column::DocumentSourceId.is_in(rows.iter().map(|row| row.id)))
        .order_by_asc(user_document_source::Column::UserId)
        .all(db)
        .await?;
    let mut people: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for link in links {
        people.entry(link.document_source_id).or_default().push(link.user_id);
    }
    let limited = rows.iter().filter(|row| row.limits_readers).map(|row| row.id);
    let mut readers: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for (source, user) in readers_of(db, limited).await? {
        readers.entry(source).or_default().push(user);
    }
    let view = |row: Model| OwnDirectAddress {
        readers: row.limits_readers.then(|| readers.remove(&row.id).unwrap_or_default()),
        people: people.remove(&row.id).unwrap_or_default(),
        id: row.id,
        address: row.address,
        display_name: row.display_name,
        state: AddressState::of(row.status),
        created_date: row.created_at,
        version: row.version,
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn readers_of(
    db: &impl ConnectionTrait,
    sources: impl Iterator<Item = Uuid>,
) -> Result<Vec<(Uuid, Uuid)>> {
    use document_source_reader::{Column, Entity};
    let rows = Entity::find().filter(Column::DocumentSourceId.is_in(sources)).order_by_asc(Column::UserId);
    Ok(rows.all(db).await?.into_iter().map(|row| (row.document_source_id, row.user_id)).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Result<OwnDirectAddress> {
    views(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// The Direct addresses of the organization, including requested and retired ones
#[utoipa::path(get, path = "/api/settings/directaddresses", operation_id = "ownDirectAddresses", tag = "lookups",
    params(Manager, AddressQuery), responses((status = 200, body = Paged<OwnDirectAddress>)))]
async fn own_direct_addresses(
    State(app): State<App>,
    manager: Manager,
    Params(query): Params<AddressQuery>,
) -> Result<Json<Paged<OwnDirectAddress>>> {
    let db = app.store.db();
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let rows = of_organization(manager.organization_id)
        .filter(holds_words(Column::AddressKey, query.search.as_deref().unwrap_or_default()));
    let found = sql::page(db, rows, &[(Column::AddressKey, Order::Asc)], page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Json(Paged { items: views(db, items).await?, total_count, total_is_capped }))
}

/// Reads a Direct address of the organization
#[utoipa::path(get, path = "/api/settings/directaddresses/{id}", operation_id = "ownDirectAddress", tag = "lookups",
    params(("id" = Uuid, Path), Manager), responses((status = 200, body = OwnDirectAddress)))]
async fn own_direct_address(
    State(app): State<App>,
    manager: Manager,
    Id(id): Id<Uuid>,
) -> Result<Json<OwnDirectAddress>> {
    let db = app.store.db();
    let row = one(manager.organization_id, id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(Json(view(db, row).await?))
}

/// Requests a Direct address at the domain of the organization; it accepts mail once it is activated
#[utoipa::path(post, path = "/api/settings/directaddresses", operation_id = "requestDirectAddress", tag = "lookups",
    params(Manager), request_body = RequestedAddress,
    responses((status = 201, body = OwnDirectAddress), (status = 409, description = "The limit is reached")))]
async fn request_direct_address(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<RequestedAddress>,
) -> Result<Created<OwnDirectAddress>> {
    let id = manager.organization_id;
    let txn = app.store.begin().await?;
    let organization = organization::Entity::find_by_id(id).one(&txn).await?.ok_or(Error::NotFound)?;
    if of_organization(id).count(&txn).await? >= ADDRESSES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let domain = app.config.direct_domain(&organization.sub_domain);
    let address = format!("{}@{domain}", form.local_part.to_lowercase());
    DirectAddress::parse(&address).map_err(|error| Error::field("localPart", error.to_string()))?;
    let none = BTreeSet::new();
    let people = match form.people {
        Some(people) => people,
        None => requesters(&txn, id, manager.caller.user_id).await?,
    };
    let people = checked(&txn, id, "people", &people, &none).await?;
    let readers = readers_checked(&txn, id, form.readers.as_deref(), &none).await?;
    let mut row = addresses::row(&app, id, &address, &form.display_name);
    row.status = Set(SourceStatus::Provisioning);
    row.limits_readers = Set(readers.is_some());
    let created = records::create_in::<DirectAddresses>(&app, &txn, &manager.actor(), row).await?;
    write_people(&txn, &created, &none, &people).await?;
    write_readers(&txn, &created, &none, &readers.unwrap_or_default()).await?;
    let shown = view(&txn, created).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/settings/directaddresses/{}", shown.id), shown))
}

/// Changes the name, the senders and the readers of a Direct address; the address itself stays
#[utoipa::path(put, path = "/api/settings/directaddresses/{id}", operation_id = "saveDirectAddress", tag = "lookups",
    params(("id" = Uuid, Path), Manager), request_body = OwnDirectAddressForm,
    responses((status = 200, body = OwnDirectAddress), (status = 409, description = "Changed by somebody else")))]
async fn save_direct_address(
    State(app): State<App>,
    manager: Manager,
    Id(id): Id<Uuid>,
    Body(form): Body<OwnDirectAddressForm>,
) -> Result<Json<OwnDirectAddress>> {
    let actor = manager.actor();
    let rows = one(manager.organization_id, id);
    let mut edit = records::edit::<DirectAddresses>(&app, &actor, rows, form.version).await?;
    let id = manager.organization_id;
    let shown = view(&edit.txn, edit.before.clone()).await?;
    let before: BTreeSet<Uuid> = shown.people.into_iter().collect();
    let wanted = checked(&edit.txn, id, "people", &form.people, &before).await?;
    let mut is_other = wanted != before;
    if wanted != before {
        write_people(&edit.txn, &edit.before, &before, &wanted).await?;
        edit.detail.extend(changes("people", &before, &wanted));
    }
    if let Some(readers) = form.readers {
        let before: BTreeSet<Uuid> = shown.readers.into_iter().flatten().collect();
        let wanted = readers_checked(&edit.txn, id, readers.as_deref(), &before).await?;
        edit.row.limits_readers = Set(wanted.is_some());
        let wanted = wanted.unwrap_or_default();
        if wanted != before {
            is_other = true;
            write_readers(&edit.txn, &edit.before, &before, &wanted).await?;
            edit.detail.extend(changes("readers", &before, &wanted));
        }
    }
    if is_other {
        // Changes of people count as a new version too, so that concurrent edits are noticed.
        edit.touch()?;
    }
    edit.row.display_name = Set(form.display_name.to_string());
    let saved = edit.save().await?;
    Ok(Json(view(app.store.db(), saved).await?))
}

/// The initial senders of an address: the requester or, for an operator, the administrators.
async fn requesters(txn: &Transaction, organization_id: Uuid, user_id: Uuid) -> Result<Vec<Uuid>> {
    if !at_work(txn, organization_id, &[user_id]).await?.is_empty() {
        return Ok(vec![user_id]);
    }
    let administrators = addresses::administrators_of(txn, organization_id).await?;
    Ok(at_work(txn, organization_id, &administrators).await?.into_iter().collect())
}

/// Added people must work in the organization; others may stay.
async fn checked(
    txn: &Transaction,
    organization_id: Uuid,
    field: &'static str,
    people: &[Uuid],
    before: &BTreeSet<Uuid>,
) -> Result<BTreeSet<Uuid>> {
    let added: BTreeSet<Uuid> = people.iter().copied().filter(|id| !before.contains(id)).collect();
    let added: Vec<Uuid> = added.into_iter().collect();
    let are_members = at_work(txn, organization_id, &added).await?.len() == added.len();
    if people.len() > PEOPLE_MAX || !are_members {
        return Err(Error::field(field, DEFAULT_FIELD_ERROR));
    }
    Ok(people.iter().copied().collect())
}

/// The readers, if limited. An empty list is refused, because mail that nobody may read would never be processed.
async fn readers_checked(
    txn: &Transaction,
    organization_id: Uuid,
    readers: Option<&[Uuid]>,
    before: &BTreeSet<Uuid>,
) -> Result<Option<BTreeSet<Uuid>>> {
    let Some(readers) = readers else { return Ok(None) };
    let readers = checked(txn, organization_id, "readers", readers, before).await?;
    if at_work(txn, organization_id, &readers.iter().copied().collect::<Vec<_>>()).await?.is_empty() {
        return Err(Error::field("readers", NO_READER));
    }
    Ok(Some(readers))
}

async fn write_readers(
    txn: &Transaction,
    row: &Model,
    before: &BTreeSet<Uuid>,
    wanted: &BTreeSet<Uuid>,
) -> Result<()> {
    use document_source_reader::{ActiveModel, Column, Entity};
    Entity::delete_many()
        .filter(Column::DocumentSourceId.eq(row.id))
        .filter(Column::UserId.is_in(before.difference(wanted).copied()))
        .exec(txn)
        .await?;
    let added = wanted.difference(before).map(|user_id| ActiveModel {
        document_source_id: Set(row.id),
        user_id: Set(*user_id),
        organization_id: Set(row.organization_id),
    });
    let added: Vec<_> = added.collect();
    if !added.is_empty() {
        Entity::insert_many(added).exec_without_returning(txn).await?;
    }
    Ok(())
}

async fn write_people(
    txn: &Transaction,
    row: &Model,
    before: &BTreeSet<Uuid>,
    wanted: &BTreeSet<Uuid>,
) -> Result<()> {
    user_document_source::Entity::delete_many()
        .filter(user_document_source::Column::DocumentSourceId.eq(row.id))
        .filter(user_document_source::Column::UserId.is_in(before.difference(wanted).copied()))
        .exec(txn)
        .await?;
    let links = wanted.difference(before).map(|user_id| user_document_source::ActiveModel {
        user_id: Set(*user_id),
        document_source_id: Set(row.id),
        organization_id: Set(row.organization_id),
    });
    Ok(addresses::link(txn, links.collect()).await?)
}

/// Added and removed people, for the audit trail.
fn changes(field: &str, before: &BTreeSet<Uuid>, wanted: &BTreeSet<Uuid>) -> [(String, Value); 2] {
    let added: Vec<_> = wanted.difference(before).collect();
    let removed: Vec<_> = before.difference(wanted).collect();
    [(format!("{field}Added"), json!(added)), (format!("{field}Removed"), json!(removed))]
}

/// Lets a Direct address accept mail, for the first time or again
#[utoipa::path(post, path = "/api/settings/directaddresses/{id}/activate", operation_id = "activateDirectAddress",
    tag = "lookups", params(("id" = Uuid, Path), Manager),
    responses((status = 200, body = OwnDirectAddress), (status = 409, description = "The domain does not accept mail")))]
async fn activate_direct_address(
    State(app): State<App>,
    manager: Manager,
    Id(id): Id<Uuid>,
) -> Result<Json<OwnDirectAddress>> {
    let organization_id = manager.organization_id;
    // First, so that an address of another organization is not found, regardless of other errors.
    one(organization_id, id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let organization = organization::Entity::find_by_id(organization_id).one(app.store.db()).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    if !organization.is_activated || organization.is_cancelled || organization.id_proofed_at.is_none() {
        return Err(Error::Conflict(NOT_SERVED.into()));
    }
    certificates::ensure(&app, organization_id).await?;
    change_state(&app, &manager, id, SourceStatus::Activated).await
}

/// Retires a Direct address: mail to it is refused, and nobody else can get it
#[utoipa::path(post, path = "/api/settings/directaddresses/{id}/retire", operation_id = "retireDirectAddress",
    tag = "lookups", params(("id" = Uuid, Path), Manager),
    responses((status = 200, body = OwnDirectAddress), (status = 409, description = "Messages are still being sent")))]
async fn retire_direct_address(
    State(app): State<App>,
    manager: Manager,
    Id(id): Id<Uuid>,
) -> Result<Json<OwnDirectAddress>> {
    change_state(&app, &manager, id, SourceStatus::Deleted).await
}

async fn change_state(
    app: &App,
    manager: &Manager,
    id: Uuid,
    status: SourceStatus,
) -> Result<Json<OwnDirectAddress>> {
    let actor = manager.actor();
    let mut edit = records::lock::<DirectAddresses>(app, &actor, one(manager.organization_id, id)).await?;
    if status == SourceStatus::Deleted && is_in_use(&edit.txn, &edit.before, app.clock.now()).await? {
        return Err(Error::Conflict(IN_USE.into()));
    }
    edit.row.status = Set(status);
    let saved = edit.save().await?;
    Ok(Json(view(app.store.db(), saved).await?))
}

/// Whether notices about a message from this address are outstanding; they could no longer be delivered.
async fn is_in_use(txn: &Transaction, row: &Model, now: DateTime<Utc>) -> Result<bool> {
    let of_message: RelationDef = delivery::Entity::belongs_to(message::Entity)
        .from(delivery::Column::MessageId)
        .to(message::Column::Id)
        .into();
    let is_open = Condition::any()
        .add(delivery::Column::State.eq(DeliveryState::Queued))
        .add(delivery::Column::ExpectedBy.gt(now));
    let open = delivery::Entity::find()
        .filter(delivery::Column::OrganizationId.eq(row.organization_id))
        .filter(is_open)
        .join(JoinType::InnerJoin, of_message)
        .filter(message::Column::FromAddress.eq(&row.address));
    Ok(open.exists(txn).await?)
}

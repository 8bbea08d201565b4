//! Entries of the lists in `reference_item`: read by page, created, changed, and removed if unused.

use super::application_types;
use accounts::reference_items::kind;
use platform::{
    App, Caller, Error, Result,
    audit::Actor,
    fields::FieldErrors,
    http::{Page, Paged},
    records::{self, Record},
    sql::{self, holds_words},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, Select,
    SelectExt, sea_query::Expr,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::entities::{
    membership, message, organization,
    reference_item::{ActiveModel, Column, Entity, Model},
    release_type,
};
use uuid::Uuid;

/// Position of new items: after the standard vocabulary and before "Other".
const POSITION: i32 = 500;

const CODE_NEEDED: &str = "Please enter the code that other systems use.";
const CODE_TAKEN: &str = "This code is already in the list.";
const CODE_IN_USE: &str = "This code is in use, so it cannot be changed.";

pub(crate) struct ItemRecord;

impl Record for ItemRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "referenceitem";
    const NOUN: &'static str = "this entry";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Kind, Column::Code, Column::Name, Column::IsRetired];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

/// An operator's values for an entry.
pub struct Entry {
    pub name: String,
    /// `None` keeps the present one.
    pub code: Option<String>,
    pub is_retired: bool,
    /// For applications; `None` keeps the present ones, and gives a new application all offered ones.
    pub license_types: Option<Vec<Uuid>>,
}

fn all(kind: &str) -> Select<Entity> {
    Entity::find().filter(Column::Kind.eq(kind))
}

fn one(kind: &str, id: Uuid) -> Select<Entity> {
    all(kind).filter(Column::Id.eq(id))
}

/// A page of a list by name. Each word of the search is contained in the name or equals the code.
pub async fn page(app: &App, kind: &str, search: &str, page: Page) -> Result<Paged<Model>> {
    let found = Condition::any().add(holds_words(Column::NameKey, search)).add(is_code(search));
    let rows = all(kind).filter(found);
    Ok(sql::page(app.store.db(), rows, &[(Column::NameKey, Order::Asc)], page).await?)
}

/// Codes are upper-case letters or digits.
fn is_code(search: &str) -> Condition {
    let code = search.trim();
    Condition::all().add(Column::Code.ne("")).add(Column::Code.is_in([code.to_owned(), code.to_uppercase()]))
}

pub async fn read(app: &App, kind: &str, id: Uuid) -> Result<Model> {
    one(kind, id).one(app.store.db()).await?.ok_or(Error::NotFound)
}

pub async fn create(app: &App, caller: &Caller, kind: &str, entry: Entry) -> Result<Model> {
    let txn = app.store.begin().await?;
    let code = entry.code.unwrap_or_default();
    check_code(&txn, kind, &code, None).await?;
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(kind.into()),
        code: Set(code),
        name_key: Set(sql::key(&entry.name)),
        name: Set(entry.name),
        position: Set(POSITION),
        is_retired: Set(entry.is_retired),
        version: Set(1),
    };
    let created = records::create_in::<ItemRecord>(app, &txn, &Actor::platform(caller), row).await?;
    application_types::give(&txn, &created, entry.license_types).await?;
    txn.commit().await?;
    Ok(created)
}

pub async fn update(
    app: &App,
    caller: &Caller,
    (kind, id): (&str, Uuid),
    version: Option<i32>,
    entry: Entry,
) -> Result<Model> {
    let messages = messages(app, kind, id).await?;
    let mut edit = records::edit::<ItemRecord>(app, &Actor::platform(caller), one(kind, id), version).await?;
    let code = entry.code.unwrap_or_else(|| edit.before.code.clone());
    if code != edit.before.code {
        check_code(&edit.txn, kind, &code, Some(id)).await?;
        let users = messages + users(&edit.txn, &edit.before).await?.0;
        if is_coded(kind) && users > 0 {
            return Err(Error::field("code", CODE_IN_USE));
        }
    }
    if edit.before.kind == kind::JOB_FUNCTION && edit.before.name != entry.name {
        rename_job(&edit.txn, &edit.before.name, &entry.name).await?;
    }
    if let Some(wanted) = entry.license_types {
        let ids: BTreeSet<Uuid> = wanted.into_iter().collect();
        if application_types::replace(&edit.txn, &edit.before, ids.clone()).await? {
            edit.touch()?;
            edit.detail.insert("licenceTypes".into(), json!(ids));
        }
    }
    edit.row.code = Set(code);
    edit.row.name_key = Set(sql::key(&entry.name));
    edit.row.name = Set(entry.name);
    edit.row.is_retired = Set(entry.is_retired);
    edit.save().await
}

/// Removes an entry that nothing uses.
pub async fn delete(app: &App, caller: &Caller, kind: &str, id: Uuid) -> Result<()> {
    records::refuse_in_use(messages(app, kind, id).await?, "message")?;
    let edit = records::lock::<ItemRecord>(app, &Actor::platform(caller), one(kind, id)).await?;
    let (count, noun) = users(&edit.txn, &edit.before).await?;
    records::refuse_in_use(count, noun)?;
    edit.remove().await
}

/// Lists whose entries have codes in other systems.
fn is_coded(kind: &str) -> bool {
    [kind::CLASSIFICATION, kind::PURPOSE_OF_USE].contains(&kind)
}

async fn check_code(db: &impl ConnectionTrait, kind: &str, code: &str, except: Option<Uuid>) -> Result<()> {
    if !is_coded(kind) {
        return Ok(());
    }
    let mut errors = FieldErrors::default();
    errors.require(!code.is_empty(), "code", CODE_NEEDED);
    let mut others = all(kind).filter(Column::Code.eq(code));
    if let Some(id) = except {
        others = others.filter(Column::Id.ne(id));
    }
    errors.require(!others.exists(db).await?, "code", CODE_TAKEN);
    errors.check()
}

/// Number of messages with a classification. Without an index this count is slow, so it runs before anything is
/// locked; a message added in between keeps its code all the same.
async fn messages(app: &App, kind: &str, id: Uuid) -> Result<u64> {
    if kind != kind::CLASSIFICATION {
        return Ok(0);
    }
    let code = read(app, kind, id).await?.code;
    let rows = message::Entity::find().filter(message::Column::Classification.eq(code));
    Ok(sql::capped_count(app.store.db(), rows).await?)
}

/// Number of rows that refer to an entry, and the noun for one of them.
async fn users(db: &impl ConnectionTrait, item: &Model) -> Result<(u64, &'static str)> {
    use organization::Column as Organization;
    let organizations = match item.kind.as_str() {
        kind::ORGANIZATION_TYPE => Organization::OrganizationTypeId.eq(item.id),
        kind::ORGANIZATION_SPECIALTY => Organization::OrganizationSpecialtyId.eq(item.id),
        kind::HISP_PROVIDER => Organization::HispProviderId.eq(item.id),
        kind::PURPOSE_OF_USE => sql::list_holds(Organization::PurposesOfUse, &item.code),
        kind::JOB_FUNCTION => {
            let people = membership::Entity::find().filter(membership::Column::JobFunction.eq(&*item.name));
            return Ok((sql::capped_count(db, people).await?, "membership"));
        }
        kind::CLASSIFICATION => {
            let types = release_type::Column::ClassificationCode.eq(&*item.code);
            let types = release_type::Entity::find().filter(types);
            return Ok((sql::capped_count(db, types).await?, "release type"));
        }
        // Licences keep the names with which they were issued.
        kind::APPLICATION | kind::LICENCE_TYPE => return Ok((0, "licence")),
        other => return Err(Error::internal(format!("{other} is no list"))),
    };
    let rows = organization::Entity::find().filter(organizations);
    Ok((sql::capped_count(db, rows).await?, "organization"))
}

/// Memberships hold the name of the job function, so a new name is written to all of them.
async fn rename_job(db: &impl ConnectionTrait, from: &str, to: &str) -> Result<()> {
    membership::Entity::update_many()
        .col_expr(membership::Column::JobFunction, Expr::value(to))
        .filter(membership::Column::JobFunction.eq(from))
        .exec(db)
        .await?;
    Ok(())
}

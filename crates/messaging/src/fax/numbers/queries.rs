//! Database access of fax numbers.

use super::types::{FaxSource, FaxSourceForm, FaxStatus};
use crate::{
    fax::{accounts::queries as accounts, calls, settings::FaxSettings},
    model::{SourceKind, SourceStatus},
};
use fax::FaxNumber;
use platform::{
    App, Caller, Error, Manager, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::Page,
    records::{self, Record},
    sql::capped_count,
};
use sea_orm::{
    ActiveEnum, ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Order, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, SelectExt, SqlErr,
    sea_query::{Expr, ExprTrait, Func, LikeExpr},
};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        document_source,
        fax_account::{self, ProviderKind},
        fax_attempt, fax_job, fax_number, fax_reception, user_document_source,
    },
    tenant::Tenant,
};
use uuid::Uuid;

const TAKEN: &str = "This fax number is already in use.";
const WORKS_ELSEWHERE: &str = "This fax number is active in another organization of this installation. If it is \
                               yours, please contact the operator of the installation.";
const NO_ACCOUNT: &str = "Set up an account at this provider first.";
/// Maximum number of callers, and of machine names, of one number.
const ROUTES_MAX: usize = 200;

pub struct Filter {
    pub organization_id: Uuid,
    pub search: String,
    pub is_descending: bool,
}

fn sources(organization_id: Uuid) -> sea_orm::Select<document_source::Entity> {
    Tenant::whole(organization_id)
        .document_sources()
        .filter(document_source::Column::Kind.eq(SourceKind::Fax))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
}

/// A page of numbers and the total.
pub async fn page(db: &impl ConnectionTrait, filter: &Filter, page: Page) -> Result<(Vec<FaxSource>, u64)> {
    let mut rows = sources(filter.organization_id);
    let wanted = filter.search.trim();
    if !wanted.is_empty() {
        let digits: String = wanted.chars().filter(char::is_ascii_digit).collect();
        let name = Expr::expr(Func::lower(Expr::col(document_source::Column::DisplayName)));
        let literal = wanted.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let like = LikeExpr::new(format!("%{literal}%")).escape('\\');
        let mut any = Condition::any().add(name.like(like));
        if !digits.is_empty() {
            any = any.add(document_source::Column::AddressKey.contains(&digits));
        }
        rows = rows.filter(any);
    }
    let total = capped_count(db, rows.clone()).await?;
    let order = if filter.is_descending { Order::Desc } else { Order::Asc };
    let rows = rows
        .order_by(document_source::Column::AddressKey, order)
        .offset(page.offset())
        .limit(page.size)
        .all(db)
        .await?;
    Ok((views(db, rows).await?, total))
}

async fn views(db: &impl ConnectionTrait, rows: Vec<document_source::Model>) -> Result<Vec<FaxSource>> {
    let numbers = fax_number::Entity::find()
        .filter(fax_number::Column::DocumentSourceId.is_in(rows.iter().map(|r| r.id)))
        .all(db)
        .await?;
    let accounts = fax_account::Entity::find()
        .filter(fax_account::Column::Id.is_in(numbers.iter().map(|n| n.account_id)))
        .all(db)
        .await?;
    let accounts: HashMap<Uuid, _> = accounts.into_iter().map(|a| (a.id, a)).collect();
    let mut numbers: HashMap<Uuid, _> = numbers.into_iter().map(|n| (n.document_source_id, n)).collect();
    let view = |row: document_source::Model| {
        let number = numbers.remove(&row.id)?;
        let account = accounts.get(&number.account_id)?;
        Some(view(row, number, account.provider))
    };
    Ok(rows.into_iter().filter_map(view).collect())
}

fn view(row: document_source::Model, number: fax_number::Model, provider: ProviderKind) -> FaxSource {
    FaxSource {
        id: row.id,
        organization_id: row.organization_id,
        display_address: display(&row.address),
        full_address: row.address,
        display_name: row.display_name,
        kind: "Fax".into(),
        direct_address_type: row.kind.to_value(),
        status: row.status.to_value(),
        provider,
        problem: number.problem,
        callers: number.callers.0,
        sender_ids: number.sender_ids.0,
        created_date: row.created_at,
        version: row.version,
    }
}

/// A number, formatted for people.
pub fn display(number: &str) -> String {
    FaxNumber::from_e164(number).map_or_else(|_| number.to_owned(), |n| n.display())
}

async fn one(db: &impl ConnectionTrait, row: document_source::Model) -> Result<FaxSource> {
    views(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// The row of a number that the caller may manage.
async fn row(db: &impl ConnectionTrait, caller: &Caller, id: Uuid) -> Result<document_source::Model> {
    let row =
        document_source::Entity::find_by_id(id).filter(document_source::Column::Kind.eq(SourceKind::Fax));
    let row = row.one(db).await?.filter(|r| r.status != SourceStatus::Deleted);
    let row = row.ok_or(Error::NotFound)?;
    caller.require_manager_of(row.organization_id)?;
    Ok(row)
}

pub async fn find(db: &impl ConnectionTrait, caller: &Caller, id: Uuid) -> Result<FaxSource> {
    one(db, row(db, caller, id).await?).await
}

/// A number of an organization, in any notation.
pub async fn by_number(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    number: &str,
) -> Result<Option<FaxSource>> {
    let home = FaxSettings::of(db, organization_id).await?.home();
    let Ok(number) = FaxNumber::parse(number, &home) else { return Ok(None) };
    let address = document_source::Column::Address.eq(number.without_extension().to_string());
    match sources(organization_id).filter(address).one(db).await? {
        Some(row) => Ok(Some(one(db, row).await?)),
        None => Ok(None),
    }
}

/// Whether a number cannot be added: the organization has it already, or it is active in another one. A number that was
/// only entered elsewhere is free; otherwise anybody could block the numbers of others.
pub async fn is_taken(db: &impl ConnectionTrait, organization_id: Uuid, number: &FaxNumber) -> Result<bool> {
    use document_source::Column;
    let number = number.without_extension().to_string();
    let own = Column::OrganizationId.eq(organization_id).and(Column::Address.eq(&number));
    let own = own.and(Column::Kind.eq(SourceKind::Fax)).and(Column::Status.ne(SourceStatus::Deleted));
    let found = document_source::Entity::find().filter(Column::AddressKey.eq(number).or(own));
    Ok(found.exists(db).await?)
}

/// The unique key of a number that was never activated, which does not block others.
fn waiting_key(number: &str, id: Uuid) -> String {
    format!("{number} waiting {id}")
}

/// Checked fields of a form, besides the number itself.
struct Checked {
    account: fax_account::Model,
    display_name: String,
    callers: Vec<String>,
    sender_ids: Vec<String>,
}

async fn checked(
    txn: &Transaction,
    organization_id: Uuid,
    form: &FaxSourceForm,
    errors: &mut FieldErrors,
) -> Result<Option<Checked>> {
    let home = FaxSettings::of(txn, organization_id).await?.home();
    errors.require(
        form.direct_address_type == SourceKind::Fax.to_value(),
        "directAddressType",
        DEFAULT_FIELD_ERROR,
    );
    let display_name = form.display_name.trim().to_owned();
    let name = display_name.len() <= 100 && !display_name.chars().any(char::is_control);
    errors.require(name, "displayName", DEFAULT_FIELD_ERROR);
    let mut callers = Vec::new();
    for caller in form.callers.iter().filter(|c| !c.trim().is_empty()) {
        match FaxNumber::parse(caller, &home) {
            Ok(number) => callers.push(number.without_extension().to_string()),
            Err(error) => errors.add("callers", format!("{caller}: {error}")),
        }
    }
    let sender_ids: Vec<String> =
        form.sender_ids.iter().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect();
    let printable = |s: &String| s.len() <= 20 && s.bytes().all(|b| (0x20..0x7f).contains(&b));
    errors.require(
        sender_ids.iter().all(printable),
        "senderIds",
        "A sender ID can have up to 20 characters.",
    );
    let few = callers.len() <= ROUTES_MAX && sender_ids.len() <= ROUTES_MAX;
    errors.require(few, "callers", "A number can have at most 200 callers and 200 sender IDs.");
    let account = accounts::find(txn, organization_id, form.provider).await?;
    errors.require(account.is_some(), "provider", NO_ACCOUNT);
    Ok(account.map(|account| Checked { account, display_name, callers, sender_ids }))
}

/// Adds a number. It is used for calls once it is activated.
pub async fn create(app: &App, manager: &Manager, form: FaxSourceForm) -> Result<FaxSource> {
    let organization_id = manager.organization_id;
    let txn = app.store.begin().await?;
    let mut errors = FieldErrors::default();
    let home = FaxSettings::of(&txn, organization_id).await?.home();
    let number = match FaxNumber::parse(&form.full_address, &home) {
        Ok(number) if number.extension().is_none() => Some(number),
        Ok(_) => {
            errors.add("fullAddress", "Your own fax number cannot have an extension.");
            None
        }
        Err(error) => {
            errors.add("fullAddress", error.to_string());
            None
        }
    };
    if let Some(number) = &number {
        errors.require(!is_taken(&txn, organization_id, number).await?, "fullAddress", TAKEN);
    }
    let checked = checked(&txn, organization_id, &form, &mut errors).await?;
    errors.check()?;
    let (Some(number), Some(checked)) = (number, checked) else { return Err(Error::NotFound) };
    let id = Uuid::now_v7();
    let source = document_source::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        kind: Set(SourceKind::Fax),
        address: Set(number.to_string()),
        address_key: Set(waiting_key(&number.to_string(), id)),
        display_name: Set(checked.display_name),
        status: Set(SourceStatus::Provisioning),
        created_at: Set(app.clock.now()),
        version: Set(1),
        limits_readers: Set(false),
    };
    let source = source.insert(&txn).await.map_err(records::taken::<Number>)?;
    let more = fax_number::ActiveModel {
        document_source_id: Set(id),
        organization_id: Set(organization_id),
        account_id: Set(checked.account.id),
        callers: Set(checked.callers.into()),
        sender_ids: Set(checked.sender_ids.into()),
        problem: Set(None),
    };
    more.insert(&txn).await?;
    let detail = json!({ "number": number, "provider": form.provider });
    let act = Act::new(event::CREATED, "documentsource", id).detail(detail);
    audit::record(app, &txn, &manager.actor(), act).await?;
    let saved = one(&txn, source).await?;
    txn.commit().await?;
    Ok(saved)
}

struct Number;

impl Record for Number {
    type Entity = document_source::Entity;
    const OBJECT: &'static str = "documentsource";
    const NOUN: &'static str = "this fax number";
    const ID: document_source::Column = document_source::Column::Id;
    const VERSION: document_source::Column = document_source::Column::Version;
    const AUDITED: &'static [document_source::Column] = &[
        document_source::Column::Address,
        document_source::Column::DisplayName,
        document_source::Column::Status,
    ];
    const TAKEN: (&'static str, &'static str) = ("fullAddress", TAKEN);
}

/// The error for a number that another organization activated meanwhile.
fn in_use(error: DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::Conflict(WORKS_ELSEWHERE.into()),
        _ => error.into(),
    }
}

/// Changes the settings of a number. After a change of provider, the number waits for its activation.
pub async fn update(app: &App, caller: &Caller, id: Uuid, form: FaxSourceForm) -> Result<FaxSource> {
    let organization_id = row(app.store.db(), caller, id).await?.organization_id;
    let actor = Actor::in_organization(caller, organization_id);
    let found = sources(organization_id).filter(document_source::Column::Id.eq(id));
    let mut edit = records::edit::<Number>(app, &actor, found, form.version).await?;
    if edit.before.status == SourceStatus::PendingDeletion {
        return Err(Error::Conflict("This fax number is being deleted.".into()));
    }
    let mut errors = FieldErrors::default();
    let checked = checked(&edit.txn, organization_id, &form, &mut errors).await?;
    errors.check()?;
    let Some(checked) = checked else { return Err(Error::NotFound) };
    let number = fax_number::Entity::find_by_id(id).one(&edit.txn).await?.ok_or(Error::NotFound)?;
    let changed = fax_number::Model {
        account_id: checked.account.id,
        callers: checked.callers.into(),
        sender_ids: checked.sender_ids.into(),
        ..number.clone()
    };
    edit.row.display_name = Set(checked.display_name);
    if changed.account_id != number.account_id && edit.before.status == SourceStatus::Activated {
        edit.row.status = Set(SourceStatus::PendingUpdate);
    }
    if changed != number {
        changed.into_active_model().reset_all().update(&edit.txn).await?;
        // The routing is stored in another table but belongs to the same form.
        edit.touch()?;
    }
    edit.detail.insert("provider".into(), json!(form.provider));
    let saved = edit.save().await?;
    one(app.store.db(), saved).await
}

/// Removes a number: at once, or after its pending faxes.
pub async fn remove(app: &App, caller: &Caller, id: Uuid) -> Result<FaxSource> {
    let txn = app.store.begin().await?;
    let source = row(&txn, caller, id).await?;
    let organization_id = source.organization_id;
    let mut shown = one(&txn, source.clone()).await?;
    let mut change = source.into_active_model();
    change.status = Set(SourceStatus::PendingDeletion);
    change.update(&txn).await?;
    shown.status = SourceStatus::PendingDeletion.to_value();
    if finish_removal(&txn, id).await? {
        shown.status = SourceStatus::Deleted.to_value();
    }
    let act = Act::new(event::DELETED, "documentsource", id).detail(json!({ "number": shown.full_address }));
    audit::record(app, &txn, &Actor::in_organization(caller, organization_id), act).await?;
    txn.commit().await?;
    Ok(shown)
}

/// Completes the removal of a number without pending faxes; the number becomes free for others.
pub async fn finish_removal(txn: &Transaction, id: Uuid) -> Result<bool, DbErr> {
    let source = document_source::Entity::find_by_id(id).one(txn).await?;
    let Some(source) = source.filter(|s| s.status == SourceStatus::PendingDeletion) else {
        return Ok(false);
    };
    if calls::open_calls(txn, id).await? > 0 {
        return Ok(false);
    }
    user_document_source::Entity::delete_many()
        .filter(user_document_source::Column::DocumentSourceId.eq(id))
        .exec(txn)
        .await?;
    let gone = format!("{} deleted {id}", source.address);
    let mut change = source.into_active_model();
    change.status = Set(SourceStatus::Deleted);
    change.address_key = Set(gone);
    change.update(txn).await?;
    Ok(true)
}

/// Asks the provider, and activates the number if there is no problem.
pub async fn activate(app: &App, caller: &Caller, id: Uuid) -> Result<FaxSource> {
    let source = row(app.store.db(), caller, id).await?;
    if source.status == SourceStatus::PendingDeletion {
        return Err(Error::Conflict("This fax number is being deleted.".into()));
    }
    let account = account_of(app.store.db(), id).await?;
    let problems = accounts::test(app, &account).await?;
    settle(app, caller, source, problems).await
}

async fn account_of(db: &impl ConnectionTrait, id: Uuid) -> Result<fax_account::Model> {
    let number = fax_number::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    fax_account::Entity::find_by_id(number.account_id).one(db).await?.ok_or(Error::NotFound)
}

/// Stores the result of a test of a number.
async fn settle(
    app: &App,
    caller: &Caller,
    source: document_source::Model,
    problems: Vec<String>,
) -> Result<FaxSource> {
    let (id, organization_id) = (source.id, source.organization_id);
    let txn = app.store.begin().await?;
    let status = if problems.is_empty() { SourceStatus::Activated } else { SourceStatus::Failed };
    let number = source.address.clone();
    let mut change = source.into_active_model();
    change.status = Set(status);
    if problems.is_empty() {
        change.address_key = Set(number);
    }
    let source = change.update(&txn).await.map_err(in_use)?;
    let number = fax_number::ActiveModel {
        document_source_id: Set(id),
        problem: Set(problems.first().cloned()),
        ..Default::default()
    };
    number.update(&txn).await?;
    let act = Act::new(event::CHANGED, "documentsource", id).detail(json!({ "status": status.to_value() }));
    let act = if problems.is_empty() { act } else { act.failed() };
    audit::record(app, &txn, &Actor::in_organization(caller, organization_id), act).await?;
    let saved = one(&txn, source).await?;
    txn.commit().await?;
    Ok(saved)
}

pub async fn status(app: &App, caller: &Caller, id: Uuid) -> Result<FaxStatus> {
    let db = app.store.db();
    let source = row(db, caller, id).await?;
    let problems = accounts::test(app, &account_of(db, id).await?).await?;
    let sent = fax_attempt::Entity::find()
        .filter(fax_attempt::Column::OrganizationId.eq(source.organization_id))
        .filter(fax_attempt::Column::DocumentSourceId.eq(id))
        .filter(fax_attempt::Column::Outcome.eq("Delivered"))
        .order_by_desc(fax_attempt::Column::StartedAt)
        .one(db)
        .await?;
    let received = fax_reception::Entity::find()
        .filter(fax_reception::Column::OrganizationId.eq(source.organization_id))
        .filter(fax_reception::Column::DocumentSourceId.eq(id))
        .order_by_desc(fax_reception::Column::ReceivedAt)
        .one(db)
        .await?;
    let waiting = fax_job::Entity::find()
        .filter(fax_job::Column::DocumentSourceId.eq(id))
        .filter(fax_job::Column::WaitingSince.is_not_null())
        .count(db)
        .await?;
    Ok(FaxStatus {
        status: source.status.to_value(),
        problems,
        last_sent_at: sent.and_then(|a| a.ended_at),
        last_received_at: received.map(|r| r.received_at),
        calls: calls::open_calls(db, id).await?,
        waiting,
    })
}

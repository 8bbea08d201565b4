//! Imports in the database.

use super::{
    rules::{self, CHOICES, CheckedRow, Item, RowErrors, form, is_same},
    types::{Batch, ImportItem, ItemQuery},
};
use crate::{organizations, organizations::rules::SUB_DOMAIN_REFUSED, reserved_words};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::FieldErrors,
    http::{Page, Paged},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Order,
    QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use std::collections::{BTreeMap, HashMap};
use store::{
    Transaction,
    entities::{
        import_batch::{self, BatchStatus, BatchType, ImportChoices},
        import_row::{self, ItemStatus},
        organization,
    },
};
use uuid::Uuid;

/// Number of files that are kept, with the results of their rows.
const BATCHES_MAX: u64 = 100;
/// Maximum number of files that wait or run at the same time.
const OPEN_MAX: usize = 5;
const BUSY: &str = "Five files are being imported. Please wait until one is done.";
/// Maximum number of rows and values in one statement.
const CHUNK: usize = 500;

/// Errors of the choices that all organizations of a file share, each under its own name.
pub async fn check_choices(txn: &Transaction, choices: &ImportChoices) -> Result<FieldErrors> {
    let name = format!("x{}", Uuid::new_v4().simple());
    let sample = [
        ("name", "Sample"),
        ("subDomain", &name),
        ("street", "1 Main Street"),
        ("city", "Portland"),
        ("state", "OR"),
        ("zip", "97201"),
        ("primaryContactFirstName", "Dana"),
        ("primaryContactLastName", "Whitlock"),
        ("primaryContactEmail", "dana@larkfield.example"),
    ];
    let cells = sample.map(|(field, text)| (field.to_owned(), text.to_owned()));
    let sample = form(&store::entities::import_row::Cells(cells.into()), choices)
        .map_err(|_| Error::internal("the sample of an import is not valid"))?;
    let (found, _) = organizations::queries::check_new(txn, &sample).await?;
    let mut errors = FieldErrors::default();
    for (field, texts) in found.0 {
        if let Some((_, shown)) = CHOICES.iter().find(|(known, _)| *known == field) {
            texts.into_iter().for_each(|text| errors.add(*shown, text));
        }
    }
    Ok(errors)
}

/// Result that the import of each row would have, without saving any.
pub async fn check(
    db: &impl ConnectionTrait,
    items: Vec<Item>,
    choices: &ImportChoices,
) -> Result<Vec<CheckedRow>> {
    let mut known = organizations_of(db, &items).await?;
    let mut checked = Vec::with_capacity(items.len());
    for item in items {
        let key = item.key();
        let (status, errors) = match form(&item.cells, choices) {
            Err(errors) => (ItemStatus::Failed, errors.into()),
            Ok(form) => match known.get(&key) {
                Some(Some(name_key)) if is_same(name_key, &form) => {
                    (ItemStatus::Exists, RowErrors::default())
                }
                Some(_) => (ItemStatus::Failed, taken()),
                None if reserved_words::is_reserved(db, &key).await? => (ItemStatus::Failed, taken()),
                None => {
                    known.insert(key.clone(), Some(sql::key(&form.name)));
                    (ItemStatus::Waiting, RowErrors::default())
                }
            },
        };
        checked.push(CheckedRow { item, key, status, errors });
    }
    Ok(checked)
}

fn taken() -> RowErrors {
    let mut errors = FieldErrors::default();
    errors.add("subDomain", SUB_DOMAIN_REFUSED);
    errors.into()
}

/// The owners of the rows' subdomains: the key of the name, or `None` if the organization was deleted.
async fn organizations_of(
    db: &impl ConnectionTrait,
    items: &[Item],
) -> Result<HashMap<String, Option<String>>> {
    use organization::Column;
    let mut known = HashMap::new();
    for part in items.chunks(CHUNK) {
        let found: Vec<organization::Model> = organization::Entity::find()
            .filter(Column::SubDomain.is_in(part.iter().map(Item::key)))
            .all(db)
            .await?;
        known.extend(found.into_iter().map(|o| (o.sub_domain, o.deleted_at.is_none().then_some(o.name_key))));
    }
    Ok(known)
}

/// Stores a file with its rows, and enqueues its import.
pub async fn create(
    app: &App,
    caller: &Caller,
    file_name: String,
    choices: ImportChoices,
    items: Vec<Item>,
) -> Result<Batch> {
    let txn = app.store.begin().await?;
    check_choices(&txn, &choices).await?.check()?;
    make_room(&txn).await?;
    let actor = Actor::platform(caller);
    let batch = import_batch::Model {
        id: Uuid::now_v7(),
        kind: BatchType::Organization,
        file_name,
        choices,
        status: BatchStatus::Waiting,
        total: i32::try_from(items.len()).unwrap_or(i32::MAX),
        created_by: caller.user_name.clone(),
        actor_id: actor.id,
        actor_name: actor.name.clone(),
        source_ip: actor.source_ip.clone(),
        created_at: app.clock.now(),
        ended_at: None,
    };
    let batch = batch.into_active_model().reset_all().insert(&txn).await?;
    let rows: Vec<_> = items
        .into_iter()
        .map(|item| import_row::Model {
            id: Uuid::now_v7(),
            batch_id: batch.id,
            line: i32::try_from(item.line).unwrap_or(i32::MAX),
            key: item.key().chars().take(255).collect(),
            cells: item.cells,
            status: ItemStatus::Waiting,
            errors: Vec::new().into(),
            contact_errors: Vec::new().into(),
        })
        .map(|row| row.into_active_model().reset_all())
        .collect();
    for part in rows.chunks(CHUNK) {
        import_row::Entity::insert_many(part.iter().cloned()).exec_without_returning(&txn).await?;
    }
    super::steps::enqueue(&txn, app.clock.now(), batch.id).await?;
    let detail = serde_json::json!({ "type": batch.kind, "rows": batch.total });
    audit::record(app, &txn, &actor, Act::new(event::CREATED, "importbatch", batch.id).detail(detail))
        .await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    let counts = BTreeMap::from([(ItemStatus::Waiting.to_string(), i64::from(batch.total))]);
    Ok(Batch::new(batch, &counts))
}

/// Refuses a file above the limit, and removes the oldest finished ones.
async fn make_room(txn: &Transaction) -> Result<()> {
    use import_batch::{Column, Entity};
    let ended = [BatchStatus::Completed, BatchStatus::Failed];
    let kept: Vec<(Uuid, BatchStatus)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::Status])
        .order_by_desc(Column::Id)
        .into_tuple()
        .all(txn)
        .await?;
    if kept.iter().filter(|(_, status)| !ended.contains(status)).count() >= OPEN_MAX {
        return Err(Error::Conflict(BUSY.into()));
    }
    let old = kept.into_iter().skip(usize::try_from(BATCHES_MAX - 1).unwrap_or(usize::MAX));
    let old: Vec<Uuid> = old.filter(|(_, status)| ended.contains(status)).map(|(id, _)| id).collect();
    if !old.is_empty() {
        import_row::Entity::delete_many()
            .filter(import_row::Column::BatchId.is_in(old.clone()))
            .exec(txn)
            .await?;
        Entity::delete_many().filter(Column::Id.is_in(old)).exec(txn).await?;
    }
    Ok(())
}

/// The newest files with their progress.
pub async fn batches(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<Batch>> {
    use import_row::Column;
    let found =
        import_batch::Entity::find().order_by_desc(import_batch::Column::Id).limit(limit).all(db).await?;
    let counted: Vec<(Uuid, ItemStatus, i64)> = import_row::Entity::find()
        .select_only()
        .columns([Column::BatchId, Column::Status])
        .column_as(Expr::cust("COUNT(*)"), "count")
        .filter(Column::BatchId.is_in(found.iter().map(|batch| batch.id)))
        .group_by(Column::BatchId)
        .group_by(Column::Status)
        .into_tuple()
        .all(db)
        .await?;
    let mut counts: HashMap<Uuid, BTreeMap<String, i64>> = HashMap::new();
    for (batch_id, status, count) in counted {
        counts.entry(batch_id).or_default().insert(status.to_string(), count);
    }
    let none = BTreeMap::new();
    Ok(found
        .into_iter()
        .map(|b| {
            let of = counts.get(&b.id).unwrap_or(&none);
            Batch::new(b, of)
        })
        .collect())
}

/// The rows of all files, newest file first.
pub async fn items(db: &store::Database, query: &ItemQuery, page: Page) -> Result<Paged<ImportItem>> {
    use import_row::Column;
    let mut rows = import_row::Entity::find();
    if let Some(id) = query.batch_id {
        rows = rows.filter(Column::BatchId.eq(id));
    }
    if let Some(status) = query.item_status {
        rows = rows.filter(Column::Status.eq(status));
    }
    let order = [(Column::BatchId, Order::Desc), (Column::Line, Order::Asc)];
    let found = sql::page(db, rows, &order, page).await?;
    let files: HashMap<Uuid, import_batch::Model> = import_batch::Entity::find()
        .filter(import_batch::Column::Id.is_in(found.items.iter().map(|row| row.batch_id)))
        .all(db)
        .await?
        .into_iter()
        .map(|batch| (batch.id, batch))
        .collect();
    let items =
        found.items.into_iter().filter_map(|row| Some(ImportItem::new(files.get(&row.batch_id)?, row)));
    Ok(Paged {
        items: items.collect(),
        total_count: found.total_count,
        total_is_capped: found.total_is_capped,
    })
}

/// The failed rows of a file, for correction.
pub async fn failed(db: &impl ConnectionTrait, batch_id: Uuid) -> Result<Vec<CheckedRow>> {
    use import_row::Column;
    import_batch::Entity::find_by_id(batch_id).one(db).await?.ok_or(Error::NotFound)?;
    let rows = import_row::Entity::find()
        .filter(Column::BatchId.eq(batch_id))
        .filter(Column::Status.eq(ItemStatus::Failed))
        .order_by_asc(Column::Line)
        .all(db)
        .await?;
    let row = |row: import_row::Model| CheckedRow {
        item: Item { line: row.line.unsigned_abs(), cells: row.cells },
        key: row.key,
        status: row.status,
        errors: RowErrors { item: row.errors.0, contact: row.contact_errors.0 },
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Creates the organization of a row. The row is marked in the same transaction, so that a crash cannot create it
/// twice. Returns whether it was activated, which enqueues further work.
pub async fn import(app: &App, batch: &import_batch::Model, row: &import_row::Model) -> Result<bool> {
    let outcome = match form(&row.cells, &batch.choices) {
        Ok(form) => make(app, batch, row, form).await,
        Err(errors) => Err(Error::Invalid(errors)),
    };
    let errors = match outcome {
        Ok(activated) => return Ok(activated),
        Err(Error::Invalid(errors)) => RowErrors::from(errors),
        Err(Error::Conflict(text)) => RowErrors { item: vec![text.into_owned()], contact: Vec::new() },
        Err(other) => return Err(other),
    };
    let failed = import_row::ActiveModel {
        status: Set(ItemStatus::Failed),
        errors: Set(errors.item.into()),
        contact_errors: Set(errors.contact.into()),
        ..Default::default()
    };
    waiting(row).set(failed).exec(app.store.db()).await?;
    Ok(false)
}

/// Changes the row, unless it was changed meanwhile.
fn waiting(row: &import_row::Model) -> sea_orm::UpdateMany<import_row::Entity> {
    use import_row::Column;
    import_row::Entity::update_many()
        .filter(Column::Id.eq(row.id))
        .filter(Column::Status.eq(ItemStatus::Waiting))
}

async fn make(
    app: &App,
    batch: &import_batch::Model,
    row: &import_row::Model,
    form: organizations::types::OrganizationForm,
) -> Result<bool> {
    let txn = app.store.begin().await?;
    let there = organization::Entity::find()
        .filter(organization::Column::SubDomain.eq(rules::key_of(&row.cells)))
        .filter(organization::Column::DeletedAt.is_null())
        .one(&txn)
        .await?
        .is_some_and(|o| is_same(&o.name_key, &form));
    let done = import_row::ActiveModel {
        status: Set(if there { ItemStatus::Exists } else { ItemStatus::Created }),
        cells: Set(Default::default()),
        ..Default::default()
    };
    if waiting(row).set(done).exec(&txn).await?.rows_affected == 0 {
        txn.rollback().await?;
        return Ok(false);
    }
    let activated = !there && {
        let actor = Actor {
            id: batch.actor_id,
            name: batch.actor_name.clone(),
            organization_id: None,
            source_ip: batch.source_ip.clone(),
        };
        let author = organizations::queries::Author { user_name: batch.created_by.clone(), actor };
        organizations::queries::create_in(app, &txn, &author, form).await?.is_activated
    };
    txn.commit().await?;
    Ok(activated)
}

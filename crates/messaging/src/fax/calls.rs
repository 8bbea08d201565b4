//! Calls: the provider of an account, free lines, and the records of calls.

use super::{accounts::Secrets, exchange::Calls, numbers, settings::FaxSettings};
use chrono::{DateTime, Utc};
use fax::{
    DialRules, Outcome, Provider, State,
    port::Finished,
    providers::{efax::EFax, embedded::Embedded, hylafax::HylaFax, westfax::WestFax},
};
use platform::{App, Error, Result};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use std::sync::Arc;
use store::{
    Transaction,
    entities::{
        fax_account::{self, AccountSettings, ProviderKind},
        fax_attempt::{self, AttemptState},
        fax_job,
    },
};
use uuid::Uuid;
use workflow::names;

/// The provider of an account.
pub async fn provider(app: &App, row: &fax_account::Model) -> Result<Arc<dyn Provider>> {
    match row.provider {
        ProviderKind::Embedded => Ok(Arc::new(Embedded::new(Arc::new(exchange(app, row))))),
        ProviderKind::HylaFax => Ok(Arc::new(hylafax(app, row).await?)),
        ProviderKind::WestFax => Ok(Arc::new(westfax(app, row).await?)),
        ProviderKind::EFax => Ok(Arc::new(efax(app, row).await?)),
    }
}

/// The HylaFAX server of an account, with its decrypted password.
async fn hylafax(app: &App, row: &fax_account::Model) -> Result<HylaFax> {
    let AccountSettings { server, user_name, outside_line, .. } = row.settings.clone();
    let home = FaxSettings::of(app.store.db(), row.organization_id).await?.home();
    let modems = HylaFax::new(server, user_name, password(app, row).await?);
    Ok(modems.with_rules(DialRules { home, outside_line }))
}

/// The WestFax product of an account.
pub async fn westfax(app: &App, row: &fax_account::Model) -> Result<WestFax> {
    let AccountSettings { user_name, product_id, .. } = row.settings.clone();
    let service = WestFax::new(user_name, password(app, row).await?, product_id);
    Ok(match &app.config.fax.westfax_url {
        Some(url) => service.at(url.as_str().trim_end_matches('/')),
        None => service,
    })
}

/// The eFax application user of an account.
async fn efax(app: &App, row: &fax_account::Model) -> Result<EFax> {
    let AccountSettings { user_name, app_id, .. } = row.settings.clone();
    let service = EFax::new(app_id, password(app, row).await?, user_name);
    Ok(match &app.config.fax.efax_url {
        Some(url) => service.at(url.as_str().trim_end_matches('/')),
        None => service,
    })
}

async fn password(app: &App, row: &fax_account::Model) -> Result<String> {
    let key = app.keys.data_key(row.organization_id).await?;
    Ok(Secrets::open(&key, row)?.password)
}

/// The outcome of a call; `None` while it is in progress.
pub fn outcome_of(row: &fax_attempt::Model) -> Result<Option<Outcome>> {
    let Some(name) = &row.outcome else { return Ok(None) };
    let outcome = Outcome::from_name(name);
    outcome.map(Some).ok_or_else(|| Error::internal("the outcome of a fax call cannot be read"))
}

/// The account of a call.
pub async fn account_of(
    db: &impl ConnectionTrait,
    call: &fax_attempt::Model,
) -> Result<Option<fax_account::Model>, DbErr> {
    fax_account::Entity::find()
        .filter(fax_account::Column::OrganizationId.eq(call.organization_id))
        .filter(fax_account::Column::Provider.eq(call.provider))
        .one(db)
        .await
}

/// Number of present calls of a fax number.
pub async fn open_calls(db: &impl ConnectionTrait, document_source_id: Uuid) -> Result<u64, DbErr> {
    fax_attempt::Entity::find()
        .filter(fax_attempt::Column::DocumentSourceId.eq(document_source_id))
        .filter(fax_attempt::Column::EndedAt.is_null())
        .count(db)
        .await
}

/// Pages of a call: the confirmed ones, or those that a call in progress may still send.
const PAGES: &str = "SUM(CASE WHEN ended_at IS NULL THEN pages - first_page + 1 \
    WHEN confirmed_pages >= first_page THEN confirmed_pages - first_page + 1 ELSE 0 END)";

/// Pages that an organization has sent since a time, or is sending.
pub async fn pages_since(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    since: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let sum: Option<Option<i64>> = fax_attempt::Entity::find()
        .select_only()
        .expr_as(Expr::cust(PAGES), "pages")
        .filter(fax_attempt::Column::OrganizationId.eq(organization_id))
        .filter(fax_attempt::Column::StartedAt.gte(since))
        .into_tuple()
        .one(db)
        .await?;
    Ok(sum.flatten().unwrap_or_default())
}

/// Wakes the fax that has waited longest for a line.
pub async fn wake_next(txn: &Transaction, document_source_id: Uuid, now: DateTime<Utc>) -> Result<(), DbErr> {
    let next = fax_job::Entity::find()
        .filter(fax_job::Column::DocumentSourceId.eq(document_source_id))
        .filter(fax_job::Column::WaitingSince.is_not_null())
        .order_by_asc(fax_job::Column::WaitingSince)
        .one(txn)
        .await?;
    if let Some(next) = next {
        workflow::wake(txn, now, next.workflow_id, names::SUBMIT_FAX).await?;
    }
    Ok(())
}

/// Stores the progress of a call. Returns whether it changed.
pub async fn progress(
    txn: &Transaction,
    row: &fax_attempt::Model,
    at: &State,
    line: Option<String>,
) -> Result<bool, DbErr> {
    let (state, page) = match at {
        State::Queued => (AttemptState::Queued, None),
        State::Dialling => (AttemptState::Dialling, None),
        State::Sending { page, .. } => (AttemptState::Sending, i32::try_from(*page).ok()),
        State::Finished(_) => return Ok(false),
    };
    let line = line.or_else(|| row.line.clone());
    if (row.state, row.page, &row.line) == (state, page, &line) {
        return Ok(false);
    }
    let mut change = row.clone().into_active_model();
    change.state = Set(state);
    change.page = Set(page);
    change.line = Set(line);
    change.update(txn).await?;
    Ok(true)
}

/// Stores the outcome of a call. `None` if it was stored before.
pub async fn end(
    txn: &Transaction,
    attempt_id: Uuid,
    finished: &Finished,
    now: DateTime<Utc>,
) -> Result<Option<fax_attempt::Model>, DbErr> {
    let row = fax_attempt::Entity::find_by_id(attempt_id).lock_exclusive().one(txn).await?;
    let Some(row) = row.filter(|row| row.ended_at.is_none()) else { return Ok(None) };
    let confirmed = i32::try_from(finished.confirmed_pages).unwrap_or(i32::MAX).min(row.pages);
    let document_source_id = row.document_source_id;
    let mut change = row.into_active_model();
    change.state = Set(AttemptState::Finished);
    change.page = Set(None);
    change.confirmed_pages = Set(confirmed);
    change.outcome = Set(Some(finished.outcome.as_str().into()));
    change.words = Set(finished.words.clone());
    change.rate = Set(finished.rate.and_then(|r| i32::try_from(r).ok()));
    change.seconds = Set(finished.duration.and_then(|d| i32::try_from(d.as_secs()).ok()));
    change.remote_id = Set(finished.remote_id.clone());
    change.log = Set(finished.log.clone());
    change.ended_at = Set(Some(now));
    let row = change.update(txn).await?;
    wake_next(txn, document_source_id, now).await?;
    numbers::queries::finish_removal(txn, document_source_id).await?;
    Ok(Some(row))
}

/// Polls the account of the called number at once, if it is in this installation.
pub async fn ring(app: &App, account: &fax_account::Model) -> Result<(), DbErr> {
    if account.provider != ProviderKind::Embedded {
        return Ok(());
    }
    fax_account::Entity::update_many()
        .col_expr(fax_account::Column::PollAt, Expr::value(app.clock.now()))
        .filter(fax_account::Column::Provider.eq(ProviderKind::Embedded))
        .filter(fax_account::Column::PollAt.gt(app.clock.now()))
        .exec(app.store.db())
        .await?;
    Ok(())
}

/// The exchange, from the view of an account's organization.
pub fn exchange(app: &App, row: &fax_account::Model) -> Calls {
    Calls { app: app.clone(), organization_id: row.organization_id }
}

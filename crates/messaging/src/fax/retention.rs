//! Retention of fax pages and records of calls.

use crate::model::DeliveryState;
use chrono::Duration;
use platform::{App, Result};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Query},
};
use store::entities::{delivery, fax_call, fax_job};
use uuid::Uuid;

/// How long the pages of a finished fax, for sending it again, and calls within the installation are kept.
const KEEP: Duration = Duration::days(30);

/// Removes the pages of finished faxes, and finished calls within the installation. The records of calls for messages
/// and the log are kept. Pages without a row are removed by the storage sweep.
pub async fn forget(app: &App) -> Result<()> {
    let (db, before) = (app.store.db(), app.clock.now() - KEEP);
    let is_taken = Condition::any()
        .add(fax_call::Column::TakenAt.is_not_null())
        .add(fax_call::Column::BlobId.is_null())
        .add(fax_call::Column::IsWithdrawn.eq(true));
    fax_call::Entity::delete_many()
        .filter(fax_call::Column::EndsAt.lt(before))
        .filter(is_taken)
        .exec(db)
        .await?;
    // Filters by jobs that still have pages, so that the cost does not grow with all faxes ever delivered.
    let job = Expr::col((fax_job::Entity, fax_job::Column::DeliveryId));
    let settled = Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .and_where(job.equals((delivery::Entity, delivery::Column::Id)))
        .and_where(delivery::Column::State.ne(DeliveryState::Queued))
        .and_where(delivery::Column::AcceptedAt.lt(before))
        .to_owned();
    fax_job::Entity::update_many()
        .col_expr(fax_job::Column::BlobId, Expr::value(Option::<Uuid>::None))
        .filter(fax_job::Column::BlobId.is_not_null())
        .filter(Expr::exists(settled))
        .exec(db)
        .await?;
    Ok(())
}

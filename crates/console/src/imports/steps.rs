//! The workflow that imports the rows of a file.

use super::queries;
use chrono::{DateTime, Utc};
use platform::{App, bus::Event};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect,
};
use store::{
    Transaction,
    entities::{
        import_batch::{self, BatchStatus},
        import_row::{self, ItemStatus},
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Registry, Step, StepContext, StepError, StepType};

const IMPORT: &str = "OrganizationImportWorkflow";
const IMPORT_ROWS: StepType = StepType::new("ImportRows", Lane::Chores);
/// Rows of one run, after which other workflows of the lane get their turn.
const ROWS_PER_RUN: u64 = 250;

/// The steps of imports.
pub fn registry(app: &App) -> Registry {
    Registry::new().with(IMPORT, IMPORT_ROWS, ImportRows(app.clone()))
}

/// Enqueues the import of a file as a workflow of the platform.
pub async fn enqueue(txn: &Transaction, now: DateTime<Utc>, batch_id: Uuid) -> Result<(), DbErr> {
    let steps = vec![NewStep::new(0, IMPORT_ROWS, now)];
    let new = NewWorkflow { organization_id: Uuid::nil(), kind: IMPORT.into(), object_id: batch_id, steps };
    workflow::enqueue(txn, now, new).await.map(drop)
}

struct ImportRows(App);

#[async_trait::async_trait]
impl Step for ImportRows {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let Self(app) = self;
        let db = app.store.db();
        let Some(batch) = import_batch::Entity::find_by_id(cx.object_id()).one(db).await? else {
            return Ok(Done::skipped());
        };
        let rows = import_row::Entity::find()
            .filter(import_row::Column::BatchId.eq(batch.id))
            .filter(import_row::Column::Status.eq(ItemStatus::Waiting))
            .order_by_asc(import_row::Column::Line)
            .limit(ROWS_PER_RUN)
            .all(db)
            .await?;
        if rows.is_empty() {
            let now = app.clock.now();
            return Ok(Done::with(move |txn| {
                Box::pin(async move {
                    let mut ended = batch.into_active_model();
                    ended.status = Set(BatchStatus::Completed);
                    ended.ended_at = Set(Some(now));
                    ended.update(txn).await?;
                    Ok(())
                })
            }));
        }
        if batch.status != BatchStatus::Running {
            let mut running = batch.clone().into_active_model();
            running.status = Set(BatchStatus::Running);
            running.update(db).await?;
        }
        let mut activated = false;
        for row in &rows {
            activated |= queries::import(app, &batch, row)
                .await
                .map_err(|error| StepError::again(format!("line {}: {error:?}", row.line)))?;
        }
        if activated {
            app.bus.publish(Event::Work).await;
        }
        Err(StepError::Wait { until: app.clock.now() })
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let ended = import_batch::ActiveModel {
            id: Set(cx.object_id()),
            status: Set(BatchStatus::Failed),
            ended_at: Set(Some(self.0.clock.now())),
            ..Default::default()
        };
        import_batch::Entity::update_many()
            .set(ended)
            .filter(import_batch::Column::Id.eq(cx.object_id()))
            .exec(txn)
            .await?;
        Ok(())
    }
}

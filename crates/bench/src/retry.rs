//! Part `retry`: bulk retry of failed steps.

use crate::{Options, history, load::databases, table::Table};
use anyhow::{Result, ensure};
use chrono::Duration;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::json;
use std::time::Instant;
use store::entities::{
    workflow_retry::{self, RetryStatus},
    workflow_step::{self, StepStatus},
};
use testkit::{Db, Role, TestApp};

/// Steps of one retry, and simultaneous retries; the maximum.
const STEPS: usize = 10_000;
const RETRIES: usize = 5;

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        on(db, name, options.retries, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, steps: usize, table: &mut Table) -> Result<()> {
    let app = TestApp::start(db).await;
    let home = app.organization("home").await;
    let workflows = history::failed(&app, home.id, steps).await?;
    let (begun, mut slowest) = (Instant::now(), 0.0_f64);
    for together in workflows.chunks(STEPS * RETRIES) {
        // Sessions expire while the clock advances.
        let operator = app.signed_in(Role::SysAdmin, &home).await;
        for ids in together.chunks(STEPS) {
            let form = json!({ "type": "send", "retryStep": "AwaitNotices", "workflowIds": ids });
            let asked = Instant::now();
            operator.post("/api/workflows/retry", &form).await.ok();
            slowest = slowest.max(asked.elapsed().as_secs_f64());
        }
        until_done(&app).await?;
    }
    let took = begun.elapsed().as_secs_f64();
    let left = workflow_step::Entity::find()
        .filter(workflow_step::Column::Status.eq(StepStatus::Failed))
        .count(app.store.db())
        .await?;
    ensure!(left == 0, "{left} of {steps} steps were not tried again");
    let each = took * 1e3 / steps as f64;
    table.note(
        format!("{name}, until the retry of up to {STEPS} steps is accepted"),
        format!("{slowest:.2} s"),
    );
    let what = format!("{name}, {steps} failed steps tried again, without the pauses between them");
    table.note(what, format!("{took:.1} s ({each:.2} ms each)"));
    app.finish().await;
    Ok(())
}

/// Runs the retries on a clock that skips their pauses.
async fn until_done(app: &TestApp) -> Result<()> {
    loop {
        app.drain().await;
        let running = workflow_retry::Entity::find()
            .filter(workflow_retry::Column::Status.eq(RetryStatus::Running))
            .count(app.store.db())
            .await?;
        if running == 0 {
            return Ok(());
        }
        app.advance(Duration::seconds(1));
    }
}

//! Answers and failures of a connection, and its pause after repeated failures.

use crate::ehr::For;
use chrono::{DateTime, TimeDelta, Utc};
use fhir::problem::Problem;
use platform::{App, Result};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};
use std::time::Duration;
use store::entities::integration::{Authentication, Column, Entity, Model};

/// Failures in a row before a pause.
const FAILURES: i32 = 3;
/// Shortest and longest pause; it doubles with each failure.
const SHORTEST: TimeDelta = TimeDelta::seconds(30);
const LONGEST: TimeDelta = TimeDelta::minutes(5);
/// How often an answer is noted while all is well.
const NOTED_EVERY: TimeDelta = TimeDelta::seconds(60);

/// Notes an answer, which ends a failure.
pub async fn note_answer(app: &App, row: &Model, took: Duration) -> Result<()> {
    let now = app.clock.now();
    let is_recent = row.answered_at.is_some_and(|at| now - at < NOTED_EVERY);
    if row.failing_since.is_none() && is_recent {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::AnsweredAt, Expr::value(now))
        .col_expr(Column::AnswerMilliseconds, Expr::value(milliseconds(took)))
        .col_expr(Column::FailingSince, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::Failures, Expr::value(0))
        .col_expr(Column::Problem, Expr::value(""))
        .col_expr(Column::Remedy, Expr::value(""))
        .col_expr(Column::RetryAt, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::Id.eq(row.id))
        // A change of the connection begins anew.
        .filter(Column::Version.eq(row.version))
        .exec(app.store.db())
        .await?;
    Ok(())
}

/// What failed at a connection, for people, without patient data.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub text: String,
    pub remedy: &'static str,
}

/// Notes a problem of the connection. A refusal of one request says nothing about the connection.
pub async fn note_problem(app: &App, row: &Model, problem: &Problem, whom: For) -> Result<()> {
    // One person's sign-in says nothing about the others'.
    let is_own = row.settings.authentication == Authentication::Person && matches!(whom, For::Person(_));
    let is_of_person = is_own && matches!(problem, Problem::SignInRefused { .. });
    if is_of_person || !is_of_connection(problem) {
        return Ok(());
    }
    note_failure(app, row, Trouble { text: problem.text(), remedy: problem.remedy() }).await
}

/// Notes a failure that concerns every call of the connection.
pub async fn note_failure(app: &App, row: &Model, trouble: Trouble) -> Result<()> {
    let now = app.clock.now();
    let failures = row.failures + 1;
    Entity::update_many()
        .col_expr(Column::FailingSince, Expr::value(row.failing_since.unwrap_or(now)))
        .col_expr(Column::Failures, Expr::col(Column::Failures).add(1))
        .col_expr(Column::Problem, Expr::value(trouble.text))
        .col_expr(Column::Remedy, Expr::value(trouble.remedy))
        .col_expr(Column::RetryAt, Expr::value(pause(failures).map(|pause| now + pause)))
        .filter(Column::Id.eq(row.id))
        .filter(Column::Version.eq(row.version))
        .exec(app.store.db())
        .await?;
    Ok(())
}

/// Whether it concerns every call of the connection.
fn is_of_connection(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::Address
            | Problem::Forbidden
            | Problem::NotConnected
            | Problem::Tls(_)
            | Problem::Unreachable
            | Problem::SignInRefused { .. }
            | Problem::Redirected
    ) || matches!(problem, Problem::Refused { status: 500.., .. })
}

/// The pause after this many failures in a row.
fn pause(failures: i32) -> Option<TimeDelta> {
    let beyond = u32::try_from(failures - FAILURES).ok()?;
    Some((SHORTEST * 2_i32.pow(beyond.clamp(0, 10))).min(LONGEST))
}

pub fn milliseconds(took: Duration) -> i32 {
    i32::try_from(took.as_millis()).unwrap_or(i32::MAX)
}

//! Deletes the contents of old quizzes.

use chrono::Duration;
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use std::time;
use store::entities::proofing_quiz;
use tokio_util::sync::CancellationToken;

const INTERVAL: time::Duration = time::Duration::from_secs(1800);
/// Attempts are limited per day, so their quizzes are kept that long.
const KEPT: Duration = Duration::days(1);

/// Deletes them every half hour until the node stops.
pub async fn forget_forever(app: App, cancel: CancellationToken) {
    chores::every(INTERVAL, time::Duration::ZERO, cancel, "old quizzes", || forget(&app)).await;
}

/// Deletes the questions and answers of quizzes that nobody can answer any more.
pub async fn forget(app: &App) -> Result<()> {
    use proofing_quiz::Column;
    proofing_quiz::Entity::update_many()
        .col_expr(Column::Sealed, Expr::value(Option::<Vec<u8>>::None))
        .filter(Column::Sealed.is_not_null())
        .filter(Column::IssuedAt.lt(app.clock.now() - KEPT))
        .exec(app.store.db())
        .await?;
    Ok(())
}

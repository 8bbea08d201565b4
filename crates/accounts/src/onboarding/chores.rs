//! Removal of old quizzes' contents.

use chrono::Duration;
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, sea_query::Expr};
use std::time;
use store::entities::{proofing_document, proofing_identity, proofing_quiz};
use tokio_util::sync::CancellationToken;

const INTERVAL: time::Duration = time::Duration::from_secs(1800);
/// Retention of quizzes, which is the period of the daily limit.
const KEPT: Duration = Duration::days(1);
/// Time without a photo ID after which a description is deleted and has to be entered again.
const DESCRIPTIONS_KEPT: Duration = Duration::days(90);

/// Runs the removal every half hour until the node stops.
pub async fn forget_forever(app: App, cancel: CancellationToken) {
    chores::every(INTERVAL, time::Duration::ZERO, cancel, "old quizzes", || forget(&app)).await;
}

/// Deletes the questions and answers of expired quizzes, and abandoned descriptions.
pub async fn forget(app: &App) -> Result<()> {
    use proofing_quiz::Column;
    proofing_quiz::Entity::update_many()
        .col_expr(Column::Sealed, Expr::value(Option::<Vec<u8>>::None))
        .filter(Column::Sealed.is_not_null())
        .filter(Column::IssuedAt.lt(app.clock.now() - KEPT))
        .exec(app.store.db())
        .await?;
    forget_descriptions(app).await
}

/// Deletes old descriptions of people without a photo ID waiting for review.
async fn forget_descriptions(app: &App) -> Result<()> {
    use proofing_identity::Column;
    let waiting = proofing_document::Entity::find()
        .select_only()
        .column(proofing_document::Column::OrganizationId)
        .filter(proofing_document::Column::Decision.is_null());
    proofing_identity::Entity::delete_many()
        .filter(Column::CreatedAt.lt(app.clock.now() - DESCRIPTIONS_KEPT))
        .filter(Column::OrganizationId.not_in_subquery(waiting.into_query()))
        .exec(app.store.db())
        .await?;
    Ok(())
}

//! Pausing of webhooks whose endpoint keeps failing, and informing the administrators.

use chrono::Duration;
use email::{Email, Recipient};
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
    session::{ROLE_ADMINISTRATOR, full_name},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use serde::Serialize;
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, membership, webhook, webhook_delivery},
};

/// Time of continuous failure, over more than a few attempts, after which a webhook is paused.
const FAILING_FOR: Duration = Duration::hours(24);
const FAILURES: i32 = 5;
/// Most administrators who are informed.
const TOLD_MAX: u64 = 20;

/// Clears the failure state after a success.
pub async fn note_success(txn: &Transaction, hook: &webhook::Model) -> Result<(), DbErr> {
    if hook.failing_since.is_none() {
        return Ok(());
    }
    webhook::Entity::update_many()
        .col_expr(webhook::Column::FailingSince, Expr::value(None::<chrono::DateTime<chrono::Utc>>))
        .col_expr(webhook::Column::Failures, Expr::value(0))
        .filter(webhook::Column::Id.eq(hook.id))
        .exec(txn)
        .await?;
    Ok(())
}

/// Records a failed attempt. The webhook is paused after many of them over a long time, or at once if the endpoint
/// answers that it is gone.
pub async fn note_failure(
    app: &App,
    hook: &webhook::Model,
    delivery: webhook_delivery::ActiveModel,
    is_gone: bool,
) -> Result<()> {
    use webhook::Column::{FailingSince, Failures, Id, PausedAt};
    let now = app.clock.now();
    let is_enough = is_gone
        || hook.failing_since.is_some_and(|since| since <= now - FAILING_FOR)
            && hook.failures + 1 >= FAILURES;
    let letters = if is_enough { letters(app, hook).await? } else { Vec::new() };
    let txn = app.store.begin().await?;
    delivery.update(&txn).await?;
    webhook::Entity::update_many()
        .col_expr(Failures, Expr::col(Failures).add(1))
        .col_expr(FailingSince, Expr::col(FailingSince).if_null(now))
        .filter(Id.eq(hook.id))
        .exec(&txn)
        .await?;
    if is_enough {
        let paused = webhook::Entity::update_many()
            .col_expr(PausedAt, Expr::value(now))
            .filter(Id.eq(hook.id))
            .filter(PausedAt.is_null())
            .exec(&txn)
            .await?;
        // Only one of several simultaneous attempts pauses it.
        if paused.rows_affected == 1 {
            let act = Act::new(event::CHANGED, "webhook", hook.id)
                .detail(json!({ "paused": true, "endpointIsGone": is_gone }));
            audit::record(app, &txn, &Actor::system(hook.organization_id), act).await?;
            for letter in letters {
                letter.enqueue(&txn).await?;
            }
        }
    }
    Ok(txn.commit().await?)
}

/// E-mail to an administrator about a paused webhook.
#[derive(Serialize)]
struct WebhookPaused {
    first_name: String,
    webhook: String,
}

impl Email for WebhookPaused {
    const TEMPLATE: &'static str = "webhook_paused";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Open webhooks", "/account/settings/webhooks".into()))
    }
}

async fn letters(app: &App, hook: &webhook::Model) -> Result<Vec<email::Prepared>> {
    let mut letters = Vec::new();
    if !email::is_available(app) {
        return Ok(letters);
    }
    let administrators = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(hook.organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR));
    let people = app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(administrators.into_query()))
        .filter(app_user::Column::IsDisabled.eq(false))
        .filter(app_user::Column::Email.ne(""))
        .limit(TOLD_MAX)
        .all(app.store.db())
        .await?;
    for person in people {
        let to = Recipient { name: full_name(&person), address: person.email };
        let mail = WebhookPaused { first_name: person.first_name, webhook: hook.name.clone() };
        letters.push(email::prepare(app, hook.organization_id, to, &mail).await?);
    }
    Ok(letters)
}

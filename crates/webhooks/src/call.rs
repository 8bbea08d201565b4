//! The step that calls an endpoint.

use crate::{WORKFLOW, pause, queries, rules, signing};
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, Utc};
use fetch::{FetchError, HttpFetcher};
use http::{Request, Response, header};
use platform::{App, Result, integrations};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    sea_query::Expr,
};
use store::{
    Transaction,
    entities::{
        integration_grant::Integration,
        webhook::{self, AuthenticationType},
        webhook_delivery::{self, DeliveryStatus},
    },
    keys::DataKey,
};
use tokio::time::Instant;
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// Calls the endpoint.
pub const CALL: StepType = StepType::new("CallWebhook", Lane::Webhooks);

/// Bytes of an answer kept for the log.
const RESPONSE: usize = 4 << 10;
/// Number of attempts, over about two days.
const ATTEMPTS: i32 = 16;

/// The workflow of one delivery.
pub fn workflow(hook: &webhook::Model, delivery_id: Uuid, now: DateTime<Utc>) -> NewWorkflow {
    NewWorkflow {
        organization_id: hook.organization_id,
        kind: WORKFLOW.into(),
        object_id: delivery_id,
        steps: vec![NewStep::new(0, CALL, now).for_partner(fetch::host_and_port(&hook.url))],
    }
}

/// An unexpected internal error, which is tried again. Its text is not kept, since it may contain confidential data.
pub fn platform_error<E>(_: E) -> StepError {
    StepError::again("a sealed value of the webhook cannot be opened")
}

pub struct Call {
    app: App,
    http: std::result::Result<HttpFetcher, FetchError>,
}

/// Outcome of an attempt.
struct Outcome {
    at: DateTime<Utc>,
    milliseconds: i32,
    status: Option<u16>,
    response: Option<Vec<u8>>,
    /// Why it failed.
    reason: Option<String>,
}

impl Call {
    pub fn new(app: &App) -> Self {
        let limit = std::time::Duration::from_secs(app.config.webhooks.timeout_seconds.into());
        Self { app: app.clone(), http: HttpFetcher::answering_within(rules::guard(app), limit) }
    }

    async fn attempt(
        &self,
        hook: &webhook::Model,
        delivery: &webhook_delivery::Model,
        key: &DataKey,
    ) -> Result<Outcome> {
        let at = self.app.clock.now();
        let request = request(hook, delivery, key, at)?;
        let begun = Instant::now();
        let answer = match (&self.http, request) {
            (Ok(http), Some(request)) => http.send_for_beginning(request, RESPONSE).await,
            (Err(error), _) => Err(error.clone()),
            (_, None) => Err(FetchError::BadAddress),
        };
        let milliseconds = i32::try_from(begun.elapsed().as_millis()).unwrap_or(i32::MAX);
        Ok(match answer {
            Ok(answer) => Outcome {
                at,
                milliseconds,
                status: Some(answer.status().as_u16()),
                reason: refusal(&answer),
                response: Some(answer.into_body()),
            },
            Err(error) => {
                let reason = Some(in_words(&error, self.app.config.webhooks.timeout_seconds));
                Outcome { at, milliseconds, status: None, response: None, reason }
            }
        })
    }
}

/// Reason why an answer is not a success.
fn refusal(answer: &Response<Vec<u8>>) -> Option<String> {
    let status = answer.status();
    match status.as_u16() {
        _ if status.is_success() => None,
        _ if status.is_redirection() => {
            Some("The endpoint answered with a redirect, which is not followed.".into())
        }
        code => Some(format!("The endpoint answered with status {code}.")),
    }
}

fn in_words(error: &FetchError, seconds: u32) -> String {
    match error {
        FetchError::Forbidden => rules::NOT_PUBLIC.into(),
        FetchError::BadAddress => "The address cannot be called.".into(),
        _ => format!("The endpoint could not be reached, or did not answer within {seconds} seconds."),
    }
}

/// Builds the request. None if the address or user name is invalid in a request.
fn request(
    hook: &webhook::Model,
    delivery: &webhook_delivery::Model,
    key: &DataKey,
    at: DateTime<Utc>,
) -> Result<Option<Request<Vec<u8>>>> {
    let body = key.open(&queries::body_context(delivery.id), &delivery.sealed_body)?;
    let signing_key = key.open(&queries::signing_context(hook.id), &hook.sealed_signing_key)?;
    let id = delivery.id.to_string();
    let mut request = Request::post(&hook.url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, "Carepost-Webhooks/1")
        .header("webhook-id", &id)
        .header("webhook-timestamp", at.timestamp())
        .header("webhook-signature", signing::signature(&signing_key, &id, at, &body));
    if let Some(value) = authorization(hook, key)? {
        request = request.header(header::AUTHORIZATION, value);
    }
    Ok(request.body(body).ok())
}

fn authorization(hook: &webhook::Model, key: &DataKey) -> Result<Option<String>> {
    let Some(sealed) = &hook.sealed_credential else { return Ok(None) };
    let credential = key.open(&queries::credential_context(hook.id), sealed)?;
    let credential = String::from_utf8_lossy(&credential);
    Ok(match hook.authentication_type {
        AuthenticationType::None => None,
        AuthenticationType::Basic => {
            Some(format!("Basic {}", STANDARD.encode(format!("{}:{credential}", hook.user_name))))
        }
        AuthenticationType::Bearer => Some(format!("Bearer {credential}")),
    })
}

#[async_trait]
impl Step for Call {
    fn policy(&self) -> Policy {
        Policy {
            max_attempts: ATTEMPTS,
            // 15 seconds, a minute, four minutes, then longer up to four hours.
            backoff: |attempt| Duration::seconds((15 << (2 * (attempt - 1).clamp(0, 6))).min(4 * 3_600)),
            ..Policy::default()
        }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.app;
        let Some((delivery, Some(hook))) = webhook_delivery::Entity::find_by_id(cx.object_id())
            .find_also_related(webhook::Entity)
            .one(app.store.db())
            .await?
        else {
            return Ok(Done::skipped());
        };
        if delivery.status != DeliveryStatus::Waiting {
            return Ok(Done::skipped());
        }
        if hook.paused_at.is_some() || !hook.is_enabled {
            return Err(StepError::failed("the webhook is paused or switched off"));
        }
        if !integrations::is_allowed(app.store.db(), Integration::Webhooks, hook.organization_id).await? {
            return Err(StepError::failed("the organization may not use webhooks"));
        }
        let key = app.keys.data_key(hook.organization_id).await.map_err(platform_error)?;
        let outcome = self.attempt(&hook, &delivery, &key).await.map_err(platform_error)?;
        if outcome.reason.is_some() {
            return Err(self.failed_attempt(hook, delivery, outcome, &key).await);
        }
        let row = tried(delivery, outcome, DeliveryStatus::Delivered, &key);
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                row.update(txn).await?;
                Ok(pause::note_success(txn, &hook).await?)
            })
        }))
    }

    async fn failed(&self, cx: &StepContext, _: &str, txn: &Transaction) -> Result<(), DbErr> {
        give_up(txn, cx.object_id()).await
    }
}

impl Call {
    /// Records a failed attempt, and decides how to continue.
    async fn failed_attempt(
        &self,
        hook: webhook::Model,
        delivery: webhook_delivery::Model,
        outcome: Outcome,
        key: &DataKey,
    ) -> StepError {
        let is_test = delivery.event == rules::TEST;
        let reason = match outcome.status {
            Some(status) => format!("the endpoint answered with status {status}"),
            None => "the endpoint could not be reached".into(),
        };
        let is_gone = outcome.status == Some(410);
        let status = if is_test { DeliveryStatus::Failed } else { DeliveryStatus::Waiting };
        let row = tried(delivery, outcome, status, key);
        // A test does not affect the failure state of the endpoint.
        let noted = if is_test {
            row.update(self.app.store.db()).await.map(drop).map_err(Into::into)
        } else {
            pause::note_failure(&self.app, &hook, row, is_gone).await
        };
        match noted {
            Err(_) => StepError::again("the attempt could not be written down"),
            Ok(()) if is_test => StepError::failed(reason),
            Ok(()) => StepError::again(reason),
        }
    }
}

/// The delivery after an attempt.
fn tried(
    before: webhook_delivery::Model,
    outcome: Outcome,
    status: DeliveryStatus,
    key: &DataKey,
) -> webhook_delivery::ActiveModel {
    let (id, attempts) = (before.id, before.attempts + 1);
    let sealed = outcome.response.map(|body| key.seal(&queries::response_context(id), &body));
    webhook_delivery::ActiveModel {
        status: Set(status),
        attempts: Set(attempts),
        tried_at: Set(Some(outcome.at)),
        response_status: Set(outcome.status.map(i32::from)),
        milliseconds: Set(Some(outcome.milliseconds)),
        reason: Set(outcome.reason.unwrap_or_default()),
        sealed_response: Set(sealed),
        ..before.into_active_model()
    }
}

/// Marks a delivery as failed; it is tried again only on request.
async fn give_up(txn: &Transaction, id: Uuid) -> Result<(), DbErr> {
    use webhook_delivery::Column::{Id, Reason, Status};
    let waiting = || {
        webhook_delivery::Entity::update_many().filter(Id.eq(id)).filter(Status.eq(DeliveryStatus::Waiting))
    };
    waiting().col_expr(Reason, Expr::value(queries::PAUSED)).filter(Reason.eq("")).exec(txn).await?;
    waiting().col_expr(Status, Expr::value(DeliveryStatus::Failed)).exec(txn).await?;
    Ok(())
}

//! `/api/webhooks`: webhooks of an organization.

use crate::{
    announce, call,
    queries::{self, NewDelivery},
    rules, signing,
    types::{SigningSecret, Webhook, WebhookDelivery, WebhookForm, WebhookQuery},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::FieldErrors,
    http::{Body, Created, Id, Items, Page, Paged, Params},
    integrations,
    records::{self, Record},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, Iterable, Order, PaginatorTrait, QueryFilter,
};
use serde_json::json;
use store::{
    entities::{
        integration_grant::Integration,
        webhook::{self, AuthenticationType, Column, Entity},
    },
    keys::DataKey,
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(webhooks, create_webhook))
        .route(ADMINS, routes!(webhook_events))
        .route(ADMINS, routes!(webhook_authentication_types))
        .route(ADMINS, routes!(webhook, update_webhook, delete_webhook))
        .route(ADMINS, routes!(webhook_secret, renew_webhook_secret))
        .route(ADMINS, routes!(test_webhook))
        .route(ADMINS, routes!(resume_webhook))
}

/// Most webhooks of an organization.
const MOST: u64 = 20;

pub(crate) struct WebhookRecord;

impl Record for WebhookRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "webhook";
    const NOUN: &'static str = "this webhook";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const ORGANIZATION: Option<Column> = Some(Column::OrganizationId);
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::Url,
        Column::Events,
        Column::AuthenticationType,
        Column::UserName,
        Column::IsEnabled,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "A webhook with this name already exists.");
}

/// Checks the rules of a form that involve several fields or the installation.
fn check(app: &App, form: &WebhookForm, has_credential: bool) -> Result<()> {
    let mut errors = FieldErrors::default();
    errors.require(!rules::guard(app).refuses(&form.url), "url", rules::NOT_PUBLIC);
    let known: Vec<&str> = rules::event_names().collect();
    let is_known = form.events.iter().all(|event| known.contains(&event.as_str()));
    errors.require(is_known && !form.events.is_empty(), "events", "Please choose at least one event.");
    let is_basic = form.authentication_type == AuthenticationType::Basic;
    errors.require(!is_basic || !form.user_name.is_empty(), "userName", "Please enter the user name.");
    let wants = form.authentication_type != AuthenticationType::None;
    let has = has_credential || !form.credential.is_empty();
    errors.require(!wants || has, "credential", "Please enter the password or token.");
    let is_plain = form.credential.bytes().all(|b| (0x20..0x7f).contains(&b));
    let fits = is_plain || form.authentication_type != AuthenticationType::Bearer;
    errors.require(fits, "credential", "A token has letters, digits and signs of ASCII only.");
    errors.check()
}

fn sorted(events: Vec<String>) -> Vec<String> {
    rules::event_names().filter(|name| events.iter().any(|event| event == name)).map(Into::into).collect()
}

/// Seals the credential; none if there is none to store.
fn sealed_credential(key: &DataKey, id: Uuid, form: &WebhookForm) -> Option<Vec<u8>> {
    let is_wanted = form.authentication_type != AuthenticationType::None && !form.credential.is_empty();
    is_wanted.then(|| key.seal(&queries::credential_context(id), form.credential.as_bytes()))
}

/// The webhooks of the organization, by name
#[utoipa::path(get, path = "/api/webhooks", operation_id = "webhooks", tag = "webhooks",
    params(WebhookQuery), responses((status = 200, body = Paged<Webhook>)))]
async fn webhooks(
    State(app): State<App>,
    member: Member,
    Params(query): Params<WebhookQuery>,
) -> Result<Json<Paged<Webhook>>> {
    let page = Page::new(query.page, query.page_size, 25, 100)?;
    let words = query.search.as_deref().unwrap_or_default().split_whitespace();
    let holds = words.fold(Condition::all(), |all, word| {
        all.add(Condition::any().add(Column::Name.contains(word)).add(Column::Url.contains(word)))
    });
    let rows = queries::of(member.organization_id).filter(holds);
    let found = sql::page(app.store.db(), rows, &[(Column::Name, Order::Asc)], page).await?;
    Ok(Json(found.map(Into::into)))
}

/// The events that can be sent
#[utoipa::path(get, path = "/api/webhooks/events", operation_id = "webhookEvents", tag = "webhooks",
    responses((status = 200, body = Items<String>)))]
async fn webhook_events() -> Json<Items<String>> {
    Json(Items { items: rules::event_names().map(Into::into).collect() })
}

/// Available kinds of authentication in addition to the signature
#[utoipa::path(get, path = "/api/webhooks/authenticationtypes", operation_id = "webhookAuthenticationTypes",
    tag = "webhooks", responses((status = 200, body = Items<String>)))]
async fn webhook_authentication_types() -> Json<Items<String>> {
    Json(Items { items: AuthenticationType::iter().map(|kind| kind.to_string()).collect() })
}

/// Creates a webhook
#[utoipa::path(post, path = "/api/webhooks", operation_id = "createWebhook", tag = "webhooks",
    request_body = WebhookForm, responses((status = 201, body = Webhook)))]
async fn create_webhook(
    State(app): State<App>,
    member: Member,
    Body(form): Body<WebhookForm>,
) -> Result<Created<Webhook>> {
    check(&app, &form, false)?;
    let organization_id = member.organization_id;
    integrations::require(app.store.db(), Integration::Webhooks, organization_id).await?;
    if queries::of(organization_id).count(app.store.db()).await? >= MOST {
        return Err(Error::Conflict(format!("An organization can have {MOST} webhooks at most.").into()));
    }
    let key = app.keys.data_key(organization_id).await?;
    let id = Uuid::now_v7();
    let row = webhook::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        sealed_credential: Set(sealed_credential(&key, id, &form)),
        sealed_signing_key: Set(key.seal(&queries::signing_context(id), &signing::new_key()?)),
        name: Set(form.name.into()),
        url: Set(form.url.into()),
        events: Set(sorted(form.events).into()),
        authentication_type: Set(form.authentication_type),
        user_name: Set(form.user_name.into()),
        is_enabled: Set(form.is_active),
        failing_since: Set(None),
        failures: Set(0),
        paused_at: Set(None),
        version: Set(1),
        created_at: Set(app.clock.now()),
    };
    let created = records::create::<WebhookRecord>(&app, &Actor::from(&member.caller), row).await?;
    Ok(Created(format!("/api/webhooks/{id}"), created.into()))
}

/// Reads a webhook
#[utoipa::path(get, path = "/api/webhooks/{id}", operation_id = "webhook", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 200, body = Webhook)))]
async fn webhook(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Webhook>> {
    Ok(Json(queries::find(app.store.db(), member.organization_id, id).await?.into()))
}

/// Changes a webhook
#[utoipa::path(put, path = "/api/webhooks/{id}", operation_id = "updateWebhook", tag = "webhooks",
    params(("id" = Uuid, Path)), request_body = WebhookForm,
    responses((status = 200, body = Webhook), (status = 409, description = "Changed by somebody else")))]
async fn update_webhook(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<WebhookForm>,
) -> Result<Json<Webhook>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let (actor, found) = (Actor::from(&member.caller), queries::webhook(member.organization_id, id));
    let mut edit = records::edit::<WebhookRecord>(&app, &actor, found, form.version).await?;
    // A stored credential is valid for its endpoint and kind only, not for another one.
    let is_same = edit.before.authentication_type == form.authentication_type
        && fetch::host_and_port(&edit.before.url) == fetch::host_and_port(&form.url);
    check(&app, &form, is_same && edit.before.sealed_credential.is_some())?;
    let new = sealed_credential(&key, id, &form);
    if new.is_some() || !is_same || form.authentication_type == AuthenticationType::None {
        edit.detail.insert("newCredential".into(), new.is_some().into());
        edit.row.sealed_credential = Set(new);
    }
    if edit.before.url != *form.url {
        edit.row.failing_since = Set(None);
        edit.row.failures = Set(0);
    }
    edit.row.name = Set(form.name.into());
    edit.row.url = Set(form.url.into());
    edit.row.events = Set(sorted(form.events).into());
    edit.row.authentication_type = Set(form.authentication_type);
    edit.row.user_name = Set(form.user_name.into());
    edit.row.is_enabled = Set(form.is_active);
    Ok(Json(edit.save().await?.into()))
}

/// Deletes a webhook and its deliveries
#[utoipa::path(delete, path = "/api/webhooks/{id}", operation_id = "deleteWebhook", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_webhook(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let (actor, found) = (Actor::from(&member.caller), queries::webhook(member.organization_id, id));
    records::lock::<WebhookRecord>(&app, &actor, found).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads the signing secret
#[utoipa::path(get, path = "/api/webhooks/{id}/secret", operation_id = "webhookSecret", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 200, body = SigningSecret)))]
async fn webhook_secret(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<SigningSecret>> {
    let found = queries::find(app.store.db(), member.organization_id, id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let signing_key = key.open(&queries::signing_context(id), &found.sealed_signing_key)?;
    let act = Act::new(event::VIEWED, "webhook", id).detail(json!({ "signingSecret": true }));
    audit::record_read(&app, &member.caller, act).await?;
    Ok(Json(SigningSecret { secret: signing::text_of(&signing_key).into() }))
}

/// Replaces the signing secret; the previous one is no longer valid
#[utoipa::path(post, path = "/api/webhooks/{id}/secret", operation_id = "renewWebhookSecret", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 200, body = SigningSecret)))]
async fn renew_webhook_secret(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<SigningSecret>> {
    let (actor, found) = (Actor::from(&member.caller), queries::webhook(member.organization_id, id));
    let key = app.keys.data_key(member.organization_id).await?;
    let signing_key = signing::new_key()?;
    let mut edit = records::lock::<WebhookRecord>(&app, &actor, found).await?;
    edit.row.sealed_signing_key = Set(key.seal(&queries::signing_context(id), &signing_key));
    edit.detail.insert("newSigningSecret".into(), true.into());
    edit.save().await?;
    Ok(Json(SigningSecret { secret: signing::text_of(&signing_key).into() }))
}

/// Sends a test event once; its delivery shows the outcome
#[utoipa::path(post, path = "/api/webhooks/{id}/test", operation_id = "testWebhook", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 201, body = WebhookDelivery)))]
async fn test_webhook(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Created<WebhookDelivery>> {
    let hook = queries::find(app.store.db(), member.organization_id, id).await?;
    if hook.paused_at.is_some() || !hook.is_enabled {
        return Err(Error::Conflict("This webhook is paused or switched off.".into()));
    }
    integrations::require(app.store.db(), Integration::Webhooks, member.organization_id).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let (now, delivery_id) = (app.clock.now(), Uuid::now_v7());
    let data = json!({ "organizationId": member.organization_id });
    let body = announce::body(delivery_id, rules::TEST, now, data);
    let new =
        NewDelivery { id: delivery_id, hook: &hook, event: rules::TEST, message_id: None, body: &body, now };
    let txn = app.store.begin().await?;
    let row = new.row(&key).insert(&txn).await?;
    workflow::enqueue(&txn, now, call::workflow(&hook, delivery_id, now)).await?;
    let act = Act::new(event::SENT, "webhook", id).detail(json!({ "test": true }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Created(format!("/api/webhooks/{id}/deliveries/{delivery_id}"), row.into()))
}

/// Resumes a paused webhook
#[utoipa::path(post, path = "/api/webhooks/{id}/resume", operation_id = "resumeWebhook", tag = "webhooks",
    params(("id" = Uuid, Path)), responses((status = 200, body = Webhook)))]
async fn resume_webhook(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Webhook>> {
    let (actor, found) = (Actor::from(&member.caller), queries::webhook(member.organization_id, id));
    let mut edit = records::lock::<WebhookRecord>(&app, &actor, found).await?;
    edit.row.paused_at = Set(None);
    edit.row.failing_since = Set(None);
    edit.row.failures = Set(0);
    edit.detail.insert("resumed".into(), true.into());
    Ok(Json(edit.save().await?.into()))
}

//! `/api/settings/intakerules`: the ordered intake rules of an organization.

use super::{dry_run, queries, terms::Terms};
use crate::model::SourceType;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Created, Id, Page, Paged, Params},
    text::{Rule, SearchWords},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(intake_rules, create_intake_rule))
        .route(ADMINS, routes!(intake_rule, update_intake_rule, delete_intake_rule))
        .route(ADMINS, routes!(order_intake_rules))
        .route(ADMINS, routes!(try_intake_rules))
}

platform::text! {
    /// Name of an intake rule.
    pub IntakeRuleName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
}

/// An intake rule of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRule {
    pub id: Uuid,
    /// Shown in the activity of messages, so it should not name a patient.
    pub name: String,
    /// Counted from 0.
    pub position: i32,
    pub is_enabled: bool,
    /// If it matches, no later rule is tried.
    pub stops: bool,
    /// Assigns to one of them, the one with the fewest open messages.
    pub people: Vec<Uuid>,
    #[serde(flatten)]
    pub terms: Terms,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRuleForm {
    pub name: IntakeRuleName,
    #[serde(default)]
    pub is_enabled: bool,
    /// If it matches, no later rule is tried.
    #[serde(default)]
    pub stops: bool,
    /// Assigns to one of them, the one with the fewest open messages. At most 50.
    #[serde(default)]
    pub people: Vec<Uuid>,
    #[serde(flatten)]
    pub terms: Terms,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct IntakeRuleQuery {
    /// Words that occur in the name.
    #[param(inline)]
    search: Option<SearchWords>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The intake rules of the organization, in order
#[utoipa::path(get, path = "/api/settings/intakerules", operation_id = "intakeRules", tag = "intake",
    params(IntakeRuleQuery), responses((status = 200, body = Paged<IntakeRule>)))]
async fn intake_rules(
    State(app): State<App>,
    member: Member,
    Params(query): Params<IntakeRuleQuery>,
) -> Result<Json<Paged<IntakeRule>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    Ok(Json(queries::page(&app, &member, query.search.as_deref().unwrap_or_default(), page).await?))
}

/// Adds an intake rule after the others
#[utoipa::path(post, path = "/api/settings/intakerules", operation_id = "createIntakeRule", tag = "intake",
    request_body = IntakeRuleForm,
    responses((status = 201, body = IntakeRule), (status = 409, description = "The limit is reached")))]
async fn create_intake_rule(
    State(app): State<App>,
    member: Member,
    Body(form): Body<IntakeRuleForm>,
) -> Result<Created<IntakeRule>> {
    let created = queries::create(&app, &member, form).await?;
    Ok(Created(format!("/api/settings/intakerules/{}", created.id), created))
}

/// Reads an intake rule
#[utoipa::path(get, path = "/api/settings/intakerules/{id}", operation_id = "intakeRule", tag = "intake",
    params(("id" = Uuid, Path)), responses((status = 200, body = IntakeRule)))]
async fn intake_rule(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<IntakeRule>> {
    Ok(Json(queries::find(&app, &member, id).await?))
}

/// Changes an intake rule, but not its position
#[utoipa::path(put, path = "/api/settings/intakerules/{id}", operation_id = "updateIntakeRule", tag = "intake",
    params(("id" = Uuid, Path)), request_body = IntakeRuleForm,
    responses((status = 200, body = IntakeRule), (status = 409, description = "Changed by somebody else")))]
async fn update_intake_rule(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<IntakeRuleForm>,
) -> Result<Json<IntakeRule>> {
    Ok(Json(queries::update(&app, &member, id, form).await?))
}

/// Removes an intake rule; its effects on messages stay
#[utoipa::path(delete, path = "/api/settings/intakerules/{id}", operation_id = "deleteIntakeRule", tag = "intake",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_intake_rule(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::remove(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub struct RuleOrder {
    /// All rules, in the order in which they are tried.
    #[schema(max_items = 100)]
    pub ids: Vec<Uuid>,
}

/// Changes the order of the intake rules
#[utoipa::path(put, path = "/api/settings/intakerules/order", operation_id = "orderIntakeRules", tag = "intake",
    request_body = RuleOrder,
    responses((status = 204), (status = 409, description = "Rules were added or removed in the meantime")))]
async fn order_intake_rules(
    State(app): State<App>,
    member: Member,
    Body(order): Body<RuleOrder>,
) -> Result<StatusCode> {
    queries::put_in_order(&app, &member, &order.ids).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunRequest {
    /// A rule that is being edited, tried alone. Absent: all enabled rules in order.
    pub rule: Option<IntakeRuleForm>,
    /// Cursor of the previous answer.
    pub cursor: Option<String>,
    /// Number of matching messages, default 20, maximum 100.
    pub page_size: Option<u64>,
}

/// A matching rule of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunMatch {
    /// Nil for an unsaved rule.
    pub rule_id: Uuid,
    pub name: String,
    /// One sentence for each condition.
    pub reasons: Vec<String>,
}

/// A message that matches a rule, and the rule's actions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunRow {
    pub id: Uuid,
    pub received_date: DateTime<Utc>,
    pub source_type: SourceType,
    pub from_address: String,
    pub from_name: String,
    pub subject: String,
    pub patient_name: String,
    pub matches: Vec<DryRunMatch>,
    /// One of them would have received it.
    pub people: Vec<Uuid>,
    pub tags: Vec<String>,
    pub document_type: String,
    pub is_urgent: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// Newest first.
    pub items: Vec<DryRunRow>,
    /// Number of checked messages, matching or not.
    pub examined: u64,
    /// Absent at the end of the 30 days. There may be more matches even if `items` is not full.
    pub next_cursor: Option<String>,
}

/// Dry run of rules on the messages of the last 30 days, without changes
#[utoipa::path(post, path = "/api/settings/intakerules/dryrun", operation_id = "tryIntakeRules", tag = "intake",
    request_body = DryRunRequest, responses((status = 200, body = DryRun)))]
async fn try_intake_rules(
    State(app): State<App>,
    member: Member,
    Body(request): Body<DryRunRequest>,
) -> Result<Json<DryRun>> {
    let answer = dry_run::page(&app, &member, request).await?;
    audit::record_read(&app, &member.caller, Act::new(event::SEARCHED, "intake", "")).await?;
    Ok(Json(answer))
}

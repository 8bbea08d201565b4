//! `/api/settings/intakerules`: the ordered intake rules of an organization.

use super::{
    dry_run, queries,
    types::{DryRun, DryRunRequest, IntakeRule, IntakeRuleForm, RuleOrder},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Created, Id, Page, Paged, Params},
    text::SearchWords,
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(intake_rules, create_intake_rule))
        .route(ADMINS, routes!(intake_rule, update_intake_rule, delete_intake_rule))
        .route(ADMINS, routes!(order_intake_rules))
        .route(ADMINS, routes!(try_intake_rules))
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

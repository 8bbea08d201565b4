//! `/api/filedbyrule`: what intake rules filed into charts, and what they left to people. Their dry run is beside that of
//! all rules.

use super::{
    dry_run, queries,
    types::{FiledByRule, FiledParams, FilingDryRun, FilingDryRunRequest, LeftByRule, RuleCounts},
};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::{ADMINS, MEMBERS},
    api::Api,
    audit::{self, Act, event},
    http::{Body, Items, Paged, Params},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(filed_by_rule))
        .route(MEMBERS, routes!(left_by_rules))
        .route(MEMBERS, routes!(filed_by_rule_counts))
        .route(ADMINS, routes!(try_filing_rules))
}

/// Documents that intake rules filed into charts, newest first
#[utoipa::path(get, path = "/api/filedbyrule", operation_id = "filedByRule", tag = "charts",
    params(FiledParams), responses((status = 200, body = Paged<FiledByRule>)))]
async fn filed_by_rule(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FiledParams>,
) -> Result<Json<Paged<FiledByRule>>> {
    let found = queries::filed_page(&app, &member, &params).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "filedbyrule", "")).await?;
    Ok(Json(found))
}

/// Messages that intake rules left to people instead of filing them, newest first
#[utoipa::path(get, path = "/api/filedbyrule/left", operation_id = "leftByRules", tag = "charts",
    params(FiledParams), responses((status = 200, body = Paged<LeftByRule>)))]
async fn left_by_rules(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FiledParams>,
) -> Result<Json<Paged<LeftByRule>>> {
    let found = queries::left_page(&app, &member, &params).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "filedbyrule", "")).await?;
    Ok(Json(found))
}

/// Numbers of documents that intake rules filed, by rule
///
/// The page is ignored.
#[utoipa::path(get, path = "/api/filedbyrule/counts", operation_id = "filedByRuleCounts", tag = "charts",
    params(FiledParams), responses((status = 200, body = Items<RuleCounts>)))]
async fn filed_by_rule_counts(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FiledParams>,
) -> Result<Json<Items<RuleCounts>>> {
    Ok(Json(Items { items: queries::counts(&app, &member, &params).await? }))
}

/// Dry run of filing by rules on the messages of the last 30 days, without changes
///
/// The EHR is asked for the patients of at most 50 messages.
#[utoipa::path(post, path = "/api/settings/intakerules/dryrun/chart", operation_id = "tryFilingRules", tag = "intake",
    request_body = FilingDryRunRequest, responses((status = 200, body = FilingDryRun)))]
async fn try_filing_rules(
    State(app): State<App>,
    member: Member,
    Body(request): Body<FilingDryRunRequest>,
) -> Result<Json<FilingDryRun>> {
    Ok(Json(dry_run::run(&app, &member, request).await?))
}

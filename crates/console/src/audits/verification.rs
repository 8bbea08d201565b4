//! `/api/admin/audits/verification`: whether the trail is unchanged. It is checked in parts, so that requests are
//! fast regardless of its length.

use super::types::{
    AuditFinding, AuditHeads, AuditPlace, AuditProblem, AuditVerification, AuditVerificationForm,
};
use crate::reports::queries::names_of;
use axum::{Json, extract::State};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, Finding, Place, event, heads},
    http::Body,
};
use sea_orm::{EntityTrait, QuerySelect, sea_query::Expr};
use serde_json::json;
use store::entities::audit_chain;
use utoipa_axum::routes;
use uuid::Uuid;

/// Entries per call.
const PART: u64 = 20_000;

const NO_HEADS: &str = "Nothing is stored outside the database yet for comparison with the trail.";

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(verify_audits))
}

/// Checks a part of the audit trail; call it again with `next` until that is null
#[utoipa::path(post, path = "/api/admin/audits/verification", operation_id = "verifyAudits", tag = "audits",
    request_body = AuditVerificationForm, responses((status = 200, body = AuditVerification)))]
async fn verify_audits(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<AuditVerificationForm>,
) -> Result<Json<AuditVerification>> {
    let db = app.store.db();
    let from = form.from.map(|AuditPlace { chain_id, seq }| Place { chain_id, seq });
    let part = audit::verify_part(db, from, PART).await?;
    let is_over = part.next.is_none();
    let heads = if is_over { Some(compared(&app).await?) } else { None };
    if is_over {
        let problems = heads.as_ref().map_or(0, |heads| heads.problems.len());
        record(&app, &caller, part.findings.len() + problems).await?;
    }
    Ok(Json(AuditVerification {
        checked: part.checked,
        total: total(&app).await?,
        findings: findings(&app, &part.findings).await?,
        next: part.next.map(|Place { chain_id, seq }| AuditPlace { chain_id, seq }),
        heads,
    }))
}

async fn total(app: &App) -> Result<u64> {
    let sum = audit_chain::Entity::find()
        .select_only()
        .expr(Expr::cust("CAST(COALESCE(SUM(last_seq), 0) AS BIGINT)"))
        .into_tuple::<i64>()
        .one(app.store.db())
        .await?;
    Ok(sum.unwrap_or_default().max(0) as u64)
}

async fn findings(app: &App, found: &[Finding]) -> Result<Vec<AuditFinding>> {
    let names = names_of(app.store.db(), found.iter().map(Finding::chain_id)).await?;
    let finding = |finding: &Finding| {
        let (problem, seq) = match finding {
            Finding::Changed { seq, .. } => (AuditProblem::Changed, *seq),
            Finding::Removed { seq, .. } => (AuditProblem::Removed, *seq),
            Finding::Reordered { seq, .. } => (AuditProblem::Reordered, *seq),
        };
        let chain_id = finding.chain_id();
        AuditFinding {
            organization_id: Some(chain_id).filter(|id| *id != Uuid::nil()),
            organization_name: names.get(&chain_id).cloned(),
            seq,
            problem,
        }
    };
    Ok(found.iter().map(finding).collect())
}

async fn compared(app: &App) -> Result<AuditHeads> {
    let db = app.store.db();
    let kept = heads::read(&app.config, &app.blobs, db, &app.keys).await?;
    let found = kept.findings(db).await?;
    let said = found.iter().map(|finding| format!("Compared with the copy outside the database, {finding}."));
    let wrong = kept.wrong.iter().map(|wrong| format!("{wrong}."));
    let nothing = (kept.heads.is_none() && kept.wrong.is_none()).then(|| NO_HEADS.to_owned());
    let problems = wrong.chain(said).chain(nothing).collect();
    let kept_at = kept.heads.filter(|_| kept.wrong.is_none()).map(|heads| heads.at);
    Ok(AuditHeads { kept_at, problems })
}

/// Audits the verification, with the number of findings of the last part.
async fn record(app: &App, caller: &Caller, findings: usize) -> Result<()> {
    let txn = app.store.begin().await?;
    let act = Act::new(event::AUDIT_VERIFIED, "audittrail", "chains").detail(json!({ "findings": findings }));
    audit::record(app, &txn, &Actor::platform(caller), act).await?;
    Ok(txn.commit().await?)
}

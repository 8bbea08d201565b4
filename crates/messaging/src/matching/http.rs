//! `POST /api/patients/_match`: which known patients a patient may be

use super::search::{self, PatientMatch};
use crate::{messages::rules, model::Patient};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Items},
};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(match_patients))
}

/// Known patients who certainly or possibly are this one, the likeliest first
#[utoipa::path(post, path = "/api/patients/_match", operation_id = "matchPatients", tag = "lookups",
    request_body = Patient, responses((status = 200, body = Items<PatientMatch>)))]
async fn match_patients(
    State(app): State<App>,
    member: Member,
    Body(patient): Body<Patient>,
) -> Result<Json<Items<PatientMatch>>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let patient = rules::tidy_patient(patient);
    let items = search::find(app.store.db(), &member.tenant(), &key, &patient).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "patient", "")).await?;
    Ok(Json(Items { items }))
}

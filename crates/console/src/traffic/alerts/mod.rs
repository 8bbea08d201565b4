//! `/api/diagnostics/messaging/systemalerts`: the current alerts, with their start, advice, and the person who
//! handles each. Past alerts are not shown.

mod conditions;
mod onset;

pub use conditions::find;

use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Caller, Error, Result,
    access::{OPERATORS, SYSADMINS},
    api::Api,
    audit::{self, Act, Actor},
    http::{Body, Id, Items},
    text::Rule,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::entities::alert_acknowledgement::{ActiveModel, AlertStatus, Column, Entity, Model};
use utoipa::ToSchema;
use utoipa_axum::routes;

/// Time after which the person who handles an alert is asked again.
const HOLDS: Duration = Duration::days(1);

const OBJECT: &str = "systemalert";

pub fn api() -> Api {
    Api::new()
        .route(OPERATORS, routes!(system_alerts))
        .route(SYSADMINS, routes!(acknowledge_alert, reopen_alert))
}

platform::text! {
    /// Note about the handling of an alert.
    pub AlertNote = Rule::line(0, 200).says("Please enter at most 200 characters.");
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemAlert {
    /// Key of the alert; constant while it lasts.
    pub id: String,
    /// When it began, or when it was first noticed.
    pub created_at: DateTime<Utc>,
    pub name: String,
    pub status: AlertStatus,
    /// Advice: the next step.
    pub advice: String,
    /// Its page at the monitoring service, if there is one.
    pub data_dog_link: Option<String>,
    pub acknowledgement: Option<Acknowledgement>,
}

/// The person who handles an alert. Valid for a day, unless the alert gets worse.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acknowledgement {
    pub user_name: String,
    pub date: DateTime<Utc>,
    pub note: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcknowledgementForm {
    #[serde(default)]
    pub note: AlertNote,
}

/// The page of an alert: `{alert}` in the address of the monitoring service is replaced by its name.
fn link_to(monitoring: &str, alert: &str) -> String {
    let name: String = url::form_urlencoded::byte_serialize(alert.as_bytes()).collect();
    ["{alert}", "%7Balert%7D"].iter().fold(monitoring.to_owned(), |link, place| link.replace(place, &name))
}

/// The current alerts: unhandled ones first, then the worst
#[utoipa::path(get, path = "/api/diagnostics/messaging/systemalerts", operation_id = "systemAlerts",
    tag = "diagnostics", responses((status = 200, body = Items<SystemAlert>)))]
async fn system_alerts(State(app): State<App>) -> Result<Json<Items<SystemAlert>>> {
    let found = find(&app).await?;
    let mut seen_to = acknowledgements(&app).await?;
    let link = app.config.monitoring_url.as_ref().map(ToString::to_string);
    let mut items: Vec<_> = found
        .into_iter()
        .map(|found| {
            let known = seen_to.remove(&found.id).filter(|row| found.status >= row.status);
            let id = found.id;
            SystemAlert {
                id: id.clone(),
                created_at: found.since,
                name: found.name,
                status: found.status,
                advice: found.advice.into(),
                data_dog_link: link.as_deref().map(|link| link_to(link, &id)),
                acknowledgement: known.map(|row| Acknowledgement {
                    user_name: row.user_name,
                    date: row.at,
                    note: row.note,
                }),
            }
        })
        .collect();
    items.sort_by_key(|alert| alert.acknowledgement.is_some());
    Ok(Json(Items { items }))
}

/// Valid acknowledgements, by alert.
async fn acknowledgements(app: &App) -> Result<HashMap<String, Model>> {
    let since = app.clock.now() - HOLDS;
    let rows = Entity::find().filter(Column::At.gt(since)).all(app.store.db()).await?;
    Ok(rows.into_iter().map(|row| (row.alert.clone(), row)).collect())
}

/// Records that the caller handles an alert
#[utoipa::path(put, path = "/api/diagnostics/messaging/systemalerts/{id}/acknowledgement",
    operation_id = "acknowledgeAlert", tag = "diagnostics", params(("id" = String, Path)),
    request_body = AcknowledgementForm, responses((status = 204)))]
async fn acknowledge_alert(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<String>,
    Body(form): Body<AcknowledgementForm>,
) -> Result<StatusCode> {
    let found = find(&app).await?.into_iter().find(|found| found.id == id).ok_or(Error::NotFound)?;
    let row = ActiveModel {
        alert: Set(found.id.clone()),
        status: Set(found.status),
        user_name: Set(caller.user_name.clone()),
        at: Set(app.clock.now()),
        note: Set(form.note.into()),
    };
    let anew = OnConflict::column(Column::Alert)
        .update_columns([Column::Status, Column::UserName, Column::At, Column::Note])
        .to_owned();
    let txn = app.store.begin().await?;
    // Acknowledgements of past alerts are removed.
    Entity::delete_many().filter(Column::At.lte(app.clock.now() - HOLDS)).exec(&txn).await?;
    Entity::insert(row).on_conflict(anew).exec_without_returning(&txn).await?;
    let act = Act::new(audit::event::CHANGED, OBJECT, found.id);
    audit::record(&app, &txn, &Actor::platform(&caller), act).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Records that nobody handles an alert any more
#[utoipa::path(delete, path = "/api/diagnostics/messaging/systemalerts/{id}/acknowledgement",
    operation_id = "reopenAlert", tag = "diagnostics", params(("id" = String, Path)),
    responses((status = 204)))]
async fn reopen_alert(State(app): State<App>, caller: Caller, Id(id): Id<String>) -> Result<StatusCode> {
    let txn = app.store.begin().await?;
    let gone = Entity::delete_by_id(id.clone()).exec(&txn).await?;
    if gone.rows_affected == 0 {
        return Err(Error::NotFound);
    }
    let act = Act::new(audit::event::DELETED, OBJECT, id);
    audit::record(&app, &txn, &Actor::platform(&caller), act).await?;
    txn.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::link_to;

    /// ADB-R-199 ADB-C-032
    #[test]
    fn the_link_of_an_alert_names_it() {
        let of = |url: &str| link_to(url, "mail queue/1");
        assert_eq!(
            of("https://watch.example/?monitor={alert}"),
            "https://watch.example/?monitor=mail+queue%2F1"
        );
        assert_eq!(of("https://watch.example/%7Balert%7D"), "https://watch.example/mail+queue%2F1");
        assert_eq!(of("https://watch.example/"), "https://watch.example/");
    }
}

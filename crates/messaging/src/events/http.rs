//! `/api/events` and `/api/messages/{events,eventsreport,statistics}`: recent activity, reports and statistics.

use super::{
    queries::{self, EventsReport, Filter},
    report,
    types::{
        EventsParams, FindEventsParams, MessageEvent, MessageStatistics, ReportParams, StatisticsParams,
    },
};
use crate::messages;
use axum::{Json, extract::State, response::Response};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    csv,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{DayOrMoment, Page, Paged, Params},
    session,
};
use serde_json::json;
use store::entities::message_event::EventType;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(find_events))
        .route(MEMBERS, routes!(events))
        .route(MEMBERS, routes!(events_report))
        .route(MEMBERS, routes!(statistics))
}

/// Default period of recent activity.
const RECENT: Duration = Duration::days(14);
/// Maximum number of events in a report.
const REPORT_SIZE: u64 = 10_000;
const REVERSED: &str = "Start Date must be smaller or equal than End Date.";

/// Events of messages, of one message, or of one person, newest first
#[utoipa::path(get, path = "/api/events", operation_id = "findEvents", tag = "messages",
    params(FindEventsParams), responses((status = 200, body = Paged<MessageEvent>)))]
async fn find_events(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FindEventsParams>,
) -> Result<Json<Paged<MessageEvent>>> {
    let page = Page::new(params.page_start, params.page_size, 30, 100)?;
    let end = params.end.and_then(DayOrMoment::behind).unwrap_or_else(|| app.clock.now());
    let recent = end.checked_sub_signed(RECENT).unwrap_or(end);
    let start = params.start.map_or(recent, DayOrMoment::begin);
    if let Some(id) = params.message_id {
        messages::queries::find(&app, &member, id).await?;
    }
    if let Some(id) = params.user_id {
        let role = session::organization_role(app.store.db(), id, member.organization_id).await?;
        role.ok_or(Error::NotFound)?;
    }
    let of_all = filter(&member, start, end, params.event_types.as_deref())?;
    let filter = Filter { message_id: params.message_id, user_id: params.user_id, ..of_all };
    let (items, counted) = queries::page(&app, &filter, page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "messageevents", "")).await?;
    Ok(Json(Paged::capped(items, counted)))
}

/// Events of messages, newest first
#[utoipa::path(get, path = "/api/messages/events", operation_id = "messageEvents", tag = "messages",
    params(EventsParams), responses((status = 200, body = Paged<MessageEvent>)))]
async fn events(
    State(app): State<App>,
    member: Member,
    Params(params): Params<EventsParams>,
) -> Result<Json<Paged<MessageEvent>>> {
    let page = Page::new(params.page_start, params.page_size, 30, 100)?;
    let end = params.end.unwrap_or_else(|| app.clock.now());
    let start = params.start.unwrap_or(end - RECENT);
    let filter = filter(&member, start, end, params.event_types.as_deref())?;
    let (items, counted) = queries::page(&app, &filter, page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "messageevents", "")).await?;
    Ok(Json(Paged::capped(items, counted)))
}

/// Number of events of each type, of the organization or of one person
#[utoipa::path(get, path = "/api/messages/statistics", operation_id = "messageStatistics", tag = "messages",
    params(StatisticsParams), responses((status = 200, body = MessageStatistics)))]
async fn statistics(
    State(app): State<App>,
    member: Member,
    Params(params): Params<StatisticsParams>,
) -> Result<Json<MessageStatistics>> {
    let end = params.end.and_then(DayOrMoment::behind).unwrap_or_else(|| app.clock.now());
    let recent = end.checked_sub_signed(RECENT).unwrap_or(end);
    let start = params.start.map_or(recent, DayOrMoment::begin);
    if let Some(id) = params.user_id {
        let role = session::organization_role(app.store.db(), id, member.organization_id).await?;
        role.ok_or(Error::NotFound)?;
    }
    let of_all = filter(&member, start, end, params.event_types.as_deref())?;
    let filter = Filter { user_id: params.user_id, ..of_all };
    let items = queries::statistics(app.store.db(), &filter).await?;
    Ok(Json(MessageStatistics { start, end, items }))
}

/// Events of messages as CSV or PDF, newest first
#[utoipa::path(get, path = "/api/messages/eventsreport", operation_id = "messageEventsReport", tag = "messages",
    params(ReportParams),
    responses((status = 200, content((String = "text/csv"), (Vec<u8> = "application/pdf")),
        description = "PDF if `asPdf` is true")))]
async fn events_report(
    State(app): State<App>,
    member: Member,
    Params(params): Params<ReportParams>,
) -> Result<Response> {
    let (Some(start), Some(end)) = (params.start, params.end) else {
        let mut errors = FieldErrors::default();
        errors.require(params.start.is_some(), "start", DEFAULT_FIELD_ERROR);
        errors.require(params.end.is_some(), "end", DEFAULT_FIELD_ERROR);
        return Err(Error::Invalid(errors));
    };
    let filter = filter(&member, start, end, params.event_types.as_deref())?;
    let size = Page::new(None, params.page_size, REPORT_SIZE, REPORT_SIZE)?.size;
    let kinds: Vec<String> = filter.kinds.iter().map(ToString::to_string).collect();
    let act = Act::new(event::DOWNLOADED, "report", "events")
        .detail(json!({ "start": start, "end": end, "eventTypes": kinds }));
    audit::record_read(&app, &member.caller, act).await?;
    if params.as_pdf == Some(true) {
        return report::pdf(&app, &member, EventsReport::new(filter, size), start, end).await;
    }
    let name = app.clock.now().format("%Y-%m-%dT%H-%M-%SZ.csv");
    Ok(csv::download(app, &name.to_string(), EventsReport::new(filter, size)))
}

fn filter(
    member: &Member,
    start: DateTime<Utc>,
    end: DateTime<Utc>,
    event_types: Option<&str>,
) -> Result<Filter> {
    if start > end {
        return Err(Error::field("start", REVERSED));
    }
    let kinds = EventType::listed(event_types.unwrap_or_default());
    let kinds = kinds.ok_or_else(|| Error::field("eventTypes", DEFAULT_FIELD_ERROR))?;
    Ok(Filter { tenant: member.tenant(), kinds, start, end, message_id: None, user_id: None })
}

//! `/api/messages/{id}/fax`: progress of the faxes of a message, sending again, and cancelling.

use super::{cancel, queries, types::FaxDelivery};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Id, Items},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(fax_deliveries))
        .route(MEMBERS, routes!(send_fax_again))
        .route(MEMBERS, routes!(cancel_fax))
}

/// Progress of the faxes of a message
#[utoipa::path(get, path = "/api/messages/{id}/fax", operation_id = "faxDeliveries", tag = "fax",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<FaxDelivery>)))]
async fn fax_deliveries(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<FaxDelivery>>> {
    let items = queries::of_message(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "message", id)).await?;
    Ok(Json(Items { items }))
}

/// Sends a fax again that failed, or whose outcome is unknown
#[utoipa::path(post, path = "/api/messages/{id}/fax/{deliveryId}/again", operation_id = "sendFaxAgain", tag = "fax",
    params(("id" = Uuid, Path), ("deliveryId" = Uuid, Path)),
    responses((status = 200, body = Items<FaxDelivery>)))]
async fn send_fax_again(
    State(app): State<App>,
    member: Member,
    Id((id, delivery_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<Items<FaxDelivery>>> {
    queries::again(&app, &member, id, delivery_id).await?;
    Ok(Json(Items { items: queries::of_message(&app, &member, id).await? }))
}

/// Cancels a fax that waits, dials or sends
#[utoipa::path(post, path = "/api/messages/{id}/fax/{deliveryId}/cancel", operation_id = "cancelFax", tag = "fax",
    params(("id" = Uuid, Path), ("deliveryId" = Uuid, Path)),
    responses((status = 200, body = Items<FaxDelivery>)))]
async fn cancel_fax(
    State(app): State<App>,
    member: Member,
    Id((id, delivery_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<Items<FaxDelivery>>> {
    cancel::cancel(&app, &member, id, delivery_id).await?;
    Ok(Json(Items { items: queries::of_message(&app, &member, id).await? }))
}

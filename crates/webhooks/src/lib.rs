//! Webhooks: the systems of an organization are told what happened, by signed HTTP calls that are tried again until they
//! are taken. What goes over the wire is described in `docs/webhooks.md`.
//!
//! [`announce`] stands in the transaction of the act. Its step writes a delivery for each webhook that wants the event; a
//! step for each delivery calls the endpoint, in a lane of its own where no endpoint holds more than its share.

mod announce;
mod call;
mod deliveries;
mod http;
mod pause;
mod queries;
mod rules;
mod signing;
mod sweep;
mod types;

pub use announce::{About, announce};
pub use sweep::sweep;

use platform::{App, api::Api, audit::ObjectKinds};
use tokio_util::sync::CancellationToken;
use workflow::Registry;

pub const WORKFLOW: &str = "WebhookWorkflow";

/// All routes of this area.
pub fn api() -> Api {
    http::api().merge(deliveries::api())
}

/// The kinds of objects of this area that have names in the audit trail.
pub fn audited() -> ObjectKinds {
    ObjectKinds::new().record::<http::WebhookRecord>()
}

/// The steps of this area's workflow.
pub fn registry(app: &App) -> Registry {
    Registry::new().with(WORKFLOW, announce::ANNOUNCE, announce::Announce(app.clone())).with(
        WORKFLOW,
        call::CALL,
        call::Call::new(app),
    )
}

/// Forgets what was sent long ago, until the node stops.
pub async fn background(app: App, cancel: CancellationToken) {
    sweep::sweep_forever(app, cancel).await;
}

//! Webhooks: notifications of an organization's systems about events, by signed HTTP calls that are repeated until
//! they succeed. `docs/webhooks.md` describes requests and answers.
//!
//! [`announce`] is called in the transaction of the event. Its step writes a delivery for each subscribed webhook,
//! and a step for each delivery calls the endpoint, in a separate lane where no endpoint uses more than its share.

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

/// Removes old deliveries, until the node stops.
pub async fn background(app: App, cancel: CancellationToken) {
    sweep::sweep_forever(app, cancel).await;
}

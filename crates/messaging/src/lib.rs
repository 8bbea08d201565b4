//! Messages: Intake, Release, attachments and the workflows that carry them over Direct.

pub mod attachments;
pub mod direct;
pub mod events;
pub mod fax;
pub mod hubs;
pub mod intake;
pub mod lookups;
pub mod messages;
pub mod model;
pub mod notifications;
pub mod release;
pub mod sealed;
pub mod workflows;

use ::direct::smtp::server::MailSink;
use axum::Router;
use direct::DirectServices;
use platform::{App, api::Api};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use workflow::Registry;

/// All `/api` routes of this area, hubs among them.
pub fn api() -> Api {
    intake::http::api()
        .merge(messages::http::api())
        .merge(messages::names::api())
        .merge(events::http::api())
        .merge(release::http::api())
        .merge(release::failures::http::api())
        .merge(release::release_types::api())
        .merge(messages::bulk::api())
        .merge(attachments::http::api())
        .merge(lookups::api())
        .merge(hubs::api())
        .merge(fax::api())
        .merge(direct::addresses::api())
}

/// Routes outside `/api` that anybody may read: the revocation lists that our certificates name.
pub fn public_routes() -> Router<App> {
    direct::crl::routes()
}

/// The steps of this area's workflows.
pub fn registry(app: &App, direct: &DirectServices) -> Registry {
    workflows::registry(app, direct)
}

/// Where the SMTP listener puts mail.
pub fn mail_sink(app: &App, direct: &DirectServices) -> Arc<dyn MailSink> {
    direct::inbound::sink(app, direct)
}

/// Chores that return to themselves until the node stops: renewal of certificates, trust bundles, presence of dead
/// nodes, news by e-mail, received faxes, stored bytes that nobody names.
pub async fn background(app: App, direct: DirectServices, cancel: CancellationToken) {
    tokio::join!(
        direct::certificates::renew_forever(app.clone(), cancel.clone()),
        direct::bundles::refresh_forever(app.clone(), direct, cancel.clone()),
        hubs::presence::sweep_forever(app.clone(), cancel.clone()),
        notifications::chores::notify_forever(app.clone(), cancel.clone()),
        fax::arrivals::poll_forever(app.clone(), cancel.clone()),
        attachments::sweep::sweep_forever(app, cancel),
    );
}

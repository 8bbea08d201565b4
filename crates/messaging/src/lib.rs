//! Messages: Intake, Release, attachments, and the workflows that send and receive them.

pub mod arrival;
pub mod attachments;
mod audited;
pub mod bulk;
pub mod charts;
pub mod conversations;
pub mod deliveries;
pub mod direct;
pub mod events;
pub mod exports;
pub mod fax;
pub mod files;
pub mod handling;
pub mod hubs;
pub mod indexes;
pub mod intake;
pub mod interfaces;
pub mod known_patients;
pub mod lookups;
pub mod matching;
pub mod messages;
pub mod model;
pub mod notifications;
pub mod pdf_report;
pub mod people;
pub mod proposals;
pub mod quarantine;
pub mod referrals;
pub mod registry;
pub mod release;
pub mod rules;
pub mod sealed;
pub mod search_terms;
pub mod signatures;
pub mod storage_sweep;
pub mod triage;
pub mod view;
pub mod vocabulary;
pub mod workflows;

use ::direct::smtp::server::MailSink;
pub use audited::audited;
use axum::Router;
use direct::DirectServices;
use exchange::receive::listener::MessageSink;
use platform::{App, api::Api};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use workflow::Registry;

/// All `/api` routes of this area, including the hubs.
pub fn api() -> Api {
    intake::http::api()
        .merge(handling::http::api())
        .merge(handling::names::api())
        .merge(handling::notes::api())
        .merge(signatures::api())
        .merge(charts::api())
        .merge(intake::filters::api())
        .merge(intake::duplicates::api())
        .merge(handling::disclosures::api())
        .merge(known_patients::http::api())
        .merge(patients::api())
        .merge(proposals::http::api())
        .merge(events::http::api())
        .merge(release::http::api())
        .merge(release::failures::http::api())
        .merge(release::fax_pages::api())
        .merge(release::release_types::api())
        .merge(release::routing::http::api())
        .merge(bulk::selection::api())
        .merge(exports::http::api())
        .merge(bulk::api())
        .merge(attachments::http::api())
        .merge(attachments::parts::api())
        .merge(triage::http::api())
        .merge(quarantine::http::api())
        .merge(lookups::api())
        .merge(hubs::api())
        .merge(fax::api())
        .merge(direct::addresses::api())
        .merge(direct::own_addresses::api())
        .merge(direct::trust::api())
        .merge(rules::http::api())
        .merge(referrals::http::api())
}

/// Routes outside `/api`: revocation lists of our certificates, and the document endpoint for other systems (XDR).
pub fn public_routes() -> Router<App> {
    direct::crl::routes().merge(interfaces::xdr::routes())
}

/// The steps of this area's workflows.
pub fn registry(app: &App, direct: &DirectServices) -> Registry {
    registry::registry(app, direct)
}

/// The sink for mail from the SMTP listener.
pub fn mail_sink(app: &App, direct: &DirectServices) -> Arc<dyn MailSink> {
    direct::inbound::sink(app, direct)
}

/// The sink for messages from the MLLP listener.
pub fn message_sink(app: &App) -> Arc<dyn MessageSink> {
    interfaces::mllp::sink(app)
}

/// Background tasks that run until the node stops: certificate renewal, trust bundles, presence of dead nodes, expired
/// assignments, e-mail notifications, received faxes, messages in folders, expired exports and bulk jobs, reindexing, patients of earlier
/// messages, the text of documents, unreferenced stored bytes.
pub async fn background(app: App, direct: DirectServices, cancel: CancellationToken) {
    tokio::join!(
        direct::certificates::renew_forever(app.clone(), cancel.clone()),
        direct::bundles::refresh_forever(app.clone(), direct, cancel.clone()),
        hubs::presence::sweep_forever(app.clone(), cancel.clone()),
        messages::assignment_expiry::return_forever(app.clone(), cancel.clone()),
        notifications::chores::notify_forever(app.clone(), cancel.clone()),
        charts::by_rule::digest::tell_forever(app.clone(), cancel.clone()),
        fax::arrivals::poll_forever(app.clone(), cancel.clone()),
        interfaces::folder::watch_forever(app.clone(), cancel.clone()),
        exports::expire_forever(app.clone(), cancel.clone()),
        bulk::forget_forever(app.clone(), cancel.clone()),
        handling::reindex::reindex_forever(app.clone(), cancel.clone()),
        known_patients::backfill::backfill_forever(app.clone(), cancel.clone()),
        indexes::text::read_forever(app.clone(), cancel.clone()),
        storage_sweep::sweep_forever(app, cancel),
    );
}

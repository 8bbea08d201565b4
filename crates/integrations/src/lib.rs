//! Connections of organizations to the systems that hold their patients' charts (EHRs with FHIR R4): settings, keys,
//! people's sign-ins, connection tests, and lookups. The protocol is in the crate `fhir`; documents are filed by
//! `messaging::charts`.
//!
//! Every call to an EHR goes through [`ehr::Ehr`], which enforces the whitelist of operators, the organization's share
//! of calls, the pause after repeated failures, and the network guard.

mod connections;
pub mod ehr;
mod login;
mod lookups;
mod memory;
mod network;

pub use connections::{
    keys::{first_row, public_keys},
    rules::{Described, describe, offered},
};
pub use login::tokens::redirect_url;
pub use lookups::{types as lookup_types, views as lookup_views};

use axum::Router;
use platform::{App, api::Api, audit::ObjectKinds, chores};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const SWEEP: Duration = Duration::from_secs(3600);

/// All routes of this area.
pub fn api() -> Api {
    connections::api().merge(lookups::api()).merge(login::api())
}

/// Routes that EHRs call without signing in: the public keys of a connection.
pub fn public_routes() -> Router<App> {
    connections::keys::routes().merge(login::callback::routes())
}

/// Removes ended sign-ins of people at their EHRs, until the node stops.
pub async fn background(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(SWEEP, SWEEP, cancel, "sweeping of sign-ins at EHRs", || async move {
        login::tokens::sweep(app).await
    })
    .await;
}

/// The kinds of objects of this area that have names in the audit trail.
pub fn audited() -> ObjectKinds {
    ObjectKinds::new().record::<connections::http::ConnectionRecord>()
}

//! The console of system administrators: organizations, networks, the lists for forms, and reports. Also the
//! self-registration of practices.

pub mod api_capture;
pub mod audits;
pub mod brands;
pub mod carequality;
pub mod customer_messaging;
pub mod dashboard;
pub mod emergencies;
pub mod eulas;
pub mod features;
pub mod health;
pub mod imports;
pub mod integrations;
pub mod interfaces;
pub mod lanes;
pub mod licences;
pub mod lookups;
pub mod networks;
pub mod npi;
pub mod odata;
pub mod organizations;
mod outside;
pub mod plans;
pub mod registration;
pub mod reports;
pub mod resellers;
pub mod reserved_words;
pub mod routing;
pub mod service_accounts;
pub mod subscriptions;
pub mod traffic;
pub mod users;
pub mod vocabulary;
pub mod workflows;

use platform::{App, api::Api, audit::ObjectKinds};
use tokio_util::sync::CancellationToken;
use workflow::Registry;

/// Routes of this area.
pub fn api() -> Api {
    organizations::http::api()
        .merge(api_capture::api())
        .merge(audits::api())
        .merge(brands::http::api())
        .merge(organizations::info::api())
        .merge(organizations::overview::api())
        .merge(organizations::qhin::api())
        .merge(service_accounts::api())
        .merge(carequality::http::api())
        .merge(carequality::oids::api())
        .merge(carequality::sync::api())
        .merge(emergencies::api())
        .merge(eulas::api())
        .merge(features::api())
        .merge(imports::api())
        .merge(integrations::api())
        .merge(interfaces::api())
        .merge(lanes::api())
        .merge(licences::api())
        .merge(lookups::http::api())
        .merge(networks::api())
        .merge(plans::http::api())
        .merge(plans::console::api())
        .merge(npi::http::api())
        .merge(reports::http::api())
        .merge(reports::generated::api())
        .merge(reserved_words::api())
        .merge(routing::api())
        .merge(resellers::api())
        .merge(vocabulary::api())
        .merge(registration::http::api())
        .merge(subscriptions::http::api())
        .merge(users::api())
        .merge(dashboard::http::api())
        .merge(dashboard::health::api())
        .merge(health::api())
        .merge(workflows::api())
        .merge(traffic::api())
        .merge(odata::api())
}

/// The kinds of this area's objects that have names in the audit trail.
pub fn audited() -> ObjectKinds {
    ObjectKinds::new()
        .record::<brands::http::BrandRecord>()
        .record::<emergencies::http::EmergencyRecord>()
        .record::<emergencies::organizations::OrganizationRecord>()
        .record::<features::FeatureRecord>()
        .record::<interfaces::ConnectionRecord>()
        .record::<networks::queries::NetworkRecord>()
        .record::<plans::console::PlanRecord>()
        .record::<resellers::ResellerRecord>()
        .record::<reserved_words::WordRecord>()
        .record::<routing::RuleRecord>()
        .record::<service_accounts::AccountRecord>()
        .record::<vocabulary::document_types::DocumentTypeRecord>()
        .record::<vocabulary::items::ItemRecord>()
        .record::<vocabulary::release_types::ReleaseTypeRecord>()
}

/// The steps of this area's workflows.
pub fn registry(app: &App) -> Registry {
    imports::registry(app).merge(workflows::registry(app)).merge(reports::generated::registry(app))
}

/// Recurring chores, which run until the node stops.
pub async fn background(app: App, cancel: CancellationToken) {
    tokio::join!(
        subscriptions::chores::end_grace_forever(app.clone(), cancel.clone()),
        reports::generated::expire_forever(app.clone(), cancel.clone()),
        platform::capture::sweep_forever(app.clone(), cancel.clone()),
        workflows::sweep::sweep_forever(app.clone(), cancel.clone()),
        traffic::count_forever(app, cancel),
    );
}

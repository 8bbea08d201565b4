//! Integrations with outside systems, the organizations that use each, and the whitelist of allowed ones.

mod connections;
mod overview;
mod whitelist;

use platform::api::Api;
use store::entities::integration_grant::Integration;

pub fn api() -> Api {
    connections::api().merge(overview::api()).merge(whitelist::api())
}

/// Name of the integration for people.
fn name_of(integration: Integration) -> &'static str {
    match integration {
        Integration::ServiceAccounts => "Service accounts",
        Integration::Webhooks => "Webhooks",
        Integration::SingleSignOn => "Single sign-on",
        Integration::FaxAccounts => "Fax services",
        Integration::Fhir => "EHR (FHIR R4)",
        Integration::Hl7 => "EHR (HL7 v2)",
        Integration::WebService => "Web service",
    }
}

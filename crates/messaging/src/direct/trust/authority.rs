//! `/api/admin/trust/authority`: information for partners before they exchange mail with this installation.

use crate::direct::{authority, hosted};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{App, Error, Result, access::SYSADMINS, api::Api};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

/// Maximum number of addresses to offer as a test address for partners.
const ADDRESSES_MAX: u64 = 100;

pub(super) fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(trust_authority))
}

/// The authority of this installation, and the names of its mail server and domain.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAuthority {
    /// Its name for operators.
    pub name: String,
    pub subject: String,
    /// SHA-256, in hexadecimal digits.
    pub fingerprint: String,
    pub not_before: DateTime<Utc>,
    pub not_after: DateTime<Utc>,
    /// PEM, for partners to trust as an anchor.
    pub certificate: String,
    /// URL of its revocation list.
    pub revocation_list: String,
    /// Each organization has a domain below it.
    pub direct_domain: String,
    /// The DNS name of the mail server.
    pub mail_server: String,
    /// Whether this installation is the DNS server of the domain.
    pub answers_dns: bool,
    /// Addresses that accept mail, oldest first, at most 100.
    pub addresses: Vec<String>,
}

/// The authority of this installation, and further information for partners
#[utoipa::path(get, path = "/api/admin/trust/authority", operation_id = "trustAuthority", tag = "trust",
    responses((status = 200, body = TrustAuthority)))]
async fn trust_authority(State(app): State<App>) -> Result<Json<TrustAuthority>> {
    let authority::Shown { name, certificate, revocation_list } =
        authority::authority_view(&app).await?.ok_or(Error::NotFound)?;
    let period = certificate.period();
    Ok(Json(TrustAuthority {
        name,
        subject: certificate.subject(),
        fingerprint: certificate.fingerprint(),
        not_before: period.not_before,
        not_after: period.not_after,
        certificate: certificate.to_pem(),
        revocation_list,
        direct_domain: format!("direct.{}", app.config.direct.host),
        mail_server: app.config.smtp.hostname.clone(),
        answers_dns: app.config.dns.listen.is_some(),
        addresses: hosted::oldest_addresses(&app, ADDRESSES_MAX).await?,
    }))
}

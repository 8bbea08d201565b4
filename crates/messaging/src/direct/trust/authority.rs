//! `/api/admin/trust/authority`: what partners need to know of this installation before they exchange mail with it.

use crate::direct::{authority, hosted};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{App, Error, Result, access::SYSADMINS, api::Api};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

/// Addresses to choose one from that partners may write to.
const ADDRESSES_MAX: u64 = 100;

pub(super) fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(trust_authority))
}

/// The authority of this installation, and where its mail and its certificates are found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAuthority {
    /// The name under which operators know it.
    pub name: String,
    pub subject: String,
    /// SHA-256, in hexadecimal digits.
    pub fingerprint: String,
    pub not_before: DateTime<Utc>,
    pub not_after: DateTime<Utc>,
    /// PEM. Partners trust it as an anchor.
    pub certificate: String,
    /// Where the list of revoked certificates is fetched.
    pub revocation_list: String,
    /// Each organization has a domain below it.
    pub direct_domain: String,
    /// The name in DNS to which mail is sent.
    pub mail_server: String,
    /// Whether this installation answers DNS for the domain by itself.
    pub answers_dns: bool,
    /// Addresses that take mail, the oldest first, at most 100.
    pub addresses: Vec<String>,
}

/// The authority of this installation, and what else partners need
#[utoipa::path(get, path = "/api/admin/trust/authority", operation_id = "trustAuthority", tag = "trust",
    responses((status = 200, body = TrustAuthority)))]
async fn trust_authority(State(app): State<App>) -> Result<Json<TrustAuthority>> {
    let authority::Shown { name, certificate, revocation_list } =
        authority::shown(&app).await?.ok_or(Error::NotFound)?;
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

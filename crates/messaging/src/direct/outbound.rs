//! Signs, encrypts and hands over one message to the recipients of one domain.

use super::{DirectServices, credentials::Credentials};
use ::direct::{
    DirectAddress,
    cert::{Certificate, pick_signer},
    smime::{SealOptions, off_thread, seal},
    smtp::client::{
        DeliveryReport, OutgoingEnvelope, RecipientOutcome, Route, RouteError, Target, TlsDemand,
        demand_dane, resolve,
    },
};
use platform::{App, Error, config::PartnerTls};

/// Why a message was not handed over.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Retrying may help.
    #[error("{0}")]
    Temporary(String),
    /// Retrying will not help.
    #[error("{0}")]
    Permanent(String),
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self::Temporary(format!("{error:?}"))
    }
}

impl From<RouteError> for SendError {
    fn from(error: RouteError) -> Self {
        if error.is_temporary() {
            Self::Temporary(error.to_string())
        } else {
            Self::Permanent(error.to_string())
        }
    }
}

/// Signs with the sender's certificate and encrypts to the recipients'.
///
/// # Errors
///
/// Refused if the sender has no certificate.
pub async fn protect(
    app: &App,
    direct: &DirectServices,
    own: &Credentials,
    sender: &DirectAddress,
    inner: Vec<u8>,
    recipients: Vec<Certificate>,
) -> Result<Vec<u8>, SendError> {
    let signer = pick_signer(&own.identities, sender, app.clock.now())
        .map_err(|error| SendError::Permanent(error.to_string()))?
        .clone();
    let _room = direct.sending.acquire(inner.len() as u64).await;
    off_thread(inner.len(), move || seal(&inner, &signer, &recipients, SealOptions::default()))
        .await
        .map_err(|error| SendError::Temporary(error.to_string()))?
        .map_err(|error| SendError::Permanent(error.to_string()))
}

/// Hands a protected message over to the mail server of a domain.
pub async fn hand_over(
    app: &App,
    direct: &DirectServices,
    domain: &str,
    sender: &DirectAddress,
    recipients: Vec<DirectAddress>,
    message: &[u8],
) -> Result<DeliveryReport, SendError> {
    let targets = targets(app, direct, domain).await?;
    let envelope = OutgoingEnvelope { mail_from: Some(sender.clone()), recipients };
    let mut bytes = message;
    Ok(direct.smtp.deliver(&targets, &envelope, message.len() as u64, &mut bytes).await)
}

async fn targets(app: &App, direct: &DirectServices, domain: &str) -> Result<Vec<Target>, SendError> {
    if direct.hosted.is_ours(domain) {
        let address = direct.hosted_route;
        let host = app.config.smtp.hostname.clone();
        return Ok(vec![Target { host, addresses: vec![address], tls: TlsDemand::None }]);
    }
    let route = match &app.config.smtp.smart_host {
        Some(smart_host) => {
            let (host, port) = smart_host.rsplit_once(':').unwrap_or((smart_host, "25"));
            let port =
                port.parse().map_err(|_| SendError::Permanent("smtp.smart_host has no valid port".into()))?;
            Route::Host { host: host.to_owned(), port }
        }
        None => Route::MailExchangers(domain.to_owned()),
    };
    let found = resolve(&route, &direct.dns, &direct.guard).await?;
    demanding(app, direct, domain, found).await
}

/// The required transport encryption to a domain: the operator's setting for the partner first, then DANE (RFC 7672),
/// then MTA-STS (RFC 8461).
async fn demanding(
    app: &App,
    direct: &DirectServices,
    domain: &str,
    mut targets: Vec<Target>,
) -> Result<Vec<Target>, SendError> {
    let all = |mut targets: Vec<Target>, tls: TlsDemand| {
        targets.iter_mut().for_each(|target| target.tls = tls.clone());
        targets
    };
    match app.config.smtp.partner_tls.get(domain) {
        Some(PartnerTls::Opportunistic) => return Ok(targets),
        Some(PartnerTls::Encrypted) => return Ok(all(targets, TlsDemand::Encrypted)),
        Some(PartnerTls::Verified) => return Ok(all(targets, TlsDemand::Verified)),
        None if app.config.smtp.smart_host.is_some() => return Ok(targets),
        None => {}
    }
    demand_dane(domain, &direct.dns, &mut targets).await?;
    let policy = direct.sts.of(domain, app.clock.now()).await;
    let policy = policy.map_err(|error| SendError::Temporary(format!("{error}.")))?;
    let Some(policy) = policy.filter(|policy| policy.enforce) else { return Ok(targets) };
    // DANE has priority over MTA-STS (RFC 8461, section 2).
    targets.retain(|target| target.tls != TlsDemand::None || policy.names(&target.host));
    for target in targets.iter_mut().filter(|target| target.tls == TlsDemand::None) {
        target.tls = TlsDemand::Verified;
    }
    if targets.is_empty() {
        return Err(SendError::Temporary(format!(
            "The MTA-STS policy of {domain} lists none of its mail servers."
        )));
    }
    Ok(targets)
}

/// The reason for a recipient who was not reached, if possible in the other side's words.
pub fn words(outcome: &RecipientOutcome) -> String {
    match outcome {
        RecipientOutcome::Accepted { text } => text.clone(),
        RecipientOutcome::Refused { code: Some(code), text }
        | RecipientOutcome::Deferred { code: Some(code), text } => {
            format!("{code} {text}")
        }
        RecipientOutcome::Refused { code: None, text }
        | RecipientOutcome::Deferred { code: None, text }
        | RecipientOutcome::Unconfirmed { text } => text.clone(),
    }
}

//! Signing, encrypting and handing over one message to the recipients of one domain.

use super::{DirectServices, credentials::Credentials};
use ::direct::{
    DirectAddress,
    cert::{Certificate, pick_signer},
    smime::{SealOptions, off_thread, seal},
    smtp::client::{DeliveryReport, OutgoingEnvelope, RecipientOutcome, Route, RouteError, Target, resolve},
};
use platform::{App, Error};

/// Why nothing was handed over.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Trying again may help.
    #[error("{0}")]
    Temporary(String),
    /// It will not.
    #[error("{0}")]
    Permanent(String),
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self::Temporary(format!("{error:?}"))
    }
}

/// Signs with the sender's certificate and encrypts to the recipients'. Refuses when the sender has none.
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
        return Ok(vec![Target { host: app.config.smtp.hostname.clone(), addresses: vec![address] }]);
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
    resolve(&route, &direct.dns, &direct.guard).await.map_err(|error: RouteError| {
        if error.is_temporary() {
            SendError::Temporary(error.to_string())
        } else {
            SendError::Permanent(error.to_string())
        }
    })
}

/// The words for a recipient that was not reached, the other side's where there are any.
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

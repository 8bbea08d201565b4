//! A web service that gets documents in JSON over https, such as one for referrals or document processing.

use super::{Failure, Outgoing, calls::known_by};
use crate::connections::{
    keys,
    template::{self as filled, Filling, Happening},
};
use fetch::{FetchError, HttpFetcher};
use fhir::model::Filed;
use http::{HeaderValue, Request, StatusCode, header};
use platform::{App, Error};
use store::entities::integration::Model;

/// Most bytes of an answer that are read.
const ANSWER: usize = 64 << 10;

/// A web service, ready to be called.
pub struct Receiver {
    http: HttpFetcher,
    url: String,
    secret: Option<String>,
    template: String,
}

impl Receiver {
    pub async fn of(app: &App, row: &Model) -> Result<Self, Failure> {
        Ok(Self {
            http: super::http(app, row)?,
            url: row.settings.base_url.clone(),
            secret: keys::secret(app, row).await?,
            template: filled::of(&row.settings.body_template).to_owned(),
        })
    }

    pub async fn file(&self, sent: &Outgoing) -> Result<Filed, Failure> {
        self.post(sent, Happening::Document).await?;
        Ok(known_by(sent.document.identifier, true))
    }

    /// Tells that a document was taken back. A service that never got it does not know it.
    pub async fn withdraw(&self, sent: &Outgoing) -> Result<(), Failure> {
        self.post(sent, Happening::TakenBack).await
    }

    async fn post(&self, sent: &Outgoing, happening: Happening) -> Result<(), Failure> {
        let body = filled::fill(&self.template, &Filling { sent, happening })
            .ok_or_else(|| Failure::Refused(NO_JSON.into()))?;
        let mut request = Request::post(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            // The same on every attempt.
            .header("idempotency-key", happening.key(sent.document.identifier));
        if let Some(secret) = &self.secret {
            let value = HeaderValue::try_from(format!("Bearer {secret}"));
            let mut value = value.map_err(|_| Failure::Refused(NO_HEADER.into()))?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        let request = request.body(body.into_bytes()).map_err(Error::internal)?;
        let answer = self
            .http
            .send_for_beginning(request, ANSWER)
            .await
            .map_err(|error| Failure::Unreached(unreached(&error).into()))?;
        judged(answer.status(), happening)
    }
}

const NO_JSON: &str = "The template of this connection is no JSON. Please ask an administrator to mend it.";
const NO_HEADER: &str = "The token of this connection has characters that cannot be sent. Please ask an administrator to enter it again.";

fn judged(status: StatusCode, happening: Happening) -> Result<(), Failure> {
    match status.as_u16() {
        200..=299 => Ok(()),
        404 | 410 if happening == Happening::TakenBack => Ok(()),
        300..=399 => Err(Failure::Unreached("It answered with a redirect, which is not followed.".into())),
        401 | 403 => Err(Failure::Unreached("It does not accept the token of this connection.".into())),
        408 | 425 | 429 | 500.. => {
            Err(Failure::Unreached(format!("It answered with status {}.", status.as_u16())))
        }
        code => Err(Failure::Refused(format!("It refused the document with status {code}."))),
    }
}

/// Why a web service was not reached.
pub fn unreached(error: &FetchError) -> &'static str {
    match error {
        FetchError::Forbidden => "Its address is in a network that is not allowed.",
        FetchError::Tls(_) => "No encrypted connection could be made.",
        FetchError::NotConnected | FetchError::BadAddress => "It could not be reached.",
        _ => "It did not answer in time.",
    }
}

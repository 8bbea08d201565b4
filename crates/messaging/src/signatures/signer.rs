//! The port to what puts signatures into PDF files, and the embedded implementation.

use super::certificate;
use crate::{attachments::preview::sentence, workflows::platform_error};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use fetch::{AddressGuard, HttpFetcher};
use pades::{Identity, Problem, Signing, Unstamped, timestamp};
use platform::App;
use std::time::Duration;
use url::Url;
use uuid::Uuid;
use workflow::StepError;

/// Time limit for the answer of a time stamping authority.
const ANSWER: Duration = Duration::from_secs(15);
/// Interval of attempts while the time stamping authority does not answer.
const TRY_AGAIN: chrono::Duration = chrono::Duration::minutes(5);
/// How long after the signature a timestamp is waited for.
const TIMESTAMP_WITHIN: chrono::Duration = chrono::Duration::hours(1);

/// Puts signatures into PDF files: the embedded signer, or a service.
#[async_trait]
pub trait Signer: Send + Sync {
    /// Puts one signature into a file. It may be called again for the same signature. A file that cannot be signed is
    /// [`StepError::Failed`], with a sentence for people.
    async fn sign(&self, organization_id: Uuid, pdf: Bytes, what: Signing) -> Result<Signed, StepError>;
}

/// A file with one signature more.
pub struct Signed {
    pub pdf: Bytes,
    /// Whether there should be a timestamp, and the authority did not answer.
    pub lacks_timestamp: bool,
}

/// Signs with the certificate of the organization.
pub struct Embedded(pub App);

#[async_trait]
impl Signer for Embedded {
    async fn sign(&self, organization_id: Uuid, pdf: Bytes, mut what: Signing) -> Result<Signed, StepError> {
        let app = &self.0;
        let identity = self.identity(organization_id, what.at).await?;
        what.room = identity.room();
        let prepared = app.converter.of(organization_id).prepare_signature(&pdf, &what).await;
        let prepared = match prepared {
            Ok(prepared) => prepared.map_err(refused)?,
            Err(error) if error.is_permanent() => return Err(StepError::failed(sentence(&error))),
            Err(error) => return Err(StepError::again(error.to_string())),
        };
        let work = move || Unstamped::sign(&prepared.digest(), &identity).map(|made| (prepared, made));
        let made = tokio::task::spawn_blocking(work).await;
        let (prepared, mut made) = made.map_err(|_| StepError::again("signing ended"))?.map_err(refused)?;
        let lacks_timestamp = match &app.config.signatures.timestamp_url {
            None => false,
            Some(url) => match self.stamp(url, &mut made).await {
                Ok(()) => false,
                Err(_) if app.clock.now() - what.at < TIMESTAMP_WITHIN => {
                    return Err(StepError::Wait { until: app.clock.now() + TRY_AGAIN });
                }
                Err(problem) => {
                    tracing::warn!(problem, "a document was signed without a timestamp");
                    true
                }
            },
        };
        let pdf = made.to_der().and_then(|signature| prepared.finish(&signature)).map_err(refused)?;
        Ok(Signed { pdf: pdf.into(), lacks_timestamp })
    }
}

fn refused(problem: Problem) -> StepError {
    StepError::failed(problem.to_string())
}

impl Embedded {
    async fn identity(&self, organization_id: Uuid, at: DateTime<Utc>) -> Result<Identity, StepError> {
        let found = certificate::current(&self.0, organization_id, at).await.map_err(platform_error)?;
        let chain: Vec<Vec<u8>> = found.chain().iter().map(|link| link.to_der()).collect();
        let key = found.key().to_pkcs8().map_err(|error| StepError::again(error.to_string()))?;
        Identity::new(&found.certificate().to_der(), &chain, &key).map_err(refused)
    }

    /// Adds a timestamp of the authority.
    async fn stamp(&self, url: &Url, made: &mut Unstamped) -> Result<(), String> {
        let request = timestamp::Request::new(made.imprint()).map_err(|problem| problem.to_string())?;
        let query = request.to_der().map_err(|problem| problem.to_string())?;
        let call = http::Request::post(url.as_str())
            .header(http::header::CONTENT_TYPE, timestamp::QUERY)
            .body(query)
            .map_err(|error| error.to_string())?;
        let client =
            HttpFetcher::answering_within(self.guard(), ANSWER).map_err(|error| error.to_string())?;
        let answer = client.send(call, timestamp::ANSWER_MAX).await.map_err(|error| error.to_string())?;
        if !answer.status().is_success() {
            return Err(format!("the time stamping authority answered {}", answer.status()));
        }
        let token = request.read(answer.body(), self.0.clock.now()).map_err(|problem| problem.to_string())?;
        made.stamp(&token).map_err(|problem| problem.to_string())
    }

    fn guard(&self) -> AddressGuard {
        let allowed = self.0.config.signatures.allowed_networks.iter().map(|network| network.prefix());
        allowed.fold(AddressGuard::public_only(), |guard, (address, bits)| guard.allowing(address, bits))
    }
}

/// A signature as the signer puts it into a file.
pub fn signing(
    id: Uuid,
    given: super::marks::Given,
    organization: String,
    requester: &str,
    at: DateTime<Utc>,
) -> Signing {
    let at_text = given.at_text(at);
    Signing {
        field: id.to_string(),
        mark: given.mark,
        name: given.name,
        role: given.role,
        organization,
        at,
        at_text,
        reason: format!("Signature requested by {requester}"),
        room: 0,
    }
}

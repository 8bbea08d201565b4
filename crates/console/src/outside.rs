//! Calls of configured outside services, with limits in time and size, and plain errors for operators.

use platform::{Error, Result};
use reqwest::{Client, RequestBuilder, StatusCode, redirect::Policy};
use serde::de::DeserializeOwned;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of an answer, in bytes.
const ANSWER_MAX: usize = 1 << 20;

/// A service outside this installation.
pub struct Outside {
    pub client: Client,
    /// Name at the beginning of sentences, such as `The FHIR directory`.
    name: &'static str,
}

/// Answer of a service.
pub struct Answer {
    pub status: StatusCode,
    bytes: Vec<u8>,
    name: &'static str,
}

impl Outside {
    pub fn new(name: &'static str) -> Result<Self> {
        let client = Client::builder().timeout(TIMEOUT).redirect(Policy::none()).build();
        let client = client.map_err(|e| Error::internal(format!("no HTTP client: {e}")))?;
        Ok(Self { client, name })
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// 409 if the service cannot be reached or has a problem of its own. Other statuses are left to the caller.
    pub async fn send(&self, request: RequestBuilder) -> Result<Answer> {
        let mut answer = request.send().await.map_err(|error| self.unreachable(error))?;
        let status = answer.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            tracing::warn!(service = self.name, %status, "an outside service answered with an error");
            return Err(self.problem("could not be reached. Please try again later."));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.unreachable(error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > ANSWER_MAX {
                return Err(self.problem("sent an unreadable answer."));
            }
        }
        Ok(Answer { status, bytes, name: self.name })
    }

    fn unreachable(&self, error: reqwest::Error) -> Error {
        tracing::warn!(service = self.name, error = %error.without_url(), "an outside service could not be reached");
        self.problem("could not be reached. Please try again later.")
    }

    fn problem(&self, what: &str) -> Error {
        Error::Conflict(format!("{} {what}", self.name).into())
    }
}

impl Answer {
    /// The content of an answer, unless the service refused the request.
    pub fn accepted(self) -> Result<Self> {
        if self.status.is_success() {
            return Ok(self);
        }
        tracing::warn!(service = self.name, status = %self.status, "an outside service refused a request");
        let text = format!("{} refused the request. Please check its address and its token.", self.name);
        Err(Error::Conflict(text.into()))
    }

    /// Reads the content.
    pub fn read<T>(&self, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        read(&self.bytes).map_err(|error| {
            tracing::warn!(service = self.name, ?error, "an outside service sent an unreadable answer");
            Error::Conflict(format!("{} sent an unreadable answer.", self.name).into())
        })
    }

    /// Reads the content as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        self.read(|bytes| {
            serde_json::from_slice(bytes).map_err(|e| Error::internal(format!("no such JSON: {e}")))
        })
    }
}

//! Shared code of the providers with a web API.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use crate::port::{FileFormat, OutgoingFax, ProviderError, ReceivedFile, SubmitError};

/// Time limit of a request; uploading hundreds of pages takes a while.
const TIMEOUT: Duration = Duration::from_secs(120);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Most bytes of an answer.
const MAX_BODY: usize = 256 << 20;
/// Most characters that are kept of a provider's message.
const MAX_MESSAGE: usize = 300;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WebError {
    /// No connection: the request was not sent.
    NotSent,
    /// The request may have been carried out.
    Lost(String),
}

impl From<WebError> for ProviderError {
    fn from(error: WebError) -> Self {
        Self::Unreachable(error.words())
    }
}

impl WebError {
    pub fn words(self) -> String {
        match self {
            Self::NotSent => "No connection could be made.".to_owned(),
            Self::Lost(words) => words,
        }
    }
}

/// The HTTP client for all accounts of a provider. It follows no redirects, which could leak credentials.
pub(super) fn client() -> Client {
    Client::builder()
        .redirect(Policy::none())
        .timeout(TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .unwrap_or_default()
}

/// An answer: HTTP status and JSON body, which is Null for anything else.
pub(super) struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Answer {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Sends a request and reads the whole answer, whatever its status.
pub(super) async fn send(request: RequestBuilder) -> Result<Answer, WebError> {
    let mut response = request.send().await.map_err(|error| {
        if error.is_connect() || error.is_builder() {
            WebError::NotSent
        } else if error.is_timeout() {
            WebError::Lost("The provider did not answer in time.".to_owned())
        } else {
            WebError::Lost("The connection to the provider broke off.".to_owned())
        }
    })?;
    let status = response.status().as_u16();
    let broke_off = |_| WebError::Lost("The provider's answer broke off.".to_owned());
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(broke_off)? {
        body.extend_from_slice(&part);
        if body.len() > MAX_BODY {
            return Err(WebError::Lost("The provider's answer is too large.".to_owned()));
        }
    }
    Ok(Answer { status, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

/// The pages of a fax as PDF, which all providers accept.
pub(super) async fn as_pdf(fax: &OutgoingFax) -> Result<Vec<u8>, SubmitError> {
    let fault = |words: String| SubmitError::Refused(crate::Outcome::LocalFault, words);
    let tiff = tokio::fs::read(&fax.tiff).await.map_err(|error| fault(error.to_string()))?;
    documents::fax::pdf(&tiff).map_err(|error| fault(error.to_string()))
}

/// A text field of an answer; None when it is empty or of another type.
pub(super) fn text(value: &Value, name: &str) -> Option<String> {
    let text = value.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A number field of an answer, which may be written as text.
pub(super) fn number(value: &Value, name: &str) -> Option<u32> {
    let value = value.get(name)?;
    value
        .as_u64()
        .and_then(|number| u32::try_from(number).ok())
        .or_else(|| value.as_str()?.trim().parse().ok())
}

/// A provider's message on one line and of limited length.
pub(super) fn cleaned(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE).collect::<String>().trim().to_owned()
}

/// The letters of a status in lower case, so that spaces and capitals do not matter.
pub(super) fn letters(state: &str) -> String {
    state.chars().filter(|c| c.is_ascii_alphabetic()).map(|c| c.to_ascii_lowercase()).collect()
}

/// A file in an answer. Its first bytes tell the format.
pub(super) fn file(base64: &str) -> Result<ReceivedFile, ProviderError> {
    let unreadable = || ProviderError::Unreadable("the pages of the fax cannot be decoded".to_owned());
    let content = Bytes::from(STANDARD.decode(base64.trim()).map_err(|_| unreadable())?);
    let format = match content.get(..4) {
        Some(b"%PDF") => FileFormat::Pdf,
        Some(b"II*\0" | b"MM\0*") => FileFormat::Tiff,
        _ => {
            return Err(ProviderError::Unreadable(
                "the pages of the fax are neither PDF nor TIFF".to_owned(),
            ));
        }
    };
    Ok(ReceivedFile { format, content })
}

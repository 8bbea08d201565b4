//! Forms with files ([`FileForm`]). The content of an [`Upload`] is only accessible after the malware scanner, if there is
//! one, found nothing. Files of messages and batches are read with [`Part::unscanned`]: they are stored sealed, and held
//! until a step has scanned them.

#![expect(clippy::disallowed_types, reason = "this is the gate that all others use")]

use crate::{
    App, Error, Result,
    fields::DEFAULT_FIELD_ERROR,
    malware::{ScanError, Verdict},
};
use admission::Party;
use axum::{
    extract::{
        FromRequest, Multipart, Request,
        multipart::{Field, MultipartError},
    },
    http::StatusCode,
};
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use std::{fmt, ops::Deref};
use uuid::Uuid;

const NOT_CHECKED: &str =
    "The file could not be checked for malware, so it was not stored. Please try again in a few minutes.";
const TOO_LARGE: &str = "The file is too large for the malware check, so it was not stored.";

/// A form with files, which is read in parts.
pub struct FileForm(Multipart);

impl<S: Send + Sync> FromRequest<S> for FileForm {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let form = Multipart::from_request(request, state).await;
        form.map(Self).map_err(|_| Error::BadRequest("The request body must be a form with files.".into()))
    }
}

impl FileForm {
    /// The next part. `too_large` is the error of the field `file` for a form above the limit.
    pub async fn next(&mut self, too_large: &'static str) -> Result<Option<Part<'_>>> {
        let field = self.0.next_field().await.map_err(|error| broken(&error, too_large))?;
        Ok(field.map(|field| Part { field, too_large, received: 0 }))
    }
}

/// A part of a form.
pub struct Part<'f> {
    field: Field<'f>,
    too_large: &'static str,
    /// Bytes so far.
    received: usize,
}

impl Part<'_> {
    /// The name of its field.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// A text of at most `limit` bytes; a longer one is an error of its own field.
    pub async fn text(mut self, limit: usize) -> Result<String> {
        let name = self.name().to_owned();
        let bytes = self.bytes(limit).await.map_err(|error| match error {
            Error::Invalid(_) => Error::field(&name, DEFAULT_FIELD_ERROR),
            error => error,
        })?;
        String::from_utf8(bytes.into())
            .map_err(|_| Error::BadRequest("The form has an unreadable text.".into()))
    }

    /// A file of at most `limit` bytes.
    pub async fn file(mut self, limit: usize) -> Result<Upload> {
        Ok(Upload { name: self.file_name(), content: self.bytes(limit).await? })
    }

    /// The name of its file. Browsers send bare names; a path is cut to its last part.
    pub fn file_name(&self) -> String {
        let name = self.field.file_name().unwrap_or_default();
        name.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned()
    }

    /// The next piece of a content of at most `limit` bytes, which nobody has scanned for malware. For files that are
    /// held until a step has done so.
    pub async fn unscanned(&mut self, limit: usize) -> Result<Option<Bytes>> {
        self.piece(limit).await
    }

    async fn piece(&mut self, limit: usize) -> Result<Option<Bytes>> {
        let piece = self.field.chunk().await.map_err(|error| broken(&error, self.too_large))?;
        self.received += piece.as_ref().map_or(0, Bytes::len);
        if self.received > limit {
            return Err(Error::field("file", self.too_large));
        }
        Ok(piece)
    }

    async fn bytes(&mut self, limit: usize) -> Result<Bytes> {
        let mut bytes = BytesMut::new();
        while let Some(piece) = self.piece(limit).await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes.freeze())
    }
}

/// Error for an unreadable form; `too_large` is the error of the field `file` for one above the limit.
fn broken(error: &MultipartError, too_large: &'static str) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Error::field("file", too_large)
    } else {
        Error::BadRequest("The upload is incomplete.".into())
    }
}

/// A received file. Its content is not accessible before [`Upload::checked`].
#[derive(Clone, PartialEq, Eq)]
pub struct Upload {
    name: String,
    content: Bytes,
}

impl Upload {
    /// A file without a name, from within a text or from a disk.
    pub fn unnamed(content: impl Into<Bytes>) -> Self {
        Self { name: String::new(), content: content.into() }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Scans the file for malware, if there is a scanner. A finding is an error of `field`; while the scanner does
    /// not answer, the file has to be sent again. `organization_id` is the file's owner: `None` for files of the
    /// installation.
    pub async fn checked(self, app: &App, organization_id: Option<Uuid>, field: &str) -> Result<Checked> {
        let Self { name, content } = self;
        let Some(scanner) = &app.scanner else { return Ok(Checked { name, content }) };
        let owner = organization_id.map_or(Party::Installation, Party::Organization);
        match scanner.scan(owner, stream::iter([Ok(content.clone())]).boxed()).await {
            Ok(Verdict::Clean) => Ok(Checked { name, content }),
            Ok(Verdict::Infected(finding)) => {
                tracing::warn!(organization = ?organization_id, finding, "an uploaded file was refused");
                let text = format!(
                    "The malware check found a problem in this file, so it was not stored: {finding}."
                );
                Err(Error::field(field, text))
            }
            Ok(Verdict::TooLarge) => Err(Error::field(field, TOO_LARGE)),
            Err(ScanError::Unavailable(reason)) => {
                tracing::warn!(reason, "an uploaded file could not be scanned for malware");
                Err(Error::Conflict(NOT_CHECKED.into()))
            }
            Err(ScanError::Content(error)) => Err(Error::internal(error)),
        }
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upload({} bytes)", self.content.len())
    }
}

/// A file without findings of the malware scanner, or without a scanner.
#[derive(Clone)]
pub struct Checked {
    name: String,
    content: Bytes,
}

impl Checked {
    /// The name as sent, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The complete content. Clones share its memory.
    pub fn content(&self) -> &Bytes {
        &self.content
    }
}

impl Deref for Checked {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.content
    }
}

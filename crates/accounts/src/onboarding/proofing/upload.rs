//! A photo ID on its way from a browser.

use axum::{
    extract::multipart::{Field, MultipartError},
    http::StatusCode,
};
use bytes::{Bytes, BytesMut};
use documents::Kind;
use platform::{Error, Result};

/// Bytes of a document.
pub const DOCUMENT_LIMIT: usize = 10 << 20;
const NAME_MAX: usize = 255;
const KINDS: &[Kind] = &[Kind::Pdf, Kind::Jpeg, Kind::Png, Kind::Tiff];

const TOO_LARGE: &str = "Your file exceeds the maximum (10MB) allowed size.";
const KINDS_TEXT: &str = "Please choose a PDF, JPEG, PNG or TIFF file.";

/// A document of a kind that can be looked at.
pub struct Document {
    pub name: String,
    pub mime_type: &'static str,
    pub bytes: Bytes,
}

/// Reads the file part; extension and content must agree.
pub async fn receive(mut field: Field<'_>) -> Result<Document> {
    let name = field.file_name().unwrap_or_default().to_owned();
    // Browsers send bare names; whatever looks like a path is cut to its last part.
    let name: String =
        name.rsplit(['/', '\\']).next().unwrap_or_default().trim().chars().take(NAME_MAX).collect();
    let mut bytes = BytesMut::new();
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > DOCUMENT_LIMIT {
            return Err(Error::field("file", TOO_LARGE));
        }
        bytes.extend_from_slice(&chunk);
    }
    // Looking into archives, of which the check would want the whole, is not needed: none is accepted.
    let head = &bytes[..bytes.len().min(documents::HEAD)];
    let file = documents::check_upload(&name, head).ok().filter(|f| KINDS.contains(&f.kind));
    let file = file.ok_or_else(|| Error::field("file", KINDS_TEXT))?;
    Ok(Document { name, mime_type: file.mime_type, bytes: bytes.freeze() })
}

/// Why a form cannot be read.
pub fn broken(error: MultipartError) -> Error {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Error::field("file", TOO_LARGE)
    } else {
        Error::BadRequest("The upload is not complete.".into())
    }
}

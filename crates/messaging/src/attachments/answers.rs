//! Answers with a file from storage.

use super::preview;
use crate::files;
use axum::{
    body::Body as HttpBody,
    http::{HeaderValue, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use bytes::Bytes;
use documents::{
    Kind,
    worker::{ConvertError, Input},
};
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use platform::{App, Error, Member, Result, download};
use store::blobs::BlobError;
use uuid::Uuid;

/// An unreadable or too complex file is the caller's error, not the server's.
pub fn unreadable(error: ConvertError) -> Error {
    match error {
        ConvertError::Io(_) => Error::internal(error),
        ConvertError::Busy => Error::TooMany(preview::sentence(&error).into()),
        error => Error::Conflict(preview::sentence(&error).into()),
    }
}

/// A clinical document as a separate page.
pub async fn page(app: &App, member: &Member, kind: Kind, blob_id: Uuid) -> Result<Response> {
    let bytes = files::read(app, member.organization_id, blob_id).await?;
    let html = app.converter.of(member.organization_id).cda_html(Input::bytes(kind, bytes)).await;
    let csp = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
    let headers = AppendHeaders([(header::CONTENT_SECURITY_POLICY, csp)]);
    Ok((headers, axum::response::Html(html.map_err(unreadable)?)).into_response())
}

/// A stored file as a download.
pub async fn file_answer(
    app: &App,
    organization_id: Uuid,
    blob_id: Uuid,
    mime_type: &str,
    size: i64,
    name: &str,
) -> Result<Response> {
    let key = app.keys.data_key(organization_id).await?;
    let stream = app.blobs.reader(&key, organization_id, blob_id);
    let (kind, content) = typed(mime_type, stream).await?;
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_LENGTH, HeaderValue::from(size)),
        (header::CONTENT_DISPOSITION, download::attachment(name)),
        // Files come from strangers, so browsers must never render them as pages of ours.
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ]);
    Ok((headers, content).into_response())
}

/// A stored file as a body, with its content type, including the charset of text.
async fn typed(
    mime_type: &str,
    mut content: BoxStream<'static, Result<Bytes, BlobError>>,
) -> Result<(HeaderValue, HttpBody)> {
    let is_text = ["text/", "x-application/hl7"].iter().any(|kind| mime_type.starts_with(kind))
        || ["+xml", "/xml"].iter().any(|kind| mime_type.ends_with(kind));
    let plain = || HeaderValue::from_static("application/octet-stream");
    if !is_text || mime_type.contains(';') {
        let kind = HeaderValue::from_str(mime_type).unwrap_or_else(|_| plain());
        return Ok((kind, HttpBody::from_stream(content)));
    }
    let head = content.try_next().await?.unwrap_or_default();
    let kind = format!("{mime_type}; charset={}", documents::charset(&head));
    let whole = stream::iter([Ok(head)]).chain(content);
    Ok((HeaderValue::try_from(kind).unwrap_or_else(|_| plain()), HttpBody::from_stream(whole)))
}

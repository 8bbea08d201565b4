//! `GET /crl/{authority}.crl`: the revocation lists of our authorities.

use super::DirectServices;
use axum::{
    Extension, Router,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use platform::{App, Error, Result, http::Id};

pub fn routes() -> Router<App> {
    Router::new().route("/crl/{file}", get(crl))
}

async fn crl(Extension(direct): Extension<DirectServices>, Id(file): Id<String>) -> Result<Response> {
    let id = file.strip_suffix(".crl").and_then(|id| id.parse().ok()).ok_or(Error::NotFound)?;
    let der = direct.hosted.published_crl(id).await?;
    // Set, not appended: a body of bytes adds a content type of its own.
    let headers =
        [(header::CONTENT_TYPE, "application/pkix-crl"), (header::CACHE_CONTROL, "public, max-age=600")];
    Ok((headers, der).into_response())
}

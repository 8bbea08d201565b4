//! `GET /crl/{authority}.crl`: the revocation lists that our certificates name.

use super::authority;
use axum::{
    Router,
    extract::State,
    http::header,
    response::{AppendHeaders, IntoResponse, Response},
    routing::get,
};
use platform::{App, Error, Result, http::Id};

pub fn routes() -> Router<App> {
    Router::new().route("/crl/{file}", get(crl))
}

async fn crl(State(app): State<App>, Id(file): Id<String>) -> Result<Response> {
    let id = file.strip_suffix(".crl").and_then(|id| id.parse().ok()).ok_or(Error::NotFound)?;
    let der = authority::current_crl(&app, id).await?;
    let headers = AppendHeaders([
        (header::CONTENT_TYPE, "application/pkix-crl"),
        (header::CACHE_CONTROL, "public, max-age=600"),
    ]);
    Ok((headers, der).into_response())
}

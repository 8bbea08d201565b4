//! The web app. A release binary carries it inside; a development build reads `web/dist`.

use super::{headers::Nonce, problems};
use axum::{
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::fmt::Write;

#[derive(RustEmbed)]
#[folder = "../../web/dist/"]
struct Dist;

/// Stands in the page where the nonce belongs.
const NONCE_PLACE: &str = "__CSP_NONCE__";
/// Names in this folder change with their content.
const HASHED: &str = "assets/";
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Carepost</title><h1>The web app is not built</h1>\
    <p>Run <code>./script/server</code>, or <code>npm ci &amp;&amp; npm run build</code> in the folder \
    <code>web</code>, and load this page again.</p></html>";

/// A file of the web app, or its page: which screen a path means is decided in the browser.
pub fn serve(request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return problems::not_allowed();
    }
    let path = request.uri().path().trim_start_matches('/');
    match Dist::get(path).filter(|_| path != "index.html") {
        Some(found) => file(&request, path, found),
        None if path.starts_with(HASHED) || path.starts_with("pdfjs/") => {
            StatusCode::NOT_FOUND.into_response()
        }
        None => page(&request),
    }
}

fn file(request: &Request, path: &str, file: EmbeddedFile) -> Response {
    let tag = entity_tag(&file);
    let unchanged = request.headers().get(header::IF_NONE_MATCH).is_some_and(|given| given == tag.as_str());
    let caching = if path.starts_with(HASHED) { FOREVER } else { ASK_AGAIN };
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, file.metadata.mimetype().to_owned())], file.data).into_response()
    };
    response.headers_mut().insert(header::CACHE_CONTROL, caching);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

fn entity_tag(file: &EmbeddedFile) -> String {
    let mut tag = String::from("\"");
    for byte in &file.metadata.sha256_hash()[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag + "\""
}

fn page(request: &Request) -> Response {
    let Some(index) = Dist::get("index.html") else {
        return (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response();
    };
    let nonce = request.extensions().get::<Nonce>().map(|nonce| nonce.0.clone()).unwrap_or_default();
    let html = String::from_utf8_lossy(&index.data).replace(NONCE_PLACE, &nonce);
    ([(header::CACHE_CONTROL, ASK_AGAIN)], Html(html)).into_response()
}

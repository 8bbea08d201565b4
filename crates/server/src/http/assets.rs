//! The web app. A release binary contains it; a development build reads `web/dist`.

use super::{fixed::Fixed, headers::Nonce, problems};
use axum::{
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

#[derive(RustEmbed)]
#[folder = "../../web/dist/"]
struct Dist;

/// Placeholder of the nonce in the page.
const NONCE_PLACE: &str = "__CSP_NONCE__";
/// Names in this folder change with their content.
const HASHED: &str = "assets/";
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Carepost</title><h1>The web app is not built</h1>\
    <p>Run <code>./script/server</code>, or <code>npm ci &amp;&amp; npm run build</code> in the folder \
    <code>web</code>, and load this page again.</p></html>";

/// A file of the web app, or its page: the browser decides which screen a path means.
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
    let caching = if path.starts_with(HASHED) { FOREVER } else { ASK_AGAIN };
    let mut response = kept(path, file).answer(request.headers());
    response.headers_mut().insert(header::CACHE_CONTROL, caching);
    response
}

/// A file's answer, prepared on its first request. A development build prepares it again after a change.
fn kept(path: &str, file: EmbeddedFile) -> Arc<Fixed> {
    static KEPT: LazyLock<Mutex<HashMap<String, Arc<Fixed>>>> = LazyLock::new(Mutex::default);
    let known = KEPT.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    if let Some(known) = known.filter(|known| !cfg!(debug_assertions) || known.is_of(&file.data)) {
        return known;
    }
    let content = match file.data {
        Cow::Borrowed(inside) => Bytes::from_static(inside),
        Cow::Owned(read) => Bytes::from(read),
    };
    let made = Arc::new(Fixed::new(&with_charset(file.metadata.mimetype()), content));
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), made.clone());
    made
}

/// The media type of an answer: texts are declared as UTF-8, which the build writes.
fn with_charset(kind: &str) -> Cow<'_, str> {
    let is_text = kind.starts_with("text/")
        || ["javascript", "json", "xml"]
            .iter()
            .any(|form| kind.rsplit_once(['/', '+']).is_some_and(|(_, last)| last == *form));
    if is_text { Cow::Owned(format!("{kind}; charset=utf-8")) } else { Cow::Borrowed(kind) }
}

fn page(request: &Request) -> Response {
    let Some(index) = Dist::get("index.html") else {
        return (StatusCode::SERVICE_UNAVAILABLE, Html(NOT_BUILT)).into_response();
    };
    let nonce = request.extensions().get::<Nonce>().map(|nonce| nonce.0.clone()).unwrap_or_default();
    let html = String::from_utf8_lossy(&index.data).replace(NONCE_PLACE, &nonce);
    ([(header::CACHE_CONTROL, ASK_AGAIN)], Html(html)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_text_say_their_charset() {
        for text in
            ["text/css", "text/javascript", "application/json", "image/svg+xml", "application/manifest+json"]
        {
            assert_eq!(with_charset(text), format!("{text}; charset=utf-8"));
        }
        for other in ["font/woff2", "application/wasm", "image/png"] {
            assert_eq!(with_charset(other), other);
        }
    }
}

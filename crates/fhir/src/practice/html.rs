//! Pages for people, without scripts.

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:56rem;padding:0 1rem;color:#1c2733}\
    table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;\
    border-bottom:1px solid #d5dbe1}button{font:inherit;padding:.5rem 1rem}\
    .note{color:#51606e}";

/// A text in HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A page without scripts.
pub(super) fn page(status: StatusCode, title: &str, body: &str, form_action: &str) -> Response {
    let title = escaped(title);
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\
         <body><h1>{title}</h1>{body}</body></html>"
    );
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action {form_action}; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (CACHE_CONTROL, "no-store".to_owned()),
    ];
    (status, headers, html).into_response()
}

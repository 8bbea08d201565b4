//! Security headers for browsers.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use platform::{Config, secret::random_token};
use std::sync::Arc;

/// One year, as HSTS preload lists ask.
const HSTS: &str = "max-age=31536000; includeSubDomains";
/// Policy of API answers, which are never pages.
const API_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FIXED: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    ),
];

/// Separates the app from pages that open it. It keeps hold of the windows that it opens itself, since it waits for the
/// end of a sign-in at an EHR.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const OPENER_POLICY: HeaderValue = HeaderValue::from_static("same-origin-allow-popups");

/// The nonce of the page's own scripts and styles; new for every answer.
#[derive(Clone)]
pub struct Nonce(pub Arc<str>);

pub struct Headers {
    https: bool,
    has_chat: bool,
}

impl Headers {
    pub fn new(config: &Config) -> Self {
        Self { https: config.is_https(), has_chat: config.support_chat().is_some() }
    }

    /// Headers of a page with this nonce or, without one, of other answers.
    fn add(&self, headers: &mut HeaderMap, nonce: Option<&str>) {
        for (name, value) in FIXED {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.entry(OPENER).or_insert(OPENER_POLICY);
        if self.https {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
        }
        let Some(nonce) = nonce else {
            headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            // Previews of documents have their own policy, with a sandbox.
            headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(API_POLICY));
            return;
        };
        // A page beside the app, such as that after a sign-in at an EHR, has its own, stricter policy.
        if let Ok(policy) = HeaderValue::from_str(&app_policy(nonce, self.has_chat)) {
            headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
        }
    }
}

/// Content that the web app may load. `wasm-unsafe-eval` allows the PDF viewer to compile its picture decoders;
/// documents are shown in sandboxed frames without an origin, and their pages have their own, stricter policy.
fn app_policy(nonce: &str, has_chat: bool) -> String {
    let Chat { scripts, images, connections, frames, more } = if has_chat { CHAT } else { Chat::default() };
    // The chat adds its own styles without a nonce.
    let styles = if has_chat { "'unsafe-inline'".to_owned() } else { format!("'nonce-{nonce}'") };
    format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'{scripts}; \
         style-src 'self' {styles}; img-src 'self' data: blob:{images}; \
         connect-src 'self'{connections}; worker-src 'self' blob:; frame-src 'self' blob:{frames}; \
         object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'{more}"
    )
}

/// Additional content for the support chat.
#[derive(Default)]
struct Chat {
    scripts: &'static str,
    images: &'static str,
    connections: &'static str,
    frames: &'static str,
    more: &'static str,
}

/// From the service's documentation of its policy, without uploads and films.
const CHAT: Chat = Chat {
    scripts: " https://widget.intercom.io https://js.intercomcdn.com",
    images: " https://js.intercomcdn.com https://static.intercomassets.com https://downloads.intercomcdn.com",
    connections: " https://api-iam.intercom.io https://nexus-websocket-a.intercom.io \
                  wss://nexus-websocket-a.intercom.io https://nexus-websocket-b.intercom.io \
                  wss://nexus-websocket-b.intercom.io",
    frames: " https://intercom-sheets.com https://www.intercom-reporting.com",
    more: "; font-src 'self' https://fonts.intercomcdn.com https://js.intercomcdn.com",
};

pub async fn set(headers: Arc<Headers>, mut request: Request, next: Next) -> Response {
    let is_api = super::is_api(request.uri().path());
    let nonce = Nonce(random_token().into());
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    headers.add(response.headers_mut(), (!is_api).then_some(&*nonce.0));
    response
}

/// As [`set`], on a listener without pages.
pub async fn set_for_systems(headers: Arc<Headers>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    headers.add(response.headers_mut(), None);
    response
}

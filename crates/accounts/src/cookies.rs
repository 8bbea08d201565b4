//! Cookies, inaccessible to scripts and other sites.

use axum::{
    http::{HeaderMap, header},
    response::AppendHeaders,
};
use platform::App;

/// The token that renews a session.
pub const RENEWAL: &str = "carepost-renewal";
/// Identifies a browser that was used to sign in before.
pub const BROWSER: &str = "carepost-browser";
/// Identifies the browser that began a single sign-on.
pub const SINGLE_SIGN_ON: &str = "carepost-sso";

/// Identifies the browser that began a sign-in at an EHR.
pub const EHR_LOGIN: &str = "carepost-ehr-login";

pub type CookieHeader = AppendHeaders<[(header::HeaderName, String); 1]>;

/// `__Host-` binds the cookie to this host and to TLS; browsers refuse it over plain HTTP.
fn full_name(app: &App, name: &str) -> String {
    let prefix = if app.config.is_https() { "__Host-" } else { "" };
    format!("{prefix}{name}")
}

pub fn read<'a>(app: &App, headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let name = full_name(app, name);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// `seconds` is the cookie's lifetime.
pub fn set(app: &App, name: &str, value: &str, seconds: u64) -> CookieHeader {
    made(app, name, value, seconds, "Strict")
}

/// As [`set`], for a cookie that also comes back when another site sends the browser here.
pub fn set_for_return(app: &App, name: &str, value: &str, seconds: u64) -> CookieHeader {
    made(app, name, value, seconds, "Lax")
}

fn made(app: &App, name: &str, value: &str, seconds: u64, same_site: &str) -> CookieHeader {
    let secure = if app.config.is_https() { "; Secure" } else { "" };
    let name = full_name(app, name);
    AppendHeaders([(
        header::SET_COOKIE,
        format!("{name}={value}; Path=/; HttpOnly; SameSite={same_site}; Max-Age={seconds}{secure}"),
    )])
}

pub fn clear(app: &App, name: &str) -> CookieHeader {
    set(app, name, "", 0)
}

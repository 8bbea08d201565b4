//! The header for downloaded files (RFC 6266), with the name in UTF-8 (RFC 8187) and, for simple
//! clients, in ASCII.

use axum::http::HeaderValue;

/// For a file that is saved under this name.
pub fn attachment(name: &str) -> HeaderValue {
    disposition("attachment", name)
}

/// For a file that is shown in the browser, and saved under this name.
pub fn inline(name: &str) -> HeaderValue {
    disposition("inline", name)
}

fn disposition(kind: &'static str, name: &str) -> HeaderValue {
    let encoded: String = name
        .bytes()
        .map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(b).to_string(),
            _ => format!("%{b:02X}"),
        })
        .collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " .-_()".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    HeaderValue::from_str(&format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static(kind))
}

//! Constant answers: compressed once, and not sent again to clients that have them, so that repeated requests are
//! cheap.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use std::{fmt::Write as _, io::Write as _};

/// Constant content, plain and compressed.
pub struct Fixed {
    content_type: HeaderValue,
    tag: String,
    plain: Bytes,
    /// None if compression saves too little.
    gzip: Option<Bytes>,
}

impl Fixed {
    /// `content_type` falls back to `application/octet-stream` if it is not a valid header value.
    pub fn new(content_type: &str, plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        Self {
            content_type: HeaderValue::from_str(content_type)
                .unwrap_or(HeaderValue::from_static("application/octet-stream")),
            tag: digest(&plain),
            gzip: compressed(&plain),
            plain,
        }
    }

    /// The answer to a request with these headers.
    pub fn answer(&self, request: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(request));
        let tag = format!("\"{}{}\"", self.tag, if gzip.is_some() { "-gzip" } else { "" });
        let known = request.get(header::IF_NONE_MATCH).and_then(|given| given.to_str().ok());
        let mut response = if known.is_some_and(|known| known.contains(&self.tag)) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let content = gzip.unwrap_or(&self.plain).clone();
            ([(header::CONTENT_TYPE, self.content_type.clone())], content).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        if gzip.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    /// Whether an `ETag` matches this content.
    pub fn is_of(&self, content: &[u8]) -> bool {
        self.plain == content
    }
}

fn takes_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        is_gzip && !parts.any(|weight| ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&weight))
    })
}

fn digest(content: &[u8]) -> String {
    openssl::sha::sha256(content)[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// None unless a tenth is saved.
fn compressed(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).ok()?;
    let gzip = encoder.finish().ok()?;
    (gzip.len() < plain.len() / 10 * 9).then(|| gzip.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).expect("a value"))])
    }

    #[test]
    fn who_takes_it_compressed_gets_it_so_and_who_has_it_gets_nothing() {
        let fixed = Fixed::new("application/json", "{\"a\": 1}".repeat(1_000));
        let plain = fixed.answer(&HeaderMap::new());
        assert_eq!(plain.headers().get(header::CONTENT_ENCODING), None);
        for refused in ["gzip;q=0", "br", "identity"] {
            let answer = fixed.answer(&asking(header::ACCEPT_ENCODING, refused));
            assert_eq!(answer.headers().get(header::CONTENT_ENCODING), None, "{refused}");
        }
        let compressed = fixed.answer(&asking(header::ACCEPT_ENCODING, "br, gzip;q=0.8"));
        assert_eq!(compressed.headers()[header::CONTENT_ENCODING], "gzip");
        for known in [&plain, &compressed] {
            let tag = known.headers()[header::ETAG].to_str().expect("a tag");
            let again = fixed.answer(&asking(header::IF_NONE_MATCH, tag));
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        }
        assert_ne!(plain.headers()[header::ETAG], compressed.headers()[header::ETAG]);
    }

    #[test]
    fn what_does_not_get_smaller_stays_as_it_is() {
        let noise: Vec<u8> = (0..2_000_u32).flat_map(|n| openssl::sha::sha256(&n.to_be_bytes())).collect();
        let answer = Fixed::new("image/png", noise).answer(&asking(header::ACCEPT_ENCODING, "gzip"));
        assert_eq!(answer.headers().get(header::CONTENT_ENCODING), None);
    }
}

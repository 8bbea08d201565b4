//! Multipart bodies (multipart/related, RFC 2387) of XOP packages.

use memchr::memmem;
use std::collections::HashMap;

/// Most parts of a body.
const PARTS: usize = 200;

/// A part with its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Without angle brackets.
    pub id: String,
    pub content_type: String,
    pub content: &'a [u8],
}

/// The value of a parameter of a header.
pub fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (key, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let (value, next) = match behind.strip_prefix('"') {
            Some(quoted) => {
                let (value, next) = quoted.split_once('"')?;
                (value, next.split_once(';').map(|(_, next)| next))
            }
            None => behind
                .split_once(';')
                .map_or((behind.trim(), None), |(value, next)| (value.trim(), Some(next))),
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value.to_owned());
        }
        rest = next?;
    }
}

/// The parts of a body; `None` if it has none or too many. Only content between two boundaries is a part.
pub fn parts<'a>(content_type: &str, body: &'a [u8]) -> Option<Vec<Part<'a>>> {
    let boundary = parameter(content_type, "boundary").filter(|b| (1..=70).contains(&b.len()))?;
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = match body.strip_prefix(&delimiter.as_bytes()[2..]) {
        Some(rest) => rest,
        None => &body[memmem::find(body, delimiter.as_bytes())? + delimiter.len()..],
    };
    let finder = memmem::Finder::new(delimiter.as_bytes());
    let mut found = Vec::new();
    while !rest.starts_with(b"--") {
        let end = finder.find(rest)?;
        if found.len() == PARTS {
            return None;
        }
        found.push(part(&rest[..end])?);
        rest = &rest[end + delimiter.len()..];
    }
    Some(found)
}

/// A message that may have several parts: the part with the envelope, and all parts. Without parts the body is the envelope.
#[derive(Debug)]
pub struct Package<'a> {
    pub root: &'a [u8],
    pub parts: Vec<Part<'a>>,
}

/// Why a message has no root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageError {
    NotSeparable,
    NoRoot,
}

/// Whether a body of this type consists of parts.
pub fn is_in_parts(content_type: &str) -> bool {
    content_type.trim_start().get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case("multipart/"))
}

/// Reads a message. The root is the part that the parameter `start` names, otherwise the first one (RFC 2387, 3.2).
///
/// # Errors
/// If the parts cannot be separated, or the named one is missing.
pub fn package<'a>(content_type: &str, body: &'a [u8]) -> Result<Package<'a>, PackageError> {
    if !is_in_parts(content_type) {
        return Ok(Package { root: body, parts: Vec::new() });
    }
    let parts = parts(content_type, body).ok_or(PackageError::NotSeparable)?;
    let start = parameter(content_type, "start");
    let root = match start.as_deref().map(|start| start.trim_matches(['<', '>'])) {
        Some(id) => parts.iter().find(|part| part.id == id).ok_or(PackageError::NoRoot)?.content,
        None => parts.first().ok_or(PackageError::NotSeparable)?.content,
    };
    Ok(Package { root, parts })
}

/// The beginning of a message from a server that writes multipart loosely: what follows the head of the first part, up to the
/// next boundary. The whole body if no boundary is found.
pub fn first_part<'a>(content_type: &str, body: &'a [u8]) -> &'a [u8] {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty());
    let Some(delimiter) = boundary.map(|boundary| format!("--{boundary}")) else { return body };
    let Some(start) = memmem::find(body, delimiter.as_bytes()) else { return body };
    let rest = &body[start + delimiter.len()..];
    let part = &rest[..memmem::find(rest, delimiter.as_bytes()).unwrap_or(rest.len())];
    memmem::find(part, b"\r\n\r\n").map_or(part, |head| &part[head + 4..])
}

fn part(bytes: &[u8]) -> Option<Part<'_>> {
    // The boundary may be followed by spaces.
    let bytes = &bytes[memmem::find(bytes, b"\r\n")?..];
    let (head, content) = match memmem::find(bytes, b"\r\n\r\n") {
        Some(end) => (&bytes[..end], &bytes[end + 4..]),
        None => (bytes, &b""[..]),
    };
    let head = std::str::from_utf8(head).ok()?.replace("\r\n ", " ").replace("\r\n\t", " ");
    let headers: HashMap<String, &str> = head
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |name: &str| headers.get(name).copied().unwrap_or_default();
    // XOP packages are binary.
    let encoding = header("content-transfer-encoding").to_ascii_lowercase();
    matches!(&*encoding, "" | "binary" | "8bit" | "7bit").then(|| Part {
        id: header("content-id").trim_matches(['<', '>']).to_owned(),
        content_type: header("content-type").to_owned(),
        content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_stand_between_boundaries() {
        let body = b"preamble\r\n--b\r\nContent-ID: <a@x>\r\nContent-Type: text/xml;\r\n charset=utf-8\r\n\r\n<x/>\r\n--b \r\nContent-Id: <c>\r\n\r\n\r\n1\r\n\r\n--b--\r\n";
        let read = parts("multipart/related; start=\"<a@x>\"; boundary=b", body).unwrap();
        assert_eq!((read[0].id.as_str(), read[0].content), ("a@x", &b"<x/>"[..]));
        assert_eq!(read[0].content_type, "text/xml; charset=utf-8");
        assert_eq!((read[1].id.as_str(), read[1].content), ("c", &b"\r\n1\r\n"[..]));
        assert_eq!(parts("multipart/related; boundary=b", b"--b\r\n\r\nwithout end"), None);
        assert_eq!(parts("application/soap+xml", body), None);
    }

    #[test]
    fn the_root_is_the_part_that_is_named_or_the_first() {
        let body = b"--b\r\nContent-ID: <1>\r\n\r\n<x/>\r\n--b\r\nContent-ID: <2>\r\n\r\n<y/>\r\n--b--\r\n";
        let root = |kind: &str| package(kind, body).map(|package| package.root.to_vec());
        assert_eq!(root("multipart/related; boundary=b"), Ok(b"<x/>".to_vec()));
        assert_eq!(root("Multipart/related; boundary=b; start=\"<2>\""), Ok(b"<y/>".to_vec()));
        assert_eq!(root("multipart/related; boundary=b; start=\"<3>\""), Err(PackageError::NoRoot));
        assert_eq!(root("multipart/related; boundary=c"), Err(PackageError::NotSeparable));
        assert_eq!(root("application/soap+xml"), Ok(body.to_vec()));
    }

    #[test]
    fn parameters_are_quoted_or_not() {
        let header = "multipart/related; type=\"a;b=c\"; Boundary=\"x=y\" ; start=<r>";
        assert_eq!(parameter(header, "boundary").as_deref(), Some("x=y"));
        assert_eq!(parameter(header, "start").as_deref(), Some("<r>"));
        assert_eq!(parameter(header, "b"), None);
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(kind in "[ -~]{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = package(&kind, &bytes);
            let _ = first_part(&kind, &bytes);
            let mut body = b"--b\r\n".to_vec();
            body.extend(bytes);
            let _ = parts("multipart/related; boundary=b", &body);
        }
    }
}

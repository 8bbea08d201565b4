//! Text files in whatever encoding they come.

use std::borrow::Cow;

/// By byte order mark, else UTF-8, else Windows-1252, which cannot fail.
pub(crate) fn decode(content: &[u8]) -> Cow<'_, str> {
    let encoding = match encoding_rs::Encoding::for_bom(content) {
        Some((encoding, _)) => encoding,
        None if std::str::from_utf8(content).is_ok() => encoding_rs::UTF_8,
        None => encoding_rs::WINDOWS_1252,
    };
    encoding.decode(content).0
}

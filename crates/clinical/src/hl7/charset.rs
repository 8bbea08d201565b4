//! The character set of a message: MSH-18 with a name of table 0211 (HL7 v2.5.1, 2.16.9.18).

use super::frame::{is_line_end, without_batch};
use super::separators::Separators;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// The character set that MSH-18 names, or UTF-8 if it names another one by mistake. `None` if it names none, one that is
/// not known, or plain ASCII, which senders also write in front of other letters.
pub fn declared(frame: &[u8]) -> Option<&'static Encoding> {
    let frame = without_batch(frame);
    by_name(&sense(&named(frame)?)).map(|set| corrected(set, frame))
}

/// The character set of a message; `None` if it is not known. The name does not matter for a pure ASCII message.
pub(super) fn of_message(frame: &[u8]) -> Option<&'static Encoding> {
    let found = match sense(&named(frame)?).as_str() {
        sense if is_ascii(sense) => Some(guessed(frame)),
        sense => by_name(sense).map(|set| corrected(set, frame)),
    };
    // Sets with escape sequences look like ASCII, too.
    found.or_else(|| (frame.is_ascii() && !frame.contains(&0x1b)).then_some(UTF_8))
}

/// The likely character set of a message that names none.
pub(super) fn guessed(frame: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(frame).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

/// UTF-8 instead of a single-byte set, if the message is valid UTF-8. Many senders name the set of their country and write
/// UTF-8, and letters of a single-byte set are hardly ever valid UTF-8. For pure ASCII the name is kept: hexadecimal
/// escapes are in that set.
fn corrected(named: &'static Encoding, frame: &[u8]) -> &'static Encoding {
    let is_utf_8 = !frame.is_ascii() && std::str::from_utf8(frame).is_ok();
    if named.is_single_byte() && is_utf_8 { UTF_8 } else { named }
}

/// The raw value of MSH-18; `None` without a header.
fn named(frame: &[u8]) -> Option<String> {
    let first = frame.split(|byte| is_line_end(*byte)).next().unwrap_or_default();
    let separators = Separators::declared(first)?;
    let named = first.split(|byte| char::from(*byte) == separators.field).nth(17).unwrap_or_default();
    // The first of several applies to all text without a switching escape.
    let named = named.split(|byte| char::from(*byte) == separators.repetition).next().unwrap_or_default();
    Some(String::from_utf8_lossy(named).into_owned())
}

/// A name without punctuation, spaces and years, in capitals: `UTF_8`, `ISO8859/1` and `8859-1` are common spellings.
fn sense(named: &str) -> String {
    let named = named.split(':').next().unwrap_or_default();
    named.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn is_ascii(sense: &str) -> bool {
    matches!(sense, "" | "ASCII" | "USASCII" | "ISOIR6")
}

fn by_name(sense: &str) -> Option<&'static Encoding> {
    match sense {
        sense if is_ascii(sense) => None,
        "UNICODEUTF8" | "UNICODE" | "UTF8" | "ISOIR192" => Some(UTF_8),
        "ANSI" => Some(WINDOWS_1252),
        sense => single_bytes(sense),
    }
}

/// A single-byte character set: other sets could contain separators within a character.
fn single_bytes(sense: &str) -> Option<&'static Encoding> {
    let families = [
        ("8859", "iso-8859-"),
        ("LATIN", "latin"),
        ("IR", "iso-ir-"),
        ("WINDOWS", "windows-"),
        ("CP", "windows-"),
    ];
    let sense = sense.strip_prefix("ISO").unwrap_or(sense);
    families.iter().find_map(|(family, label)| {
        let number = sense.strip_prefix(family)?;
        // The decoder for ISO 8859-1 is that of Windows-1252, which is a superset of its letters.
        Encoding::for_label(format!("{label}{number}").as_bytes()).filter(|set| set.is_single_byte())
    })
}

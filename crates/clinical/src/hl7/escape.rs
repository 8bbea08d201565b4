//! Escapes of delimiters, bytes and formatting in text (HL7 v2.5.1, 2.7).

use super::separators::Separators;
use encoding_rs::{Encoding, WINDOWS_1252};

/// Longest escape, without its delimiters.
const LONGEST_ESCAPE: usize = 200;
/// Most line breaks or spaces of one escape.
const MOST_BLANKS: usize = 20;

/// Escapes text for a field of a message with the recommended separators. Line breaks of any form become escapes, other
/// control characters are removed.
pub fn escape(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str(r"\E\"),
            '|' => out.push_str(r"\F\"),
            '^' => out.push_str(r"\S\"),
            '&' => out.push_str(r"\T\"),
            '~' => out.push_str(r"\R\"),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\n' => out.push_str(r"\.br\"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Text with its escapes resolved. What is not an escape, or one of unknown meaning, stays as it is. Text in hexadecimal
/// escapes is in the character set of the message, and a character may be split over several of them.
pub fn unescape(raw: &str, separators: Separators) -> String {
    let escape = separators.escape;
    if escape == '\0' || !raw.contains(escape) {
        return raw.to_owned();
    }
    let (mut out, mut bytes) = (String::with_capacity(raw.len()), Vec::new());
    let mut rest = raw;
    while let Some((plain, behind)) = rest.split_once(escape) {
        let code = behind.split_once(escape).filter(|(code, _)| code.len() <= LONGEST_ESCAPE);
        let digits = code.and_then(|(code, _)| hex(code.strip_prefix(['X', 'x'])?));
        if !plain.is_empty() || digits.is_none() {
            said_in_bytes(&mut out, &mut bytes, separators.charset);
        }
        out.push_str(plain);
        rest = match (code, digits) {
            (Some((_, behind_code)), Some(digits)) => {
                bytes.extend(digits);
                behind_code
            }
            (Some((code, behind_code)), None) if resolved(&mut out, code, separators) => behind_code,
            // Not an escape, but text with the escape character.
            _ => {
                out.push(escape);
                behind
            }
        };
    }
    said_in_bytes(&mut out, &mut bytes, separators.charset);
    out.push_str(rest);
    out
}

/// Writes the text of an escape; returns whether it is one.
fn resolved(out: &mut String, code: &str, separators: Separators) -> bool {
    match code {
        "F" => out.push(separators.field),
        "S" => out.push(separators.component),
        // The header may omit it: senders still escape the recommended one.
        "T" if separators.subcomponent == '\0' => out.push(Separators::default().subcomponent),
        "T" => out.push(separators.subcomponent),
        "R" => out.push(separators.repetition),
        "E" => out.push(separators.escape),
        // Highlighting.
        "H" | "N" => {}
        _ => match code.strip_prefix('.') {
            Some(command) => formatted(out, &command.to_ascii_lowercase()),
            None => return false,
        },
    }
    true
}

/// Writes what a formatting command does to plain text (2.7.6).
fn formatted(out: &mut String, command: &str) {
    let count =
        |number: &str| number.trim_start_matches('+').parse::<usize>().unwrap_or(1).clamp(1, MOST_BLANKS);
    if command.starts_with("br") || command.starts_with("ce") {
        out.push('\n');
    } else if let Some(number) = command.strip_prefix("sp") {
        out.extend(std::iter::repeat_n('\n', count(number)));
    } else if let Some(number) = command.strip_prefix("sk") {
        out.extend(std::iter::repeat_n(' ', count(number)));
    } else if !(out.is_empty() || out.ends_with('\n')) {
        // Indentation and word wrap apply to a new line.
        out.push('\n');
    }
}

/// Writes the text of hexadecimal escapes in the character set of the message, or otherwise in the most common one.
/// Control characters other than line breaks and tabs are dropped.
fn said_in_bytes(out: &mut String, bytes: &mut Vec<u8>, charset: &'static Encoding) {
    if bytes.is_empty() {
        return;
    }
    let said = charset.decode_without_bom_handling_and_without_replacement(bytes);
    let said = said.unwrap_or_else(|| WINDOWS_1252.decode_without_bom_handling(bytes).0);
    out.push_str(&printable(&said));
    bytes.clear();
}

/// Text whose line breaks are of one form, without other control characters except tabs.
pub(super) fn printable(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    lines.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Parses hexadecimal digits, with spaces and line breaks between them.
pub fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, left) = digits.as_chunks::<2>();
    if pairs.is_empty() || !left.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? * 16 + digit(*low)?)).collect()
}

//! An HL7 v2 message as it came: its character set, its separators and its segments. It is taken apart as its parts are
//! asked for, because most of it is one field with a file. Other than a strict parser this one loses nothing: a line that
//! begins no segment goes on with the one before it.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::ops::Range;

/// Segments of a message.
const SEGMENTS: usize = 20_000;
/// Most line breaks that one escape stands for.
const BLANK_LINES: usize = 20;

/// The characters by which a message is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    pub field: char,
    pub component: char,
    pub repetition: char,
    pub escape: char,
    pub subcomponent: char,
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It does not begin with a header.
    NoHeader,
    /// It has more segments than any message.
    TooLong,
}

/// A message, decoded.
#[derive(Clone, Debug)]
pub struct Message {
    text: String,
    separators: Separators,
    segments: Vec<Range<usize>>,
    knows_charset: bool,
}

impl Message {
    pub fn read(frame: &[u8]) -> Result<Self, Unreadable> {
        let frame = frame.trim_ascii_start();
        let separators = separators(frame).ok_or(Unreadable::NoHeader)?;
        let (text, knows_charset) = decoded(frame, separators);
        let segments = segments(&text, separators.field)?;
        Ok(Self { text, separators, segments, knows_charset })
    }

    /// Whether the character set that it names is one that is known here.
    pub fn knows_charset(&self) -> bool {
        self.knows_charset
    }

    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        let segment =
            |range: &Range<usize>| Segment { line: &self.text[range.clone()], separators: self.separators };
        self.segments.iter().map(segment)
    }

    /// The first segment of this name.
    pub fn segment(&self, name: &str) -> Option<Segment<'_>> {
        self.segments().find(|segment| segment.name() == name)
    }

    pub fn header(&self) -> Segment<'_> {
        let line = self.segments.first().map_or("", |range| &self.text[range.clone()]);
        Segment { line, separators: self.separators }
    }
}

/// They stand behind the first three letters.
fn separators(frame: &[u8]) -> Option<Separators> {
    let rest = frame.strip_prefix(b"MSH")?;
    let field = *rest.first().filter(|byte| byte.is_ascii_punctuation())?;
    let mut others = rest[1..].iter().take_while(|byte| **byte != field && byte.is_ascii_punctuation());
    // What is not named cannot occur.
    let mut next = || others.next().map_or('\0', |byte| char::from(*byte));
    Some(Separators {
        field: char::from(field),
        component: next(),
        repetition: next(),
        escape: next(),
        subcomponent: next(),
    })
}

/// The text by the character set of MSH-18, and whether that is known.
fn decoded(frame: &[u8], separators: Separators) -> (String, bool) {
    let first = frame.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let named = first.split(|byte| char::from(*byte) == separators.field).nth(17).unwrap_or_default();
    // The first of several is that of all but marked pieces.
    let named = named.split(|byte| char::from(*byte) == separators.repetition).next().unwrap_or_default();
    let named = String::from_utf8_lossy(named).trim().to_ascii_uppercase();
    match charset(&named, frame) {
        Some(encoding) => (encoding.decode_without_bom_handling(frame).0.into_owned(), true),
        None => (WINDOWS_1252.decode_without_bom_handling(frame).0.into_owned(), false),
    }
}

/// By table 0211, and by names that are common instead of those.
fn charset(named: &str, frame: &[u8]) -> Option<&'static Encoding> {
    match named {
        "" | "ASCII" | "US-ASCII" | "ISO IR6" => {
            Some(if std::str::from_utf8(frame).is_ok() { UTF_8 } else { WINDOWS_1252 })
        }
        "UNICODE UTF-8" | "UNICODE" | "UTF-8" | "UTF8" => Some(UTF_8),
        "WINDOWS-1252" | "CP1252" | "ANSI" | "ISO IR100" => Some(WINDOWS_1252),
        other => {
            let part = other.strip_prefix("8859/").or_else(|| other.strip_prefix("ISO-8859-"))?;
            // The decoder of part 1 is that of Windows, which has the same letters and more.
            Encoding::for_label(format!("iso-8859-{part}").as_bytes())
        }
    }
}

fn segments(text: &str, field: char) -> Result<Vec<Range<usize>>, Unreadable> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in text.split(['\r', '\n']) {
        let end = start + line.len();
        if begins_segment(line, field) {
            if found.len() == SEGMENTS {
                return Err(Unreadable::TooLong);
            }
            found.push(start..end);
        } else if !line.is_empty()
            && let Some(last) = found.last_mut()
        {
            last.end = end;
        }
        start = end + 1;
    }
    if found.is_empty() { Err(Unreadable::NoHeader) } else { Ok(found) }
}

fn begins_segment(line: &str, field: char) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 3
        && bytes[0].is_ascii_uppercase()
        && bytes[1..3].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && char::from(bytes[3]) == field
}

#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    line: &'a str,
    separators: Separators,
}

impl<'a> Segment<'a> {
    pub fn name(&self) -> &'a str {
        self.line.get(..3).unwrap_or_default()
    }

    /// The field of this number. The first one of a header is its separator.
    pub fn field(&self, number: usize) -> Value<'a> {
        let before = if self.name() == "MSH" { 1 } else { 0 };
        let raw = match number.checked_sub(before) {
            None | Some(0) => "",
            Some(index) => self.line.split(self.separators.field).nth(index).unwrap_or_default(),
        };
        Value { raw, separators: self.separators }
    }

    /// The line as it stands.
    pub fn raw(&self) -> &'a str {
        self.line
    }
}

/// A field, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    pub raw: &'a str,
    separators: Separators,
}

impl<'a> Value<'a> {
    fn of(self, raw: &'a str) -> Self {
        Self { raw, ..self }
    }

    pub fn repetitions(self) -> impl Iterator<Item = Self> {
        self.raw.split(self.separators.repetition).map(move |raw| self.of(raw))
    }

    /// The component of the first repetition, counted from 1.
    pub fn component(self, number: usize) -> Self {
        let first = self.raw.split(self.separators.repetition).next().unwrap_or_default();
        self.of(first.split(self.separators.component).nth(number - 1).unwrap_or_default())
    }

    pub fn components(self) -> impl Iterator<Item = Self> {
        self.raw.split(self.separators.component).map(move |raw| self.of(raw))
    }

    /// The subcomponent of a component, counted from 1.
    pub fn subcomponent(self, number: usize) -> Self {
        self.of(self.raw.split(self.separators.subcomponent).nth(number - 1).unwrap_or_default())
    }

    pub fn is_empty(self) -> bool {
        self.raw.trim().is_empty() || self.raw == "\"\""
    }

    /// As [`Self::text`], for running text: a repetition is a line, and where lines begin stays as it is.
    pub fn lines(self) -> impl Iterator<Item = String> {
        self.repetitions().map(|line| match line.is_empty() {
            true => String::new(),
            false => unescaped(line.raw, line.separators).trim_end().to_owned(),
        })
    }

    /// What it says: escapes resolved, `""` for what is to be deleted left out.
    pub fn text(self) -> String {
        if self.raw == "\"\"" {
            return String::new();
        }
        unescaped(self.raw, self.separators).trim().to_owned()
    }
}

fn unescaped(raw: &str, separators: Separators) -> String {
    let escape = separators.escape;
    if escape == '\0' || !raw.contains(escape) {
        return raw.to_owned();
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, behind)) = rest.split_once(escape) {
        out.push_str(plain);
        let Some((code, behind_code)) = behind.split_once(escape).filter(|(code, _)| code.len() <= 40) else {
            out.push(escape);
            rest = behind;
            continue;
        };
        match code {
            "F" => out.push(separators.field),
            "S" => out.push(separators.component),
            "T" => out.push(separators.subcomponent),
            "R" => out.push(separators.repetition),
            "E" => out.push(escape),
            "H" | "N" => {}
            _ if code.starts_with(".br") || code.starts_with(".ce") => out.push('\n'),
            _ if code.starts_with(".sp") => {
                let count: usize = code[3..].trim_start_matches('+').parse().unwrap_or(1);
                out.extend(std::iter::repeat_n('\n', count.clamp(1, BLANK_LINES)));
            }
            _ if code.starts_with('.') => {}
            _ => match code.strip_prefix('X').and_then(hex) {
                Some(bytes) => out.push_str(&String::from_utf8_lossy(&bytes)),
                // No escape, but text with the escape character in it.
                None => {
                    out.push(escape);
                    rest = behind;
                    continue;
                }
            },
        }
        rest = behind_code;
    }
    out.push_str(rest);
    out
}

/// Bytes written in hexadecimal digits.
pub fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, left) = digits.as_chunks::<2>();
    if pairs.is_empty() || !left.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? * 16 + digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> Message {
        Message::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn segments_end_in_any_way_and_go_on_over_lines_that_begin_none() {
        let read = message("MSH|^~\\&|LAB\r\nPID|1||7\nOBX|1|ED|||^a^b^Base64^QUJD\r\nREVG\rNTE|1");
        let names: Vec<_> = read.segments().map(|segment| segment.name()).collect();
        assert_eq!(names, ["MSH", "PID", "OBX", "NTE"]);
        assert_eq!(read.segment("OBX").unwrap().field(5).component(5).raw, "QUJD\r\nREVG");
    }

    #[test]
    fn fields_are_counted_as_the_standard_does() {
        let read = message("MSH|^~\\&|LAB^1.2.3^ISO|NORTH|||||MDM^T02|17\rPID|1||a^^^&9.8&ISO~b");
        assert_eq!(read.header().field(3).component(2).raw, "1.2.3");
        assert_eq!(read.header().field(10).text(), "17");
        let ids: Vec<_> =
            read.segment("PID").unwrap().field(3).repetitions().map(|v| v.component(1).text()).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(read.segment("PID").unwrap().field(3).component(4).subcomponent(2).raw, "9.8");
    }

    #[test]
    fn the_character_set_of_the_header_decides() {
        let with = |charset: &str, name: &[u8]| {
            let head = format!("MSH|^~\\&{}{charset}\rPID|1||||", "|".repeat(16));
            let read = Message::read(&[head.as_bytes(), name].concat()).unwrap();
            (read.segment("PID").unwrap().field(5).text(), read.knows_charset())
        };
        assert_eq!(with("UNICODE UTF-8", "Núñez".as_bytes()), ("Núñez".into(), true));
        assert_eq!(with("8859/1", b"N\xfa\xf1ez"), ("Núñez".into(), true));
        assert_eq!(with("windows-1252", b"N\xfa\xf1ez \x80"), ("Núñez €".into(), true));
        assert_eq!(with("8859/2", b"\xa3ukasz"), ("Łukasz".into(), true));
        assert_eq!(with("", b"N\xfa\xf1ez"), ("Núñez".into(), true), "nothing is said and it is no UTF-8");
        assert!(!with("GB 18030-2000", b"x").1);
    }

    #[test]
    fn escapes_are_resolved_and_other_text_stays() {
        let read = message(r"MSH|^~\&|A\T\B\F\C\S\D\R\E\E\F|C:\temp\x|\X41\\.br\\Xzz\");
        assert_eq!(read.header().field(3).text(), r"A&B|C^D~E\F");
        assert_eq!(read.header().field(4).text(), r"C:\temp\x");
        assert_eq!(read.header().field(5).text(), "A\n\\Xzz\\");
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut frame = b"MSH|^~\\&|".to_vec();
            frame.extend(bytes);
            if let Ok(read) = Message::read(&frame) {
                for segment in read.segments() {
                    for number in 0..8 {
                        for repetition in segment.field(number).repetitions() {
                            let _ = repetition.component(2).subcomponent(2).text();
                        }
                    }
                }
            }
        }

        #[test]
        fn no_byte_of_a_message_is_lost(lines in prop::collection::vec("[A-Z|^a-z0-9]{0,12}", 0..8)) {
            let text = format!("MSH|^~\\&|X\r{}", lines.join("\r"));
            let read = Message::read(text.as_bytes()).unwrap();
            let kept: String = read.segments().map(|s| s.raw().replace('\r', "")).collect();
            prop_assert_eq!(kept, text.replace('\r', ""));
        }
    }
}

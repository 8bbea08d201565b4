//! An HL7 v2 message as received: its character set, separators and segments. It is parsed lazily, because most of it
//! is one field with a file. Unlike a strict parser this one loses nothing: a line that does not start a segment
//! continues the previous one.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::ops::Range;

/// Most segments of a message.
const SEGMENTS: usize = 20_000;
/// Most line breaks of one escape.
const BLANK_LINES: usize = 20;

/// The separators of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    pub field: char,
    pub component: char,
    pub repetition: char,
    pub escape: char,
    pub subcomponent: char,
    /// Character set of hexadecimal escapes.
    charset: &'static Encoding,
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It does not begin with a header.
    NoHeader,
    /// It has more segments than any real message.
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
        let frame = without_batch(frame);
        let mut separators = separators(frame).ok_or(Unreadable::NoHeader)?;
        let charset = charset(&named_charset(frame, separators), frame);
        separators.charset = charset.unwrap_or(WINDOWS_1252);
        let text = separators.charset.decode_without_bom_handling(frame).0.into_owned();
        let knows_charset = charset.is_some();
        let segments = segments(&text, separators.field)?;
        Ok(Self { text, separators, segments, knows_charset })
    }

    /// Whether its character set is known.
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

/// A frame without batch headers before its message.
pub(super) fn without_batch(frame: &[u8]) -> &[u8] {
    let mut rest = frame.trim_ascii_start();
    while rest.starts_with(b"FHS") || rest.starts_with(b"BHS") {
        let end = rest.iter().position(|byte| is_line_end(*byte)).unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    rest
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// The separators, which follow the first three letters.
fn separators(frame: &[u8]) -> Option<Separators> {
    let rest = frame.strip_prefix(b"MSH")?;
    let field = *rest.first().filter(|byte| byte.is_ascii_punctuation())?;
    let mut others = rest[1..].iter().take_while(|byte| **byte != field && byte.is_ascii_punctuation());
    // A separator that is not named cannot occur.
    let mut next = || others.next().map_or('\0', |byte| char::from(*byte));
    Some(Separators {
        field: char::from(field),
        component: next(),
        repetition: next(),
        escape: next(),
        subcomponent: next(),
        charset: UTF_8,
    })
}

/// The raw value of MSH-18.
fn named_charset(frame: &[u8], separators: Separators) -> String {
    let first = frame.split(|byte| is_line_end(*byte)).next().unwrap_or_default();
    let named = first.split(|byte| char::from(*byte) == separators.field).nth(17).unwrap_or_default();
    // The first of several applies to all text without a switching escape.
    let named = named.split(|byte| char::from(*byte) == separators.repetition).next().unwrap_or_default();
    String::from_utf8_lossy(named).into_owned()
}

/// The character set of a name, by table 0211 and by common spellings: punctuation, spaces and years are ignored
/// (`UTF_8`, `ISO8859/1`, `8859-1`, `latin1`). The name does not matter for a pure ASCII message.
fn charset(named: &str, frame: &[u8]) -> Option<&'static Encoding> {
    let named = named.split(':').next().unwrap_or_default();
    let sense: String = named.chars().filter(char::is_ascii_alphanumeric).collect();
    let sense = sense.to_ascii_uppercase();
    let found = match sense.as_str() {
        "" | "ASCII" | "USASCII" | "ISOIR6" => {
            Some(if std::str::from_utf8(frame).is_ok() { UTF_8 } else { WINDOWS_1252 })
        }
        "UNICODEUTF8" | "UNICODE" | "UTF8" | "ISOIR192" => Some(UTF_8),
        "ANSI" => Some(WINDOWS_1252),
        sense => single_bytes(sense),
    };
    // Sets with escape sequences look like ASCII, too.
    found.or_else(|| (frame.is_ascii() && !frame.contains(&0x1b)).then_some(UTF_8))
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

fn segments(text: &str, field: char) -> Result<Vec<Range<usize>>, Unreadable> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in text.split(['\r', '\n']) {
        let end = start + line.len();
        if begins_segment(line.as_bytes(), field) {
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

pub(super) fn begins_segment(line: &[u8], field: char) -> bool {
    line.len() > 3
        && line[0].is_ascii_uppercase()
        && line[1..3].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && char::from(line[3]) == field
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

    /// The field with this number. The first field of a header is its separator.
    pub fn field(&self, number: usize) -> Value<'a> {
        let before = if self.name() == "MSH" { 1 } else { 0 };
        let raw = match number.checked_sub(before) {
            None | Some(0) => "",
            Some(index) => self.line.split(self.separators.field).nth(index).unwrap_or_default(),
        };
        Value { raw, separators: self.separators }
    }

    /// The unparsed line.
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

    /// Like [`Self::text`], for running text: each repetition is a line, and indentation is kept.
    pub fn lines(self) -> impl Iterator<Item = String> {
        self.repetitions().map(|line| match line.is_empty() {
            true => String::new(),
            false => unescaped(line.raw, line.separators).trim_end().to_owned(),
        })
    }

    /// The text with escapes resolved; `""` (delete) becomes empty.
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
            // A character may be split over several escapes.
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

/// Longest escape, without its delimiters.
const LONGEST_ESCAPE: usize = 200;

/// Writes the text of an escape; returns whether it is one.
fn resolved(out: &mut String, code: &str, separators: Separators) -> bool {
    match code {
        "F" => out.push(separators.field),
        "S" => out.push(separators.component),
        "T" => out.push(separators.subcomponent),
        "R" => out.push(separators.repetition),
        "E" => out.push(separators.escape),
        "H" | "N" => {}
        _ => {
            let Some(command) = code.strip_prefix('.').map(str::to_ascii_lowercase) else { return false };
            if command.starts_with("br") || command.starts_with("ce") {
                out.push('\n');
            } else if let Some(count) = command.strip_prefix("sp") {
                let count: usize = count.trim_start_matches('+').parse().unwrap_or(1);
                out.extend(std::iter::repeat_n('\n', count.clamp(1, BLANK_LINES)));
            }
        }
    }
    true
}

/// Writes the text of hexadecimal escapes in the character set of the message, or otherwise in the most common one.
/// Each form of a line break becomes a single one; other control characters are dropped.
fn said_in_bytes(out: &mut String, bytes: &mut Vec<u8>, charset: &'static Encoding) {
    let said = charset.decode_without_bom_handling_and_without_replacement(bytes);
    let said = said.unwrap_or_else(|| WINDOWS_1252.decode_without_bom_handling(bytes).0);
    let lines = said.replace("\r\n", "\n").replace('\r', "\n");
    out.extend(lines.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    bytes.clear();
}

/// Parses hexadecimal digits.
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
        for name in
            ["8859-1", "ISO8859/1", "ISO_8859-1", "latin1", "Latin-1", "ISO IR100", "cp1252", "WINDOWS_1252"]
        {
            assert_eq!(with(name, b"N\xfa\xf1ez"), ("Núñez".into(), true), "{name}");
        }
        for name in ["UTF_8", "utf8", "Unicode UTF-8", "ISO-IR 192"] {
            assert_eq!(with(name, "Núñez".as_bytes()), ("Núñez".into(), true), "{name}");
        }
        assert_eq!(with("ISO-8859-15", b"\xa4"), ("€".into(), true));
        assert_eq!(
            with("GB 18030-2000", b"Tenney"),
            ("Tenney".into(), true),
            "ASCII is the same in all of them"
        );
        for (name, bytes) in [
            ("GB 18030-2000", &b"\xb9\xfa"[..]),
            ("ISO IR149", b"\xb1"),
            ("ISO IR87", b"\x1b$B"),
            ("X", b"\xe9"),
        ] {
            assert!(!with(name, bytes).1, "{name}");
        }
    }

    #[test]
    fn the_headers_of_a_batch_are_passed_over() {
        let read = message("FHS|^~\\&|LAB\r\nBHS|^~\\&|LAB\rMSH|^~\\&|LAB\rPID|1\rBTS|1\rFTS|1");
        assert_eq!(read.header().field(3).text(), "LAB");
        assert_eq!(Message::read(b"FHS|^~\\&|LAB\rBHS|1").unwrap_err(), Unreadable::NoHeader);
    }

    #[test]
    fn hexadecimal_escapes_are_line_breaks_and_letters_of_the_character_set() {
        let said = |charset: &str, field: &str| {
            let text = format!("MSH|^~\\&{}{charset}\rPID|{field}", "|".repeat(16));
            message(&text).segment("PID").unwrap().field(1).text()
        };
        for field in [
            r"One\X0D\Two",
            r"One\X0A\Two",
            r"One\X0D0A\Two",
            r"One\X0D\\X0A\Two",
            r"One\x0d\Two",
            r"One\.BR\Two",
        ] {
            assert_eq!(said("", field), "One\nTwo", "{field}");
        }
        assert_eq!(said("", r"One\X0D0A0D0A\Two\X09\x"), "One\n\nTwo\tx");
        assert_eq!(said("8859/1", r"Zo\XEB\"), "Zoë");
        assert_eq!(said("UNICODE UTF-8", r"Zo\XC3\\XAB\ and Zo\XC3AB\"), "Zoë and Zoë");
        assert_eq!(said("UNICODE UTF-8", r"Zo\XEB\"), "Zoë", "what is no UTF-8 is that of Windows");
        assert_eq!(said("", r"a\X00\b\X0\c"), r"ab\X0\c");
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

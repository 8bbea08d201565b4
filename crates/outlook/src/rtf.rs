//! Rich text: decompression (MS-OXRTFCP), and extraction of its text (RTF 1.9.1; MS-OXRTFEX for encapsulated HTML).

use super::{code_page, cursor::Cursor};
use encoding_rs::{Encoding, WINDOWS_1252};

/// Largest rich text, in bytes.
pub const MAX_RTF: usize = 4 << 20;
/// Deepest nesting of groups.
const MAX_DEPTH: usize = 200;

/// Initial dictionary of the compression (MS-OXRTFCP 2.1.2.1).
const KNOWN: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \
    \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier\
    {\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const WINDOW: usize = 4096;

/// Decompresses rich text as far as possible; none if it is not rich text, or too large.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut cursor = Cursor(packed);
    let (_, size) = (cursor.u32()?, cursor.length()?);
    let (form, _) = (cursor.take(4)?, cursor.u32()?);
    match form {
        _ if size > MAX_RTF => None,
        b"MELA" => Some(cursor.take(size.min(cursor.0.len()))?.to_vec()),
        b"LZFu" => Some(inflated(cursor, size)),
        _ => None,
    }
}

fn inflated(mut cursor: Cursor<'_>, size: usize) -> Vec<u8> {
    let mut window = [b' '; WINDOW];
    window[..KNOWN.len()].copy_from_slice(KNOWN);
    let (mut out, mut write) = (Vec::with_capacity(size.min(cursor.0.len() * 4)), KNOWN.len());
    while let Some(control) = cursor.take(1) {
        for bit in 0..8 {
            let (from, length) = if control[0] >> bit & 1 == 1 {
                let Some(reference) = cursor.take(2) else { return out };
                let reference = usize::from(u16::from_be_bytes([reference[0], reference[1]]));
                (Some(reference >> 4), (reference & 0xF) + 2)
            } else {
                (None, 1)
            };
            if from == Some(write) || out.len() >= size {
                return out;
            }
            for step in 0..length {
                let byte = match from {
                    Some(from) => window[(from + step) % WINDOW],
                    None => match cursor.take(1) {
                        Some(byte) => byte[0],
                        None => return out,
                    },
                };
                window[write] = byte;
                write = (write + 1) % WINDOW;
                out.push(byte);
            }
        }
    }
    out
}

/// State of a group.
#[derive(Clone, Copy)]
struct Group {
    /// Font tables, pictures and other content without text.
    is_hidden: bool,
    /// Encapsulated HTML.
    is_html: bool,
    /// Plain alternative of HTML that is also present.
    is_shadow: bool,
    /// Number of fallback characters after a Unicode character.
    substitutes: usize,
}

/// The text of rich text, line by line. Only the text of encapsulated HTML.
pub fn text(rtf: &[u8]) -> String {
    let mut reader = Reader {
        rest: &rtf[..rtf.len().min(MAX_RTF)],
        out: String::new(),
        bytes: Vec::new(),
        encoding: WINDOWS_1252,
        groups: Vec::new(),
        group: Group { is_hidden: false, is_html: false, is_shadow: false, substitutes: 1 },
        too_deep: 0,
        passed_over: 0,
        high: None,
    };
    reader.read();
    let lines = reader.out.lines().map(str::trim_end);
    let mut text = String::new();
    let mut blank = 0;
    for line in lines {
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

struct Reader<'a> {
    rest: &'a [u8],
    out: String,
    /// Bytes of an incomplete character of the code page.
    bytes: Vec<u8>,
    encoding: &'static Encoding,
    groups: Vec<Group>,
    group: Group,
    /// Number of open groups beyond the limit.
    too_deep: usize,
    /// Remaining fallback characters to skip.
    passed_over: usize,
    /// High surrogate of UTF-16.
    high: Option<u16>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some((byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            match byte {
                b'{' if self.groups.len() < MAX_DEPTH => self.groups.push(self.group),
                b'{' => self.too_deep += 1,
                b'}' if self.too_deep > 0 => self.too_deep -= 1,
                b'}' => {
                    self.settle();
                    self.group = self.groups.pop().unwrap_or(self.group);
                }
                b'\\' => self.command(),
                b'\r' | b'\n' => {}
                byte => self.byte(*byte),
            }
        }
        self.settle();
    }

    fn command(&mut self) {
        let Some((first, rest)) = self.rest.split_first() else { return };
        if !first.is_ascii_alphabetic() {
            self.rest = rest;
            return self.sign(*first);
        }
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).take(32).count();
        let (name, rest) = self.rest.split_at(letters);
        let minus = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[minus..].iter().take_while(|byte| byte.is_ascii_digit()).take(10).count();
        let (number, rest) = if digits == 0 { (&rest[..0], rest) } else { rest.split_at(minus + digits) };
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<i64>().ok());
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        self.word(name, number);
    }

    /// A control symbol (a command of one character).
    fn sign(&mut self, sign: u8) {
        match sign {
            b'\\' | b'{' | b'}' => self.byte(sign),
            b'~' => self.push(' '),
            b'_' => self.push('-'),
            b'\r' | b'\n' => self.push('\n'),
            // An ignorable destination: only encapsulated HTML is supported.
            b'*' => match self.rest.strip_prefix(b"\\htmltag") {
                Some(rest) => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.rest = rest[digits..].strip_prefix(b" ").unwrap_or(&rest[digits..]);
                    self.group.is_html = true;
                    self.html();
                }
                None => self.group.is_hidden = true,
            },
            b'\'' => {
                let byte = self.rest.split_at_checked(2).and_then(|(digits, rest)| {
                    let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                    Some((byte, rest))
                });
                if let Some((byte, rest)) = byte {
                    self.rest = rest;
                    self.byte(byte);
                }
            }
            _ => {}
        }
    }

    fn word(&mut self, name: &[u8], number: Option<i64>) {
        match name {
            b"par" | b"line" | b"row" | b"sect" | b"page" => self.push('\n'),
            b"tab" | b"cell" => self.push('\t'),
            b"lquote" => self.push('‘'),
            b"rquote" => self.push('’'),
            b"ldblquote" => self.push('“'),
            b"rdblquote" => self.push('”'),
            b"bullet" => self.push('•'),
            b"endash" => self.push('–'),
            b"emdash" => self.push('—'),
            b"htmlrtf" => self.group.is_shadow = number != Some(0),
            b"ansicpg" => {
                self.settle();
                self.encoding =
                    number.and_then(|number| u32::try_from(number).ok()).map_or(WINDOWS_1252, code_page);
            }
            b"uc" => self.group.substitutes = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(8),
            b"u" => self.unit(number.unwrap_or_default()),
            b"bin" => {
                let length = usize::try_from(number.unwrap_or_default()).unwrap_or_default();
                self.rest = self.rest.get(length..).unwrap_or_default();
            }
            b"fonttbl" | b"colortbl" | b"stylesheet" | b"info" | b"pict" | b"object" | b"header"
            | b"footer" | b"themedata" | b"datastore" | b"fldinst" => self.group.is_hidden = true,
            _ => {}
        }
    }

    /// A UTF-16 unit, written as a signed number.
    fn unit(&mut self, number: i64) {
        let unit = u16::try_from(number.rem_euclid(1 << 16)).unwrap_or_default();
        match (self.high.take(), unit) {
            (None, 0xd800..0xdc00) => self.high = Some(unit),
            (high, unit) => {
                let units = high.into_iter().chain([unit]);
                let text: String =
                    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
                text.chars().for_each(|c| self.push(c));
            }
        }
        self.passed_over = self.group.substitutes;
    }

    /// Starts a new line at the block tags of encapsulated HTML.
    fn html(&mut self) {
        let end = self.rest.iter().position(|byte| *byte == b'}').unwrap_or(self.rest.len());
        let tag = self.rest[..end].to_ascii_lowercase();
        let begins_line = ["<br", "<p", "</p", "<div", "<tr", "<li", "<h1", "<h2", "<h3"];
        if begins_line.iter().any(|name| tag.starts_with(name.as_bytes())) && !self.out.ends_with('\n') {
            self.settle();
            self.out.push('\n');
        }
    }

    fn is_shown(&self) -> bool {
        !(self.group.is_hidden || self.group.is_html || self.group.is_shadow) && self.too_deep == 0
    }

    fn byte(&mut self, byte: u8) {
        if self.passed_over > 0 {
            self.passed_over -= 1;
        } else if self.is_shown() {
            self.bytes.push(byte);
        }
    }

    fn push(&mut self, c: char) {
        self.passed_over = 0;
        self.settle();
        if self.is_shown() {
            self.out.push(c);
        }
    }

    fn settle(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            self.out.push_str(&self.encoding.decode_without_bom_handling(&bytes).0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of MS-OXRTFCP 3.1.1.
    const PACKED: [u8; 49] = [
        0x2D, 0, 0, 0, 0x2B, 0, 0, 0, 0x4C, 0x5A, 0x46, 0x75, 0xF1, 0xC5, 0xC7, 0xA7, 0x03, 0x00, 0x0A, 0x00,
        0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0A, 0xF3, 0x20, 0x68, 0x65, 0x6C, 0x09, 0x00,
        0x20, 0x62, 0x77, 0x05, 0xB0, 0x6C, 0x64, 0x7D, 0x0A, 0x80, 0x0F, 0xA0,
    ];

    #[test]
    fn rich_text_is_unpacked_and_says_its_words() {
        let unpacked = unpack(&PACKED).expect("rich text");
        assert_eq!(unpacked, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        assert_eq!(text(&unpacked), "hello world");
        let mut huge = PACKED;
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(unpack(&huge), None);
        let bare = [&[0; 4][..], &5u32.to_le_bytes(), b"MELA", &[0; 4], b"{abc}"].concat();
        assert_eq!(unpack(&bare).as_deref(), Some(&b"{abc}"[..]));
    }

    #[test]
    fn letters_come_by_code_page_and_by_number_and_tables_are_no_text() {
        let rtf = br"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator Word;}\f0 M\'fcller\par Na\u239?ve \u-10179?\u-8694? \{x\}\tab y\~z}";
        assert_eq!(text(rtf), "Müller\nNaïve 😊 {x}\ty z");
        assert_eq!(text(br"{\rtf1\ansicpg1251 \'cf\'e0\'f6\'e8\'e5\'ed\'f2}"), "Пациент");
        assert_eq!(text(br"{\rtf1\ansicpg932 \'8a\'b3\'8e\'d2}"), "患者");
        assert_eq!(text(br"{\rtf1\uc2\u955\'ea\'fe!}"), "λ!");
        assert_eq!(text(br"{\rtf1 a{\pict\bin4 }}}}}b}c"), "abc", "the bytes of a picture are counted");
    }

    #[test]
    fn the_words_of_wrapped_html_come_once() {
        let rtf = br"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}\htmlrtf {\par \htmlrtf0 See the {\*\htmltag84 <b>}\htmlrtf {\b \htmlrtf0 report\htmlrtf }\htmlrtf0 {\*\htmltag92 </b>}.{\*\htmltag72 </p>}{\*\htmltag64 <p>}Thanks\htmlrtf }\htmlrtf0 }";
        assert_eq!(text(rtf), "See the report.\nThanks");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), words in r"[{}\\a-z0-9' *-]{0,200}") {
            let _ = text(&bytes);
            prop_assert!(text(words.as_bytes()).len() <= words.len() * 4);
            if let Some(out) = unpack(&[&PACKED[..16], &bytes].concat()) {
                prop_assert!(out.len() <= 0x2b + 17);
            }
        }

        #[test]
        fn plain_words_come_out_as_they_went_in(words in "[a-zA-Z0-9.,]( ?[a-zA-Z0-9.,]){0,30}") {
            let rtf = format!("{{\\rtf1\\ansi {words}}}");
            prop_assert_eq!(text(rtf.as_bytes()), words);
        }
    }
}

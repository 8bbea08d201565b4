//! The files in a message: encapsulated data, in one or several segments, and Base64 in text fields.

use super::{File, ack::Problem, extension, file_name, message::named};
use clinical::{
    embedded::from_base64,
    hl7::{Message, Segment, Value, escape::hex},
};
use std::collections::HashSet;

/// Most files of a message.
const FILES: usize = 100;
/// Base64 digits used to detect the type of a file.
const BEGINNING: usize = 1400;
/// Shortest text that counts as a file.
const SHORTEST: usize = 40;

const EMPTY: Problem = Problem::error(101, "OBX^1^5", "The document is empty");
const BROKEN: Problem = Problem::error(102, "OBX^1^5", "The document cannot be decoded");
const TOO_MANY: Problem = Problem::error(102, "OBX", "The message has too many documents");

/// The files of a message.
#[derive(Default)]
pub(super) struct Embedded {
    pub files: Vec<File>,
    /// Indexes of their segments, counted from 0.
    used: HashSet<usize>,
}

impl Embedded {
    /// Reads the files; files without a name get this title.
    pub fn read(message: &Message, title: &str) -> Result<Self, Problem> {
        let mut found = Self::default();
        let mut open: Option<Collected> = None;
        for (number, segment) in message.segments().enumerate() {
            for piece in pieces(segment, open.as_ref())? {
                open = Some(match open.take() {
                    Some(begun) if begun.goes_on_with(&piece) => begun.with(piece, number),
                    before => {
                        found.close(message, title, before)?;
                        Collected::begin(piece, segment, number)
                    }
                });
            }
            if !matches!(segment.name(), "OBX" | "NTE") {
                found.close(message, title, open.take())?;
            }
        }
        found.close(message, title, open)?;
        Ok(found)
    }

    /// Whether a segment has content that is not in a file.
    pub fn leaves(&self, number: usize, segment: &Segment) -> bool {
        segment.name() == "OBX" && !is_data(segment) && !self.used.contains(&number)
    }

    fn close(&mut self, message: &Message, title: &str, collected: Option<Collected>) -> Result<(), Problem> {
        let Some(collected) = collected else { return Ok(()) };
        let content = match collected.decoded() {
            Some(content) => content,
            // It only resembled a file.
            None if collected.is_text => return Ok(()),
            None => return Err(BROKEN),
        };
        if content.is_empty() {
            return Err(EMPTY);
        }
        if self.files.len() == FILES {
            return Err(TOO_MANY);
        }
        let media_type = match sniffed(&content) {
            Some(kind) if collected.media_type == UNKNOWN => kind.to_owned(),
            _ => collected.media_type,
        };
        let title = if collected.title.is_empty() { title.to_owned() } else { collected.title };
        let file_of_txa = message.segment("TXA").map(|txa| txa.field(16).component(1).text());
        let own_name = file_of_txa.filter(|name| name.contains('.') && name.len() < 200);
        let name = match own_name {
            Some(name) if self.files.is_empty() => name.replace(['/', '\\'], "_"),
            _ => file_name(&title, extension(&media_type)),
        };
        let content = content.into();
        self.files.push(File { name, media_type, title, created: None, confidentiality: None, content });
        self.used.extend(collected.numbers);
        Ok(())
    }
}

fn is_data(obx: &Segment) -> bool {
    obx.field(2).raw.trim() == "ED"
}

/// Whether a segment has text of a document or result.
pub(super) fn is_text(obx: &Segment) -> bool {
    matches!(obx.field(2).raw.trim(), "TX" | "FT" | "ST")
}

/// Encoding of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Plain,
    Hex,
    Base64,
}

/// A piece of a file from one segment.
struct Piece {
    media_type: String,
    encoding: Encoding,
    written: String,
    /// It is in a text field, where ordinary text could be.
    is_text: bool,
}

impl Piece {
    /// Parses encapsulated data: source, type, subtype, encoding, data.
    fn of(value: Value) -> Self {
        let parts: Vec<Value> = value.components().collect();
        let part = |number: usize| parts.get(number).map(|part| part.text()).unwrap_or_default();
        // Some senders omit the source.
        let last = parts.len().saturating_sub(1);
        let (encoding, kind, subtype) = match last {
            0 => Default::default(),
            1 => (String::new(), String::new(), part(0)),
            2 => (String::new(), part(0), part(1)),
            3 => (part(2), part(0), part(1)),
            _ => (part(3), part(1), part(2)),
        };
        let encoding = match encoding.to_ascii_lowercase().as_str() {
            "a" => Encoding::Plain,
            "hex" => Encoding::Hex,
            _ => Encoding::Base64,
        };
        let media_type = media_type(&kind, &subtype);
        let data = parts.get(last.min(4)).filter(|data| !data.is_empty());
        let written = data.map(|data| data.unescaped().trim().to_owned()).unwrap_or_default();
        Self { media_type, encoding, written, is_text: false }
    }

    /// The type of the file that starts here, if any.
    fn begins(&self) -> Option<&'static str> {
        let mut beginning: String =
            self.written.chars().filter(|c| c.is_ascii() && !c.is_whitespace()).take(BEGINNING).collect();
        // Complete groups of digits, wherever the piece ends.
        beginning.truncate(beginning.len() / 4 * 4);
        let bytes = match self.encoding {
            Encoding::Plain => Some(beginning.into_bytes()),
            Encoding::Hex => hex(&beginning),
            Encoding::Base64 => from_base64(&beginning),
        };
        sniffed(&bytes?)
    }
}

/// The pieces of files in a segment.
fn pieces(segment: Segment, open: Option<&Collected>) -> Result<Vec<Piece>, Problem> {
    if segment.name() != "OBX" {
        return Ok(Vec::new());
    }
    let value = segment.field(5);
    if is_text(&segment) {
        return Ok(as_text(value, open).into_iter().collect());
    }
    let values = value.repetitions().filter(|value| is_data(&segment) && !value.is_empty());
    let pieces: Vec<Piece> = values.map(Piece::of).collect();
    if pieces.iter().any(|piece| piece.written.is_empty()) { Err(EMPTY) } else { Ok(pieces) }
}

/// A file, or a piece of one, in a text field: with the components of encapsulated data, or as plain Base64.
fn as_text(value: Value, open: Option<&Collected>) -> Option<Piece> {
    let is_mark = |part: Value| part.raw.trim().eq_ignore_ascii_case("Base64");
    if value.components().any(is_mark) {
        let piece = Piece { is_text: true, ..Piece::of(value) };
        return Some(piece).filter(|piece| piece.begins().is_some());
    }
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let written: String = value.lines().collect();
    let written: String = written.split_ascii_whitespace().collect();
    if written.is_empty() || !written.bytes().all(is_digit) {
        return None;
    }
    let piece = Piece { media_type: UNKNOWN.into(), encoding: Encoding::Base64, written, is_text: true };
    let is_next = open.is_some_and(|open| open.goes_on_with(&piece));
    (is_next || piece.written.len() >= SHORTEST && piece.begins().is_some()).then_some(piece)
}

/// A file being assembled from its pieces.
struct Collected {
    media_type: String,
    encoding: Encoding,
    pieces: Vec<String>,
    numbers: Vec<usize>,
    title: String,
    is_text: bool,
    /// Its type is known from its beginning, so a piece that does not start a file continues it.
    is_known: bool,
}

impl Collected {
    fn begin(piece: Piece, obx: Segment, number: usize) -> Self {
        Self {
            is_known: piece.begins().is_some(),
            media_type: piece.media_type,
            encoding: piece.encoding,
            pieces: vec![piece.written],
            numbers: vec![number],
            title: named(obx.field(3)),
            is_text: piece.is_text,
        }
    }

    fn with(mut self, piece: Piece, number: usize) -> Self {
        self.pieces.push(piece.written);
        self.numbers.push(number);
        self
    }

    fn goes_on_with(&self, piece: &Piece) -> bool {
        let is_of_kind = piece.media_type == self.media_type || piece.media_type == UNKNOWN;
        let is_alike = is_of_kind && piece.encoding == self.encoding && piece.is_text == self.is_text;
        self.is_known && is_alike && piece.begins().is_none() && (!self.is_text || self.has_room_for(piece))
    }

    /// Whether a text piece may continue it: all its lines except the last have the same length.
    fn has_room_for(&self, piece: &Piece) -> bool {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else { return false };
        let is_whole_line = last.len() == first.len() && piece.written.len() <= first.len();
        is_whole_line && (!ends(last) || is_blank(&piece.written))
    }

    fn decoded(&self) -> Option<Vec<u8>> {
        let whole = || self.pieces.concat();
        match self.encoding {
            Encoding::Plain => Some(whole().into_bytes()),
            Encoding::Hex => hex(&whole()),
            Encoding::Base64 => {
                // The file was cut anywhere, even within its padding, or each piece was encoded separately: padding in
                // the middle is not one file.
                let each = || self.pieces.iter().map(|piece| from_base64(piece)).collect::<Option<Vec<_>>>();
                from_base64(&whole()).or_else(|| each().map(|pieces| pieces.concat()))
            }
        }
    }
}

/// Whether a PDF ends with this piece, at any offset of its digits.
fn ends(piece: &str) -> bool {
    let tail = &piece.as_bytes()[piece.len().saturating_sub(BEGINNING)..];
    let from = |skipped: usize| {
        let digits = tail.get(skipped..).and_then(|digits| std::str::from_utf8(digits).ok());
        digits.and_then(from_base64).is_some_and(|bytes| bytes.windows(5).any(|five| five == b"%%EOF"))
    };
    piece.ends_with('=') || (0..4).any(from)
}

/// Whether a piece is only the line break after a file.
fn is_blank(piece: &str) -> bool {
    piece.len() <= 4 && from_base64(piece).is_some_and(|bytes| bytes.trim_ascii().is_empty())
}

/// Media type of a file without a type.
const UNKNOWN: &str = "application/octet-stream";

/// The media type by tables 0191 and 0291, or as written.
fn media_type(kind: &str, subtype: &str) -> String {
    let subtype = subtype.trim().to_ascii_lowercase();
    let known = match subtype.as_str() {
        "pdf" => "application/pdf",
        "tiff" | "tif" => "image/tiff",
        "jpeg" | "jpg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "rtf" => "text/rtf",
        "plain" | "txt" | "text" => "text/plain",
        "html" => "text/html",
        "xml" | "cda" | "x-hl7-cda-level-one" => "text/xml",
        "octet-stream" => UNKNOWN,
        _ => "",
    };
    let is_token =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c));
    match known {
        "" if subtype.contains('/') && subtype.split('/').all(is_token) => subtype,
        "" if is_token(kind) && is_token(&subtype) => format!("{}/{subtype}", kind.to_ascii_lowercase()),
        "" => UNKNOWN.into(),
        known => known.into(),
    }
}

/// The media type detected from the first bytes of a file.
fn sniffed(content: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 11] = [
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"\x89PNG", "image/png"),
        (b"GIF8", "image/gif"),
        (b"{\\rtf", "text/rtf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\xd0\xcf\x11\xe0", "application/msword"),
        (b"<?xml", "text/xml"),
        (b"<ClinicalDocument", "text/xml"),
        (b"<html", "text/html"),
    ];
    let start = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content).trim_ascii_start();
    // A PDF may have other bytes before its header.
    let is_pdf = content[..content.len().min(1024)].windows(5).any(|five| five == b"%PDF-");
    let found = BEGINNINGS.iter().find(|(bytes, _)| start.starts_with(bytes)).map(|(_, kind)| *kind);
    if is_pdf && found.is_none() { Some("application/pdf") } else { found }
}

//! A message as its segments, and their fields, repetitions, components and subcomponents (HL7 v2.5.1, 2.5). Fields are
//! split when they are asked for, because most of a message is often one field with a file.

use super::charset;
use super::escape::{printable, unescape};
use super::frame::{begins_segment, without_batch};
use super::separators::{Separators, is_header};
use encoding_rs::Encoding;
use std::ops::Range;

/// Most segments of a message.
pub const SEGMENTS: usize = 20_000;
/// What interface engines leave around messages and segments (MLLP, byte order marks).
const FRAMING: [char; 4] = ['\x0b', '\x1c', '\u{feff}', ' '];

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
    segments: Vec<(Range<usize>, Separators)>,
    knows_charset: bool,
    is_cut: bool,
}

impl Message {
    /// Reads a message in the character set of its header. It begins with MSH, apart from batch headers, and nothing of
    /// it is lost: a line that begins no segment continues the one before.
    pub fn read(frame: &[u8]) -> Result<Self, Unreadable> {
        let frame = without_batch(frame);
        let declared = Separators::declared(frame).filter(|_| frame.starts_with(b"MSH"));
        let mut separators = declared.ok_or(Unreadable::NoHeader)?;
        let charset = charset::of_message(frame);
        separators.charset = charset.unwrap_or_else(|| charset::guessed(frame));
        let text = separators.charset.decode_without_bom_handling(frame).0.into_owned();
        let mut segments: Vec<(Range<usize>, Separators)> = Vec::new();
        for line in lines(&text) {
            if begins_segment(&text.as_bytes()[line.clone()], separators.field) {
                if segments.len() == SEGMENTS {
                    return Err(Unreadable::TooLong);
                }
                segments.push((line, separators));
            } else if let Some((last, _)) = segments.last_mut() {
                last.end = line.end;
            }
        }
        Ok(Self { text, segments, knows_charset: charset.is_some(), is_cut: false })
    }

    /// Reads any text as a message or a batch of them, to show it. A line that begins no segment is one without a name,
    /// each header declares the separators of what follows, and the segments beyond the limit are left out.
    pub fn lenient(text: impl Into<String>, charset: &'static Encoding) -> Self {
        let text = text.into();
        let mut separators = Separators { charset, ..Separators::default() };
        let (mut segments, mut is_cut) = (Vec::new(), false);
        for line in lines(&text).map(|line| trimmed(&text, line)).filter(|line| !line.is_empty()) {
            is_cut = segments.len() == SEGMENTS;
            if is_cut {
                break;
            }
            if let Some(declared) = Separators::declared(&text.as_bytes()[line.clone()]) {
                separators = Separators { charset, ..declared };
            }
            segments.push((line, separators));
        }
        Self { text, segments, knows_charset: true, is_cut }
    }

    /// Whether its character set is known.
    pub fn knows_charset(&self) -> bool {
        self.knows_charset
    }

    /// Whether there are more segments than were read.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        let segment = |(range, separators): &(Range<usize>, Separators)| Segment {
            line: &self.text[range.clone()],
            separators: *separators,
        };
        self.segments.iter().map(segment)
    }

    /// The first segment of this name.
    pub fn segment(&self, name: &str) -> Option<Segment<'_>> {
        self.segments().find(|segment| segment.name() == name)
    }

    /// The first segment, which is the header of a message that was read strictly.
    pub fn header(&self) -> Segment<'_> {
        self.segments().next().unwrap_or(Segment { line: "", separators: Separators::default() })
    }
}

/// Places of the lines that are not empty.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let places = text.split(['\r', '\n']).map(move |line| {
        let place = start..start + line.len();
        start = place.end + 1;
        place
    });
    places.filter(|place| !place.is_empty())
}

/// A place without the framing at its ends.
fn trimmed(text: &str, place: Range<usize>) -> Range<usize> {
    let line = text[place.clone()].trim_end_matches(FRAMING);
    let end = place.start + line.len();
    end - line.trim_start_matches(FRAMING).len()..end
}

#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    line: &'a str,
    separators: Separators,
}

impl<'a> Segment<'a> {
    /// Its three letters; empty for a line that begins no segment.
    pub fn name(&self) -> &'a str {
        match begins_segment(self.line.as_bytes(), self.separators.field) {
            true => &self.line[..3],
            false => "",
        }
    }

    /// The field with this number. The first field of a header is its separator.
    pub fn field(&self, number: usize) -> Value<'a> {
        let raw = match number.checked_sub(self.shift()) {
            None | Some(0) => "",
            Some(index) => self.line.split(self.separators.field).nth(index).unwrap_or_default(),
        };
        Value { raw, separators: self.separators }
    }

    /// All fields with their numbers.
    pub fn fields(&self) -> impl Iterator<Item = (usize, Value<'a>)> + use<'a> {
        let (separators, shift) = (self.separators, self.shift());
        let fields = self.line.split(separators.field).enumerate().skip(1);
        fields.map(move |(index, raw)| (index + shift, Value { raw, separators }))
    }

    /// How much higher the number of a field is than its place.
    fn shift(&self) -> usize {
        usize::from(is_header(self.name()))
    }

    /// The unparsed line.
    pub fn raw(&self) -> &'a str {
        self.line
    }

    /// The line as one value, for one that begins no segment.
    pub fn whole(&self) -> Value<'a> {
        Value { raw: self.line, separators: self.separators }
    }

    pub fn separators(&self) -> Separators {
        self.separators
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

    pub fn separators(self) -> Separators {
        self.separators
    }

    pub fn repetitions(self) -> impl Iterator<Item = Self> {
        self.raw.split(self.separators.repetition).map(move |raw| self.of(raw))
    }

    pub fn components(self) -> impl Iterator<Item = Self> {
        self.raw.split(self.separators.component).map(move |raw| self.of(raw))
    }

    pub fn subcomponents(self) -> impl Iterator<Item = Self> {
        self.raw.split(self.separators.subcomponent).map(move |raw| self.of(raw))
    }

    /// The component of the first repetition, counted from 1.
    pub fn component(self, number: usize) -> Self {
        let first = self.raw.split(self.separators.repetition).next().unwrap_or_default();
        self.of(first.split(self.separators.component).nth(number - 1).unwrap_or_default())
    }

    /// The subcomponent of a component, counted from 1.
    pub fn subcomponent(self, number: usize) -> Self {
        self.of(self.raw.split(self.separators.subcomponent).nth(number - 1).unwrap_or_default())
    }

    /// Everything from a component on, counted from 1, with the separators in it.
    pub fn from_component(self, number: usize) -> Self {
        self.of(self.raw.splitn(number, self.separators.component).nth(number - 1).unwrap_or_default())
    }

    /// Whether it deletes what an earlier message said: `""` (2.5.3.2).
    pub fn is_deleted(self) -> bool {
        self.raw.trim() == "\"\""
    }

    pub fn is_empty(self) -> bool {
        self.raw.trim().is_empty() || self.is_deleted()
    }

    /// Names, codes and other short text: escapes resolved, without control characters and spaces at its ends. What is
    /// deleted is empty.
    pub fn text(self) -> String {
        if self.is_deleted() { String::new() } else { self.printable().trim().to_owned() }
    }

    /// Like [`Self::text`], for running text: each repetition is a line, and indentation is kept.
    pub fn lines(self) -> impl Iterator<Item = String> {
        self.repetitions().map(|line| match line.is_empty() {
            true => String::new(),
            false => line.printable().trim_end().to_owned(),
        })
    }

    /// Escapes resolved, line breaks of one form, and no other control characters except tabs.
    pub fn printable(self) -> String {
        printable(&self.unescaped())
    }

    /// Escapes resolved, and everything else unchanged: for data.
    pub fn unescaped(self) -> String {
        unescape(self.raw, self.separators)
    }
}

//! `winmail.dat`, the container of Outlook and Exchange (TNEF; MS-OXTNEF): the body and the files of a message. Calendar
//! entries, forms and everything else are skipped. No length in it is trusted, and what is damaged is read as far as
//! possible.

use crate::{code_page, cursor::Cursor, rtf, text};
use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};

/// First bytes of each stream.
pub const SIGNATURE: [u8; 4] = [0x78, 0x9F, 0x3E, 0x22];
/// Most attributes of one stream, and most properties of one attribute; real ones have tens, and five for each file.
const MAX_ATTRIBUTES: usize = 20_000;
const MAX_PROPERTIES: u32 = 5_000;
/// Length of the interface id in front of an object, such as an embedded message.
const INTERFACE: usize = 16;

/// Attributes (MS-OXTNEF 2.1.3.2), without their type.
pub mod attribute {
    pub const SUBJECT: u16 = 0x8004;
    pub const BODY: u16 = 0x800C;
    pub const FILE_DATA: u16 = 0x800F;
    pub const FILE_TITLE: u16 = 0x8010;
    /// A file begins.
    pub const FILE_BEGINS: u16 = 0x9002;
    pub const MESSAGE_PROPERTIES: u16 = 0x9003;
    pub const FILE_PROPERTIES: u16 = 0x9005;
    /// Code page of texts of eight bits.
    pub const CODE_PAGE: u16 = 0x9007;
}

/// Properties (MS-OXPROPS).
pub mod property {
    pub const SUBJECT: u16 = 0x0037;
    pub const SENDER: u16 = 0x0C1A;
    pub const BODY: u16 = 0x1000;
    pub const RTF: u16 = 0x1009;
    pub const HTML: u16 = 0x1013;
    pub const DISPLAY_NAME: u16 = 0x3001;
    pub const FILE_DATA: u16 = 0x3701;
    pub const SHORT_NAME: u16 = 0x3704;
    pub const LONG_NAME: u16 = 0x3707;
    pub const MEDIA_TYPE: u16 = 0x370E;
    pub const CONTENT_ID: u16 = 0x3712;
    /// Code page of the HTML.
    pub const INTERNET_CODE_PAGE: u16 = 0x3FDE;
}

/// Types of properties whose values have a length (MS-OXCDATA 2.11.1).
pub mod kind {
    /// Marks a type with several values.
    pub const MULTIPLE: u16 = 0x1000;
    pub const OBJECT: u16 = 0x000D;
    pub const STRING8: u16 = 0x001E;
    pub const UNICODE: u16 = 0x001F;
    pub const BINARY: u16 = 0x0102;
}

use kind::{BINARY, MULTIPLE, OBJECT, STRING8, UNICODE};

/// Contents of a stream.
#[derive(Debug, Default)]
pub struct Tnef<'a> {
    pub subject: Option<String>,
    pub sender: Option<String>,
    pub text: Option<String>,
    pub html: Option<String>,
    /// Rich text, unpacked.
    pub rtf: Option<Vec<u8>>,
    pub files: Vec<File<'a>>,
    /// The stream is truncated, inconsistent or has more files than were asked for; content may be missing.
    pub damaged: bool,
    /// The checksum of an attribute is wrong: nothing is missing, but some bytes may be wrong, or the sender counts wrongly.
    pub has_wrong_checksum: bool,
}

/// A file of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct File<'a> {
    /// The first that it has of its long name, its title, its short name and its display name; never empty.
    pub name: Option<String>,
    /// In lower case.
    pub media_type: Option<String>,
    pub content_id: Option<String>,
    pub content: &'a [u8],
    /// The stream ends within its content.
    pub is_cut: bool,
    /// It is an embedded message; its content is a stream itself.
    pub is_message: bool,
}

/// Reads a stream with at most this many files; `None` if it is not TNEF. Embedded messages are files and are not opened,
/// so that the caller decides how deep it reads.
pub fn read(data: &[u8], max_files: usize) -> Option<Tnef<'_>> {
    let mut cursor = Cursor(data.strip_prefix(&SIGNATURE)?);
    cursor.u16()?;
    let mut reader = Reader { found: Tnef::default(), open: None, code_page: None, max_files };
    for _ in 0..MAX_ATTRIBUTES {
        if is_end(&cursor) {
            break;
        }
        let Some(next) = next_attribute(&mut cursor) else { break };
        let is_read = reader.attribute(&next).is_some();
        reader.found.damaged |= !is_read || next.checksum == Checksum::Missing;
        reader.found.has_wrong_checksum |= next.checksum == Checksum::Wrong;
    }
    reader.found.damaged |= !is_end(&cursor);
    reader.close_file();
    Some(reader.found)
}

/// Whether nothing is left. Mail programs leave a line break behind a stream.
fn is_end(cursor: &Cursor<'_>) -> bool {
    cursor.0.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
}

/// An attribute of the message or of a file.
struct Attribute<'a> {
    id: u16,
    value: &'a [u8],
    /// The stream ends within the value.
    is_cut: bool,
    checksum: Checksum,
}

/// The sum of the bytes of an attribute, stated behind them.
#[derive(PartialEq)]
enum Checksum {
    Right,
    Wrong,
    /// The stream ends before it.
    Missing,
}

/// The next attribute; `None` if there is none.
fn next_attribute<'a>(cursor: &mut Cursor<'a>) -> Option<Attribute<'a>> {
    let mut ahead = Cursor(cursor.0);
    // Of the message, or of a file.
    ahead.u8().filter(|level| matches!(level, 1 | 2))?;
    let (id, _kind) = (ahead.u16()?, ahead.u16()?);
    let length = ahead.length()?;
    let value = ahead.take(length.min(ahead.0.len()))?;
    let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    let checksum = match ahead.u16() {
        Some(stated) if stated == sum => Checksum::Right,
        Some(_) => Checksum::Wrong,
        None => Checksum::Missing,
    };
    *cursor = ahead;
    Some(Attribute { id, value, is_cut: value.len() < length, checksum })
}

/// A property with its first value.
struct Property<'a> {
    id: u16,
    kind: u16,
    value: &'a [u8],
}

/// Calls `each` with the properties in order; `None` if they are inconsistent.
fn read_properties<'a>(data: &'a [u8], mut each: impl FnMut(&Property<'a>)) -> Option<()> {
    let mut cursor = Cursor(data);
    let count = cursor.u32()?;
    for _ in 0..count.min(MAX_PROPERTIES) {
        let (kind, id) = (cursor.u16()?, cursor.u16()?);
        if id >= 0x8000 {
            skip_name(&mut cursor)?;
        }
        let (is_multiple, kind) = (kind & MULTIPLE != 0, kind & !MULTIPLE);
        let has_length = matches!(kind, OBJECT | STRING8 | UNICODE | BINARY);
        let values = if is_multiple || has_length { cursor.u32()? } else { 1 };
        for number in 0..values {
            let length = if has_length { cursor.length()? } else { fixed_length(kind)? };
            let value = cursor.padded(length)?;
            if number == 0 {
                each(&Property { id, kind, value });
            }
        }
    }
    (count <= MAX_PROPERTIES).then_some(())
}

/// Passes over the name of a named property: a number or a text in a name space.
fn skip_name(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.take(16)?;
    if cursor.u32()? == 0 {
        cursor.take(4)?;
    } else {
        let length = cursor.length()?;
        cursor.padded(length)?;
    }
    Some(())
}

fn fixed_length(kind: u16) -> Option<usize> {
    match kind {
        0x02 | 0x03 | 0x04 | 0x0A | 0x0B => Some(4),
        0x05 | 0x06 | 0x07 | 0x14 | 0x40 => Some(8),
        0x48 => Some(16),
        _ => None,
    }
}

struct Reader<'a> {
    found: Tnef<'a>,
    /// The file whose attributes are being read.
    open: Option<Open<'a>>,
    code_page: Option<&'static Encoding>,
    max_files: usize,
}

/// A file with its names.
#[derive(Default)]
struct Open<'a> {
    title: Option<String>,
    long: Option<String>,
    short: Option<String>,
    display: Option<String>,
    file: File<'a>,
}

impl<'a> Reader<'a> {
    /// Reads an attribute; `None` if it is inconsistent.
    fn attribute(&mut self, &Attribute { id, value, is_cut, .. }: &Attribute<'a>) -> Option<()> {
        match id {
            attribute::CODE_PAGE => self.code_page = Some(code_page(Cursor(value).u32()?)),
            attribute::SUBJECT => self.found.subject = Some(self.text(STRING8, value)),
            attribute::BODY => {
                self.found.text = self.found.text.take().or_else(|| Some(self.text(STRING8, value)));
            }
            attribute::MESSAGE_PROPERTIES => return self.message(value),
            attribute::FILE_BEGINS => {
                self.close_file();
                self.open = Some(Open::default());
            }
            attribute::FILE_TITLE => self.open().title = Some(self.text(STRING8, value)),
            attribute::FILE_DATA => {
                let file = &mut self.open().file;
                (file.content, file.is_cut) = (value, is_cut);
            }
            attribute::FILE_PROPERTIES => return self.file(value),
            _ => {}
        }
        Some(())
    }

    fn open(&mut self) -> &mut Open<'a> {
        self.open.get_or_insert_default()
    }

    fn message(&mut self, properties: &'a [u8]) -> Option<()> {
        let (mut html, mut html_page, mut is_rtf_whole) = (None, None, true);
        let outcome = read_properties(properties, |property| match property.id {
            property::SUBJECT => self.found.subject = Some(self.text_of(property)),
            property::SENDER => self.found.sender = Some(self.text_of(property)),
            property::BODY => self.found.text = Some(self.text_of(property)),
            property::HTML => html = Some((property.kind, property.value)),
            property::INTERNET_CODE_PAGE => html_page = Cursor(property.value).u32(),
            property::RTF => {
                self.found.rtf = rtf::unpack(property.value);
                is_rtf_whole = self.found.rtf.is_some();
            }
            _ => {}
        });
        if let Some((kind, value)) = html {
            self.found.html = Some(match kind {
                BINARY => decoded(value, html_page.map(code_page).or(self.code_page)),
                kind => self.text(kind, value),
            });
        }
        outcome.filter(|()| is_rtf_whole)
    }

    fn file(&mut self, properties: &'a [u8]) -> Option<()> {
        let mut open = self.open.take().unwrap_or_default();
        let outcome = read_properties(properties, |property| match property.id {
            property::LONG_NAME => open.long = Some(self.text_of(property)),
            property::SHORT_NAME => open.short = Some(self.text_of(property)),
            property::DISPLAY_NAME => open.display = Some(self.text_of(property)),
            property::MEDIA_TYPE => open.file.media_type = Some(self.text_of(property).to_ascii_lowercase()),
            property::CONTENT_ID => open.file.content_id = Some(self.text_of(property)),
            property::FILE_DATA if property.kind == OBJECT => {
                let object = property.value.get(INTERFACE..).unwrap_or_default();
                open.file.is_message = object.starts_with(&SIGNATURE);
                if open.file.is_message || open.file.content.is_empty() {
                    (open.file.content, open.file.is_cut) = (object, false);
                }
            }
            property::FILE_DATA if open.file.content.is_empty() => {
                (open.file.content, open.file.is_cut) = (property.value, false);
            }
            _ => {}
        });
        self.open = Some(open);
        outcome
    }

    fn text_of(&self, property: &Property<'_>) -> String {
        self.text(property.kind, property.value)
    }

    /// A text up to its terminating zero. What is behind it does not decide the character set.
    fn text(&self, kind: u16, value: &[u8]) -> String {
        if kind == UNICODE {
            let text = UTF_16LE.decode_without_bom_handling(value).0;
            return text.split('\0').next().unwrap_or_default().to_owned();
        }
        decoded(value.split(|byte| *byte == 0).next().unwrap_or_default(), self.code_page)
    }

    fn close_file(&mut self) {
        let Some(Open { title, long, short, display, mut file }) = self.open.take() else { return };
        if self.found.files.len() == self.max_files {
            self.found.damaged = true;
            return;
        }
        let mut names =
            [long, title, short, display].into_iter().flatten().map(|name| name.trim().to_owned());
        file.name = names.find(|name| !name.is_empty());
        self.found.files.push(file);
    }
}

/// Text in a code page. Some programs name Windows-1252 whatever they write: then the encoding is guessed.
fn decoded(bytes: &[u8], page: Option<&'static Encoding>) -> String {
    let text = match page.filter(|page| *page != WINDOWS_1252) {
        Some(page) => page.decode(bytes).0,
        None => text::decode(bytes),
    };
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attribute::{BODY, CODE_PAGE, FILE_BEGINS, FILE_PROPERTIES, FILE_TITLE, MESSAGE_PROPERTIES};
    use proptest::prelude::*;

    fn attribute(level: u8, id: u16, value: &[u8]) -> Vec<u8> {
        let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        let length = (value.len() as u32).to_le_bytes();
        [&[level][..], &id.to_le_bytes(), &[6, 0], &length, value, &sum.to_le_bytes()].concat()
    }

    fn stream(attributes: &[Vec<u8>]) -> Vec<u8> {
        [&SIGNATURE[..], &[1, 0], &attributes.concat()].concat()
    }

    /// Properties of variable length, each with one value.
    fn properties(of: &[(u16, u16, &[u8])]) -> Vec<u8> {
        let mut out = (of.len() as u32).to_le_bytes().to_vec();
        for (id, kind, value) in of {
            out.extend([&kind.to_le_bytes()[..], &id.to_le_bytes(), &1u32.to_le_bytes()].concat());
            out.extend((value.len() as u32).to_le_bytes());
            out.extend_from_slice(value);
            out.resize(out.len().next_multiple_of(4), 0);
        }
        out
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    /// Rich text as Outlook packs it, though not compressed.
    fn rich_text(words: &str) -> Vec<u8> {
        let rtf = format!("{{\\rtf1\\ansi {words}}}");
        let length = (rtf.len() as u32).to_le_bytes();
        [&length[..], &length, b"MELA", &[0; 4], rtf.as_bytes()].concat()
    }

    fn sample() -> Vec<u8> {
        let head = properties(&[
            (property::SENDER, UNICODE, &utf16("Ada Poe")),
            (property::RTF, BINARY, &rich_text("Seen today.")),
        ]);
        let object = [&[0; INTERFACE][..], &stream(&[attribute(1, BODY, b"inner\0")])].concat();
        stream(&[
            attribute(1, attribute::SUBJECT, b"Referral\0"),
            attribute(1, MESSAGE_PROPERTIES, &head),
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_DATA, b"0123456789"),
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(
                2,
                FILE_PROPERTIES,
                &properties(&[
                    (property::FILE_DATA, OBJECT, &object),
                    (property::DISPLAY_NAME, STRING8, b"Forwarded\0"),
                ]),
            ),
        ])
    }

    #[test]
    fn body_and_files_are_read_with_their_long_names() {
        let long = utf16("Überweisung für Müller.pdf");
        let data = stream(&[
            attribute(1, BODY, b"See the attached referral.\0"),
            attribute(1, MESSAGE_PROPERTIES, &properties(&[(property::HTML, BINARY, b"<p>See</p>")])),
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(2, FILE_TITLE, b"UBERWE~1.PDF\0"),
            attribute(2, attribute::FILE_DATA, b"%PDF-1.7"),
            attribute(
                2,
                FILE_PROPERTIES,
                &properties(&[
                    (property::LONG_NAME, UNICODE, &long),
                    (property::SHORT_NAME, STRING8, b"OTHER.PDF\0"),
                    (property::MEDIA_TYPE, STRING8, b"Application/PDF\0"),
                    (property::CONTENT_ID, STRING8, b"a@b\0"),
                ]),
            ),
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(2, FILE_TITLE, b"note.txt\0"),
            attribute(2, attribute::FILE_DATA, b"hello"),
        ]);
        let read = read(&data, 10).unwrap();
        assert!(!read.damaged);
        assert_eq!(read.text.as_deref(), Some("See the attached referral."));
        assert_eq!(read.html.as_deref(), Some("<p>See</p>"));
        let first = File {
            name: Some("Überweisung für Müller.pdf".into()),
            media_type: Some("application/pdf".into()),
            content_id: Some("a@b".into()),
            content: b"%PDF-1.7",
            ..File::default()
        };
        let second = File { name: Some("note.txt".into()), content: b"hello", ..File::default() };
        assert_eq!(read.files, [first, second]);
    }

    #[test]
    fn head_rich_text_and_embedded_messages_are_found() {
        let data = sample();
        let found = read(&data, 10).unwrap();
        assert_eq!((found.subject.as_deref(), found.sender.as_deref()), (Some("Referral"), Some("Ada Poe")));
        assert_eq!(rtf::text(&found.rtf.unwrap()), "Seen today.");
        let message = &found.files[1];
        assert_eq!((message.name.as_deref(), message.is_message), (Some("Forwarded"), true));
        assert_eq!(read(message.content, 10).unwrap().text.as_deref(), Some("inner"));
    }

    #[test]
    fn texts_of_eight_bits_are_read_by_their_code_page() {
        let page = |number: u32| attribute(1, CODE_PAGE, &[&number.to_le_bytes()[..], &[0; 4]].concat());
        let body = |page: Vec<u8>, text: &[u8]| {
            read(&stream(&[page, attribute(1, BODY, text)]), 0).unwrap().text.unwrap()
        };
        assert_eq!(body(page(1250), b"\xa3ukasz\0"), "Łukasz");
        assert_eq!(body(page(1252), b"Zo\xeb"), "Zoë");
        assert_eq!(body(page(1252), "Zoë".as_bytes()), "Zoë");
        assert_eq!(body(page(65001), "Zoë".as_bytes()), "Zoë");
        assert_eq!(body(page(1252), "José, São, Nuñez, Björk\0".as_bytes()), "José, São, Nuñez, Björk");
        let bad = b"Jos\xc3\xa9, S\xc3\xa3o, Nu\xc3\xb1ez, Bj\xc3\xb6rk \xa0 5 mg";
        assert_eq!(body(page(1252), bad), "José, São, Nuñez, Björk \u{fffd} 5 mg");
        assert_eq!(body(page(1252), b"Zo\xc3\xab\0\xff\xfe\xfd\xe9"), "Zoë", "rubbish behind the zero");
        let wide = utf16("<p>Zoë</p>");
        let html = properties(&[(property::HTML, BINARY, &wide[..wide.len() - 2])]);
        let html = stream(&[page(1252), attribute(1, MESSAGE_PROPERTIES, &html)]);
        assert_eq!(read(&html, 0).unwrap().html.as_deref(), Some("<p>Zoë</p>"));
    }

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes_and_called_damaged() {
        let data = stream(&[
            attribute(2, FILE_BEGINS, &[]),
            attribute(2, FILE_TITLE, b"a.txt\0"),
            attribute(2, attribute::FILE_DATA, b"0123456789"),
        ]);
        let cut = read(&data[..data.len() - 6], 10).unwrap();
        assert!(cut.damaged);
        assert_eq!((cut.files[0].content, cut.files[0].is_cut), (&b"012345"[..], true));
        let unsummed = read(&data[..data.len() - 2], 10).unwrap();
        assert!(unsummed.damaged && !unsummed.files[0].is_cut, "its content is there");
        assert!(!read(&[&data[..], b"\r\n"].concat(), 10).unwrap().damaged);
        assert!(read(&[&data[..], b"\x07x"].concat(), 10).unwrap().damaged);
        assert!(read(b"PK\x03\x04", 10).is_none());
        let broken_rtf = properties(&[(property::RTF, BINARY, b"x"), (property::HTML, BINARY, b"<p>")]);
        let data = stream(&[attribute(1, MESSAGE_PROPERTIES, &broken_rtf)]);
        let read = read(&data, 10).unwrap();
        assert!(read.damaged && read.html.is_some());
    }

    #[test]
    fn a_wrong_checksum_is_told_apart_from_missing_content() {
        let mut data = stream(&[
            attribute(2, FILE_BEGINS, &[]),
            attribute(2, FILE_TITLE, b"a.txt\0"),
            attribute(2, attribute::FILE_DATA, b"0123456789"),
        ]);
        assert!(!read(&data, 10).unwrap().has_wrong_checksum);
        *data.last_mut().unwrap() ^= 1;
        let found = read(&data, 10).unwrap();
        assert!(found.has_wrong_checksum && !found.damaged && !found.files[0].is_cut);
    }

    #[test]
    fn no_length_is_believed() {
        for value in [
            [&u32::MAX.to_le_bytes()[..], &[0; 8]].concat(),
            [&1u32.to_le_bytes()[..], &0x1002u16.to_le_bytes(), &[0, 0], &u32::MAX.to_le_bytes()].concat(),
            [
                &1u32.to_le_bytes()[..],
                &BINARY.to_le_bytes(),
                &[1, 0x37],
                &[1, 0, 0, 0],
                &u32::MAX.to_le_bytes(),
            ]
            .concat(),
        ] {
            assert!(read(&stream(&[attribute(2, FILE_PROPERTIES, &value)]), 10).unwrap().damaged);
        }
        let many: Vec<_> = (0..20).map(|_| attribute(2, FILE_BEGINS, &[])).collect();
        let data = stream(&many);
        let read = read(&data, 7).unwrap();
        assert!(read.files.len() == 7 && read.damaged);
    }

    proptest! {
        #[test]
        fn files_come_out_as_they_went_in(
            files in prop::collection::vec(("[a-z]{1,8}", prop::collection::vec(any::<u8>(), 0..60)), 0..6),
        ) {
            let one = |(name, content): &(String, Vec<u8>)| {
                [
                    attribute(2, FILE_BEGINS, &[0; 14]),
                    attribute(2, FILE_TITLE, name.as_bytes()),
                    attribute(2, attribute::FILE_DATA, content),
                ]
                .concat()
            };
            let data = stream(&files.iter().map(one).collect::<Vec<_>>());
            let found = read(&data, 10).unwrap();
            prop_assert!(!found.damaged);
            let found: Vec<_> =
                found.files.iter().map(|file| (file.name.clone().unwrap(), file.content.to_vec())).collect();
            prop_assert_eq!(found, files);
        }

        #[test]
        fn nothing_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>()) {
            let _ = read(&[&SIGNATURE[..], &bytes].concat(), 10);
            let mut damaged = sample();
            let place = at.index(damaged.len());
            damaged[place] ^= 0xFF;
            if let Some(found) = read(&damaged, 10) {
                prop_assert!(found.files.iter().all(|file| file.content.len() <= damaged.len()));
            }
        }
    }
}

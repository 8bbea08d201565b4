//! TNEF (MS-OXTNEF), the `winmail.dat` in which Outlook wraps the files of a mail. Read leniently: what came whole is shown.

use encoding_rs::{Encoding, UTF_16LE, WINDOWS_1252};
use mail_parser::decoders::html::html_to_text;
use outlook::{code_page, cursor::Cursor, rtf};

use super::{Part, Reading, file_name, size_words};
use crate::error::ConversionError;
use crate::kind::TNEF_SIGNATURE;
use crate::text;

/// Most attributes of a file that are read, and most properties of one attribute.
const MAX_ATTRIBUTES: usize = 20_000;
const MAX_PROPERTIES: u32 = 5_000;
/// What an enclosed message has before its own TNEF: the identifier of its interface.
const INTERFACE: usize = 16;

// Attributes, by the lower half of their numbers.
const SUBJECT: u16 = 0x8004;
const BODY: u16 = 0x800c;
const FILE_DATA: u16 = 0x800f;
const FILE_TITLE: u16 = 0x8010;
const MESSAGE_PROPERTIES: u16 = 0x9003;
const FILE_PROPERTIES: u16 = 0x9005;
/// Each file begins with it.
const FILE_BEGINS: u16 = 0x9002;
/// The code page of texts of eight bits.
const CODE_PAGE: u16 = 0x9007;

// Properties (MS-OXPROPS).
const PR_SUBJECT: u16 = 0x0037;
const PR_SENDER: u16 = 0x0c1a;
const PR_BODY: u16 = 0x1000;
const PR_RTF: u16 = 0x1009;
const PR_HTML: u16 = 0x1013;
/// The code page of the HTML.
const PR_INTERNET_CODE_PAGE: u16 = 0x3fde;
const PR_DISPLAY_NAME: u16 = 0x3001;
const PR_FILE_DATA: u16 = 0x3701;
const PR_FILE_NAME: u16 = 0x3704;
const PR_LONG_FILE_NAME: u16 = 0x3707;

/// Types of properties whose values have a length of their own.
const TEXT_8: u16 = 0x1e;
const TEXT_16: u16 = 0x1f;
const OBJECT: u16 = 0x0d;
const BINARY: u16 = 0x102;
/// Marks a type with several values.
const SEVERAL: u16 = 0x1000;

/// The next attribute: the lower half of its number, and its data. Checksums are not looked at: the data is shown anyway.
fn attribute<'a>(bytes: &mut Cursor<'a>) -> Option<(u16, &'a [u8])> {
    let level = bytes.u8()?;
    let (number, _) = (bytes.u16()?, bytes.u16()?);
    let length = bytes.length()?;
    let data = bytes.take(length)?;
    bytes.u16()?;
    matches!(level, 1 | 2).then_some((number, data))
}

/// A property that is bytes or a text.
struct Property<'a> {
    id: u16,
    kind: u16,
    value: &'a [u8],
}

impl Property<'_> {
    fn text(&self, page: Option<&'static Encoding>) -> String {
        let text = match self.kind {
            TEXT_16 => UTF_16LE.decode_without_bom_handling(self.value).0,
            _ => return terminated(self.value, page),
        };
        text.trim_end_matches('\0').to_owned()
    }

    fn number(&self) -> Option<u32> {
        Some(u32::from_le_bytes(self.value.try_into().ok()?))
    }
}

/// A text of eight bits without the zero behind it.
fn terminated(value: &[u8], page: Option<&'static Encoding>) -> String {
    let end = value.iter().position(|byte| *byte == 0).unwrap_or(value.len());
    decoded(&value[..end], page)
}

/// Some write UTF-8 and name the page of their machine, but only that of the West says so little.
fn decoded(bytes: &[u8], page: Option<&'static Encoding>) -> String {
    match page.filter(|page| *page != WINDOWS_1252) {
        Some(page) => page.decode_without_bom_handling(bytes).0.into_owned(),
        None => text::decode(bytes).into_owned(),
    }
}

/// Properties one after the other, as far as they can be read.
fn properties<'a>(data: &'a [u8], mut each: impl FnMut(Property<'a>)) -> Option<()> {
    let mut bytes = Cursor(data);
    let count = bytes.u32()?;
    for _ in 0..count.min(MAX_PROPERTIES) {
        let (kind, id) = (bytes.u16()?, bytes.u16()?);
        if id >= 0x8000 {
            named(&mut bytes)?;
        }
        let (single, is_several) = (kind & !SEVERAL, kind & SEVERAL != 0);
        let has_length = matches!(single, TEXT_8 | TEXT_16 | OBJECT | BINARY);
        let values = if has_length || is_several { bytes.u32()? } else { 1 };
        for at in 0..values {
            let length = if has_length { bytes.length()? } else { fixed(single)? };
            let value = bytes.padded(length)?;
            if at == 0 {
                each(Property { id, kind: single, value });
            }
        }
    }
    Some(())
}

/// Passes over the name of a property: a number, or a text.
fn named(bytes: &mut Cursor<'_>) -> Option<()> {
    bytes.take(16)?;
    match bytes.u32()? {
        0 => bytes.take(4)?,
        _ => {
            let length = bytes.length()?;
            bytes.padded(length)?
        }
    };
    Some(())
}

fn fixed(kind: u16) -> Option<usize> {
    match kind {
        0x02 | 0x03 | 0x04 | 0x0a | 0x0b => Some(4),
        0x05 | 0x06 | 0x07 | 0x14 | 0x40 => Some(8),
        0x48 => Some(16),
        _ => None,
    }
}

/// A file in it.
#[derive(Default)]
struct File<'a> {
    title: String,
    name: String,
    content: &'a [u8],
}

impl<'a> File<'a> {
    fn know(&mut self, property: Property<'a>, page: Option<&'static Encoding>) {
        let is_better = |known: &String| known.is_empty();
        match property.id {
            PR_LONG_FILE_NAME => self.name = property.text(page),
            PR_FILE_NAME | PR_DISPLAY_NAME if is_better(&self.name) => self.name = property.text(page),
            PR_FILE_DATA => {
                let enclosed =
                    property.value.get(INTERFACE..).filter(|inner| inner.starts_with(&TNEF_SIGNATURE));
                if let Some(content) = enclosed.filter(|_| property.kind == OBJECT) {
                    self.content = content;
                } else if self.content.is_empty() {
                    self.content = property.value;
                }
            }
            _ => {}
        }
    }
}

/// What it says of its message.
#[derive(Default)]
struct Head<'a> {
    subject: String,
    sender: String,
    plain: String,
    html: &'a [u8],
    html_page: Option<u32>,
    /// Unpacked.
    rtf: Vec<u8>,
    page: Option<&'static Encoding>,
}

impl<'a> Head<'a> {
    fn know(&mut self, property: &Property<'a>) {
        match property.id {
            PR_SUBJECT => self.subject = property.text(self.page),
            PR_SENDER => self.sender = property.text(self.page),
            PR_BODY => self.plain = property.text(self.page),
            PR_HTML => self.html = property.value,
            PR_INTERNET_CODE_PAGE => self.html_page = property.number(),
            PR_RTF => self.rtf = rtf::unpack(property.value).unwrap_or_default(),
            _ => {}
        }
    }

    /// The text of the message, in the first of the three forms that it has.
    fn text(&self) -> String {
        if !self.plain.trim().is_empty() {
            return self.plain.clone();
        }
        let html = decoded(self.html, self.html_page.map(code_page).or(self.page));
        let text = if html.trim().is_empty() { String::new() } else { html_to_text(&html) };
        if text.trim().is_empty() { rtf::text(&self.rtf) } else { text }
    }
}

/// What was found in a file: head, files, and whether all of it could be read.
struct Opened<'a> {
    head: Head<'a>,
    files: Vec<File<'a>>,
    is_whole: bool,
}

fn opened(content: &[u8]) -> Result<Opened<'_>, ConversionError> {
    let broken = ConversionError::Broken("the file of Outlook cannot be read");
    let mut bytes = Cursor(content.strip_prefix(&TNEF_SIGNATURE).ok_or(broken.clone())?);
    bytes.u16().ok_or(broken)?;
    let (mut head, mut files) = (Head::default(), Vec::<File<'_>>::new());
    let mut is_whole = true;
    for _ in 0..MAX_ATTRIBUTES {
        // Mail programs leave a line break behind it.
        if bytes.0.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            break;
        }
        let Some((number, data)) = attribute(&mut bytes) else {
            is_whole = false;
            break;
        };
        if matches!(number, FILE_BEGINS) || files.is_empty() && matches!(number, FILE_DATA | FILE_TITLE) {
            files.push(File::default());
        }
        is_whole &= take(number, data, &mut head, files.last_mut()).is_some();
    }
    is_whole &= bytes.0.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
    Ok(Opened { head, files, is_whole })
}

/// Takes an attribute over; None where its properties are damaged.
fn take<'a>(number: u16, data: &'a [u8], head: &mut Head<'a>, file: Option<&mut File<'a>>) -> Option<()> {
    let page = head.page;
    match (number, file) {
        (CODE_PAGE, _) => head.page = Some(code_page(u32::from_le_bytes(data.get(..4)?.try_into().ok()?))),
        (SUBJECT, _) => head.subject = terminated(data, page),
        (BODY, _) => head.plain = terminated(data, page),
        (MESSAGE_PROPERTIES, _) => return properties(data, |property| head.know(&property)),
        (FILE_TITLE, Some(file)) => file.title = terminated(data, page),
        (FILE_DATA, Some(file)) => file.content = data,
        (FILE_PROPERTIES, Some(file)) => return properties(data, |property| file.know(property, page)),
        _ => {}
    }
    Some(())
}

/// Reads a file: its text, where it has one, and the files in it.
pub(super) fn read(content: &[u8]) -> Result<Reading, ConversionError> {
    let found = opened(content)?;
    let subject = found.head.subject.trim();
    let mut reading = Reading::new(if subject.is_empty() { "Files of an Outlook message" } else { subject });
    reading
        .facts([("From".to_owned(), found.head.sender.clone()), ("Subject".to_owned(), subject.to_owned())]);
    if !found.is_whole {
        reading.note("The file is damaged. What could be read of it is shown.");
    }
    reading.text(&found.head.text());
    let rows = parts(&mut reading, found.files);
    if rows.is_empty() {
        reading.note("There are no files in it.");
    } else {
        reading.heading(2, "Attachments");
        reading.table(&["File", "Size", "Remark"], rows);
    }
    Ok(reading)
}

/// The text and the files of a mail that are wrapped in one of its files: they become those of the mail. Answers the text and
/// a row for each file; `None` for what is no such file.
pub(super) fn unwrapped(content: &[u8], reading: &mut Reading) -> Option<(String, Vec<Vec<String>>)> {
    let found = opened(content).ok()?;
    if !found.is_whole {
        reading.note("A file of the mail is damaged. What could be read of it is shown.");
    }
    Some((found.head.text(), parts(reading, found.files)))
}

/// Adds the files as parts; a row for each.
fn parts(reading: &mut Reading, files: Vec<File<'_>>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for file in files.into_iter().filter(|file| !file.content.is_empty()) {
        let given = if file.name.trim().is_empty() { file.title } else { file.name };
        let content = file.content.to_vec();
        let name = file_name(&given, &content, reading.parts.len() + 1);
        let size = size_words(content.len());
        let kept =
            reading.part(Part { name: name.clone(), title: String::new(), content, is_decoration: false });
        rows.push(vec![name, size, if kept.is_some() { String::new() } else { "Not listed".to_owned() }]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Kind, kind};

    fn attribute(level: u8, number: u16, data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u32).to_le_bytes();
        let checksum = data.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        [&[level][..], &number.to_le_bytes(), &[6, 0], &length, data, &checksum.to_le_bytes()].concat()
    }

    /// Properties with a length: type, number, value.
    fn properties_of(all: &[(u16, u16, &[u8])]) -> Vec<u8> {
        let mut out = (all.len() as u32).to_le_bytes().to_vec();
        for (kind, id, value) in all {
            out.extend([kind.to_le_bytes(), id.to_le_bytes()].concat());
            out.extend([1u32.to_le_bytes(), (value.len() as u32).to_le_bytes()].concat());
            out.extend_from_slice(value);
            out.resize(out.len().next_multiple_of(4), 0);
        }
        out
    }

    fn tnef(attributes: &[Vec<u8>]) -> Vec<u8> {
        [&TNEF_SIGNATURE[..], &[1, 0], &attributes.concat()].concat()
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    fn file(short: &str, long: &str, content: &[u8]) -> Vec<Vec<u8>> {
        vec![
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(2, FILE_TITLE, format!("{short}\0").as_bytes()),
            attribute(2, FILE_DATA, content),
            attribute(2, FILE_PROPERTIES, &properties_of(&[(TEXT_16, PR_LONG_FILE_NAME, &wide(long))])),
        ]
    }

    /// Rich text as Outlook packs it, though not compressed.
    fn rich_text(words: &str) -> Vec<u8> {
        let rtf = format!("{{\\rtf1\\ansi {words}}}");
        let length = (rtf.len() as u32).to_le_bytes();
        [&length[..], &length, b"MELA", &[0; 4], rtf.as_bytes()].concat()
    }

    fn sample() -> Vec<u8> {
        let head = properties_of(&[
            (TEXT_16, PR_SENDER, &wide("Ada Poe")),
            (BINARY, PR_RTF, &rich_text("Seen today.\\par Dr. Poe")),
        ]);
        let inner = tnef(&file("A.TXT", "Inner note.txt", b"inner"));
        let object = [&[0; INTERFACE][..], &inner].concat();
        let enclosed =
            properties_of(&[(OBJECT, PR_FILE_DATA, &object), (TEXT_8, PR_DISPLAY_NAME, b"Forwarded\0")]);
        let mut all =
            vec![attribute(1, SUBJECT, b"Referral for Ines Roe\0"), attribute(1, MESSAGE_PROPERTIES, &head)];
        all.extend(file("LETTER~1.PDF", "../Befund für Roe.pdf", b"%PDF-1.7"));
        all.push(attribute(2, FILE_BEGINS, &[0; 14]));
        all.push(attribute(2, FILE_PROPERTIES, &enclosed));
        tnef(&all)
    }

    #[test]
    fn the_files_that_outlook_wraps_are_listed_under_their_long_names_and_messages_in_it_open_in_turn() {
        let content = sample();
        assert_eq!(kind::detect(&content), Kind::Tnef);
        let reading = read(&content).unwrap();
        assert_eq!(reading.title, "Referral for Ines Roe");
        let parts: Vec<_> = reading.parts.iter().map(|part| (part.name.as_str(), part.kind())).collect();
        assert_eq!(parts, [("Befund für Roe.pdf", Kind::Pdf), ("Forwarded.dat", Kind::Tnef)]);
        let text = reading.plain_text();
        assert!(text.contains("From: Ada Poe") && text.contains("Seen today.\nDr. Poe"), "{text}");
        let inner = read(&reading.parts[1].content).unwrap();
        assert_eq!(
            (inner.parts[0].name.as_str(), &*inner.parts[0].content),
            ("Inner note.txt", &b"inner"[..])
        );
    }

    #[test]
    fn texts_of_eight_bits_are_read_by_their_code_page() {
        let html = b"<p>\xcf\xe0\xf6\xe8\xe5\xed\xf2</p>";
        // A property of four bytes stands there without a length.
        let mut head = properties_of(&[(BINARY, PR_HTML, html)]);
        head[..4].copy_from_slice(&2u32.to_le_bytes());
        head.extend([3u16.to_le_bytes(), PR_INTERNET_CODE_PAGE.to_le_bytes()].concat());
        head.extend(1251u32.to_le_bytes());
        let content = tnef(&[
            attribute(1, CODE_PAGE, &[&1250u32.to_le_bytes()[..], &[0; 4]].concat()),
            attribute(1, SUBJECT, b"\xa3ukasz\0"),
            attribute(1, MESSAGE_PROPERTIES, &head),
            attribute(2, FILE_BEGINS, &[0; 14]),
            attribute(2, FILE_TITLE, b"\xa3.txt\0"),
            attribute(2, FILE_DATA, b"x"),
        ]);
        let reading = read(&content).unwrap();
        assert_eq!((reading.title.as_str(), reading.parts[0].name.as_str()), ("Łukasz", "Ł.txt"));
        assert!(reading.plain_text().contains("Пациент"), "{}", reading.plain_text());
    }

    #[test]
    fn what_is_damaged_is_shown_as_far_as_it_goes() {
        let content = sample();
        let cut = read(&content[..content.len() - 40]).unwrap();
        assert_eq!(cut.parts.len(), 1);
        assert!(cut.plain_text().contains("The file is damaged"));
        assert!(!read(&[&content[..], b"\r\n"].concat()).unwrap().plain_text().contains("damaged"));
        assert!(read(b"no such file").is_err());
        let endless = properties_of(&[]).into_iter().map(|_| 0xff).collect::<Vec<u8>>();
        assert!(read(&tnef(&[attribute(1, MESSAGE_PROPERTIES, &endless)])).is_ok());
    }

    proptest! {
        #[test]
        fn files_come_out_as_they_went_in(
            files in prop::collection::vec(("[a-z]{1,8}", prop::collection::vec(any::<u8>(), 1..60)), 0..6),
        ) {
            let all: Vec<_> =
                files.iter().flat_map(|(name, content)| file("F", &format!("{name}.bin"), content)).collect();
            let reading = read(&tnef(&all)).unwrap();
            let found: Vec<_> =
                reading.parts.iter().map(|part| (part.name.clone(), part.content.clone())).collect();
            let wanted: Vec<_> =
                files.iter().map(|(name, content)| (format!("{name}.bin"), content.clone())).collect();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn nothing_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>()) {
            let _ = read(&[&TNEF_SIGNATURE[..], &bytes].concat());
            let mut damaged = sample();
            let place = at.index(damaged.len());
            damaged[place] ^= 0xff;
            if let Ok(reading) = read(&damaged) {
                prop_assert!(reading.parts.iter().all(|part| part.content.len() <= damaged.len()));
            }
        }
    }
}

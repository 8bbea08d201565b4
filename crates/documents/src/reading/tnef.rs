//! The `winmail.dat` in which Outlook wraps the files of a mail ([`outlook::tnef`]). What can be read is shown, and
//! incomplete files are marked. Wrong checksums do not matter: the content is there, and some programs count wrongly.

use mail_parser::decoders::html::html_to_text;
use outlook::rtf;
use outlook::tnef::{self, File, Tnef};

use super::{Part, Reading, file_name, size_words};
use crate::error::ConversionError;

/// The text of a message: its plain text, or that of its HTML or of its rich text.
fn text(found: &Tnef<'_>) -> String {
    let plain = found.text.clone().unwrap_or_default();
    if !plain.trim().is_empty() {
        return plain;
    }
    let text = found.html.as_deref().map(html_to_text).unwrap_or_default();
    match text.trim().is_empty() {
        true => found.rtf.as_deref().map(rtf::text).unwrap_or_default(),
        false => text,
    }
}

/// Reads a file: the text of its message and the files in it.
pub(super) fn read(content: &[u8]) -> Result<Reading, ConversionError> {
    let found = tnef::read(content, usize::MAX);
    let found = found.ok_or(ConversionError::Broken("the file of Outlook cannot be read"))?;
    let subject = found.subject.as_deref().unwrap_or_default().trim();
    let mut reading = Reading::new(if subject.is_empty() { "Files of an Outlook message" } else { subject });
    reading.facts([
        ("From".to_owned(), found.sender.clone().unwrap_or_default()),
        ("Subject".to_owned(), subject.to_owned()),
    ]);
    if found.damaged {
        reading.note("The file is damaged. What could be read of it is shown.");
    }
    reading.text(&text(&found));
    let rows = parts(&mut reading, found.files);
    if rows.is_empty() {
        reading.note("There are no files in it.");
    } else {
        reading.heading(2, "Attachments");
        reading.table(&["File", "Size", "Remark"], rows);
    }
    Ok(reading)
}

/// Adds the files wrapped in a file of a mail to those of the mail. Returns the wrapped text and a row for each file;
/// `None` if it is not such a file.
pub(super) fn unwrapped(content: &[u8], reading: &mut Reading) -> Option<(String, Vec<Vec<String>>)> {
    let found = tnef::read(content, usize::MAX)?;
    if found.damaged {
        reading.note("A file of the mail is damaged. What could be read of it is shown.");
    }
    Some((text(&found), parts(reading, found.files)))
}

/// Adds the files as parts and returns a row for each. An embedded message is a part that is opened like a file.
fn parts(reading: &mut Reading, files: Vec<File<'_>>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for file in files.into_iter().filter(|file| !file.content.is_empty()) {
        let content = file.content.to_vec();
        let name = file_name(&file.name.unwrap_or_default(), &content, reading.parts.len() + 1);
        let size = size_words(content.len());
        let kept =
            reading.part(Part { name: name.clone(), title: String::new(), content, is_decoration: false });
        let remarks = [file.is_cut.then_some("Incomplete"), kept.is_none().then_some("Not listed")];
        rows.push(vec![name, size, remarks.into_iter().flatten().collect::<Vec<_>>().join(", ")]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use outlook::tnef::kind::{BINARY, OBJECT, STRING8, UNICODE};
    use outlook::tnef::{SIGNATURE, attribute, property};
    use proptest::prelude::*;

    use super::*;
    use crate::{Kind, kind};

    const INTERFACE: usize = 16;

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
        [&SIGNATURE[..], &[1, 0], &attributes.concat()].concat()
    }

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    fn file(short: &str, long: &str, content: &[u8]) -> Vec<Vec<u8>> {
        vec![
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_TITLE, format!("{short}\0").as_bytes()),
            attribute(2, attribute::FILE_DATA, content),
            attribute(
                2,
                attribute::FILE_PROPERTIES,
                &properties_of(&[(UNICODE, property::LONG_NAME, &wide(long))]),
            ),
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
            (UNICODE, property::SENDER, &wide("Ada Poe")),
            (BINARY, property::RTF, &rich_text("Seen today.\\par Dr. Poe")),
        ]);
        let inner = tnef(&file("A.TXT", "Inner note.txt", b"inner"));
        let object = [&[0; INTERFACE][..], &inner].concat();
        let enclosed = properties_of(&[
            (OBJECT, property::FILE_DATA, &object),
            (STRING8, property::DISPLAY_NAME, b"Forwarded\0"),
        ]);
        let mut all = vec![
            attribute(1, attribute::SUBJECT, b"Referral for Ines Roe\0"),
            attribute(1, attribute::MESSAGE_PROPERTIES, &head),
        ];
        all.extend(file("LETTER~1.PDF", "../Befund für Roe.pdf", b"%PDF-1.7"));
        all.push(attribute(2, attribute::FILE_BEGINS, &[0; 14]));
        all.push(attribute(2, attribute::FILE_PROPERTIES, &enclosed));
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
        // A property of four bytes has no length.
        let mut head = properties_of(&[(BINARY, property::HTML, html)]);
        head[..4].copy_from_slice(&2u32.to_le_bytes());
        head.extend([3u16.to_le_bytes(), property::INTERNET_CODE_PAGE.to_le_bytes()].concat());
        head.extend(1251u32.to_le_bytes());
        let content = tnef(&[
            attribute(1, attribute::CODE_PAGE, &[&1250u32.to_le_bytes()[..], &[0; 4]].concat()),
            attribute(1, attribute::SUBJECT, b"\xa3ukasz\0"),
            attribute(1, attribute::MESSAGE_PROPERTIES, &head),
            attribute(2, attribute::FILE_BEGINS, &[0; 14]),
            attribute(2, attribute::FILE_TITLE, b"\xa3.txt\0"),
            attribute(2, attribute::FILE_DATA, b"x"),
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
        let letter = tnef(&file("LETTER.TXT", "Letter.txt", b"0123456789")[..3]);
        let cut = read(&letter[..letter.len() - 6]).unwrap();
        assert_eq!(cut.parts[0].content, b"012345");
        let text = cut.plain_text();
        assert!(text.contains("The file is damaged") && text.contains("6 bytes\tIncomplete"), "{text}");
        let mut wrong_checksum = letter;
        *wrong_checksum.last_mut().unwrap() ^= 1;
        let text = read(&wrong_checksum).unwrap().plain_text();
        assert!(!text.contains("damaged") && !text.contains("Incomplete"), "{text}");
        assert!(read(b"no such file").is_err());
        let endless = properties_of(&[]).into_iter().map(|_| 0xff).collect::<Vec<u8>>();
        assert!(read(&tnef(&[attribute(1, attribute::MESSAGE_PROPERTIES, &endless)])).is_ok());
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
            let _ = read(&[&SIGNATURE[..], &bytes].concat());
            let mut damaged = sample();
            let place = at.index(damaged.len());
            damaged[place] ^= 0xff;
            if let Ok(reading) = read(&damaged) {
                prop_assert!(reading.parts.iter().all(|part| part.content.len() <= damaged.len()));
            }
        }
    }
}

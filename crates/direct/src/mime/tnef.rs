//! The contents of a `winmail.dat` ([`outlook::tnef`]) as those of its mail: embedded messages become their bodies and
//! their files.

use bytes::Bytes;
use outlook::tnef::{self, File, Tnef};

use super::Attachment;

/// Deepest nesting of embedded messages that is read.
const MAX_DEPTH: usize = 3;

/// Contents of a stream.
#[derive(Debug)]
pub(super) struct Winmail {
    pub text: Option<String>,
    pub html: Option<String>,
    /// Rich text, unpacked.
    pub rtf: Option<Vec<u8>>,
    /// Files, and the bodies of embedded messages.
    pub files: Vec<Attachment>,
    /// Content may be missing or wrong.
    pub damaged: bool,
}

/// Reads a stream with at most `max_files` files; none if it is not TNEF.
pub(super) fn read(data: &Bytes, max_files: usize) -> Option<Winmail> {
    read_nested(data, max_files, 0)
}

fn read_nested(data: &Bytes, max_files: usize, depth: usize) -> Option<Winmail> {
    let Tnef { text, html, rtf, files, damaged, has_wrong_checksum, .. } = tnef::read(data, max_files)?;
    let damaged = damaged || has_wrong_checksum;
    let mut read = Winmail { text, html, rtf, files: Vec::new(), damaged };
    for file in files {
        let room = max_files.saturating_sub(read.files.len());
        let content = data.slice_ref(file.content);
        let message =
            if file.is_message && depth < MAX_DEPTH { read_nested(&content, room, depth + 1) } else { None };
        let mut found = Vec::new();
        match message {
            Some(message) => {
                read.damaged |= message.damaged;
                found.extend(body(file.name.as_deref(), &message));
                found.extend(message.files);
            }
            None => {
                read.damaged |= file.is_message;
                found.push(attachment(file, content));
            }
        }
        read.damaged |= found.len() > room;
        read.files.extend(found.into_iter().take(room));
    }
    Some(read)
}

fn attachment(file: File<'_>, content: Bytes) -> Attachment {
    Attachment {
        file_name: file.name,
        content_type: file.media_type.unwrap_or_else(|| "application/octet-stream".into()),
        content_id: file.content_id,
        content,
    }
}

/// The body of an embedded message as a separate file.
fn body(title: Option<&str>, message: &Winmail) -> Option<Attachment> {
    let (extension, content_type, content) = match message {
        Winmail { html: Some(html), .. } => ("html", "text/html", Bytes::from(html.clone())),
        Winmail { text: Some(text), .. } => ("txt", "text/plain", Bytes::from(text.clone())),
        Winmail { rtf: Some(rtf), .. } => ("rtf", "application/rtf", Bytes::from(rtf.clone())),
        _ => return None,
    };
    Some(Attachment {
        file_name: Some(format!("{}.{extension}", title.unwrap_or("Message"))),
        content_type: content_type.into(),
        content_id: None,
        content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outlook::tnef::{attribute, kind, property};

    fn attribute(id: u16, value: &[u8]) -> Vec<u8> {
        let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        [&[1][..], &id.to_le_bytes(), &[0, 0], &(value.len() as u32).to_le_bytes(), value, &sum.to_le_bytes()]
            .concat()
    }

    fn stream(attributes: &[Vec<u8>]) -> Bytes {
        [&tnef::SIGNATURE[..], &[1, 0], &attributes.concat()].concat().into()
    }

    /// A file with an embedded message.
    fn enclosing(inner: &[u8]) -> Bytes {
        let object = [&[7; 16][..], inner].concat();
        let head = [&1u32.to_le_bytes()[..], &kind::OBJECT.to_le_bytes(), &property::FILE_DATA.to_le_bytes()];
        let mut properties = [&head.concat()[..], &1u32.to_le_bytes()].concat();
        properties.extend((object.len() as u32).to_le_bytes());
        properties.extend(object);
        stream(&[
            attribute(attribute::FILE_BEGINS, &[]),
            attribute(attribute::FILE_TITLE, b"Results\0"),
            attribute(attribute::FILE_PROPERTIES, &properties),
        ])
    }

    #[test]
    fn an_embedded_message_gives_its_body_and_its_files() {
        let inner = stream(&[
            attribute(attribute::BODY, b"inner body\0"),
            attribute(attribute::FILE_BEGINS, &[]),
            attribute(attribute::FILE_TITLE, b"lab.xml\0"),
            attribute(attribute::FILE_DATA, b"<x/>"),
        ]);
        let read = read(&enclosing(&inner), 10).unwrap();
        let names: Vec<_> = read.files.iter().map(|f| f.file_name.as_deref().unwrap()).collect();
        assert_eq!(names, ["Results.txt", "lab.xml"]);
        assert!(!read.damaged);
        let few = super::read(&enclosing(&inner), 1).unwrap();
        assert!(few.files.len() == 1 && few.damaged);
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let mut data = stream(&[attribute(attribute::BODY, b"x\0")]).to_vec();
        *data.last_mut().unwrap() ^= 1;
        assert!(read(&data.into(), 10).unwrap().damaged);
    }

    #[test]
    fn messages_that_are_embedded_too_deep_stay_files() {
        let mut data = stream(&[attribute(attribute::BODY, b"x\0")]);
        for _ in 0..MAX_DEPTH {
            data = enclosing(&data);
        }
        let whole = read(&data, 10).unwrap();
        assert!(!whole.damaged);
        assert_eq!(whole.files[0].file_name.as_deref(), Some("Results.txt"));
        let deep = read(&enclosing(&data), 10).unwrap();
        assert!(deep.damaged && deep.files[0].content.starts_with(&tnef::SIGNATURE));
    }
}

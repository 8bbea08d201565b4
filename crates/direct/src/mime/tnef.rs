//! `winmail.dat`, the container of Outlook and Exchange (TNEF; MS-OXTNEF). Reads its body and files and skips
//! everything else (calendar entries, forms). Its lengths are not trusted.

use bytes::Bytes;

use super::Attachment;
use super::charset;
use outlook::{code_page, cursor::Cursor, rtf};

const SIGNATURE: u32 = 0x223E_9F78;
/// Most attributes of one stream, and most properties of one attribute; real ones have tens.
const MAX_ATTRIBUTES: usize = 5_000;
const MAX_PROPERTIES: u32 = 5_000;
/// Deepest nesting of embedded messages that is read.
const MAX_DEPTH: usize = 3;

// attributes (MS-OXTNEF 2.1.3.2), without their type
const BODY: u16 = 0x800C;
const ATTACH_DATA: u16 = 0x800F;
const ATTACH_TITLE: u16 = 0x8010;
const ATTACH_BEGIN: u16 = 0x9002;
const MESSAGE_PROPERTIES: u16 = 0x9003;
const ATTACH_PROPERTIES: u16 = 0x9005;
const CODE_PAGE: u16 = 0x9007;

// properties (MS-OXPROPS)
const TEXT: u16 = 0x1000;
const RTF: u16 = 0x1009;
const HTML: u16 = 0x1013;
const FILE_DATA: u16 = 0x3701;
const SHORT_NAME: u16 = 0x3704;
const LONG_NAME: u16 = 0x3707;
const MEDIA_TYPE: u16 = 0x370E;
const CONTENT_ID: u16 = 0x3712;
const INTERNET_CODE_PAGE: u16 = 0x3FDE;

// types of properties (MS-OXCDATA 2.11.1)
const MULTIPLE: u16 = 0x1000;
const OBJECT: u16 = 0x000D;
const STRING8: u16 = 0x001E;
const UNICODE: u16 = 0x001F;
const BINARY: u16 = 0x0102;

/// Interface id of an embedded message, which precedes its stream.
const EMBEDDED_MESSAGE: [u8; 16] = [7, 3, 2, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// Contents of a stream.
#[derive(Debug, Default)]
pub(super) struct Tnef {
    pub text: Option<String>,
    pub html: Option<String>,
    /// Rich text, unpacked.
    pub rtf: Option<Vec<u8>>,
    /// Files, and the bodies of embedded messages.
    pub files: Vec<Attachment>,
    /// The stream is truncated or inconsistent; content may be missing.
    pub damaged: bool,
}

/// Reads a stream with at most `max_files` files; none if it is not TNEF.
pub(super) fn read(data: &Bytes, max_files: usize) -> Option<Tnef> {
    read_nested(data, max_files, 0)
}

fn read_nested(data: &Bytes, max_files: usize, depth: usize) -> Option<Tnef> {
    let mut cursor = Cursor(data);
    if cursor.u32()? != SIGNATURE || depth > MAX_DEPTH {
        return None;
    }
    cursor.u16()?;
    let mut reader = Reader { data, found: Tnef::default(), open: None, code_page: 1252, max_files, depth };
    let mut attributes = 0;
    while !cursor.0.is_empty() {
        attributes += 1;
        let attribute = if attributes > MAX_ATTRIBUTES { None } else { attribute(&mut cursor) };
        let Some((id, value, whole)) = attribute else {
            reader.found.damaged = true;
            break;
        };
        let read = reader.attribute(id, value);
        reader.found.damaged |= read.is_none() || !whole;
    }
    reader.close_file();
    Some(reader.found)
}

/// The next attribute, and whether it is complete and matches its checksum.
fn attribute<'a>(cursor: &mut Cursor<'a>) -> Option<(u16, &'a [u8], bool)> {
    cursor.take(1)?;
    let (id, _kind) = (cursor.u16()?, cursor.u16()?);
    let length = cursor.length()?;
    let value = cursor.take(length.min(cursor.0.len()))?;
    let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    Some((id, value, value.len() == length && cursor.u16() == Some(sum)))
}

/// Calls `each` with id, type and first value of each property; none if they are inconsistent.
fn read_properties<'a>(data: &'a [u8], mut each: impl FnMut(u16, u16, &'a [u8]) -> Option<()>) -> Option<()> {
    let mut cursor = Cursor(data);
    let count = cursor.u32().filter(|count| *count <= MAX_PROPERTIES)?;
    for _ in 0..count {
        let (kind, id) = (cursor.u16()?, cursor.u16()?);
        if id >= 0x8000 {
            skip_name(&mut cursor)?;
        }
        let (multiple, kind) = (kind & MULTIPLE != 0, kind & !MULTIPLE);
        let fixed = match kind {
            0x02 | 0x03 | 0x04 | 0x0A | 0x0B => Some(4),
            0x05 | 0x06 | 0x07 | 0x14 | 0x40 => Some(8),
            0x48 => Some(16),
            OBJECT | STRING8 | UNICODE | BINARY => None,
            _ => return None,
        };
        let values = if multiple || fixed.is_none() { cursor.u32()? } else { 1 };
        for number in 0..values {
            let value = match fixed {
                Some(size) => cursor.take(size)?,
                None => {
                    let length = cursor.length()?;
                    cursor.padded(length)?
                }
            };
            if number == 0 {
                each(id, kind, value)?;
            }
        }
    }
    Some(())
}

/// The name of a named property: a number or a text in a name space.
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

struct Reader<'d> {
    data: &'d Bytes,
    found: Tnef,
    /// The file whose attributes are being read.
    open: Option<File>,
    code_page: u32,
    max_files: usize,
    depth: usize,
}

#[derive(Default)]
struct File {
    name: Option<String>,
    media_type: Option<String>,
    content_id: Option<String>,
    content: Bytes,
    embedded: Option<Tnef>,
}

impl Reader<'_> {
    fn attribute(&mut self, id: u16, value: &[u8]) -> Option<()> {
        match id {
            CODE_PAGE => self.code_page = Cursor(value).u32()?,
            BODY => self.found.text = self.found.text.take().or_else(|| Some(self.string(STRING8, value))),
            MESSAGE_PROPERTIES => self.message(value)?,
            ATTACH_BEGIN => {
                self.close_file();
                self.open = Some(File::default());
            }
            ATTACH_TITLE => {
                let title = self.string(STRING8, value);
                self.file().name.get_or_insert(title);
            }
            ATTACH_DATA => self.file().content = self.data.slice_ref(value),
            ATTACH_PROPERTIES => self.file_properties(value)?,
            _ => {}
        }
        Some(())
    }

    fn file(&mut self) -> &mut File {
        self.open.get_or_insert_default()
    }

    fn message(&mut self, properties: &[u8]) -> Option<()> {
        let (mut html, mut html_page) = (None, None);
        let outcome = read_properties(properties, |id, kind, value| {
            match id {
                TEXT => self.found.text = Some(self.string(kind, value)),
                HTML => html = Some((kind, value)),
                RTF => self.found.rtf = Some(rtf::unpack(value)?),
                INTERNET_CODE_PAGE => html_page = Cursor(value).u32(),
                _ => {}
            }
            Some(())
        });
        self.found.html = html.map(|(kind, value)| match kind {
            BINARY => charset::decode(value, code_page(html_page.unwrap_or(self.code_page)).name()).0,
            kind => self.string(kind, value),
        });
        outcome
    }

    fn file_properties(&mut self, properties: &[u8]) -> Option<()> {
        let mut file = self.open.take().unwrap_or_default();
        let outcome = read_properties(properties, |id, kind, value| {
            match (id, kind) {
                (LONG_NAME, _) => file.name = Some(self.string(kind, value)),
                (SHORT_NAME, _) => file.name = file.name.take().or_else(|| Some(self.string(kind, value))),
                (MEDIA_TYPE, _) => file.media_type = Some(self.string(kind, value).to_ascii_lowercase()),
                (CONTENT_ID, _) => file.content_id = Some(self.string(kind, value)),
                (FILE_DATA, BINARY) => file.content = self.data.slice_ref(value),
                (FILE_DATA, OBJECT) => {
                    let stream = self.data.slice_ref(value.strip_prefix(&EMBEDDED_MESSAGE)?);
                    let room = self.max_files.saturating_sub(self.found.files.len());
                    file.embedded = Some(read_nested(&stream, room, self.depth + 1)?);
                }
                _ => {}
            }
            Some(())
        });
        self.open = Some(file);
        outcome
    }

    /// A text without its terminating zero.
    fn string(&self, kind: u16, value: &[u8]) -> String {
        let text = match kind {
            UNICODE => {
                let units = value.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
                char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            _ => charset::decode(value, code_page(self.code_page).name()).0,
        };
        text.split('\0').next().unwrap_or_default().to_owned()
    }

    fn close_file(&mut self) {
        let Some(file) = self.open.take() else { return };
        let mut found = Vec::new();
        match file.embedded {
            Some(embedded) => {
                self.found.damaged |= embedded.damaged;
                found.extend(embedded_body(file.name.as_deref(), &embedded));
                found.extend(embedded.files);
            }
            None => found.push(Attachment {
                file_name: file.name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
                content_type: file.media_type.unwrap_or_else(|| "application/octet-stream".into()),
                content_id: file.content_id,
                content: file.content,
            }),
        }
        let room = self.max_files.saturating_sub(self.found.files.len());
        self.found.damaged |= found.len() > room;
        self.found.files.extend(found.into_iter().take(room));
    }
}

/// The body of an embedded message as a separate file.
fn embedded_body(title: Option<&str>, message: &Tnef) -> Option<Attachment> {
    let (extension, content_type, content) = match message {
        Tnef { html: Some(html), .. } => ("html", "text/html", Bytes::from(html.clone())),
        Tnef { text: Some(text), .. } => ("txt", "text/plain", Bytes::from(text.clone())),
        Tnef { rtf: Some(rtf), .. } => ("rtf", "application/rtf", Bytes::from(rtf.clone())),
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

    fn attribute(id: u16, value: &[u8]) -> Vec<u8> {
        let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        [&[1][..], &id.to_le_bytes(), &[0, 0], &(value.len() as u32).to_le_bytes(), value, &sum.to_le_bytes()]
            .concat()
    }

    fn stream(attributes: &[Vec<u8>]) -> Bytes {
        [&SIGNATURE.to_le_bytes()[..], &[1, 0], &attributes.concat()].concat().into()
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

    #[test]
    fn body_and_files_are_read_with_their_long_names() {
        let long = utf16("Überweisung für Müller.pdf");
        let data = stream(&[
            attribute(BODY, b"See the attached referral.\0"),
            attribute(MESSAGE_PROPERTIES, &properties(&[(HTML, BINARY, b"<p>See</p>")])),
            attribute(ATTACH_BEGIN, &[0; 14]),
            attribute(ATTACH_TITLE, b"UBERWE~1.PDF\0"),
            attribute(ATTACH_DATA, b"%PDF-1.7"),
            attribute(
                ATTACH_PROPERTIES,
                &properties(&[(LONG_NAME, UNICODE, &long), (MEDIA_TYPE, STRING8, b"Application/PDF\0")]),
            ),
            attribute(ATTACH_BEGIN, &[0; 14]),
            attribute(ATTACH_TITLE, b"note.txt\0"),
            attribute(ATTACH_DATA, b"hello"),
        ]);
        let read = read(&data, 10).unwrap();
        assert!(!read.damaged);
        assert_eq!(read.text.as_deref(), Some("See the attached referral."));
        assert_eq!(read.html.as_deref(), Some("<p>See</p>"));
        let files: Vec<_> = read
            .files
            .iter()
            .map(|f| (f.file_name.as_deref().unwrap(), &*f.content_type, &*f.content))
            .collect();
        assert_eq!(
            files,
            [
                ("Überweisung für Müller.pdf", "application/pdf", &b"%PDF-1.7"[..]),
                ("note.txt", "application/octet-stream", b"hello"),
            ]
        );
    }

    #[test]
    fn an_embedded_message_gives_its_body_and_its_files() {
        let inner = stream(&[
            attribute(BODY, b"inner body\0"),
            attribute(ATTACH_BEGIN, &[]),
            attribute(ATTACH_TITLE, b"lab.xml\0"),
            attribute(ATTACH_DATA, b"<x/>"),
        ]);
        let object = [&EMBEDDED_MESSAGE[..], &inner].concat();
        let data = stream(&[
            attribute(ATTACH_BEGIN, &[]),
            attribute(ATTACH_TITLE, b"Results\0"),
            attribute(ATTACH_PROPERTIES, &properties(&[(FILE_DATA, OBJECT, &object)])),
        ]);
        let files = read(&data, 10).unwrap().files;
        let names: Vec<_> = files.iter().map(|f| f.file_name.as_deref().unwrap()).collect();
        assert_eq!(names, ["Results.txt", "lab.xml"]);
    }

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes_and_called_damaged() {
        let data = stream(&[
            attribute(ATTACH_BEGIN, &[]),
            attribute(ATTACH_TITLE, b"a.txt\0"),
            attribute(ATTACH_DATA, b"0123456789"),
        ]);
        let cut = read(&data.slice(..data.len() - 6), 10).unwrap();
        assert!(cut.damaged);
        assert_eq!(&cut.files[0].content[..], b"012345");
        assert!(read(&Bytes::from_static(b"PK\x03\x04"), 10).is_none());
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
            assert!(read(&stream(&[attribute(ATTACH_PROPERTIES, &value)]), 10).unwrap().damaged);
        }
        let many: Vec<_> = (0..20).map(|_| attribute(ATTACH_BEGIN, &[])).collect();
        let read = read(&stream(&many), 7).unwrap();
        assert!(read.files.len() == 7 && read.damaged);
    }
}

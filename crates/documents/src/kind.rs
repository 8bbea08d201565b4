//! Kinds of files: by extension, by content, and whether the two agree (OWASP ASVS V5.2.2).

use serde::{Deserialize, Serialize};

use crate::archive::{self, ArchiveError};
use crate::{office, text};

/// Kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
    /// TIFF, including several pages and fax compression.
    Tiff,
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF; only the first frame is shown.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// Plain text.
    Text,
    /// HL7 Clinical Document Architecture.
    Cda,
    /// Other XML.
    Xml,
    /// HL7 v2 messages.
    Hl7,
    /// A mail (RFC 5322), as `.eml`.
    Mail,
    /// Outlook's container for the attachments of a mail (`winmail.dat`).
    Tnef,
    /// A FHIR resource as JSON; as XML it is [`Kind::Xml`].
    Fhir,
    /// A DICOM image.
    Dicom,
    /// Rich Text Format.
    Rtf,
    /// Word 97 to 2003, or another file in Microsoft's old format without a more specific name.
    Doc,
    /// Excel 97 to 2003.
    Xls,
    /// PowerPoint 97 to 2003.
    Ppt,
    /// Word 2007 and later.
    Docx,
    /// Excel 2007 and later.
    Xlsx,
    /// PowerPoint 2007 and later.
    Pptx,
    /// OpenDocument text.
    Odt,
    /// OpenDocument spreadsheet.
    Ods,
    /// OpenDocument presentation.
    Odp,
    /// Zip archive, including XDM; shown as a list of its documents.
    Zip,
    /// Anything else.
    Unknown,
}

impl Kind {
    /// Media type for serving and sending files of this kind.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Tiff => "image/tiff",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
            Self::Text => "text/plain",
            Self::Cda | Self::Xml => "text/xml",
            Self::Hl7 => "x-application/hl7-v2+er7",
            Self::Mail => "message/rfc822",
            Self::Tnef => "application/ms-tnef",
            Self::Fhir => "application/fhir+json",
            Self::Dicom => "application/dicom",
            Self::Rtf => "application/rtf",
            Self::Doc => "application/msword",
            Self::Xls => "application/vnd.ms-excel",
            Self::Ppt => "application/vnd.ms-powerpoint",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Odt => "application/vnd.oasis.opendocument.text",
            Self::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            Self::Odp => "application/vnd.oasis.opendocument.presentation",
            Self::Zip => "application/zip",
            Self::Unknown => "application/octet-stream",
        }
    }

    /// Name of the kind in plain language.
    fn words(self) -> &'static str {
        match self {
            Self::Pdf => "a PDF",
            Self::Tiff | Self::Png | Self::Jpeg | Self::Gif | Self::Bmp => self.words_of_picture(),
            Self::Text => "a plain text",
            Self::Cda => "a clinical document",
            Self::Xml => "an XML file",
            Self::Hl7 => "an HL7 message",
            Self::Mail => "a mail",
            Self::Tnef => "a file of Outlook",
            Self::Fhir => "a FHIR resource",
            Self::Dicom => "a DICOM image",
            Self::Rtf => "a rich text",
            Self::Doc | Self::Docx => "a Word document",
            Self::Xls | Self::Xlsx => "an Excel workbook",
            Self::Ppt | Self::Pptx => "a PowerPoint presentation",
            Self::Odt => "an OpenDocument text",
            Self::Ods => "an OpenDocument spreadsheet",
            Self::Odp => "an OpenDocument presentation",
            Self::Zip => "a zip archive",
            Self::Unknown => "something else",
        }
    }

    fn words_of_picture(self) -> &'static str {
        match self {
            Self::Tiff => "a TIFF image",
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Gif => "a GIF image",
            _ => "a bitmap image",
        }
    }

    /// Whether files of this kind can be shown as PDF. Office files require LibreOffice.
    pub fn previewable(self) -> bool {
        self != Self::Unknown && (!self.is_office() || office::is_installed())
    }

    /// Whether the PDF represents the whole file, so that it can be sent or faxed instead. The PDF of an
    /// archive is only a list.
    pub fn printable(self) -> bool {
        self.previewable() && self != Self::Zip
    }

    /// Whether this is a kind of office file.
    pub fn is_office(self) -> bool {
        use Kind::{Doc, Docx, Odp, Ods, Odt, Ppt, Pptx, Rtf, Xls, Xlsx};
        matches!(self, Rtf | Doc | Xls | Ppt | Docx | Xlsx | Pptx | Odt | Ods | Odp)
    }

    /// Whether files of this kind are zip archives internally.
    pub fn is_archive(self) -> bool {
        use Kind::{Docx, Odp, Ods, Odt, Pptx, Xlsx, Zip};
        matches!(self, Zip | Docx | Xlsx | Pptx | Odt | Ods | Odp)
    }

    /// Whether files of this kind may contain other files for people to open.
    pub fn has_parts(self) -> bool {
        matches!(self, Self::Cda | Self::Hl7 | Self::Mail | Self::Tnef | Self::Fhir | Self::Xml | Self::Zip)
    }

    /// Usual extension, without the dot.
    pub fn extension(self) -> &'static str {
        let named = EXTENSIONS.iter().find(|(_, kind)| *kind == self);
        named.map_or("bin", |(extension, _)| extension)
    }

    /// Whether files of this kind have their own metadata, which must not be edited.
    pub fn structured(self) -> bool {
        matches!(self, Self::Cda | Self::Xml | Self::Hl7)
    }
}

/// A file type that people may upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileType {
    /// Extension in lower case, without the dot.
    pub extension: &'static str,
    /// Media type.
    pub mime_type: &'static str,
    /// Required kind of the content.
    pub kind: Kind,
    /// Whether it can be shown as PDF.
    pub previewable: bool,
    /// Whether it has its own metadata.
    pub structured: bool,
}

const fn entry(extension: &'static str, kind: Kind) -> (&'static str, Kind) {
    (extension, kind)
}

const EXTENSIONS: &[(&str, Kind)] = &[
    entry("pdf", Kind::Pdf),
    entry("tif", Kind::Tiff),
    entry("tiff", Kind::Tiff),
    entry("png", Kind::Png),
    entry("jpg", Kind::Jpeg),
    entry("jpeg", Kind::Jpeg),
    entry("gif", Kind::Gif),
    entry("bmp", Kind::Bmp),
    entry("txt", Kind::Text),
    entry("xml", Kind::Xml),
    entry("cda", Kind::Cda),
    entry("ccd", Kind::Cda),
    entry("hl7", Kind::Hl7),
    entry("eml", Kind::Mail),
    entry("dat", Kind::Tnef),
    entry("json", Kind::Fhir),
    entry("dcm", Kind::Dicom),
    entry("rtf", Kind::Rtf),
    entry("doc", Kind::Doc),
    entry("xls", Kind::Xls),
    entry("ppt", Kind::Ppt),
    entry("docx", Kind::Docx),
    entry("xlsx", Kind::Xlsx),
    entry("pptx", Kind::Pptx),
    entry("odt", Kind::Odt),
    entry("ods", Kind::Ods),
    entry("odp", Kind::Odp),
    entry("zip", Kind::Zip),
];

fn file_type(&(extension, kind): &(&'static str, Kind)) -> FileType {
    FileType {
        extension,
        mime_type: kind.mime_type(),
        kind,
        previewable: kind.previewable(),
        structured: kind.structured(),
    }
}

/// All types that may be uploaded, one entry per extension.
pub fn file_types() -> Vec<FileType> {
    EXTENSIONS.iter().map(file_type).collect()
}

/// Reason for refusing an upload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// The file name has no extension.
    #[error("the file name has no extension")]
    NoExtension,
    /// The extension is not among [`file_types`].
    #[error("files of type {extension} are not supported")]
    UnsupportedExtension {
        /// Extension in lower case.
        extension: String,
    },
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// The content does not match the extension.
    #[error("the content of the file is not what its extension .{extension} says")]
    ContentMismatch {
        /// Extension in lower case.
        extension: &'static str,
        /// Detected kind of the content.
        found: Kind,
    },
    /// The archive is not safe to unpack.
    #[error(transparent)]
    UnsafeArchive(#[from] ArchiveError),
}

/// Checks a file for upload: extension known, content agrees, archives harmless.
///
/// `content` must be the whole file if it is a zip archive internally ([`Kind::is_archive`]); otherwise the
/// first [`HEAD`] bytes are enough. The returned kind is that of the content, so an `.xml` file may be
/// [`Kind::Cda`].
pub fn check_upload(name: &str, content: &[u8]) -> Result<FileType, UploadError> {
    let extension = extension(name).ok_or(UploadError::NoExtension)?;
    let entry = EXTENSIONS.iter().find(|(known, _)| *known == extension);
    let &(known, expected) = entry.ok_or(UploadError::UnsupportedExtension { extension })?;
    if content.is_empty() {
        return Err(UploadError::Empty);
    }
    let found = refined(detect(content), Some(expected), content);
    let kind = agreed(expected, found).ok_or(UploadError::ContentMismatch { extension: known, found })?;
    if kind.is_archive() {
        archive::entries(content)?;
    }
    Ok(file_type(&(known, kind)))
}

/// The kind on which extension and content agree.
fn agreed(expected: Kind, found: Kind) -> Option<Kind> {
    match (expected, found) {
        (Kind::Text, Kind::Text | Kind::Hl7 | Kind::Xml | Kind::Cda | Kind::Mail | Kind::Fhir) => {
            Some(Kind::Text)
        }
        (Kind::Xml, Kind::Xml | Kind::Cda) => Some(found),
        // Other JSON is shown as text.
        (Kind::Fhir, Kind::Text) => Some(found),
        (Kind::Zip, found) if found.is_archive() => Some(Kind::Zip),
        _ => (expected == found).then_some(found),
    }
}

/// Kind of a received file: by content; by name only if the content is plain text or unknown.
pub fn kind_of(name: &str, content: &[u8]) -> Kind {
    let named = extension(name)
        .and_then(|ext| EXTENSIONS.iter().find(|(known, _)| *known == ext))
        .map(|(_, kind)| *kind);
    let found = refined(detect(content), named, content);
    match (found, named) {
        (Kind::Hl7 | Kind::Xml | Kind::Cda | Kind::Mail | Kind::Fhir, Some(Kind::Text)) => Kind::Text,
        _ => found,
    }
}

/// Text for people about a received file whose content does not match its name; `None` if they agree, or if
/// the name has no known extension.
pub fn name_note(name: &str, kind: Kind) -> Option<String> {
    let extension = extension(name)?;
    let &(_, named) = EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
    let is_settled = match (named, kind) {
        // Many programs use .dat, and a mail that is too damaged to be read is kept unchanged.
        (Kind::Tnef, _) | (Kind::Mail, Kind::Unknown) => true,
        _ => agreed(named, kind).is_some(),
    };
    if is_settled {
        return None;
    }
    let (named, words) = (named.words(), kind.words());
    Some(match kind {
        Kind::Unknown => format!("Its name says this file is {named}, but it contains something else."),
        _ => format!("Its name says this file is {named}, but it contains {words}."),
    })
}

/// Refines the kind by the name where the content leaves it open: among Microsoft's old formats, and between
/// a mail and a text that begins like one.
fn refined(found: Kind, named: Option<Kind>, content: &[u8]) -> Kind {
    match (found, named) {
        (Kind::Doc, Some(kind @ (Kind::Xls | Kind::Ppt))) => kind,
        (Kind::Text, Some(Kind::Mail)) if header_names(content).is_some() => Kind::Mail,
        _ => found,
    }
}

/// Extension in lower case; `None` for names such as `README`, `.profile` and `scan.`.
pub fn extension(name: &str) -> Option<String> {
    let base = name.rsplit(['/', '\\']).next()?;
    let (stem, extension) = base.trim().rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_lowercase())
}

/// Number of bytes that determine the kind of a file.
pub const HEAD: usize = 64 * 1024;

/// Kind of a file by its content alone.
pub fn detect(content: &[u8]) -> Kind {
    let head = &content[..content.len().min(HEAD)];
    let kind = match head {
        // The preamble of 128 bytes may contain anything, such as a TIFF header (PS3.10 section 7.1).
        _ if head.get(128..132) == Some(b"DICM") => Kind::Dicom,
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Kind::Png,
        [0xff, 0xd8, 0xff, ..] => Kind::Jpeg,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Kind::Gif,
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Kind::Tiff,
        [b'B', b'M', ..] if is_bitmap(head) => Kind::Bmp,
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Kind::Doc,
        head if head.starts_with(&outlook::tnef::SIGNATURE) => Kind::Tnef,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => zip_kind(content),
        [b'{', b'\\', b'r', b't', b'f', ..] => Kind::Rtf,
        _ => Kind::Unknown,
    };
    match kind {
        Kind::Unknown if is_pdf(head) => Kind::Pdf,
        Kind::Unknown => text_kind(head),
        kind => kind,
    }
}

/// PDF readers accept up to 1024 bytes of other content before the header (ISO 32000-1 annex H.3.4.1).
fn is_pdf(head: &[u8]) -> bool {
    head[..head.len().min(1024)].windows(5).any(|window| window == b"%PDF-")
}

/// Checks more than `BM`, with which many texts begin: a bitmap also has zeroes in its reserved fields and a
/// known header size.
fn is_bitmap(head: &[u8]) -> bool {
    head.len() > 18 && head[6..10] == [0; 4] && matches!(head[14], 12 | 40 | 52 | 56 | 64 | 108 | 124)
}

fn zip_kind(content: &[u8]) -> Kind {
    let has = |name: &[u8]| memchr::memmem::find(content, name).is_some();
    // An OpenDocument file begins with its media type, uncompressed.
    let opened = |kind: &str| {
        let head = &content[..content.len().min(200)];
        let mark = format!("mimetypeapplication/vnd.oasis.opendocument.{kind}");
        memchr::memmem::find(head, mark.as_bytes()).is_some()
    };
    match () {
        () if opened("text") => Kind::Odt,
        () if opened("spreadsheet") => Kind::Ods,
        () if opened("presentation") => Kind::Odp,
        () if !has(b"[Content_Types].xml") => Kind::Zip,
        () if has(b"word/document.xml") => Kind::Docx,
        () if has(b"xl/workbook.xml") => Kind::Xlsx,
        () if has(b"ppt/presentation.xml") => Kind::Pptx,
        () => Kind::Zip,
    }
}

/// Names of a mail's first header fields, in lower case; `None` if the text does not begin with header
/// fields.
fn header_names(content: &[u8]) -> Option<Vec<String>> {
    let head = text::decode(&content[..content.len().min(HEAD)]);
    let mut names = Vec::new();
    for line in head.trim_start_matches('\u{feff}').lines() {
        if line.is_empty() {
            break;
        }
        // A line that begins with a blank continues the field.
        if line.starts_with([' ', '\t']) && !names.is_empty() {
            continue;
        }
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
        match line.split_once(':') {
            Some((name, _)) if is_name(name) => names.push(name.to_ascii_lowercase()),
            // The last line may be cut off, and mailbox files begin with a `From ` line.
            _ if head.len() >= HEAD || (names.is_empty() && line.starts_with("From ")) => {}
            _ => return None,
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Whether the content alone identifies a mail: it needs fields that a memo with "From:" and "To:" does not
/// have.
fn is_mail(content: &[u8]) -> bool {
    const MADE_BY_MACHINES: [&str; 4] = ["mime-version", "message-id", "received", "return-path"];
    let Some(names) = header_names(content) else { return false };
    let has = |name: &str| names.iter().any(|known| known == name);
    has("from") && MADE_BY_MACHINES.into_iter().any(has)
}

/// Whether the text is JSON with the member that every FHIR resource has.
fn is_fhir(text: &str) -> bool {
    text.starts_with('{') && text.contains("\"resourceType\"")
}

fn text_kind(head: &[u8]) -> Kind {
    let Some(text) = readable(head) else {
        return Kind::Unknown;
    };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if ["MSH|", "FHS|", "BHS|"].iter().any(|segment| text.starts_with(segment)) {
        return Kind::Hl7;
    }
    match root_element(text) {
        Some("ClinicalDocument") => Kind::Cda,
        Some(_) => Kind::Xml,
        None if text.is_empty() => Kind::Unknown,
        None if is_fhir(text) => Kind::Fhir,
        None if is_mail(head) => Kind::Mail,
        None => Kind::Text,
    }
}

/// The start of a file as text; `None` if it has too many control characters. A few are accepted: device
/// printouts and exports have them, and letters of other encodings look like them.
fn readable(head: &[u8]) -> Option<String> {
    /// One stray control character is accepted for every this many characters.
    const SHARE: usize = 100;
    let text = text::decode(head);
    // Trailing zeros are the rest of a larger buffer.
    let text = text.trim_end_matches('\0');
    // Some interface engines leave MLLP framing (0x0b, 0x1c) in HL7 files.
    let expected = |c: char| matches!(c, '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x1a' | '\x1b' | '\x1c');
    // C1 controls (U+0080 to U+009F) are mostly wrongly converted letters of DOS and Windows.
    let stray = text.chars().filter(|&c| c.is_ascii_control() && !expected(c)).count();
    let binary = text.contains('\0') || stray > 1 + text.len() / SHARE;
    (!binary).then(|| text.to_owned())
}

/// Local name of the root element of an XML text, after declaration, comments and processing instructions.
fn root_element(mut text: &str) -> Option<&str> {
    let declared = text.starts_with("<?xml");
    loop {
        text = text.trim_start();
        text = if let Some(rest) = text.strip_prefix("<!--") {
            rest.split_once("-->")?.1
        } else if let Some(rest) = text.strip_prefix("<?") {
            rest.split_once("?>")?.1
        } else if let Some(rest) = text.strip_prefix("<!") {
            // A document type may contain declarations in brackets.
            let whole = rest.find('>')?;
            let inner = rest[..whole].contains('[').then(|| rest.find("]>").map(|at| at + 1)).flatten();
            &rest[inner.unwrap_or(whole) + 1..]
        } else {
            break;
        };
    }
    let name = text.strip_prefix('<')?;
    let end = name.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?;
    let local = name[..end].rsplit(':').next()?;
    let looks_like_xml = declared || name.contains("xmlns") || !local.eq_ignore_ascii_case("html");
    (looks_like_xml && local.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_read_without_folders_and_case() {
        assert_eq!(extension("C:\\scans\\Fax 12.TIF"), Some("tif".to_owned()));
        assert_eq!(extension("a.b/readme"), None);
        assert_eq!(extension(".profile"), None);
        assert_eq!(extension("scan."), None);
    }

    #[test]
    fn the_root_element_is_found_behind_comments_and_instructions() {
        let text =
            "<?xml version='1.0'?><?xml-stylesheet href='a>b'?><!-- <a> --><n:ClinicalDocument xmlns:n='x'>";
        assert_eq!(root_element(text), Some("ClinicalDocument"));
        let text = "<!DOCTYPE ClinicalDocument [<!ENTITY a 'b'><!ENTITY c 'd'>]><ClinicalDocument>";
        assert_eq!(root_element(text), Some("ClinicalDocument"));
        assert_eq!(root_element("< 5 mg"), None);
        assert_eq!(root_element("a <b>"), None);
    }

    #[test]
    fn a_clinical_document_is_known_in_utf_16_without_a_mark_and_with_zeros_behind_it() {
        let units: Vec<u16> = "<?xml version='1.0'?><ClinicalDocument/>".encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let padded = b"<ClinicalDocument/>\0\0\0".to_vec();
        for content in [[b"\xff\xfe", &little[..]].concat(), little, big, padded] {
            assert_eq!(detect(&content), Kind::Cda);
        }
    }

    #[test]
    fn stray_control_characters_do_not_make_a_text_binary() {
        assert_eq!(detect("Dose 5\u{96}10 mg, see lab\u{85}".as_bytes()), Kind::Text);
        assert_eq!(detect(b"Temp 38 \x81C\x7f, Fran\xe7ois"), Kind::Text);
        assert_eq!(detect(b"<ClinicalDocument xmlns='urn:hl7-org:v3'><title>A\x01B</title>"), Kind::Cda);
        assert_eq!(detect(b"Name\0Value\0"), Kind::Unknown);
        assert_eq!(detect(&[1, 2, 3, 4, 5, 6, 7, 14, 15, 16]), Kind::Unknown);
    }

    #[test]
    fn a_memo_is_no_mail_unless_it_is_named_so() {
        let memo = b"From: Dr Poe\nTo: Dr Roe\nSubject: Visit\n\nStable.";
        assert_eq!((detect(memo), kind_of("memo.eml", memo)), (Kind::Text, Kind::Mail));
        let mail = b"Received: by x\n\twith smtp\nFrom: a@x.example\nSubject: s\n\nStable.";
        assert_eq!((detect(mail), kind_of("memo.txt", mail)), (Kind::Mail, Kind::Text));
        assert_eq!(kind_of("a.eml", b"Stable since the visit"), Kind::Text);
    }

    #[test]
    fn office_files_are_told_apart_by_content_and_old_ones_by_name() {
        let ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 rest";
        assert_eq!((kind_of("a.xls", ole), kind_of("a.doc", ole)), (Kind::Xls, Kind::Doc));
        let odt =
            [&b"PK\x03\x04................mimetypeapplication/vnd.oasis.opendocument.text"[..], &[0; 40]]
                .concat();
        assert_eq!(detect(&odt), Kind::Odt);
        assert_eq!(detect(&[&[0; 128][..], b"DICM"].concat()), Kind::Dicom);
        let over_tiff = [&b"II*\0\x08\0\0\0"[..], &[0; 120], b"DICM"].concat();
        assert_eq!(detect(&over_tiff), Kind::Dicom, "the preamble may be a header of TIFF");
        assert_eq!(detect(b" {\"resourceType\": \"Patient\"}"), Kind::Fhir);
        assert_eq!(detect(b"{\"a\": 1}"), Kind::Text);
        assert_eq!((Kind::Cda.extension(), Kind::Unknown.extension()), ("cda", "bin"));
    }

    #[test]
    fn a_text_that_begins_with_bm_is_no_bitmap() {
        assert_eq!(detect(b"BMI 29.4, stable since the last visit"), Kind::Text);
    }
}

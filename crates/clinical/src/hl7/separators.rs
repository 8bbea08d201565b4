//! The delimiters of a message: MSH-1 and MSH-2 (HL7 v2.5.1, 2.5.4). Those of batch headers are at the same place.

use encoding_rs::{Encoding, UTF_8};

/// Segments that declare the separators of what follows: those of a message, a file and a batch.
const HEADERS: [&str; 3] = ["MSH", "FHS", "BHS"];

/// Whether a segment of this name is a header, whose first field is the field separator itself.
pub fn is_header(name: &str) -> bool {
    HEADERS.contains(&name)
}

/// The separators of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Separators {
    pub field: char,
    pub component: char,
    pub repetition: char,
    pub escape: char,
    pub subcomponent: char,
    /// Character set of hexadecimal escapes.
    pub(super) charset: &'static Encoding,
}

impl Default for Separators {
    /// The recommended ones: `|^~\&`.
    fn default() -> Self {
        Self { field: '|', component: '^', repetition: '~', escape: '\\', subcomponent: '&', charset: UTF_8 }
    }
}

impl Separators {
    /// The separators that a header declares; `None` if the line is not a header.
    ///
    /// A header without any declares the recommended ones. The last ones may be omitted where a message does not use
    /// them. They are `\0` then, which text does not contain; the escape `\T\` still gives the recommended `&`.
    pub fn declared(line: &[u8]) -> Option<Self> {
        HEADERS.iter().find(|name| line.starts_with(name.as_bytes()))?;
        let field = *line.get(3).filter(|byte| byte.is_ascii_punctuation())?;
        let usual = Self { field: char::from(field), ..Self::default() };
        let mut others = line[4..].iter().take_while(|byte| **byte != field && byte.is_ascii_punctuation());
        let Some(component) = others.next() else { return Some(usual) };
        let mut next = || others.next().map_or('\0', |byte| char::from(*byte));
        Some(Self {
            component: char::from(*component),
            repetition: next(),
            escape: next(),
            subcomponent: next(),
            ..usual
        })
    }
}

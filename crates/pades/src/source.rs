//! Reading the file that is signed. Only files whose cross references are intact are accepted: an update refers to them.

use crate::{
    Problem,
    references::{References, find, first_dictionary, stream_dictionary},
};
use hayro_syntax::{
    DecryptionError, LoadPdfError, Pdf,
    object::{Array, Dict, MaybeRef, Name, ObjRef, Object, ObjectIdentifier},
    page::Page,
};

/// Offsets of an update are written with four bytes.
const SIZE_MAX: usize = u32::MAX as usize / 2;
/// Largest number of an object (ISO 32000-1 annex C).
const NUMBER_MAX: u32 = 8_388_607;
/// Distance from the end within which the last cross references are named.
const TAIL: usize = 2_048;

/// A file that can be signed.
pub struct Source {
    pub pdf: Pdf,
    pub trailer: Trailer,
}

/// What the last trailer of a file says.
pub struct Trailer {
    /// Offset of the cross references.
    pub at: usize,
    /// Whether they are in a stream.
    pub is_stream: bool,
    /// One more than the largest object number.
    pub size: u32,
    pub root: ObjRef,
    pub info: Option<ObjRef>,
    /// First part of the file identifier.
    pub id: Option<Vec<u8>>,
}

impl Source {
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.len() > SIZE_MAX {
            return Err(Problem::TooLarge);
        }
        let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Problem::Encrypted,
            LoadPdfError::Decryption(_) => Problem::Encrypted,
            LoadPdfError::Invalid => Problem::Broken,
        })?;
        let trailer = Trailer::read(bytes)?;
        let source = Self { pdf, trailer };
        if source.pdf.xref().root_id() != identifier(source.trailer.root) || source.pdf.pages().is_empty() {
            return Err(Problem::Broken);
        }
        source.refuse_closed()?;
        source.refuse_damaged(bytes)?;
        Ok(source)
    }

    pub fn get<'a, T>(&'a self, id: ObjRef) -> Option<T>
    where
        T: TryFrom<Object<'a>>,
    {
        self.pdf.xref().get::<Object<'a>>(identifier(id)).and_then(|object| T::try_from(object).ok())
    }

    /// Whether an object of this number exists.
    pub fn has(&self, number: u32) -> bool {
        self.pdf.xref().get::<Object<'_>>(ObjectIdentifier::new(number, 0)).is_some()
    }

    pub fn catalog(&self) -> Result<Dict<'_>, Problem> {
        self.get(self.trailer.root).ok_or(Problem::Broken)
    }

    /// The root of the page tree.
    pub fn tree(&self) -> Result<(ObjRef, Dict<'_>), Problem> {
        let id = self.catalog()?.get_ref("Pages").ok_or(Problem::Broken)?;
        Ok((id, self.get(id).ok_or(Problem::Broken)?))
    }

    /// The last page with its reference.
    pub fn last_page(&self) -> Option<(ObjRef, &Page<'_>)> {
        let page = self.pdf.pages().last()?;
        let id = page.raw().obj_id()?;
        Some((ObjRef::new(id.obj_number, id.gen_number), page))
    }

    /// Refuses files in which an object that the update may replace is not where the cross references say.
    fn refuse_damaged(&self, bytes: &[u8]) -> Result<(), Problem> {
        let references = References::read(bytes, self.trailer.at)?;
        let (tree, _) = self.tree()?;
        let form = self.catalog()?.get_ref("AcroForm");
        let page = self.last_page().map(|(page, _)| page);
        let replaced = [Some(self.trailer.root), Some(tree), form, page];
        replaced.into_iter().flatten().try_for_each(|id| references.require(bytes, id))
    }

    /// Refuses files that their author closed, and those without pages of their own.
    fn refuse_closed(&self) -> Result<(), Problem> {
        let catalog = self.catalog()?;
        // Any certification: each forbids new pages (ISO 32000-2 section 12.8.2.2).
        if catalog.get::<Dict<'_>>("Perms").is_some_and(|allowed| allowed.contains_key("DocMDP")) {
            return Err(Problem::Certified);
        }
        match catalog.get::<Dict<'_>>("AcroForm") {
            Some(form) if form.contains_key("XFA") => Err(Problem::Xfa),
            _ => Ok(()),
        }
    }
}

impl Trailer {
    fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let at = last_cross_references(bytes).ok_or(Problem::Broken)?;
        let there = bytes.get(at..).ok_or(Problem::Broken)?;
        let is_stream = !there.starts_with(b"xref");
        let begin = match is_stream {
            true => stream_dictionary(there),
            false => find(there, b"trailer"),
        };
        let rest = begin.and_then(|begin| there.get(begin..)).ok_or(Problem::Broken)?;
        let dict = first_dictionary(rest).ok_or(Problem::Broken)?;
        if dict.contains_key("Encrypt") {
            return Err(Problem::Encrypted);
        }
        let number = |key: &str| match dict.get_raw::<Object<'_>>(key) {
            Some(MaybeRef::NotRef(object)) => object.into_i32(),
            _ => None,
        };
        let size = number("Size").and_then(|size| u32::try_from(size).ok()).ok_or(Problem::Broken)?;
        if size > NUMBER_MAX {
            return Err(Problem::TooLarge);
        }
        let is_right = |object: &Dict<'_>| match object.get_raw::<Object<'_>>("Type") {
            Some(MaybeRef::NotRef(Object::Name(kind))) => kind.as_str() == "XRef",
            _ => false,
        };
        if is_stream && !is_right(&dict) {
            return Err(Problem::Broken);
        }
        Ok(Self {
            at,
            is_stream,
            size,
            root: dict.get_ref("Root").ok_or(Problem::Broken)?,
            info: dict.get_ref("Info"),
            id: first_id(&dict),
        })
    }
}

fn first_id(dict: &Dict<'_>) -> Option<Vec<u8>> {
    let MaybeRef::NotRef(Object::Array(both)) = dict.get_raw::<Object<'_>>("ID")? else { return None };
    match both.raw_iter().next()? {
        MaybeRef::NotRef(Object::String(first)) => Some(first.as_bytes().to_vec()),
        _ => None,
    }
}

/// The offset behind the last `startxref`.
fn last_cross_references(bytes: &[u8]) -> Option<usize> {
    const KEYWORD: &[u8] = b"startxref";
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..)?;
    let last = tail.windows(KEYWORD.len()).rposition(|window| window == KEYWORD)?;
    let behind = tail.get(last + KEYWORD.len()..)?;
    let digits: Vec<u8> = behind
        .iter()
        .copied()
        .skip_while(u8::is_ascii_whitespace)
        .take_while(u8::is_ascii_digit)
        .take(10)
        .collect();
    String::from_utf8(digits).ok()?.parse().ok()
}

fn identifier(id: ObjRef) -> ObjectIdentifier {
    id.into()
}

/// The items of an array entry, also if it is an object of its own.
pub fn array<'a>(dict: &Dict<'a>, key: &str) -> Option<Array<'a>> {
    dict.get::<Array<'a>>(key)
}

/// Whether an annotation is a signature field.
pub fn is_signature(annotation: &Dict<'_>) -> bool {
    annotation.get::<Name<'_>>("FT").is_some_and(|kind| kind.as_str() == "Sig")
}

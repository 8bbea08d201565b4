//! Copies pages between PDF files, object by object: streams keep their compression, and shared objects are
//! copied once.

use std::collections::{HashMap, HashSet};

use hayro::hayro_syntax::object::dict::keys::{CONTENTS, GROUP};
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Name, ObjRef, Object, Stream};
use hayro::hayro_syntax::page::{Page, Resources, Rotation};
use hayro::hayro_syntax::{Filter, Pdf};
use pdf_writer::writers;
use pdf_writer::{Chunk, Finish, Name as Key, Null, Obj, Rect, Ref, Str};

use super::PickedPage;
use super::annotations;
use crate::pdf::PdfError;

const CATALOG: Ref = Ref::new(1);
const TREE: Ref = Ref::new(2);
/// Maximum nesting of copied arrays and dictionaries.
const MAX_DEPTH: usize = 64;
/// Keys about the whole file or for a program's own use. They would be wrong in a part of the file.
const OF_THE_WHOLE: [&[u8]; 7] =
    [b"Metadata", b"StructParent", b"StructParents", b"PieceInfo", b"LastModified", b"AF", b"OPI"];
/// Keys that refer to stream data in another file.
const OUTSIDE: [&[u8]; 3] = [b"F", b"FFilter", b"FDecodeParms"];

/// A PDF in the making.
pub(super) struct NewFile {
    pdf: pdf_writer::Pdf,
    pages: Vec<Ref>,
    next: Ref,
    /// Form fields on the pages.
    fields: Vec<Ref>,
    /// Common resources of all form fields, from the first file with any.
    form: Option<Ref>,
    layers: Layers,
}

/// Optional content groups: layers that can be shown and hidden.
#[derive(Default)]
struct Layers {
    all: Vec<Ref>,
    hidden: Vec<Ref>,
}

impl NewFile {
    pub fn new(pages: usize) -> Self {
        let mut next = Ref::new(3);
        let pages = (0..pages).map(|_| next.bump()).collect();
        let pdf = pdf_writer::Pdf::new();
        Self { pdf, pages, next, fields: Vec::new(), form: None, layers: Layers::default() }
    }

    /// Copies pages of one file. Each comes with its position in the new file, and with its angle if it is
    /// straightened.
    pub fn take<'p>(
        &mut self,
        source: &Pdf,
        picked: impl IntoIterator<Item = (usize, &'p PickedPage, Option<f32>)>,
    ) -> Result<(), PdfError> {
        let mut copier = Copier { source, copies: HashMap::new(), waiting: Vec::new(), next: self.next };
        for (place, picked, lean) in picked {
            let pages = source.pages();
            let missing = PdfError::NoSuchPage { page: picked.page, pages: pages.len() as u32 };
            let index = (picked.page as usize).checked_sub(1).ok_or(missing)?;
            let page = pages.get(index).ok_or(missing)?;
            let fields = copier.page(&mut self.pdf, page, self.pages[place], picked.turn, lean);
            self.fields.extend(fields);
        }
        if self.form.is_none() && !self.fields.is_empty() {
            self.form = copier.form(&mut self.pdf);
        }
        copier.drain(&mut self.pdf);
        copier.note_layers(&mut self.layers);
        self.next = copier.next;
        Ok(())
    }

    pub fn finish(mut self) -> Vec<u8> {
        let mut tree = self.pdf.pages(TREE);
        tree.count(self.pages.len() as i32).kids(self.pages.iter().copied());
        tree.finish();
        let mut catalog = self.pdf.catalog(CATALOG);
        catalog.pages(TREE);
        if !self.fields.is_empty() {
            let mut form = catalog.insert(Key(b"AcroForm")).dict();
            form.insert(Key(b"Fields")).array().items(self.fields.iter().copied());
            if let Some(resources) = self.form {
                form.pair(Key(b"DR"), resources);
            }
        }
        if !self.layers.all.is_empty() {
            let mut layers = catalog.insert(Key(b"OCProperties")).dict();
            layers.insert(Key(b"OCGs")).array().items(self.layers.all.iter().copied());
            let mut shown = layers.insert(Key(b"D")).dict();
            shown.insert(Key(b"Order")).array().items(self.layers.all.iter().copied());
            shown.insert(Key(b"OFF")).array().items(self.layers.hidden.iter().copied());
        }
        catalog.finish();
        self.pdf.finish()
    }
}

/// Copies objects from one file.
pub(super) struct Copier<'a> {
    source: &'a Pdf,
    /// New references of the copied objects.
    copies: HashMap<ObjRef, Ref>,
    /// Referenced objects that are not written yet.
    waiting: Vec<(ObjRef, Ref)>,
    next: Ref,
}

impl<'a> Copier<'a> {
    pub fn bump(&mut self) -> Ref {
        self.next.bump()
    }

    /// Writes a page and its annotations; returns the form fields on it.
    fn page(&mut self, pdf: &mut Chunk, page: &Page<'a>, id: Ref, turn: u8, lean: Option<f32>) -> Vec<Ref> {
        let raw = page.raw();
        let annotations = annotations::of(raw);
        let ids: Vec<Ref> = annotations.iter().map(|_| self.bump()).collect();
        // Annotations would not rotate with the page.
        let lean = lean.filter(|_| ids.is_empty()).map(|angle| (angle, [self.bump(), self.bump()]));
        let mut written = pdf.page(id);
        written
            .parent(TREE)
            .media_box(rectangle(page.media_box()))
            .crop_box(rectangle(page.crop_box()))
            .rotate((quarters(page) + i32::from(turn % 4)) % 4 * 90);
        for key in [CONTENTS, GROUP, b"UserUnit"] {
            let Some(value) = raw.get_raw::<Object<'_>>(key) else { continue };
            let out = written.insert(Key(key));
            match lean {
                Some((_, [before, behind])) if key == CONTENTS => self.between(out, &value, before, behind),
                _ => self.value(out, &value, 0),
            }
        }
        if !ids.is_empty() {
            written.insert(Key(b"Annots")).array().items(ids.iter().copied());
        }
        self.resources(written.resources(), page);
        written.finish();
        if let Some((angle, [before, behind])) = lean {
            pdf.stream(before, straightening(page, angle).as_bytes()).finish();
            pdf.stream(behind, b"\nQ\n").finish();
        }
        let fields = annotations.iter().zip(&ids).filter_map(|(annotation, own)| {
            annotations::write(self, pdf.indirect(*own).dict(), annotation, id).then_some(*own)
        });
        fields.collect()
    }

    /// Writes the contents of a page between two streams.
    fn between(&mut self, out: Obj<'_>, contents: &MaybeRef<Object<'a>>, before: Ref, behind: Ref) {
        let mut all = out.array();
        all.item(before);
        let list = match contents {
            MaybeRef::Ref(from) => self.source.xref().get::<Object<'_>>((*from).into()),
            MaybeRef::NotRef(object) => Some(object.clone()),
        };
        match list {
            Some(Object::Array(list)) => list.raw_iter().for_each(|item| self.value(all.push(), &item, 0)),
            _ => self.value(all.push(), contents, 0),
        }
        all.item(behind);
    }

    /// Copies the resources of a page, but only the pictures that it draws: some producers give all pages one
    /// list of all pictures in the file.
    fn resources(&mut self, mut out: writers::Resources<'_>, page: &Page<'a>) {
        let resources = page.resources();
        let drawn = page.page_stream().and_then(names_in).filter(|_| !borrows(resources));
        let is_drawn = |name: &Name<'_>| drawn.as_ref().is_none_or(|drawn| drawn.contains(&name[..]));
        let kinds: [(&[u8], &Dict<'a>); 7] = [
            (b"ExtGState", &resources.ext_g_states),
            (b"Shading", &resources.shadings),
            (b"Pattern", &resources.patterns),
            (b"XObject", &resources.x_objects),
            (b"ColorSpace", &resources.color_spaces),
            (b"Font", &resources.fonts),
            (b"Properties", &resources.properties),
        ];
        for (kind, entries) in kinds {
            if entries.is_empty() {
                continue;
            }
            let mut dict = out.insert(Key(kind)).dict();
            for (name, value) in entries.entries() {
                if kind != b"XObject" || is_drawn(&name) {
                    self.value(dict.insert(Key(&name)), &value, 0);
                }
            }
        }
    }

    /// Copies the fonts of form fields.
    fn form(&mut self, pdf: &mut Chunk) -> Option<Ref> {
        let resources = self.catalog()?.get::<Dict<'_>>("AcroForm")?.get::<Dict<'_>>("DR")?;
        let id = self.bump();
        self.dict(pdf.indirect(id).dict(), &resources, &[], 0);
        Some(id)
    }

    fn catalog(&self) -> Option<Dict<'a>> {
        let xref = self.source.xref();
        xref.get::<Dict<'_>>(xref.root_id())
    }

    /// Writes the referenced objects, and in turn the objects that they refer to. References to other pages,
    /// such as those of links, become null.
    fn drain(&mut self, pdf: &mut Chunk) {
        while let Some((from, id)) = self.waiting.pop() {
            match self.source.xref().get::<Object<'_>>(from.into()) {
                Some(Object::Stream(stream)) => self.stream(pdf, id, &stream),
                Some(Object::Dict(dict)) if is_of_the_tree(&dict) => pdf.indirect(id).primitive(Null),
                Some(object) => self.direct(pdf.indirect(id), &object, 0),
                None => pdf.indirect(id).primitive(Null),
            }
        }
    }

    fn stream(&mut self, pdf: &mut Chunk, id: Ref, stream: &Stream<'a>) {
        let is_crypted = stream.filters().first() == Some(&Filter::Crypt);
        let decoded = if is_crypted { stream.decoded().ok() } else { None };
        let mut skip = vec![&b"Length"[..]];
        skip.extend(OUTSIDE);
        if decoded.is_some() {
            skip.extend([&b"Filter"[..], b"DecodeParms", b"DP"]);
        }
        let data = decoded.unwrap_or_else(|| stream.raw_data());
        let mut out = pdf.stream(id, &data);
        for (name, value) in stream.dict().entries() {
            if !skip.contains(&&name[..]) && !OF_THE_WHOLE.contains(&&name[..]) {
                self.value(out.insert(Key(&name)), &value, 0);
            }
        }
    }

    pub fn value(&mut self, out: Obj<'_>, value: &MaybeRef<Object<'a>>, depth: usize) {
        match value {
            MaybeRef::Ref(from) => {
                let to = self.copy_of(*from);
                out.primitive(to);
            }
            MaybeRef::NotRef(object) => self.direct(out, object, depth),
        }
    }

    fn copy_of(&mut self, from: ObjRef) -> Ref {
        if let Some(known) = self.copies.get(&from) {
            return *known;
        }
        let to = self.bump();
        self.copies.insert(from, to);
        self.waiting.push((from, to));
        to
    }

    fn direct(&mut self, out: Obj<'_>, object: &Object<'a>, depth: usize) {
        if depth > MAX_DEPTH {
            return out.primitive(Null);
        }
        match object {
            Object::Boolean(value) => out.primitive(*value),
            Object::Number(number) => {
                let value = number.as_f64();
                let is_whole = value.fract() == 0.0 && value.abs() < f64::from(i32::MAX);
                if is_whole { out.primitive(value as i32) } else { out.primitive(value as f32) }
            }
            Object::String(text) => out.primitive(Str(text.as_bytes())),
            Object::Name(name) => out.primitive(Key(name)),
            Object::Dict(dict) => self.dict(out.dict(), dict, &[], depth),
            Object::Array(array) => self.array(out.array(), array, depth),
            // A stream is always an indirect object.
            Object::Null(_) | Object::Stream(_) => out.primitive(Null),
        }
    }

    fn array(&mut self, mut out: pdf_writer::Array<'_>, array: &Array<'a>, depth: usize) {
        for item in array.raw_iter() {
            self.value(out.push(), &item, depth + 1);
        }
    }

    pub fn dict(&mut self, mut out: pdf_writer::Dict<'_>, dict: &Dict<'a>, skip: &[&[u8]], depth: usize) {
        for (name, value) in dict.entries() {
            if !skip.contains(&&name[..]) && !OF_THE_WHOLE.contains(&&name[..]) {
                self.value(out.insert(Key(&name)), &value, depth + 1);
            }
        }
    }

    /// Notes the copied layers and their visibility.
    fn note_layers(&self, layers: &mut Layers) {
        let properties = self.catalog().and_then(|catalog| catalog.get::<Dict<'_>>("OCProperties"));
        let Some(properties) = properties else { return };
        let listed = |dict: &Dict<'a>, key: &str| -> Vec<ObjRef> {
            let list = dict.get::<Array<'_>>(key);
            list.iter().flat_map(Array::raw_iter).filter_map(|item| item.as_obj_ref()).collect()
        };
        let shown = properties.get::<Dict<'_>>("D").unwrap_or_default();
        let starts_hidden = shown.get::<Name<'_>>("BaseState").is_some_and(|state| state.as_str() == "OFF");
        let on: HashSet<ObjRef> = listed(&shown, "ON").into_iter().collect();
        let off: HashSet<ObjRef> = listed(&shown, "OFF").into_iter().collect();
        for layer in listed(&properties, "OCGs") {
            let Some(copy) = self.copies.get(&layer) else { continue };
            layers.all.push(*copy);
            let is_hidden = if starts_hidden { !on.contains(&layer) } else { off.contains(&layer) };
            if is_hidden {
                layers.hidden.push(*copy);
            }
        }
    }
}

/// Content operators that rotate a page about its middle, so that lines which fall to the right by this angle
/// become straight. They work for any quarter turn of the page.
fn straightening(page: &Page<'_>, angle: f32) -> String {
    let (shown, (sin, cos)) = (page.crop_box(), f64::from(angle).sin_cos());
    let (x, y) = ((shown.x0 + shown.x1) / 2.0, (shown.y0 + shown.y1) / 2.0);
    let (right, up) = (x - cos * x + sin * y, y - sin * x - cos * y);
    format!("q {cos:.6} {sin:.6} {:.6} {cos:.6} {right:.4} {up:.4} cm\n", -sin)
}

/// Whether a dictionary is a node of the page tree.
fn is_of_the_tree(dict: &Dict<'_>) -> bool {
    dict.get::<Name<'_>>("Type").is_some_and(|kind| matches!(kind.as_str(), "Page" | "Pages" | "Catalog"))
}

/// Whether a form XObject of the page has no resources of its own and uses those of the page, as in old
/// files.
fn borrows(resources: &Resources<'_>) -> bool {
    let forms = resources.x_objects.keys().filter_map(|name| resources.get_x_object(&name));
    forms.into_iter().any(|form| {
        let dict = form.dict();
        dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_str() == "Form")
            && !dict.contains_key("Resources")
    })
}

/// The names in a content stream, in one pass. `None` if a name contains escapes: then all resources are
/// copied.
fn names_in(content: &[u8]) -> Option<HashSet<&[u8]>> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0 || b"()<>[]{}/%".contains(byte);
    let names = memchr::memchr_iter(b'/', content).map(|at| {
        let rest = &content[at + 1..];
        &rest[..rest.iter().position(is_end).unwrap_or(rest.len())]
    });
    names.map(|name| (!name.contains(&b'#')).then_some(name)).collect()
}

fn quarters(page: &Page<'_>) -> i32 {
    match page.rotation() {
        Rotation::None => 0,
        Rotation::Horizontal => 1,
        Rotation::Flipped => 2,
        Rotation::FlippedHorizontal => 3,
    }
}

fn rectangle(rect: hayro::hayro_syntax::object::Rect) -> Rect {
    Rect::new(rect.x0 as f32, rect.y0 as f32, rect.x1 as f32, rect.y1 as f32)
}

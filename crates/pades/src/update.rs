//! The incremental update with a signature.

use crate::{
    Faces, Prepared, Problem, Signing,
    faces::NAME,
    look::{self, PAGE, PLACE, PLACES, Types},
    signatures::Signatures,
    source::{Source, array, is_signature},
    values::{self, plain, string, text, words},
};
use hayro_syntax::{
    object::{Dict, ObjRef, Rect, String as Text},
    page::Rotation,
};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, ops::Range};

/// Marks a signature page of ours (ISO 32000-2 section 14.5).
const PIECE: &str = "Carepost";
/// What the names of our fields begin with.
const FIELD: &str = "Signature ";
/// Room for each number of the byte range.
const NUMBER: usize = 10;

/// Appends an update with a signature field, its appearance, and a hole for the signature. The signature is on the
/// signature page of the file if there is one with a free place, and otherwise on a new page. A page that is added after
/// a signature invalidates that (ISO 32000-2 section 12.8.2.2): then the signature is not shown on a page.
pub fn prepare(pdf: &[u8], what: &Signing, faces: &Faces<'_>) -> Result<Prepared, Problem> {
    let source = Source::read(pdf)?;
    let signatures = Signatures::of(&source)?;
    let mut update = Update::new(&source, pdf);
    let [field, signature] = [update.id(), update.id()];
    let place = free_place(&source);
    let (page, look) = if place.is_none() && signatures.exist {
        let (page, _) = source.last_page().ok_or(Problem::Broken)?;
        annotate(&mut update, &source, page, field)?;
        (page, "/Rect[0 0 0 0]".into())
    } else {
        show(&mut update, &source, faces, what, field, place)?
    };
    update.object(field, |out| {
        text(
            out,
            &format!(
                "<</Type/Annot/Subtype/Widget/FT/Sig/F 132/T{}/TU{}/V {}/P {}{look}>>",
                words(&format!("{FIELD}{}", what.field)),
                words(&format!("Signature of {}", what.name)),
                refer(signature),
                refer(page),
            ),
        );
    });
    enter_field(&mut update, &source, &signatures, field)?;
    let hole = update.signature(signature, what);
    update.finish(&source, pdf, hole)
}

/// Writes the appearance of a signature, and its page if there is none; returns the page and the entries of the field.
fn show(
    update: &mut Update,
    source: &Source,
    faces: &Faces<'_>,
    what: &Signing,
    field: ObjRef,
    place: Option<(ObjRef, usize)>,
) -> Result<(ObjRef, String), Problem> {
    let mut types = Types::new(faces)?;
    let appearance = update.id();
    let fonts = [update.id(), update.id(), update.id()];
    let shown = look::signature(&mut types, what);
    let (page, place) = match place {
        Some((page, place)) => {
            annotate(update, source, page, field)?;
            (page, place)
        }
        None => (add_page(update, source, &mut types, &fonts, what, field)?, 0),
    };
    for (font, face) in fonts.iter().zip([&types.text, &types.bold, &types.script]) {
        embed(update, *font, face)?;
    }
    update.stream(appearance, &appearance_entries(&fonts), shown.as_bytes());
    let rect = look::place(place).map(plain).join(" ");
    Ok((page, format!("/Rect[{rect}]/AP<</N {}>>", refer(appearance))))
}

/// A page of ours with a free place, and which one. A stranger's page that says to be one, but is not as we make them,
/// may hide a signature or show it beside other words.
fn free_place(source: &Source) -> Option<(ObjRef, usize)> {
    let (id, page) = source.last_page()?;
    page.raw().get::<Dict<'_>>("PieceInfo").filter(|info| info.contains_key(PIECE))?;
    let is_ours = |area: Rect| [area.x0, area.y0, area.x1, area.y1] == [0.0, 0.0, PAGE.0, PAGE.1];
    let is_straight = matches!(page.rotation(), Rotation::None) && !page.raw().contains_key("UserUnit");
    if !is_straight || !is_ours(page.media_box()) || !is_ours(page.crop_box()) {
        return None;
    }
    let annotations = array(page.raw(), "Annots")?;
    let taken: Vec<_> = annotations.iter::<Dict<'_>>().map(|one| place_of(&one)).collect::<Option<_>>()?;
    let free = (0..PLACES).find(|place| !taken.contains(place))?;
    (!taken.is_empty() && taken.len() == annotations.raw_iter().count()).then_some((id, free))
}

/// The place of a signature of ours.
fn place_of(annotation: &Dict<'_>) -> Option<usize> {
    let name = annotation.get::<Text<'_>>("T")?;
    let is_named = name.as_bytes().starts_with(&values::utf16(FIELD));
    let is_signed = is_signature(annotation) && annotation.get::<Dict<'_>>("V").is_some();
    let area = annotation.get::<Rect>("Rect").filter(|_| is_named && is_signed)?;
    let area = [area.x0, area.y0, area.x1, area.y1];
    (0..PLACES).find(|place| look::place(*place) == area)
}

/// Adds the field to the annotations of a page.
fn annotate(update: &mut Update, source: &Source, page: ObjRef, field: ObjRef) -> Result<(), Problem> {
    let dict: Dict<'_> = source.get(page).ok_or(Problem::Broken)?;
    let annotations = array(&dict, "Annots");
    update.object(page, |out| {
        text(out, "<<");
        values::entries(out, &dict, &["Annots"], 0);
        text(out, "/Annots[");
        if let Some(annotations) = &annotations {
            values::items(out, annotations);
        }
        text(out, &format!("{}]>>", refer(field)));
    });
    Ok(())
}

/// Appends a signature page to the page tree.
fn add_page(
    update: &mut Update,
    source: &Source,
    types: &mut Types<'_>,
    fonts: &[ObjRef; 3],
    what: &Signing,
    field: ObjRef,
) -> Result<ObjRef, Problem> {
    let (tree, dict) = source.tree()?;
    let kids = array(&dict, "Kids").ok_or(Problem::Broken)?;
    let pages = source.pdf.pages().len();
    let counted = dict.get::<i32>("Count").filter(|count| usize::try_from(*count) == Ok(pages));
    let count = counted.ok_or(Problem::Broken)?;
    let [page, content] = [update.id(), update.id()];
    update.object(tree, |out| {
        text(out, "<<");
        values::entries(out, &dict, &["Kids", "Count"], 0);
        text(out, &format!("/Count {}/Kids[", count + 1));
        values::items(out, &kids);
        text(out, &format!("{}]>>", refer(page)));
    });
    let time = date(what);
    update.object(page, |out| {
        text(
            out,
            &format!(
                "<</Type/Page/Parent {}/MediaBox[0 0 {w} {h}]/CropBox[0 0 {w} {h}]/Rotate 0/Contents {}\
                 /Resources<<{}>>/Annots[{}]/LastModified{time}\
                 /PieceInfo<</{PIECE}<</LastModified{time}/Private true>>>>>>",
                refer(tree),
                refer(content),
                font_entries(fonts),
                refer(field),
                w = PAGE.0,
                h = PAGE.1,
            ),
        );
    });
    let shown = look::page(types, pages);
    update.stream(content, "", shown.as_bytes());
    Ok(page)
}

/// Enters the field into the form of the file.
fn enter_field(
    update: &mut Update,
    source: &Source,
    signatures: &Signatures,
    field: ObjRef,
) -> Result<(), Problem> {
    let catalog = source.catalog()?;
    let form = catalog.get::<Dict<'_>>("AcroForm");
    let mut entry = Vec::new();
    text(&mut entry, "<<");
    if let Some(form) = &form {
        // Readers that make the appearances anew change a signed file, so this is removed while nothing is signed.
        let removed = if signatures.exist { "Fields" } else { "NeedAppearances" };
        values::entries(&mut entry, form, &["Fields", "SigFlags", removed], 1);
    }
    text(&mut entry, "/SigFlags 3/Fields[");
    if let Some(fields) = form.as_ref().and_then(|form| array(form, "Fields")) {
        values::items(&mut entry, &fields);
    }
    text(&mut entry, &format!("{}]>>", refer(field)));
    match catalog.get_ref("AcroForm").filter(|_| form.is_some()) {
        Some(own) => update.object(own, |out| out.extend_from_slice(&entry)),
        None => update.object(source.trailer.root, |out| {
            text(out, "<<");
            values::entries(out, &catalog, &["AcroForm"], 0);
            text(out, "/AcroForm");
            out.extend_from_slice(&entry);
            text(out, ">>");
        }),
    }
    Ok(())
}

fn appearance_entries(fonts: &[ObjRef; 3]) -> String {
    format!(
        "/Type/XObject/Subtype/Form/BBox[0 0 {} {}]/Resources<<{}>>",
        PLACE.0,
        PLACE.1,
        font_entries(fonts)
    )
}

fn font_entries(fonts: &[ObjRef; 3]) -> String {
    let [text, bold, script] = fonts.map(refer);
    format!("/Font<</F0 {text}/F1 {bold}/F2 {script}>>")
}

fn embed(update: &mut Update, id: ObjRef, face: &crate::faces::Type<'_>) -> Result<(), Problem> {
    let embedded = face.embed()?;
    let [descendant, descriptor, file, map] = [update.id(), update.id(), update.id(), update.id()];
    update.written(
        id,
        &format!(
            "<</Type/Font/Subtype/Type0/BaseFont/{NAME}/Encoding/Identity-H/DescendantFonts[{}]/ToUnicode {}>>",
            refer(descendant),
            refer(map)
        ),
    );
    update.written(descendant, &format!("<<{}/FontDescriptor {}>>", embedded.descendant, refer(descriptor)));
    update.written(descriptor, &format!("<<{}/FontFile2 {}>>", embedded.descriptor, refer(file)));
    update.stream(file, &format!("/Length1 {}", embedded.file.len()), &embedded.file);
    update.stream(map, "", embedded.to_unicode.as_bytes());
    Ok(())
}

fn refer(id: ObjRef) -> String {
    format!("{} {} R", id.obj_number, id.gen_number)
}

/// The time of the signature, as a date of PDF.
fn date(what: &Signing) -> String {
    format!("({})", what.at.format("D:%Y%m%d%H%M%SZ"))
}

/// Objects that are appended.
struct Update<'a> {
    source: &'a Source,
    /// The file before, and what is appended.
    out: Vec<u8>,
    offsets: BTreeMap<u32, (usize, i32)>,
    next: u32,
}

impl<'a> Update<'a> {
    fn new(source: &'a Source, pdf: &[u8]) -> Self {
        let mut out = pdf.to_vec();
        if !pdf.ends_with(b"\n") && !pdf.ends_with(b"\r") {
            out.push(b'\n');
        }
        Self { source, out, offsets: BTreeMap::new(), next: source.trailer.size.max(1) }
    }

    /// A new object number. Some files say less than they have.
    fn id(&mut self) -> ObjRef {
        while self.source.has(self.next) {
            self.next += 1;
        }
        let id = ObjRef::new(self.next, 0);
        self.next += 1;
        id
    }

    fn object(&mut self, id: ObjRef, write: impl FnOnce(&mut Vec<u8>)) {
        self.offsets.insert(id.obj_number, (self.out.len(), id.gen_number));
        text(&mut self.out, &format!("{} {} obj\n", id.obj_number, id.gen_number));
        write(&mut self.out);
        text(&mut self.out, "\nendobj\n");
    }

    fn written(&mut self, id: ObjRef, object: &str) {
        self.object(id, |out| text(out, object));
    }

    fn stream(&mut self, id: ObjRef, entries: &str, content: &[u8]) {
        self.object(id, |out| {
            text(out, &format!("<<{entries}/Length {}>>stream\n", content.len()));
            out.extend_from_slice(content);
            text(out, "\nendstream");
        });
    }

    /// Writes the signature dictionary with room for the byte range and the signature; returns both.
    fn signature(&mut self, id: ObjRef, what: &Signing) -> [Range<usize>; 2] {
        let mut places = [0..0, 0..0];
        self.object(id, |out| {
            text(out, "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached\n");
            text(out, &format!("/M{}/Name{}/Reason{}\n", date(what), words(&what.name), words(&what.reason)));
            text(out, "/ByteRange[0 ");
            places[0] = out.len()..out.len() + 3 * NUMBER + 2;
            text(out, &" ".repeat(3 * NUMBER + 2));
            text(out, "]\n/Contents");
            places[1] = out.len()..out.len() + 2 * what.room + 2;
            text(out, &format!("<{}>>>", "0".repeat(2 * what.room)));
        });
        places
    }

    /// Writes the cross references and the byte range.
    fn finish(
        mut self,
        source: &Source,
        before: &[u8],
        places: [Range<usize>; 2],
    ) -> Result<Prepared, Problem> {
        let [range, hole] = places;
        let id = new_identifier(source, before, &self.out);
        let at = self.out.len();
        match source.trailer.is_stream {
            true => self.cross_reference_stream(at, &id),
            false => self.cross_reference_table(&id),
        }
        text(&mut self.out, &format!("startxref\n{at}\n%%EOF\n"));
        let numbers = [hole.start, hole.end, self.out.len() - hole.end];
        let numbers = numbers.map(|number| format!("{number:<NUMBER$}")).join(" ");
        self.out.get_mut(range).ok_or(Problem::TooLarge)?.copy_from_slice(numbers.as_bytes());
        Ok(Prepared::new(self.out, hole))
    }

    fn trailer(&self, size: u32, id: &[u8]) -> Vec<u8> {
        let from = &self.source.trailer;
        let mut out = Vec::new();
        text(&mut out, &format!("/Size {size}/Root {}/Prev {}", refer(from.root), from.at));
        if let Some(info) = from.info {
            text(&mut out, &format!("/Info {}", refer(info)));
        }
        text(&mut out, "/ID[");
        string(&mut out, from.id.as_deref().unwrap_or(id));
        string(&mut out, id);
        text(&mut out, "]");
        out
    }

    fn cross_reference_table(&mut self, id: &[u8]) {
        text(&mut self.out, "xref\n");
        for section in sections(&self.offsets) {
            text(&mut self.out, &format!("{} {}\n", section.start, section.len()));
            for (offset, generation) in section.filter_map(|number| self.offsets.get(&number)) {
                text(&mut self.out, &format!("{offset:010} {generation:05} n\r\n"));
            }
        }
        let trailer = self.trailer(self.next, id);
        text(&mut self.out, "trailer\n<<");
        self.out.extend_from_slice(&trailer);
        text(&mut self.out, ">>\n");
    }

    fn cross_reference_stream(&mut self, at: usize, id: &[u8]) {
        let own = self.id();
        self.offsets.insert(own.obj_number, (at, 0));
        let (mut index, mut entries) = (String::new(), Vec::new());
        for section in sections(&self.offsets) {
            index.push_str(&format!("{} {} ", section.start, section.len()));
            for (offset, generation) in section.filter_map(|number| self.offsets.get(&number)) {
                entries.push(1);
                entries.extend_from_slice(&(*offset as u32).to_be_bytes());
                entries.extend_from_slice(&(*generation as u16).to_be_bytes());
            }
        }
        let trailer = self.trailer(self.next, id);
        self.object(own, |out| {
            text(out, &format!("<</Type/XRef/W[1 4 2]/Index[{index}]"));
            out.extend_from_slice(&trailer);
            text(out, &format!("/Length {}>>stream\n", entries.len()));
            out.extend_from_slice(&entries);
            text(out, "\nendstream");
        });
    }
}

/// Runs of successive numbers.
fn sections(offsets: &BTreeMap<u32, (usize, i32)>) -> Vec<Range<u32>> {
    let mut sections: Vec<Range<u32>> = Vec::new();
    for number in offsets.keys() {
        match sections.last_mut() {
            Some(last) if last.end == *number => last.end += 1,
            _ => sections.push(*number..*number + 1),
        }
    }
    sections
}

/// Identifier of the file with its update, from its content.
fn new_identifier(source: &Source, before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(source.trailer.id.as_deref().unwrap_or_default());
    hash.update(after.get(before.len()..).unwrap_or_default());
    hash.finalize().iter().take(16).copied().collect()
}

//! Text in embedded fonts: only the glyphs that are used (ISO 32000-2 section 9.9).

use crate::{Problem, values::plain};
use std::{collections::BTreeMap, fmt::Write};
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

/// Fonts of a signature, as TrueType or OpenType files.
#[derive(Clone, Copy)]
pub struct Faces<'a> {
    /// For details.
    pub text: &'a [u8],
    /// For names and titles.
    pub bold: &'a [u8],
    /// For a typed signature.
    pub script: &'a [u8],
}

/// A font in use.
pub struct Type<'a> {
    bytes: &'a [u8],
    face: Face<'a>,
    glyphs: GlyphRemapper,
    /// Used glyphs: their width in thousandths, and their character.
    used: BTreeMap<u16, (f64, char)>,
}

/// An embedded font: the parts of its objects.
pub struct Embedded {
    pub file: Vec<u8>,
    /// Entries of the font descriptor, without the file.
    pub descriptor: String,
    /// Entries of the descendant font, without the descriptor.
    pub descendant: String,
    /// Character map for searching and copying.
    pub to_unicode: String,
}

/// Name of embedded fonts: six letters tell a subset.
pub const NAME: &str = "CARPST+Signature";

impl<'a> Type<'a> {
    pub fn new(bytes: &'a [u8]) -> Result<Self, Problem> {
        let face = Face::parse(bytes, 0).map_err(|_| Problem::Font)?;
        Ok(Self { bytes, face, glyphs: GlyphRemapper::new(), used: BTreeMap::new() })
    }

    fn thousandths(&self, units: f64) -> f64 {
        units * 1_000.0 / f64::from(self.face.units_per_em())
    }

    /// The text without what the font cannot show: such a character is replaced by its code point, as in `[U+1F9EC]`.
    fn printable(&self, text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match self.face.glyph_index(c) {
                _ if c.is_control() => out.push(' '),
                Some(_) => out.push(c),
                None => _ = write!(out, "[U+{:04X}]", u32::from(c)),
            }
        }
        out
    }

    /// Width of a text, in points.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        let advance = |c| self.face.glyph_index(c).and_then(|glyph| self.face.glyph_hor_advance(glyph));
        let units: f64 =
            self.printable(text).chars().map(|c| advance(c).map(f64::from).unwrap_or_default()).sum();
        self.thousandths(units) * size / 1_000.0
    }

    /// The text as a string for `Tj`.
    pub fn show(&mut self, text: &str) -> String {
        let mut out = String::from("<");
        for c in self.printable(text).chars() {
            let Some(glyph) = self.face.glyph_index(c) else { continue };
            let advance = self.face.glyph_hor_advance(glyph).map(f64::from).unwrap_or_default();
            let id = self.glyphs.remap(glyph.0);
            self.used.insert(id, (self.thousandths(advance), c));
            _ = write!(out, "{id:04x}");
        }
        out + ">"
    }

    /// The text shortened to a width, in points.
    pub fn fitted(&self, text: &str, size: f64, width: f64) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let mut kept: Vec<char> = text.chars().collect();
        while kept.pop().is_some() {
            let cut: String = kept.iter().chain(&['…']).collect();
            if self.width(&cut, size) <= width {
                return cut;
            }
        }
        String::new()
    }

    pub fn embed(&self) -> Result<Embedded, Problem> {
        let file = subsetter::subset(self.bytes, 0, &self.glyphs).map_err(|_| Problem::Font)?;
        let bounds = self.face.global_bounding_box();
        let em = |units: i16| plain(self.thousandths(f64::from(units)).round());
        let descriptor = format!(
            "/Type/FontDescriptor/FontName/{NAME}/Flags 4/ItalicAngle 0/StemV 80/FontBBox[{} {} {} {}]\
             /Ascent {}/Descent {}/CapHeight {}",
            em(bounds.x_min),
            em(bounds.y_min),
            em(bounds.x_max),
            em(bounds.y_max),
            em(self.face.ascender()),
            em(self.face.descender()),
            em(self.face.capital_height().unwrap_or(self.face.ascender())),
        );
        let mut widths = String::new();
        for (id, (width, _)) in &self.used {
            _ = write!(widths, "{id}[{}]", plain(width.round()));
        }
        let none = self.face.glyph_hor_advance(GlyphId(0)).map(f64::from).unwrap_or_default();
        let descendant = format!(
            "/Type/Font/Subtype/CIDFontType2/BaseFont/{NAME}/CIDToGIDMap/Identity/DW {}/W[{widths}]\
             /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>",
            plain(self.thousandths(none).round()),
        );
        Ok(Embedded { file, descriptor, descendant, to_unicode: self.to_unicode() })
    }

    fn to_unicode(&self) -> String {
        let mut map = String::from(
            "/CIDInit/ProcSet findresource begin 12 dict begin begincmap\n\
             /CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n\
             /CMapName/Adobe-Identity-UCS def/CMapType 2 def\n\
             1 begincodespacerange<0000><ffff>endcodespacerange\n",
        );
        let used: Vec<_> = self.used.iter().collect();
        // A block has at most a hundred entries.
        for block in used.chunks(100) {
            _ = writeln!(map, "{} beginbfchar", block.len());
            for (id, (_, c)) in block {
                _ = write!(map, "<{id:04x}><");
                for unit in c.encode_utf16(&mut [0; 2]) {
                    _ = write!(map, "{unit:04x}");
                }
                map.push_str(">\n");
            }
            map.push_str("endbfchar\n");
        }
        map + "endcmap CMapName currentdict/CMap defineresource pop end end"
    }
}

//! Fonts of typeset text.
//!
//! Liberation 2 and two Noto fonts are bundled (SIL Open Font License, see `fonts/LICENSE-OFL.txt`). They
//! cover Latin, Greek, Cyrillic, Hebrew, Arabic and Devanagari. Other characters are looked up in the fonts
//! installed on the machine. A character that no font has is reported, never drawn as an empty box.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use krilla::text::Font;
use parley::fontique::{
    Blob, Collection, CollectionOptions, FontInfoOverride, FontStyle, FontWeight, SourceCache,
};
use parley::style::FontFamilyName;
use parley::{FontContext, FontData, LayoutContext};
use ttf_parser::Face as Metrics;

use super::system;

/// A typeface in one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Sans,
    SansBold,
    SansItalic,
    Serif,
    Mono,
}

impl Face {
    pub(super) fn weight(self) -> FontWeight {
        if self == Self::SansBold { FontWeight::BOLD } else { FontWeight::NORMAL }
    }

    pub(super) fn style(self) -> FontStyle {
        if self == Self::SansItalic { FontStyle::Italic } else { FontStyle::Normal }
    }

    fn family(self) -> usize {
        match self {
            Self::Sans | Self::SansBold | Self::SansItalic => 0,
            Self::Serif => 1,
            Self::Mono => 2,
        }
    }
}

/// Family names of the three groups of [`Face`].
const FAMILIES: [&str; 3] = ["Sans", "Serif", "Mono"];
/// Fonts of [`FAMILIES`], by index.
const FACES: [(usize, &[u8]); 5] = [
    (0, include_bytes!("../../fonts/LiberationSans-Regular.ttf")),
    (0, include_bytes!("../../fonts/LiberationSans-Bold.ttf")),
    (0, include_bytes!("../../fonts/LiberationSans-Italic.ttf")),
    (1, include_bytes!("../../fonts/LiberationSerif-Regular.ttf")),
    (2, include_bytes!("../../fonts/LiberationMono-Regular.ttf")),
];
/// Fonts for characters that [`FACES`] lack.
const FALLBACKS: [&[u8]; 2] = [
    include_bytes!("../../fonts/NotoSansArabic-Regular.ttf"),
    include_bytes!("../../fonts/NotoSansDevanagari-Regular.ttf"),
];

thread_local! {
    static FONTS: RefCell<Fonts> = RefCell::new(Fonts::new());
}

/// Runs `work` with the fonts of this thread.
pub(super) fn with_fonts<T>(work: impl FnOnce(&mut Fonts) -> T) -> T {
    FONTS.with_borrow_mut(work)
}

/// Loaded fonts and their coverage.
pub(super) struct Fonts {
    pub context: FontContext,
    /// Scratch space. The brush of a style is the index of its piece.
    pub layouts: LayoutContext<usize>,
    /// For each group of faces: its own family, then the fallbacks.
    stacks: [Vec<FontFamilyName<'static>>; 3],
    /// Bit set of the first 65,536 characters: whether they have a glyph.
    covered: Vec<u64>,
    /// Whether further characters have a glyph, as far as known.
    further: HashMap<char, bool>,
    loaded: usize,
    drawable: HashMap<(u64, u32), Font>,
}

const PLANE: usize = 0x1_0000;

impl Fonts {
    fn new() -> Self {
        let collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        let mut fonts = Self {
            context: FontContext { collection, source_cache: SourceCache::default() },
            layouts: LayoutContext::new(),
            stacks: FAMILIES.map(|name| vec![FontFamilyName::Named(name.into())]),
            covered: vec![0; PLANE / 64],
            further: HashMap::new(),
            loaded: 0,
            drawable: HashMap::new(),
        };
        for (family, bytes) in FACES {
            fonts.register(Blob::new(Arc::new(bytes)), FAMILIES[family]);
        }
        // The serif and monospaced faces cover the same characters.
        fonts.cover(FACES[0].1, 0);
        for bytes in FALLBACKS {
            fonts.add_fallback(Blob::new(Arc::new(bytes)), 0);
        }
        fonts
    }

    fn register(&mut self, font: Blob<u8>, family: &str) {
        let named = FontInfoOverride { family_name: Some(family), ..FontInfoOverride::default() };
        self.context.collection.register_fonts(font, Some(named));
    }

    fn add_fallback(&mut self, font: Blob<u8>, index: u32) {
        let name = format!("Fallback {}", self.loaded);
        self.loaded += 1;
        self.cover(font.as_ref(), index);
        self.register(font, &name);
        for stack in &mut self.stacks {
            stack.push(FontFamilyName::Named(Cow::Owned(name.clone())));
        }
    }

    /// Notes the characters for which a font has glyphs.
    fn cover(&mut self, font: &[u8], index: u32) {
        let Some(table) = Metrics::parse(font, index).ok().and_then(|metrics| metrics.tables().cmap) else {
            return;
        };
        for subtable in table.subtables.into_iter().filter(|subtable| subtable.is_unicode()) {
            subtable.codepoints(|code| {
                let Some(c) = char::from_u32(code) else { return };
                if subtable.glyph_index(code).is_none_or(|glyph| glyph.0 == 0) {
                    return;
                }
                match code as usize {
                    code if code < PLANE => self.covered[code / 64] |= 1 << (code % 64),
                    _ => _ = self.further.insert(c, true),
                }
            });
        }
    }

    fn is_covered(&self, c: char) -> bool {
        match c as usize {
            code if code < PLANE => self.covered[code / 64] >> (code % 64) & 1 == 1,
            _ => self.further.get(&c) == Some(&true),
        }
    }

    /// Whether a character can be drawn. If no loaded font has it, looks for an installed font.
    fn can_draw(&mut self, c: char) -> bool {
        if self.is_covered(c) || is_invisible(c) {
            return true;
        }
        if self.further.get(&c) == Some(&false) {
            return false;
        }
        if let Some((bytes, index)) = system::font_with(c) {
            self.add_fallback(Blob::from(bytes), index);
        }
        let found = self.is_covered(c);
        if !found {
            self.further.insert(c, false);
        }
        found
    }

    /// The text with every character that no font has replaced by its code point, as in `[U+1F9EC]`. These
    /// characters are added to `missing`.
    pub fn printable<'a>(&mut self, text: &'a str, missing: &mut BTreeSet<char>) -> Cow<'a, str> {
        if text.chars().all(|c| self.is_covered(c) && !c.is_control()) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_control() {
                out.extend(c.is_whitespace().then_some(' '));
            } else if self.can_draw(c) {
                out.push(c);
            } else {
                missing.insert(c);
                out.push_str(&format!("[U+{:04X}]", u32::from(c)));
            }
        }
        Cow::Owned(out)
    }

    pub fn stack(&self, face: Face) -> Vec<FontFamilyName<'static>> {
        self.stacks[face.family()].clone()
    }

    /// The font in the form written into PDF files.
    pub fn drawable(&mut self, font: &FontData) -> Option<Font> {
        let key = (font.data.id(), font.index);
        if let Some(known) = self.drawable.get(&key) {
            return Some(known.clone());
        }
        let (data, _) = font.data.clone().into_raw_parts();
        let loaded = Font::new(data.into(), font.index)?;
        self.drawable.insert(key, loaded.clone());
        Some(loaded)
    }
}

/// Whether a character only affects its neighbours and has no glyph: joiners, direction marks, variation
/// selectors, tags, byte order marks (Unicode: `Default_Ignorable_Code_Point`, as far as it occurs in text).
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xe0000..=0xe0fff)
}

//! The fonts that travel with the program: Liberation 2 (SIL Open Font License, see `fonts/LICENSE-OFL.txt`).
//! They cover Latin, Greek, Cyrillic and Hebrew; other scripts print as empty boxes.

use std::sync::LazyLock;

use krilla::text::Font;
use ttf_parser::Face as Metrics;

/// A typeface in one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Sans,
    SansBold,
    SansItalic,
    Serif,
    Mono,
}

struct Loaded {
    font: Font,
    metrics: Metrics<'static>,
    /// Widths of U+0000 to U+017F in thousandths of the size, most of all text here.
    widths: Vec<f32>,
}

const COMMON: u32 = 0x180;

static FONTS: LazyLock<[Loaded; 5]> = LazyLock::new(|| {
    [
        load(include_bytes!("../../fonts/LiberationSans-Regular.ttf")),
        load(include_bytes!("../../fonts/LiberationSans-Bold.ttf")),
        load(include_bytes!("../../fonts/LiberationSans-Italic.ttf")),
        load(include_bytes!("../../fonts/LiberationSerif-Regular.ttf")),
        load(include_bytes!("../../fonts/LiberationMono-Regular.ttf")),
    ]
});

fn load(bytes: &'static [u8]) -> Loaded {
    let metrics = Metrics::parse(bytes, 0).expect("a bundled font is valid");
    let font = Font::new(bytes.into(), 0).expect("a bundled font is valid");
    let widths = (0..COMMON).map(|c| advance(&metrics, char::from_u32(c).unwrap_or(' '))).collect();
    Loaded { font, metrics, widths }
}

fn advance(metrics: &Metrics<'_>, c: char) -> f32 {
    let glyph = metrics.glyph_index(c).unwrap_or_default();
    f32::from(metrics.glyph_hor_advance(glyph).unwrap_or_default()) / f32::from(metrics.units_per_em())
}

impl Face {
    fn loaded(self) -> &'static Loaded {
        &FONTS[self as usize]
    }

    pub fn font(self) -> Font {
        self.loaded().font.clone()
    }

    /// Width of a character at size 1.
    pub fn char_width(self, c: char) -> f32 {
        let loaded = self.loaded();
        loaded.widths.get(c as usize).copied().unwrap_or_else(|| advance(&loaded.metrics, c))
    }

    /// Width of a text in points.
    pub fn width(self, text: &str, size: f32) -> f32 {
        text.chars().map(|c| self.char_width(c)).sum::<f32>() * size
    }
}

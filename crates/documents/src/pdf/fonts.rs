//! Fonts for PDF files that do not embed theirs.

use std::sync::Arc;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::font::{FallbackFontQuery, FontData, FontQuery, StandardFont};
use hayro::hayro_interpret::hayro_cmap::CidFamily;

use crate::typeset::font_with;

/// Settings for reading and drawing pages.
pub(super) fn settings() -> InterpreterSettings {
    InterpreterSettings { font_resolver: Arc::new(resolve), ..InterpreterSettings::default() }
}

fn resolve(query: &FontQuery) -> Option<(FontData, u32)> {
    match query {
        FontQuery::Standard(font) => Some(standard(*font)),
        FontQuery::Fallback(query) => {
            Some(of_script(query).unwrap_or_else(|| standard(query.pick_standard_font())))
        }
    }
}

macro_rules! liberation {
    ($style:literal) => {
        include_bytes!(concat!("../../fonts/Liberation", $style, ".ttf"))
    };
}

/// Liberation has the metrics of the standard text fonts and a glyph for every character of their encodings.
/// The library's own fonts lack some, and draw a wrong letter for a soft hyphen.
fn standard(font: StandardFont) -> (FontData, u32) {
    let bytes: &'static [u8] = match font {
        StandardFont::Helvetica => liberation!("Sans-Regular"),
        StandardFont::HelveticaBold => liberation!("Sans-Bold"),
        StandardFont::HelveticaOblique => liberation!("Sans-Italic"),
        StandardFont::HelveticaBoldOblique => liberation!("Sans-BoldItalic"),
        StandardFont::TimesRoman => liberation!("Serif-Regular"),
        StandardFont::TimesBold => liberation!("Serif-Bold"),
        StandardFont::TimesItalic => liberation!("Serif-Italic"),
        StandardFont::TimesBoldItalic => liberation!("Serif-BoldItalic"),
        StandardFont::Courier => liberation!("Mono-Regular"),
        StandardFont::CourierBold => liberation!("Mono-Bold"),
        StandardFont::CourierOblique => liberation!("Mono-Italic"),
        StandardFont::CourierBoldOblique => liberation!("Mono-BoldItalic"),
        StandardFont::Symbol | StandardFont::ZapfDingBats => return font.get_font_data(),
    };
    (Arc::new(bytes), 0)
}

/// An installed font for a Chinese, Japanese or Korean character collection of ISO 32000-1 section 9.7.3.
fn of_script(query: &FallbackFontQuery) -> Option<(FontData, u32)> {
    let sample = match query.character_collection.as_ref()?.family {
        CidFamily::AdobeJapan1 => 'の',
        CidFamily::AdobeKorea1 => '한',
        CidFamily::AdobeGB1 | CidFamily::AdobeCNS1 => '中',
        _ => return None,
    };
    let (bytes, index) = font_with(sample)?;
    Some((Arc::new(bytes), index))
}

//! Form fields with a value but no appearance in the file (ISO 32000-1 section 12.7).

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use hayro::kurbo::Rect;

use super::super::strings;
use super::super::words::Collector;
use super::{Align, Sheet, default_look, has_appearance};
use crate::typeset::{Ink, Look};

/// Field flags; bits counted from 0.
const MULTILINE: u32 = 1 << 12;
const PASSWORD: u32 = 1 << 13;
const PUSH_BUTTON: u32 = 1 << 16;
const COMB: u32 = 1 << 24;
/// Maximum depth of the tree of fields; ends loops in the file.
const MAX_DEPTH: usize = 16;
const BLACK: Ink = Ink(0, 0, 0);
const PAPER: Ink = Ink(255, 255, 255);

/// Properties of a file's form that apply to all its fields.
pub(super) struct Form<'a> {
    dict: Option<Dict<'a>>,
    /// Whether appearances in the file may be outdated.
    outdated: bool,
}

impl<'a> Form<'a> {
    pub fn of(pdf: &'a Pdf) -> Self {
        let xref = pdf.xref();
        let dict =
            xref.get::<Dict<'_>>(xref.root_id()).and_then(|catalog| catalog.get::<Dict<'_>>("AcroForm"));
        let outdated = dict.as_ref().and_then(|form| form.get::<bool>("NeedAppearances")).unwrap_or(false);
        Self { dict, outdated }
    }

    /// Draws the value of a field unless the file does so. `drawn` contains what the page's annotations draw.
    pub fn draw(&self, widget: &Dict<'a>, area: Rect, drawn: &Collector, sheet: &mut Sheet<'_>) {
        let flags = inherited::<u32>(widget, "Ff").unwrap_or(0);
        let kind = inherited::<Name<'_>>(widget, "FT");
        match kind.as_ref().map(Name::as_str) {
            Some("Tx") if flags & PASSWORD == 0 => {
                self.text(widget, &value(widget), flags, area, drawn, sheet)
            }
            Some("Ch") => self.text(widget, &choice(widget), flags & !MULTILINE, area, drawn, sheet),
            Some("Btn") if flags & PUSH_BUTTON == 0 => self.button(widget, area, sheet),
            _ => {}
        }
    }

    fn text(
        &self,
        widget: &Dict<'a>,
        value: &str,
        flags: u32,
        area: Rect,
        drawn: &Collector,
        sheet: &mut Sheet<'_>,
    ) {
        let shown = drawn.inside(area);
        let wanted: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        if wanted.is_empty()
            || (has_appearance(widget) && (shown == wanted || !(shown.is_empty() || self.outdated)))
        {
            return;
        }
        if !shown.is_empty() {
            sheet.fill(area, PAPER);
            sheet.covered.push(area);
        }
        let multiline = flags & MULTILINE != 0;
        let mut look = self.look(widget);
        if look.size == 0.0 {
            look.size =
                if multiline { 12.0 } else { (area.height() as f32 * 0.7).clamp(super::SMALLEST, 12.0) };
        }
        match inherited::<u32>(widget, "MaxLen").filter(|&cells| flags & COMB != 0 && cells > 0) {
            Some(cells) => comb(value, cells, area, look, sheet),
            None => sheet.text(value, area, look, self.align(widget), multiline),
        }
    }

    fn look(&self, widget: &Dict<'a>) -> Look {
        let own = inherited::<PdfString<'_>>(widget, "DA");
        let appearance = own.or_else(|| self.dict.as_ref()?.get::<PdfString<'_>>("DA"));
        default_look(&appearance.map(|words| strings::decode(words.as_bytes())).unwrap_or_default())
    }

    fn align(&self, widget: &Dict<'a>) -> Align {
        let own = inherited::<u32>(widget, "Q");
        match own.or_else(|| self.dict.as_ref()?.get::<u32>("Q")) {
            Some(1) => Align::Centre,
            Some(2) => Align::Right,
            _ => Align::Left,
        }
    }

    /// Draws a check box or radio button that is on and has no appearance for that state.
    fn button(&self, widget: &Dict<'a>, area: Rect, sheet: &mut Sheet<'_>) {
        let name = |name: Name<'_>| name.as_str().to_owned();
        let state = widget.get::<Name<'_>>("AS").map(name);
        let value = inherited::<Name<'_>>(widget, "V").map(name);
        let pictures = widget.get::<Dict<'_>>("AP").and_then(|appearances| appearances.get::<Dict<'_>>("N"));
        let on = |state: &Option<String>| state.as_deref().is_some_and(|state| !matches!(state, "" | "Off"));
        let lit = match &pictures {
            // The appearance of its state is drawn, if there is one.
            Some(pictures) => {
                let own = value.as_deref().is_some_and(|value| pictures.contains_key(value));
                on(&value) && own && state != value && (self.outdated || state.is_none())
            }
            None if has_appearance(widget) => false,
            None => {
                if state.is_some() {
                    on(&state)
                } else {
                    on(&value)
                }
            }
        };
        if lit {
            tick(&caption(widget), area, sheet);
        }
    }
}

/// The ZapfDingbats character of a button that is on.
fn caption(widget: &Dict<'_>) -> String {
    let caption = widget.get::<Dict<'_>>("MK").and_then(|look| look.get::<PdfString<'_>>("CA"));
    caption.map(|caption| strings::decode(caption.as_bytes())).unwrap_or_default()
}

fn tick(caption: &str, area: Rect, sheet: &mut Sheet<'_>) {
    let side = area.width().min(area.height());
    let (middle, width) = (area.center(), (side * 0.1).max(0.6) as f32);
    let at = |x: f64, y: f64| (middle.x + x * side, middle.y + y * side);
    match caption {
        "8" => {
            sheet.line([at(-0.3, -0.3), at(0.3, 0.3)], width, BLACK);
            sheet.line([at(-0.3, 0.3), at(0.3, -0.3)], width, BLACK);
        }
        "l" | "n" | "u" | "H" => sheet.fill(Rect::from_center_size(middle, (side * 0.5, side * 0.5)), BLACK),
        _ => sheet.line([at(-0.3, 0.0), at(-0.1, 0.25), at(0.3, -0.3)], width, BLACK),
    }
}

/// Draws one character per cell.
fn comb(value: &str, cells: u32, area: Rect, look: Look, sheet: &mut Sheet<'_>) {
    let width = area.width() / f64::from(cells);
    for (index, c) in value.chars().take(cells as usize).enumerate() {
        let left = area.x0 + width * index as f64;
        // Wide enough that the padding of a box leaves a narrow cell its room.
        let cell = Rect::new(left - 2.0, area.y0, left + width + 2.0, area.y1);
        sheet.text(c.encode_utf8(&mut [0; 4]), cell, look, Align::Centre, false);
    }
}

fn value(widget: &Dict<'_>) -> String {
    match inherited::<Object<'_>>(widget, "V") {
        Some(Object::String(text)) => strings::decode(text.as_bytes()),
        Some(Object::Stream(text)) => text.decoded().map(|text| strings::decode(&text)).unwrap_or_default(),
        Some(Object::Name(name)) => name.as_str().to_owned(),
        _ => String::new(),
    }
}

/// Displayed text of the selected options, which may differ from their values.
fn choice(widget: &Dict<'_>) -> String {
    let chosen: Vec<String> = match inherited::<Object<'_>>(widget, "V") {
        Some(Object::Array(several)) => {
            several.iter::<PdfString<'_>>().map(|text| strings::decode(text.as_bytes())).collect()
        }
        _ => vec![value(widget)],
    };
    let options = inherited::<Array<'_>>(widget, "Opt");
    let pairs = |options: &Array<'_>| {
        options
            .iter::<Array<'_>>()
            .filter_map(|pair| {
                let mut parts = pair.iter::<PdfString<'_>>().map(|text| strings::decode(text.as_bytes()));
                Some((parts.next()?, parts.next()?))
            })
            .collect::<Vec<_>>()
    };
    let pairs = options.as_ref().map(pairs).unwrap_or_default();
    let shown = chosen.into_iter().map(|value| {
        pairs.iter().find(|(export, _)| *export == value).map(|(_, shown)| shown.clone()).unwrap_or(value)
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A value of a field, possibly inherited from its ancestors.
fn inherited<'a, T: TryFrom<Object<'a>>>(field: &Dict<'a>, key: &str) -> Option<T> {
    let mut field = field.clone();
    for _ in 0..MAX_DEPTH {
        if let Some(value) = field.get::<Object<'_>>(key) {
            return T::try_from(value).ok();
        }
        field = field.get::<Dict<'_>>("Parent")?;
    }
    None
}

//! Writes laid-out pages as PDF.

use chrono::{Datelike, NaiveDateTime, Timelike};
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::blend::BlendMode;
use krilla::color::rgb;
use krilla::configure::{Archival, ConfigurationBuilder};
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::{Document, SerializeSettings};

use super::{Ink, Mark, Page, Turn};

/// The pages as PDF. `None` if a page has no size or the library refuses the content.
pub(crate) fn pdf(pages: Vec<Page>, title: &str) -> Option<Vec<u8>> {
    write(&pages, Document::new(), described(title))
}

/// As [`pdf`], as PDF/A-2b where the content allows it, so that the file remains readable for many years.
/// `at` is the creation time, UTC.
pub(crate) fn pdf_to_keep(pages: &[Page], title: &str, at: NaiveDateTime) -> Option<Vec<u8>> {
    let to_keep = || {
        let configuration =
            ConfigurationBuilder::new().with_archival_validator(Archival::A2_B).finish().ok()?;
        let settings = SerializeSettings { configuration, ..SerializeSettings::default() };
        let made = described(title).creation_date(time(at)?);
        write(pages, Document::new_with(settings), made)
    };
    to_keep().or_else(|| write(pages, Document::new(), described(title)))
}

fn described(title: &str) -> Metadata {
    Metadata::new().title(title.to_owned()).creator("Carepost".to_owned())
}

fn time(at: NaiveDateTime) -> Option<DateTime> {
    let day = DateTime::new(at.year().try_into().ok()?).month(at.month() as u8).day(at.day() as u8);
    let time = day.hour(at.hour() as u8).minute(at.minute() as u8).second(at.second() as u8);
    Some(time.utc_offset_hour(0).utc_offset_minute(0))
}

fn write(pages: &[Page], mut document: Document, metadata: Metadata) -> Option<Vec<u8>> {
    document.set_metadata(metadata);
    for page in pages {
        let mut output = document.start_page_with(PageSettings::from_wh(page.width, page.height)?);
        let mut surface = output.surface();
        for mark in &page.marks {
            draw(&mut surface, mark);
        }
        surface.finish();
        for mark in &page.marks {
            if let Mark::Link { x, y, width, height, url } = mark
                && let Some(rect) = Rect::from_xywh(*x, *y, *width, *height)
            {
                let target = Target::Action(Action::Link(LinkAction::new(url.clone())));
                output.add_annotation(Annotation::new_link(LinkAnnotation::new(rect, target), None));
            }
        }
        output.finish();
    }
    document.finish().ok()
}

fn draw(surface: &mut Surface<'_>, mark: &Mark) {
    match mark {
        Mark::Text { x, y, run } => {
            surface.set_fill(Some(fill(run.look.ink)));
            let start = Point::from_xy(*x, *y);
            surface.draw_glyphs(start, &run.glyphs, run.font.clone(), &run.text, run.look.size, false);
        }
        Mark::Stroke { from, to, width, ink } => {
            let mut path = PathBuilder::new();
            path.move_to(from.0, from.1);
            path.line_to(to.0, to.1);
            let Some(path) = path.finish() else { return };
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                paint: colour(*ink).into(),
                width: *width,
                ..Stroke::default()
            }));
            surface.draw_path(&path);
            surface.set_stroke(None);
        }
        Mark::Fill { x, y, width, height, ink } => fill_box(surface, (*x, *y), (*width, *height), *ink),
        Mark::Tint { x, y, width, height, ink } => {
            surface.push_blend_mode(BlendMode::Multiply);
            fill_box(surface, (*x, *y), (*width, *height), *ink);
            surface.pop();
        }
        Mark::Picture { x, y, width, height, image, turn } => {
            let upright = if turn.quarters.is_multiple_of(2) { (*width, *height) } else { (*height, *width) };
            let Some(size) = Size::from_wh(upright.0, upright.1) else { return };
            surface.push_transform(&turned(*turn, (*x, *y), (*width, *height)));
            surface.draw_image(image.clone(), size);
            surface.pop();
        }
        Mark::Link { .. } => {}
    }
}

fn fill_box(surface: &mut Surface<'_>, (x, y): (f32, f32), (width, height): (f32, f32), ink: Ink) {
    let Some(rect) = Rect::from_xywh(x, y, width, height) else { return };
    let mut path = PathBuilder::new();
    path.push_rect(rect);
    let Some(path) = path.finish() else { return };
    surface.set_fill(Some(fill(ink)));
    surface.draw_path(&path);
}

/// Maps the picture so that it fills the box at `at` after being mirrored and rotated clockwise.
fn turned(turn: Turn, at: (f32, f32), size: (f32, f32)) -> Transform {
    let (width, height) = size;
    // Rows: x' = sx*x + kx*y + tx, y' = ky*x + sy*y + ty.
    let (sx, ky, kx, sy, tx, ty) = match (turn.quarters % 4, turn.mirrored) {
        (0, false) => (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
        (1, false) => (0.0, 1.0, -1.0, 0.0, width, 0.0),
        (2, false) => (-1.0, 0.0, 0.0, -1.0, width, height),
        (3, false) => (0.0, -1.0, 1.0, 0.0, 0.0, height),
        (0, true) => (-1.0, 0.0, 0.0, 1.0, width, 0.0),
        (1, true) => (0.0, -1.0, -1.0, 0.0, width, height),
        (2, true) => (1.0, 0.0, 0.0, -1.0, 0.0, height),
        _ => (0.0, 1.0, 1.0, 0.0, 0.0, 0.0),
    };
    Transform::from_row(sx, ky, kx, sy, at.0 + tx, at.1 + ty)
}

fn colour(ink: Ink) -> rgb::Color {
    rgb::Color::new(ink.0, ink.1, ink.2)
}

fn fill(ink: Ink) -> Fill {
    Fill { paint: colour(ink).into(), ..Fill::default() }
}

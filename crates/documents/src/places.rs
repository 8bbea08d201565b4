//! Positions of words on a page.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// An area of a page, as fractions of its width and height, from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    /// The area between two corners on a page of this size; `None` if none of it is on the page.
    pub fn between(
        (left, top): (f64, f64),
        (right, bottom): (f64, f64),
        (width, height): (f64, f64),
    ) -> Option<Self> {
        let share = |at: f64, whole: f64| (at / whole).clamp(0.0, 1.0) as f32;
        let (left, top) = (share(left, width), share(top, height));
        let (right, bottom) = (share(right, width), share(bottom, height));
        let is_there = right > left && bottom > top;
        is_there.then_some(Self { left, top, width: right - left, height: bottom - top })
    }

    /// The smallest area that contains both.
    pub fn around(self, other: Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        Self { left, top, width: right - left, height: bottom - top }
    }
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Byte range in the text.
    pub start: usize,
    pub end: usize,
    pub area: Area,
    /// Confidence of the text recognition, 0 to 1.
    pub confidence: f32,
}

/// The text of a page and the positions of its words, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacedText {
    pub text: String,
    pub places: Vec<Place>,
}

impl PlacedText {
    /// Adds a piece of a word, or a blank. Pieces without a blank between them form one word.
    pub fn push(&mut self, piece: &str, area: Option<Area>, confidence: f32) {
        let start = self.text.len();
        self.text.push_str(piece);
        let Some(area) = area.filter(|_| !piece.trim().is_empty()) else { return };
        let end = self.text.len();
        match self.places.last_mut().filter(|last| last.end == start) {
            Some(last) => {
                last.end = end;
                last.area = last.area.around(area);
                last.confidence = last.confidence.min(confidence);
            }
            None => self.places.push(Place { start, end, area, confidence }),
        }
    }

    /// Removes trailing blanks of the last line.
    pub fn end_line(&mut self) {
        let kept = self.text.trim_end_matches(|c: char| c.is_whitespace() && c != '\n').len();
        self.text.truncate(kept);
        if let Some(last) = self.places.last_mut() {
            last.end = last.end.min(kept);
        }
    }

    /// Area of a range of the text, and the lowest confidence of its words.
    pub fn found(&self, range: &Range<usize>) -> Option<(Area, f32)> {
        let touched = self.places.iter().filter(|place| place.start < range.end && place.end > range.start);
        touched
            .map(|place| (place.area, place.confidence))
            .reduce(|all, next| (all.0.around(next.0), all.1.min(next.1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_text_and_pieces_grow_together() {
        let at = |left: f64| Area::between((left, 10.0), (left + 10.0, 20.0), (100.0, 100.0));
        let mut page = PlacedText::default();
        page.push("Do", at(0.0), 0.9);
        page.push("B", at(10.0), 0.8);
        page.push("  ", None, 1.0);
        page.push("1961 ", at(50.0), 1.0);
        page.end_line();
        assert_eq!((page.text.as_str(), page.places.len()), ("DoB  1961", 2));
        let (area, confidence) = page.found(&(0..3)).unwrap();
        assert_eq!((area.left, area.width, confidence), (0.0, 0.2, 0.8));
        assert_eq!(page.found(&(5..9)).unwrap().0, at(50.0).unwrap());
        assert_eq!(page.found(&(3..5)), None);
        assert_eq!(Area::between((0.0, 0.0), (1.0, 1.0), (0.0, 0.0)), None, "a page without a size");
    }
}

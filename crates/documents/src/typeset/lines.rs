//! Breaks running text into lines.

use super::{Ink, fonts::Face};

/// Look of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub face: Face,
    /// Points.
    pub size: f32,
    pub ink: Ink,
    /// Points above the base line; below when negative.
    pub rise: f32,
    pub underline: bool,
    pub struck: bool,
}

impl Look {
    pub const fn new(face: Face, size: f32) -> Self {
        Self { face, size, ink: Ink::BLACK, rise: 0.0, underline: false, struck: false }
    }

    pub const fn ink(self, ink: Ink) -> Self {
        Self { ink, ..self }
    }
}

/// Running text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text { text: String, look: Look, link: Option<String> },
    Break,
}

impl Piece {
    pub fn new(text: impl Into<String>, look: Look) -> Self {
        Self::Text { text: text.into(), look, link: None }
    }
}

/// A part of a line in one look.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub x: f32,
    pub width: f32,
    pub text: String,
    pub look: Look,
    pub link: Option<String>,
}

/// A line, runs from left to right.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pub runs: Vec<Run>,
    pub width: f32,
    /// Largest size on the line.
    pub size: f32,
}

/// Breaks text at blanks so that no line is wider than `width`; words that are wider break anywhere.
pub(crate) fn break_lines(pieces: &[Piece], width: f32, base: Look) -> Vec<Line> {
    let mut breaker = Breaker { width: width.max(1.0), base, done: Vec::new(), line: empty(base) };
    for piece in pieces {
        match piece {
            Piece::Break => breaker.end_line(),
            Piece::Text { text, look, link } => breaker.text(text, *look, link.as_deref()),
        }
    }
    breaker.end_line();
    breaker.done
}

fn empty(base: Look) -> Line {
    Line { size: base.size, ..Line::default() }
}

/// Widest line that the text would have unbroken, and its widest word.
pub(crate) fn natural_widths(pieces: &[Piece]) -> (f32, f32) {
    let (mut line, mut widest_line, mut widest_word) = (0.0f32, 0.0f32, 0.0f32);
    for piece in pieces {
        match piece {
            Piece::Break => line = 0.0,
            Piece::Text { text, look, .. } => {
                line += look.face.width(text, look.size);
                let words = text.split(' ').map(|word| look.face.width(word, look.size));
                widest_word = words.fold(widest_word, f32::max);
            }
        }
        widest_line = widest_line.max(line);
    }
    (widest_line, widest_word)
}

struct Breaker {
    width: f32,
    base: Look,
    done: Vec<Line>,
    line: Line,
}

impl Breaker {
    fn text(&mut self, text: &str, look: Look, link: Option<&str>) {
        for token in tokens(text) {
            let wide = look.face.width(token, look.size);
            let blank = token.starts_with(' ');
            if blank && self.line.runs.is_empty() && !self.done.is_empty() && self.wrapped() {
                continue;
            }
            if self.line.width + wide > self.width && !self.line.runs.is_empty() {
                self.end_line();
                if blank {
                    continue;
                }
            }
            if wide > self.width {
                self.long_word(token, look, link)
            } else {
                self.push(token, wide, look, link)
            }
        }
    }

    /// Whether the open line continues text that did not fit: its leading blanks are dropped.
    fn wrapped(&self) -> bool {
        self.done.last().is_some_and(|line| !line.runs.is_empty())
    }

    fn long_word(&mut self, word: &str, look: Look, link: Option<&str>) {
        let mut start = 0;
        let mut wide = 0.0;
        for (at, c) in word.char_indices() {
            let next = look.face.char_width(c) * look.size;
            if wide + next > self.width && at > start {
                self.push(&word[start..at], wide, look, link);
                self.end_line();
                (start, wide) = (at, 0.0);
            }
            wide += next;
        }
        self.push(&word[start..], wide, look, link);
    }

    fn push(&mut self, text: &str, wide: f32, look: Look, link: Option<&str>) {
        let line = &mut self.line;
        line.size = line.size.max(look.size);
        match line.runs.last_mut().filter(|run| run.look == look && run.link.as_deref() == link) {
            Some(run) => {
                run.text.push_str(text);
                run.width += wide;
            }
            None => {
                let link = link.map(str::to_owned);
                line.runs.push(Run { x: line.width, width: wide, text: text.to_owned(), look, link });
            }
        }
        line.width += wide;
    }

    fn end_line(&mut self) {
        self.done.push(std::mem::replace(&mut self.line, empty(self.base)));
    }
}

/// Words and single blanks, in order.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if first == ' ' { 1 } else { rest.find(' ').unwrap_or(rest.len()) };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look::new(Face::Mono, 10.0);

    fn broken(text: &str, columns: f32) -> Vec<String> {
        // Every character of the monospaced face is 0.6 of the size wide.
        let lines = break_lines(&[Piece::new(text, LOOK)], columns * 6.01, LOOK);
        lines.iter().map(|line| line.runs.iter().map(|run| run.text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        assert_eq!(broken("take one tablet", 8.0), ["take one", "tablet"]);
        assert_eq!(broken("0123456789", 4.0), ["0123", "4567", "89"]);
        assert_eq!(broken("", 4.0), [""]);
    }

    #[test]
    fn leading_blanks_of_a_new_text_are_kept() {
        assert_eq!(broken("  indented", 12.0), ["  indented"]);
    }
}

//! Tables with automatic column widths, rows that break across pages, and a repeated head.

use super::{Ink, Line, Look, Mark, Paragraph, Piece, Typesetter};

/// A table cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cell {
    pub content: Vec<Piece>,
    pub shaded: bool,
    /// Number of columns, at least 1.
    pub columns: usize,
    /// Number of rows, at least 1.
    pub rows: usize,
    pub right: bool,
}

impl Cell {
    pub fn new(content: Vec<Piece>) -> Self {
        Self { content, columns: 1, rows: 1, ..Self::default() }
    }

    pub fn shaded(self) -> Self {
        Self { shaded: true, ..self }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub head: Vec<Vec<Cell>>,
    pub rows: Vec<Vec<Cell>>,
    /// Relative widths of the columns; determined from the content if empty.
    pub shares: Vec<f32>,
    /// Look of empty cells; determines their height.
    pub look: Look,
    /// Space between text and lines.
    pub padding: f32,
    /// Whether there are lines between columns too, not only between rows.
    pub grid: bool,
    /// Space below.
    pub after: f32,
}

/// Maximum number of columns; more than fit on any page.
const MAX_COLUMNS: usize = 60;
const LEADING: f32 = 1.28;

/// A cell on the grid, with its first column and number of columns.
struct Placed<'a> {
    cell: &'a Cell,
    text: Paragraph<'a>,
    column: usize,
    columns: usize,
}

/// A row ready to be printed.
struct Row<'a> {
    cells: Vec<Placed<'a>>,
    lines: Vec<Vec<Line>>,
}

/// A table with final column widths.
struct Layout<'a> {
    table: &'a Table,
    widths: Vec<f32>,
    head: Vec<Row<'a>>,
    /// Height of the head if it repeats on each page, else 0.
    repeated: f32,
}

impl Typesetter {
    pub fn table(&mut self, table: &Table) {
        let head = place(&table.head, table.look);
        let rows = place(&table.rows, table.look);
        let count = columns(&head).max(columns(&rows));
        if count == 0 {
            return;
        }
        let widths = column_widths(table, &head, &rows, count, self.sheet.text_width());
        let head: Vec<_> = head.into_iter().map(|row| self.table_lines(table, &widths, row)).collect();
        let head_height: f32 = head.iter().map(|row| row_height(&row.lines, table)).sum();
        // A head of half a page or more is not repeated.
        let repeated = if head_height < self.page_room() / 2.0 { head_height } else { 0.0 };
        let layout = Layout { table, widths, head, repeated };
        self.need(head_height + table.look.size * LEADING * 2.0);
        self.table_head(&layout);
        for row in rows {
            let row = self.table_lines(table, &layout.widths, row);
            let height = row_height(&row.lines, table);
            if height > self.room() && height <= self.page_room() - repeated {
                self.table_page(&layout);
            }
            self.table_row(row, &layout);
        }
        self.y += table.after;
    }

    /// Breaks the text of each cell of a row into lines.
    fn table_lines<'a>(&mut self, table: &Table, widths: &[f32], mut cells: Vec<Placed<'a>>) -> Row<'a> {
        let broken = cells.iter_mut().map(|placed| {
            let width: f32 = widths[placed.column..placed.column + placed.columns].iter().sum();
            let lines = placed.text.lines(width - table.padding * 2.0);
            self.missing.append(&mut placed.text.missing);
            lines
        });
        Row { lines: broken.collect(), cells }
    }

    fn table_head(&mut self, layout: &Layout<'_>) {
        for row in &layout.head {
            self.row_part(&row.cells, &row.lines, layout.table, &layout.widths);
        }
    }

    fn table_page(&mut self, layout: &Layout<'_>) {
        self.new_page();
        if layout.repeated > 0.0 {
            self.table_head(layout);
        }
    }

    /// Prints a row; the rest continues on the next page.
    fn table_row(&mut self, row: Row<'_>, layout: &Layout<'_>) {
        let Row { cells, mut lines } = row;
        loop {
            let fresh = self.room() >= self.page_room() - layout.repeated - 1.0;
            let room = (self.room() - layout.table.padding * 2.0).max(0.0);
            let mut part: Vec<Vec<Line>> = lines.iter_mut().map(|cell| take(cell, room)).collect();
            if fresh && part.iter().all(Vec::is_empty) {
                // If not even one line fits on an empty page, it is printed beyond the margin.
                part = lines.iter_mut().map(|cell| cell.drain(..cell.len().min(1)).collect()).collect();
            }
            if fresh || part.iter().any(|cell| !cell.is_empty()) {
                self.row_part(&cells, &part, layout.table, &layout.widths);
            }
            if lines.iter().all(Vec::is_empty) {
                return;
            }
            self.table_page(layout);
        }
    }

    fn row_part(&mut self, row: &[Placed<'_>], lines: &[Vec<Line>], table: &Table, widths: &[f32]) {
        let height = row_height(lines, table);
        let (left, top) = (self.sheet.left, self.y);
        for (placed, lines) in row.iter().zip(lines) {
            let x = left + widths[..placed.column].iter().sum::<f32>();
            let width: f32 = widths[placed.column..placed.column + placed.columns].iter().sum();
            if placed.cell.shaded {
                self.mark(Mark::Fill { x, y: top, width, height, ink: Ink::SHADE });
            }
            self.y = top + table.padding;
            for line in lines {
                let slack = width - table.padding * 2.0 - line.width - line.start;
                let shift = if placed.cell.right { slack.max(0.0) } else { 0.0 };
                self.line(line, x + table.padding + shift, line.size * LEADING);
                self.y += line.size * LEADING;
            }
        }
        self.y = top + height;
        self.row_lines(row, table, widths, top);
    }

    fn row_lines(&mut self, row: &[Placed<'_>], table: &Table, widths: &[f32], top: f32) {
        let (left, bottom) = (self.sheet.left, self.y);
        let right = left + widths.iter().sum::<f32>();
        let mut stroke = |from, to| self.mark(Mark::Stroke { from, to, width: 0.6, ink: Ink::HAIRLINE });
        stroke((left, top), (right, top));
        stroke((left, bottom), (right, bottom));
        if table.grid {
            stroke((right, top), (right, bottom));
            for placed in row {
                let x = left + widths[..placed.column].iter().sum::<f32>();
                stroke((x, top), (x, bottom));
            }
        }
    }
}

fn column_widths(
    table: &Table,
    head: &[Vec<Placed<'_>>],
    rows: &[Vec<Placed<'_>>],
    count: usize,
    total: f32,
) -> Vec<f32> {
    if table.shares.len() == count {
        let sum: f32 = table.shares.iter().sum();
        return table.shares.iter().map(|share| total * share / sum).collect();
    }
    let mut natural = vec![1.0f32; count];
    let mut least = vec![1.0f32; count];
    for placed in head.iter().chain(rows).flatten().filter(|placed| placed.columns == 1) {
        let (line, word) = placed.text.natural_widths();
        let (line, word) = (line + table.padding * 2.0 + 0.5, word + table.padding * 2.0 + 0.5);
        natural[placed.column] = natural[placed.column].max(line);
        least[placed.column] = least[placed.column].max(word);
    }
    distribute(&least, &natural, total)
}

/// Gives each column the width of its widest word, then shares the rest in proportion to the width that its
/// text could still use.
fn distribute(least: &[f32], natural: &[f32], total: f32) -> Vec<f32> {
    let (sum_least, sum_natural): (f32, f32) = (least.iter().sum(), natural.iter().sum());
    if sum_natural <= total {
        return natural.iter().map(|width| width * total / sum_natural).collect();
    }
    if sum_least >= total {
        // With very wide words, limits each column before sharing, so that none gets far more than an even
        // share.
        let even = total / least.len() as f32;
        let capped: Vec<_> = least.iter().map(|width| width.min(even * 1.6)).collect();
        let sum: f32 = capped.iter().sum();
        return capped.iter().map(|width| width * total / sum).collect();
    }
    let spread = (total - sum_least) / (sum_natural - sum_least);
    least.iter().zip(natural).map(|(least, natural)| least + (natural - least) * spread).collect()
}

fn row_height(lines: &[Vec<Line>], table: &Table) -> f32 {
    let tallest =
        lines.iter().map(|cell| cell.iter().map(|line| line.size * LEADING).sum()).fold(0.0, f32::max);
    tallest.max(table.look.size * LEADING) + table.padding * 2.0
}

/// Removes and returns the lines that fit.
fn take(cell: &mut Vec<Line>, room: f32) -> Vec<Line> {
    let mut used = 0.0;
    let fits = cell.iter().take_while(|line| {
        used += line.size * LEADING;
        used <= room + 0.01
    });
    let count = fits.count();
    cell.drain(..count).collect()
}

/// Puts cells on the grid, skipping columns that are covered by cells of rows above.
fn place(rows: &[Vec<Cell>], look: Look) -> Vec<Vec<Placed<'_>>> {
    let mut covered = [0usize; MAX_COLUMNS];
    let placed = rows.iter().map(|row| {
        let mut column = 0;
        let mut out = Vec::new();
        let before = covered;
        for cell in row {
            while column < MAX_COLUMNS && before[column] > 0 {
                column += 1;
            }
            if column >= MAX_COLUMNS {
                break;
            }
            let columns = cell.columns.clamp(1, MAX_COLUMNS - column);
            covered[column..column + columns].fill(cell.rows.max(1));
            out.push(Placed { cell, text: Paragraph::new(&cell.content, look), column, columns });
            column += columns;
        }
        covered.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
        out
    });
    placed.collect()
}

fn columns(rows: &[Vec<Placed<'_>>]) -> usize {
    rows.iter().flatten().map(|placed| placed.column + placed.columns).max().unwrap_or(0)
}

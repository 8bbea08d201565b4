//! Section narrative as a small tree of blocks and runs.

/// A block of narrative.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A list.
    List(List),
    /// A table.
    Table(Table),
    /// A picture: the `ID` of a [`super::Media`].
    Picture(String),
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq)]
pub enum Inline {
    /// Text in one style.
    Run {
        /// The text; white space is collapsed as HTML does.
        text: String,
        /// Its style.
        style: Style,
        /// Target of a link: http, https or mailto.
        link: Option<String>,
    },
    /// A line break.
    Break,
}

/// Style of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// styleCode `Bold`.
    pub bold: bool,
    /// styleCodes `Italics` and `Emphasis`.
    pub italic: bool,
    /// styleCode `Underline`.
    pub underline: bool,
    /// Deleted text: `content/@revised="delete"`, or struck through.
    pub struck: bool,
    /// `sub`.
    pub subscript: bool,
    /// `sup`.
    pub superscript: bool,
}

/// A list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct List {
    /// Heading above it.
    pub caption: Vec<Inline>,
    /// Marker of items.
    pub marker: Marker,
    /// Items; each is a list of blocks.
    pub items: Vec<Vec<Block>>,
}

/// Marker of list items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Marker {
    /// A dot.
    #[default]
    Disc,
    /// A ring.
    Circle,
    /// A square.
    Square,
    /// 1, 2, 3
    Arabic,
    /// i, ii, iii
    LittleRoman,
    /// I, II, III
    BigRoman,
    /// a, b, c
    LittleAlpha,
    /// A, B, C
    BigAlpha,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Heading above it.
    pub caption: Vec<Inline>,
    /// Rows of `thead`.
    pub head: Vec<Vec<Cell>>,
    /// All other rows, `tfoot` last.
    pub rows: Vec<Vec<Cell>>,
}

/// A table cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// `th`.
    pub heading: bool,
    /// Columns covered, at least 1.
    pub columns: u16,
    /// Rows covered, at least 1.
    pub rows: u16,
    /// Alignment of its text.
    pub align: Align,
    /// Content.
    pub content: Vec<Block>,
}

/// Horizontal alignment of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    /// Left, also for justified text.
    #[default]
    Start,
    /// Centre.
    Center,
    /// Right.
    End,
}

impl Block {
    /// A line of text.
    pub(in crate::cda) fn line(text: &str) -> Self {
        Self::Paragraph(vec![Inline::plain(text)])
    }
}

impl Inline {
    /// Text without a style or link.
    pub(in crate::cda) fn plain(text: &str) -> Self {
        Self::Run { text: text.to_owned(), style: Style::default(), link: None }
    }

    /// Text in italics.
    pub(in crate::cda) fn italic(text: &str) -> Self {
        let style = Style { italic: true, ..Style::default() };
        Self::Run { text: text.to_owned(), style, link: None }
    }
}

impl Cell {
    /// A cell with a line for each text.
    pub(in crate::cda) fn of_lines(lines: &[impl AsRef<str>], heading: bool) -> Self {
        let inlines: Vec<_> =
            lines.iter().flat_map(|line| [Inline::Break, Inline::plain(line.as_ref())]).skip(1).collect();
        let content = if inlines.is_empty() { Vec::new() } else { vec![Block::Paragraph(inlines)] };
        Self { heading, columns: 1, rows: 1, content, ..Self::default() }
    }
}

/// The text of blocks, for search and extraction: a line for each block and table row, cells separated by tabs.
pub fn plain_text(blocks: &[Block]) -> String {
    let mut out = String::new();
    blocks_text(blocks, &mut out);
    out.trim_end().to_owned()
}

fn blocks_text(blocks: &[Block], out: &mut String) {
    for block in blocks {
        match block {
            Block::Paragraph(inlines) => inlines_text(inlines, out),
            Block::List(list) => {
                caption_text(&list.caption, out);
                list.items.iter().for_each(|item| blocks_text(item, out));
            }
            Block::Table(table) => {
                caption_text(&table.caption, out);
                table.head.iter().chain(&table.rows).for_each(|row| row_text(row, out));
            }
            Block::Picture(_) => {}
        }
    }
}

fn caption_text(caption: &[Inline], out: &mut String) {
    if !caption.is_empty() {
        inlines_text(caption, out);
    }
}

fn row_text(row: &[Cell], out: &mut String) {
    let cells: Vec<_> = row.iter().map(|cell| plain_text(&cell.content).replace('\n', " ")).collect();
    out.push_str(&cells.join("\t"));
    out.push('\n');
}

fn inlines_text(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            // Deleted text must not read as if it were valid.
            Inline::Run { text, style, .. } if style.struck && !text.trim().is_empty() => {
                out.push_str(&format!("[struck out: {text}]"));
            }
            Inline::Run { text, .. } => out.push_str(text),
            Inline::Break => out.push('\n'),
        }
    }
    out.push('\n');
}

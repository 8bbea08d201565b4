//! Section narrative (CDA R2 section 4.3.5, `StrucDoc.Text`) as a small tree of blocks and runs.
//!
//! Keeps only content for readers. Unknown elements contribute their text; HTML elements with code (`script`,
//! `style`, `iframe`, ...) contribute nothing.

use roxmltree::Node;

use super::limits::{MAX_NODES, check_depth};
pub use super::model::narrative::{Align, Block, Cell, Inline, List, Marker, Style, Table, plain_text};

/// Most rows or columns that a cell may span, so that a forged table cannot exhaust memory.
const MAX_SPAN: u16 = 100;

/// Reads the content of a `text` element.
pub(super) fn read(text: Node<'_, '_>) -> Vec<Block> {
    let mut flow = Flow::default();
    flow.children(text, Style::default(), None);
    flow.finish()
}

/// Reads XHTML narrative from other sources, such as a FHIR resource; None if it is not well-formed. Code, styles and
/// pictures are dropped.
pub fn from_xhtml(xml: &str) -> Option<Vec<Block>> {
    let document = xml::parse(xml, MAX_NODES).ok()?;
    check_depth(&document).ok()?;
    Some(read(document.root_element()))
}

/// Collects blocks. Loose text between them becomes paragraphs.
#[derive(Default)]
struct Flow {
    blocks: Vec<Block>,
    open: Vec<Inline>,
}

impl Flow {
    fn children(&mut self, node: Node<'_, '_>, style: Style, link: Option<&str>) {
        node.children().for_each(|child| self.node(child, style, link));
    }

    fn node(&mut self, node: Node<'_, '_>, style: Style, link: Option<&str>) {
        if let Some(text) = node.text().filter(|_| node.is_text()) {
            self.text(text, style, link);
        } else if node.is_element() {
            self.element(node, style, link);
        }
    }

    fn element(&mut self, node: Node<'_, '_>, style: Style, link: Option<&str>) {
        match node.tag_name().name() {
            "script" | "style" | "iframe" | "object" | "embed" | "applet" | "noscript" | "template" => {}
            "br" => {
                self.open.push(Inline::Break);
                self.children(node, style, link);
            }
            "paragraph" | "p" | "div" | "footnote" | "pre" | "blockquote" | "dt" | "dd" => {
                self.paragraph(node, style, link)
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.paragraph(node, Style { bold: true, ..style }, link)
            }
            "list" | "ul" | "ol" => self.block(Block::List(list(node))),
            "table" => self.block(Block::Table(table(node))),
            "renderMultiMedia" => self.pictures(node),
            "linkHtml" | "a" => {
                let target = node.attribute("href").and_then(safe_link);
                self.children(node, style, target.as_deref().or(link));
            }
            "sub" => self.children(node, Style { subscript: true, ..style }, link),
            "sup" => self.children(node, Style { superscript: true, ..style }, link),
            _ => self.children(node, styled(node, style), link),
        }
    }

    fn paragraph(&mut self, node: Node<'_, '_>, style: Style, link: Option<&str>) {
        self.flush();
        self.children(node, styled(node, style), link);
        self.flush();
    }

    fn pictures(&mut self, node: Node<'_, '_>) {
        self.flush();
        for id in node.attribute("referencedObject").unwrap_or_default().split_ascii_whitespace() {
            self.blocks.push(Block::Picture(id.to_owned()));
        }
        self.children(node, Style { italic: true, ..Style::default() }, None);
        self.flush();
    }

    fn block(&mut self, block: Block) {
        self.flush();
        self.blocks.push(block);
    }

    fn text(&mut self, text: &str, style: Style, link: Option<&str>) {
        let text = collapse(text, self.ends_with_blank());
        if text.is_empty() {
            return;
        }
        let link = link.map(str::to_owned);
        if let Some(Inline::Run { text: last, style: s, link: l }) = self.open.last_mut()
            && (*s, &*l) == (style, &link)
        {
            return last.push_str(&text);
        }
        self.open.push(Inline::Run { text, style, link });
    }

    /// Whether white space at the start of the next text would collapse into what precedes it.
    fn ends_with_blank(&self) -> bool {
        match self.open.last() {
            Some(Inline::Run { text, .. }) => text.ends_with(' '),
            Some(Inline::Break) | None => true,
        }
    }

    fn flush(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        while let Some(Inline::Run { text, .. }) = open.last_mut() {
            text.truncate(text.trim_end_matches(' ').len());
            if !text.is_empty() {
                break;
            }
            open.pop();
        }
        if open.iter().any(|inline| matches!(inline, Inline::Run { .. })) {
            self.blocks.push(Block::Paragraph(open));
        }
    }

    fn finish(mut self) -> Vec<Block> {
        self.flush();
        self.blocks
    }
}

/// Collapses white space as HTML does; no-break spaces stay.
fn collapse(text: &str, mut blank: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let space = matches!(c, ' ' | '\t' | '\r' | '\n');
        if !space {
            out.push(c);
        } else if !blank {
            out.push(' ');
        }
        blank = space;
    }
    out
}

/// A safe link target; scripts, data and files are not allowed.
fn safe_link(href: &str) -> Option<String> {
    let href = href.trim();
    let scheme = href.split_once(':')?.0.to_ascii_lowercase();
    let clean = !href.chars().any(|c| c.is_control() || c.is_whitespace());
    (clean && matches!(scheme.as_str(), "http" | "https" | "mailto")).then(|| href.to_owned())
}

fn style_codes<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.attribute("styleCode").unwrap_or_default().split_ascii_whitespace()
}

fn styled(node: Node<'_, '_>, mut style: Style) -> Style {
    match node.tag_name().name() {
        "b" | "strong" => style.bold = true,
        "i" | "em" => style.italic = true,
        "u" => style.underline = true,
        "s" | "del" | "strike" => style.struck = true,
        _ => {}
    }
    for code in style_codes(node) {
        match code.to_ascii_lowercase().as_str() {
            "bold" => style.bold = true,
            "italics" | "italic" | "emphasis" => style.italic = true,
            "underline" => style.underline = true,
            "strike" | "strikethrough" | "linethrough" => style.struck = true,
            _ => {}
        }
    }
    style.struck |= node.attribute("revised") == Some("delete");
    style
}

/// The caption of a list, table or item as running text.
fn caption(node: Node<'_, '_>) -> Vec<Inline> {
    let captions = node.children().filter(|child| child.has_tag_name_any("caption"));
    let paragraphs = captions.flat_map(read).map(|block| match block {
        Block::Paragraph(inlines) => inlines,
        other => {
            let text = plain_text(&[other]).replace(['\n', '\t'], " ");
            vec![Inline::Run { text, style: Style::default(), link: None }]
        }
    });
    paragraphs.collect::<Vec<_>>().join(&Inline::Break)
}

/// A list. Every child counts as an item, marked as one or not.
fn list(node: Node<'_, '_>) -> List {
    let items = node.children().filter_map(|child| match child.tag_name().name() {
        "caption" => None,
        "item" | "li" => Some(item(child)),
        _ => Some(stray(child)).filter(|blocks| !blocks.is_empty()),
    });
    List { caption: caption(node), marker: marker(node), items: items.collect() }
}

fn item(node: Node<'_, '_>) -> Vec<Block> {
    let mut flow = Flow::default();
    for inline in caption(node) {
        flow.open.push(bold(inline));
    }
    flow.flush();
    for child in node.children().filter(|child| !child.has_tag_name_any("caption")) {
        flow.node(child, Style::default(), None);
    }
    flow.finish()
}

/// Content that the schema does not allow in its parent.
fn stray(node: Node<'_, '_>) -> Vec<Block> {
    let mut flow = Flow::default();
    flow.node(node, Style::default(), None);
    flow.finish()
}

fn bold(inline: Inline) -> Inline {
    match inline {
        Inline::Run { text, style, link } => Inline::Run { text, style: Style { bold: true, ..style }, link },
        Inline::Break => Inline::Break,
    }
}

fn marker(node: Node<'_, '_>) -> Marker {
    let named = style_codes(node).find_map(|code| match code.to_ascii_lowercase().as_str() {
        "disc" => Some(Marker::Disc),
        "circle" => Some(Marker::Circle),
        "square" => Some(Marker::Square),
        "arabic" => Some(Marker::Arabic),
        "littleroman" => Some(Marker::LittleRoman),
        "bigroman" => Some(Marker::BigRoman),
        "littlealpha" => Some(Marker::LittleAlpha),
        "bigalpha" => Some(Marker::BigAlpha),
        _ => None,
    });
    let ordered = node.attribute("listType") == Some("ordered") || node.has_tag_name_any("ol");
    named.unwrap_or(if ordered { Marker::Arabic } else { Marker::Disc })
}

fn table(node: Node<'_, '_>) -> Table {
    let mut table = Table { caption: caption(node), ..Table::default() };
    let mut foot = Vec::new();
    for child in node.children() {
        match child.tag_name().name() {
            "caption" => {}
            "thead" => table.head.extend(rows(child)),
            "tfoot" => foot.extend(rows(child)),
            "tbody" => table.rows.extend(rows(child)),
            _ => table.rows.extend(row(child)),
        }
    }
    table.rows.extend(foot);
    table
}

fn rows<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Vec<Cell>> + 'a {
    node.children().filter_map(row)
}

/// A row. Other content in its place becomes a row, so that it is not lost.
fn row(node: Node<'_, '_>) -> Option<Vec<Cell>> {
    if node.has_tag_name_any("tr") {
        return Some(node.children().filter_map(cell_of).collect());
    }
    stray_cell(node).map(|cell| vec![cell])
}

fn cell_of(node: Node<'_, '_>) -> Option<Cell> {
    let proper = node.has_tag_name_any("td") || node.has_tag_name_any("th");
    if proper { Some(cell(node)) } else { stray_cell(node) }
}

fn stray_cell(node: Node<'_, '_>) -> Option<Cell> {
    let content = stray(node);
    (!content.is_empty()).then(|| Cell { columns: 1, rows: 1, content, ..Cell::default() })
}

fn cell(node: Node<'_, '_>) -> Cell {
    let span = |name| {
        node.attribute(name).and_then(|value| value.trim().parse().ok()).unwrap_or(1).clamp(1, MAX_SPAN)
    };
    let align = match node.attribute("align") {
        Some("center") => Align::Center,
        Some("right") => Align::End,
        _ => Align::Start,
    };
    let mut flow = Flow::default();
    flow.children(node, styled(node, Style::default()), None);
    let heading = node.has_tag_name_any("th");
    Cell { heading, columns: span("colspan"), rows: span("rowspan"), align, content: flow.finish() }
}

/// Matching of narrative by local name: older systems use no namespace or a wrong one.
trait LocalName {
    fn has_tag_name_any(&self, name: &str) -> bool;
}

impl LocalName for Node<'_, '_> {
    fn has_tag_name_any(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

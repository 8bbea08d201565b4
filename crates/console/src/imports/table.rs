//! Reads a CSV file or the first sheet of an Excel workbook as a table of texts, within limits.

use super::unpacking::{BROKEN, TOO_LARGE_INSIDE, unpacked};
use calamine::{DataRef, Reader, Xlsx};
use std::{borrow::Cow, collections::BTreeMap, io::Cursor};

/// Maximum size of a file in bytes.
pub const FILE_MAX: usize = 10 << 20;
/// Maximum number of rows below the column names.
pub const ROWS_MAX: usize = 10_000;
const COLUMNS_MAX: usize = 100;
/// Longer cells are cut; no imported value may be this long.
const CELL_MAX: usize = 1_000;
/// Maximum total size of a workbook's cells in bytes: a text that several cells share counts in each.
const TEXT_MAX: usize = 2 * FILE_MAX;

pub const WRONG_TYPE: &str = "Please choose a CSV or XLSX file.";
pub const TOO_MANY_ROWS: &str = "The file has more than 10,000 rows. Please split it.";
const NOT_UTF8: &str = "The file is not in UTF-8. Please save it as “CSV UTF-8” or as XLSX.";
const TOO_WIDE: &str = "The file has more than 100 columns.";
const EMPTY: &str = "The file has no rows below the column names.";

/// The column names and the rows below them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub heads: Vec<String>,
    pub rows: Vec<Row>,
}

/// A row that is not empty.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Row number as in a spreadsheet, from 1.
    pub line: u32,
    pub cells: Vec<String>,
}

pub type Problem = Cow<'static, str>;

/// Reads the table of a file; its name and its content have to be of the same type.
pub fn read(name: &str, bytes: &[u8]) -> Result<Table, Problem> {
    let name = name.to_lowercase();
    let is_archive = bytes.starts_with(b"PK\x03\x04");
    let lines = match (name.ends_with(".xlsx"), name.ends_with(".csv")) {
        (true, _) if is_archive => workbook(bytes)?,
        (_, true) if !is_archive && !bytes.contains(&0) => csv(bytes)?,
        _ => return Err(WRONG_TYPE.into()),
    };
    let mut lines = lines.into_iter().filter(|row| row.cells.iter().any(|cell| !cell.is_empty()));
    let heads = lines.next().map(|row| row.cells).unwrap_or_default();
    let rows: Vec<Row> = lines.collect();
    match rows.len() {
        0 => Err(EMPTY.into()),
        n if n > ROWS_MAX => Err(TOO_MANY_ROWS.into()),
        _ => Ok(Table { heads, rows }),
    }
}

/// A trimmed text without invalid characters.
fn cell(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(CELL_MAX).collect()
}

/// Commas or semicolons: spreadsheet programs write the separator of their locale.
fn csv(bytes: &[u8]) -> Result<Vec<Row>, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_UTF8)?.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let delimiter = if first.matches(';').count() > first.matches(',').count() { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let (mut rows, mut line, mut counted) = (Vec::new(), 1, 0);
    for record in reader.records() {
        let record = record.map_err(|_| BROKEN)?;
        let begin = record.position().map_or(0, csv::Position::byte);
        let begin = usize::try_from(begin).unwrap_or(usize::MAX).min(text.len());
        // The CSV reader reports the position of a record before skipped blank lines.
        let blank = text.as_bytes()[begin..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        line += text.as_bytes()[counted..begin + blank].iter().filter(|byte| **byte == b'\n').count();
        counted = begin + blank;
        if record.len() > COLUMNS_MAX {
            return Err(TOO_WIDE.into());
        }
        // Lines of empty cells count as rows here, so that a file of nothing else is not read to its end.
        if rows.len() > 2 * ROWS_MAX {
            return Err(TOO_MANY_ROWS.into());
        }
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        rows.push(Row { line, cells: record.iter().map(cell).collect() });
    }
    Ok(rows)
}

/// The first sheet, cell by cell: a sheet with two cells in opposite corners must not become a table of billions.
fn workbook(bytes: &[u8]) -> Result<Vec<Row>, Problem> {
    let broken = |_| Problem::from(BROKEN);
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(unpacked(bytes)?)).map_err(broken)?;
    let sheet = book.sheet_names().first().cloned().ok_or(BROKEN)?;
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(broken)?;
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut left = TEXT_MAX;
    while let Some(found) = cells.next_cell().map_err(broken)? {
        let (row, column) = found.get_position();
        let text = text_of(found.get_value());
        if text.is_empty() {
            continue;
        }
        left = left.checked_sub(text.len()).ok_or(TOO_LARGE_INSIDE)?;
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column >= COLUMNS_MAX {
            return Err(TOO_WIDE.into());
        }
        let cells = rows.entry(row).or_default();
        if cells.len() <= column {
            cells.resize(column + 1, String::new());
        }
        cells[column] = text;
        if rows.len() > ROWS_MAX + 1 {
            return Err(TOO_MANY_ROWS.into());
        }
    }
    Ok(rows.into_iter().map(|(row, cells)| Row { line: row.saturating_add(1), cells }).collect())
}

/// A formula counts as its result.
fn text_of(value: &DataRef<'_>) -> String {
    match value {
        DataRef::String(text) => cell(text),
        DataRef::SharedString(text) => cell(text),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Bool(true) => "yes".into(),
        DataRef::Bool(false) => "no".into(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => cell(text),
        DataRef::DateTime(at) => at.as_f64().to_string(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::unpacking::UNPACKED_MAX;
    use proptest::prelude::*;
    use std::io::Write;
    use zip::{ZipWriter, write::SimpleFileOptions};

    fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in parts {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// A workbook of one sheet.
    fn book(sheet: &str) -> Vec<u8> {
        let sheet = format!(
            r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{sheet}</sheetData></worksheet>"#
        );
        packed(&[
            ("[Content_Types].xml", br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>"#),
            ("_rels/.rels", br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
            ("xl/workbook.xml", br#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#),
            ("xl/_rels/workbook.xml.rels", br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ])
    }

    fn inline(at: &str, text: &str) -> String {
        format!(r#"<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>"#)
    }

    #[test]
    fn a_csv_file_may_have_a_mark_semicolons_quotes_and_blank_lines() {
        let table =
            read("a.CSV", "\u{feff}Name;City\r\n\r\n\"Roe; Sons\"; Portland \r\n;\r\nBligh".as_bytes());
        let table = table.unwrap();
        assert_eq!(table.heads, ["Name", "City"]);
        let rows: Vec<_> = table.rows.iter().map(|r| (r.line, r.cells.join("|"))).collect();
        assert_eq!(rows, [(3, "Roe; Sons|Portland".to_owned()), (5, "Bligh".to_owned())]);
    }

    #[test]
    fn a_workbook_gives_texts_numbers_and_the_results_of_formulas() {
        let sheet = format!(
            r#"<row r="1">{}{}</row><row r="3">{}<c r="B3"><v>97201</v></c><c r="C3"><f>1+1</f><v>2</v></c></row>"#,
            inline("A1", "Name"),
            inline("B1", "Zip"),
            inline("A3", "Roe")
        );
        let table = read("a.xlsx", &book(&sheet)).unwrap();
        assert_eq!(table.heads, ["Name", "Zip"]);
        assert_eq!(table.rows, [Row { line: 3, cells: vec!["Roe".into(), "97201".into(), "2".into()] }]);
    }

    #[test]
    fn a_long_text_that_many_cells_share_is_refused() {
        let long = "a".repeat(CELL_MAX);
        let cells: String = (1..=9_000)
            .map(|row| {
                let cells: String =
                    ["A", "B", "C"].map(|column| inline(&format!("{column}{row}"), &long)).concat();
                format!("<row r=\"{row}\">{cells}</row>")
            })
            .collect();
        let book = book(&cells);
        assert!(book.len() < FILE_MAX / 10, "{} bytes", book.len());
        assert_eq!(read("a.xlsx", &book), Err(TOO_LARGE_INSIDE.into()));
    }

    #[test]
    fn what_is_no_table_is_refused_with_the_reason() {
        let zip = packed(&[("xl/media/a.png", b"x")]);
        let much = vec![b' '; usize::try_from(UNPACKED_MAX).unwrap() + 1];
        let bomb = packed(&[("xl/workbook.xml", &much)]);
        assert!(bomb.len() < FILE_MAX, "it fits the limit of uploads");
        let long = "a\n".repeat(ROWS_MAX + 2);
        let corners = format!(
            "<row r=\"1\">{}</row><row r=\"1048576\">{}</row>",
            inline("A1", "a"),
            inline("XFD1048576", "b")
        );
        for (name, bytes, problem) in [
            ("a.pdf", b"%PDF-1.7".to_vec(), WRONG_TYPE),
            ("a.xlsx", b"Name\nRoe".to_vec(), WRONG_TYPE),
            ("a.csv", zip.clone(), WRONG_TYPE),
            ("a.csv", b"Name\nR\0e".to_vec(), WRONG_TYPE),
            ("a.csv", b"Name\nB\xe4der".to_vec(), NOT_UTF8),
            ("a.csv", b"Name\n".to_vec(), EMPTY),
            ("a.csv", Vec::new(), EMPTY),
            ("a.csv", long.into_bytes(), TOO_MANY_ROWS),
            ("a.csv", ",".repeat(200).into_bytes(), TOO_WIDE),
            ("a.xlsx", zip, BROKEN),
            ("a.xlsx", bomb, TOO_LARGE_INSIDE),
            ("a.xlsx", book(&corners), TOO_WIDE),
        ] {
            assert_eq!(read(name, &bytes), Err(problem.into()), "{name}");
        }
    }

    proptest! {
        /// Texts written by a spreadsheet program are read unchanged, whatever the cells contain.
        #[test]
        fn a_csv_file_is_read_as_it_was_written(
            rows in proptest::collection::vec(proptest::collection::vec("[^\\p{C}]{0,20}", 3), 1..20)
        ) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["a", "b", "c"]).unwrap();
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let written: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|c| cell(c)).collect()).collect();
            let written: Vec<_> = written.into_iter().filter(|r: &Vec<String>| r.iter().any(|c| !c.is_empty())).collect();
            let found = read("a.csv", &writer.into_inner().unwrap());
            match found {
                Ok(table) => prop_assert_eq!(table.rows.into_iter().map(|r| r.cells).collect::<Vec<_>>(), written),
                Err(problem) => prop_assert!(written.is_empty() && problem == EMPTY),
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            let _ = read("a.csv", &bytes);
            let _ = read("a.xlsx", &[b"PK\x03\x04", bytes.as_slice()].concat());
        }
    }
}

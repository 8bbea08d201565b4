//! Properties that must hold for any imported file: the target panics if one does not. A fuzzer in `fuzz/`
//! calls it, and the test below replays the files of `tests/corpus/table`.

use console::imports::table::{ROWS_MAX, read};

/// A file; the first byte determines the extension of its name. Any table that can be read fits an import.
pub fn table(data: &[u8]) {
    let Some((kind, file)) = data.split_first() else { return };
    let name = if kind % 2 == 0 { "practices.csv" } else { "practices.xlsx" };
    let Ok(table) = read(name, file) else { return };
    assert!((1..=ROWS_MAX).contains(&table.rows.len()), "{}", table.rows.len());
    assert!(
        table.rows.is_sorted_by(|one, next| one.line < next.line),
        "each row stands in a line of its own"
    );
    for row in &table.rows {
        assert!(row.line > 1 && row.cells.iter().any(|cell| !cell.is_empty()), "{row:?}");
    }
    for cell in table.heads.iter().chain(table.rows.iter().flat_map(|row| &row.cells)) {
        assert!(cell.chars().count() <= 1_000 && !cell.contains(char::is_control), "{cell:?}");
        assert_eq!(cell, cell.trim());
    }
}

#[test]
fn every_file_of_the_corpus_passes_the_fuzz_target() {
    let files =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/table")).expect("a corpus");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert!(files.len() > 3);
    for file in files {
        eprintln!("{}", file.display());
        table(&std::fs::read(file).expect("a file"));
    }
}

/// The corpus would prove nothing if no table in it could be read.
#[test]
fn a_table_with_a_mark_quotes_and_semicolons_is_read() {
    let file = b"\xef\xbb\xbfName;City\r\n\"Alder; North\";Portland\r\n;\r\nBirch;Salem";
    let table = read("practices.csv", file).expect("a table");
    assert_eq!(table.rows.len(), 2);
    assert_eq!((table.rows[0].cells[0].as_str(), table.rows[1].line), ("Alder; North", 4));
}

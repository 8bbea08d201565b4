//! The table of words that is read from a scan.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|table: &str| {
    let text = documents::ocr::text(table, 0.01).text;
    assert!(text.lines().count() <= table.lines().count() + 1);
    // Words as the table holds them, in rows that are whole.
    let rows = table.lines().map(|word| format!("5\t1\t1\t1\t1\t1\t9\t9\t40\t20\t96\t{word}\n"));
    documents::ocr::text(&rows.collect::<String>(), 0.0);
});

//! Targets of the repository's fuzzer, and a small corpus.

use clinical::cda::{self, outline, render};

/// For any bytes, reading and rendering ends, and a file of ordinary size always shows something.
pub fn cda(data: &[u8]) {
    if let Ok(document) = cda::parse_or_text(data) {
        assert!(render::html(&document).ends_with("</html>\n"));
        outline::outline(&document);
    }
    if let Ok(document) = cda::parse_with_entries(data) {
        let mut shown = outline::outline(&document);
        cda::compare(&mut shown, Some(&outline::outline(&document)));
        assert!(!has_news(&shown.sections), "nothing is new to itself");
    }
}

fn has_news(sections: &[outline::OutlineSection]) -> bool {
    sections.iter().any(|section| {
        let mut rows = section.entries.iter().flat_map(|entries| &entries.rows);
        rows.any(|row| row.is_new == Some(true)) || has_news(&section.sections)
    })
}

#[test]
fn the_corpus_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/cda");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        cda(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files >= 5, "{files}");
}

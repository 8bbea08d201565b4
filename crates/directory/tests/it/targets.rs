//! Properties of lists with any content: the target panics if one is violated. A fuzzer in `fuzz/` calls it, and the test
//! below replays the files of `tests/corpus/csv`.

use directory::import::{List, Row, rows};

/// A list; the first byte chooses its kind. Whatever is listed fits the directory's columns.
pub fn csv(data: &[u8]) {
    let Some((kind, csv)) = data.split_first() else { return };
    let list = if kind % 2 == 0 { List::Npi } else { List::Provider };
    for row in rows(list, csv).unwrap_or_default() {
        let Row::Listed(key, entry) = row else { continue };
        assert!(!key.is_empty(), "{entry:?}");
        assert!(!entry.last_name.is_empty() || !entry.organization_name.is_empty(), "{entry:?}");
        let digits = |text: &str, lengths: &[usize]| {
            lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        assert!(digits(&entry.phone, &[0, 10]) && digits(&entry.fax, &[0, 10]), "{entry:?}");
        assert!(entry.zip.len() <= 9 && digits(&entry.zip, &[entry.zip.len()]), "{entry:?}");
        assert!(entry.state.is_empty() || entry.state.len() == 2, "{entry:?}");
        let row = entry.row(list.name(), &key, None);
        let texts = [
            (&row.first_name, 255),
            (&row.middle_name, 255),
            (&row.last_name, 255),
            (&row.organization_name, 255),
            (&row.clinic_name, 255),
            (&row.direct_address, 255),
            (&row.city, 255),
            // Two lines and their separator.
            (&row.address_line, 512),
        ];
        for (text, limit) in texts {
            assert!(text.chars().count() <= limit && !text.contains('\0'), "{text:?}");
        }
        for key in [&row.last_key, &row.first_key, &row.city_key] {
            assert!(key.len() <= 255, "{key:?}");
        }
    }
}

#[test]
fn every_file_of_the_corpus_passes_the_fuzz_target() {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/csv")).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        eprintln!("{}", file.display());
        csv(&std::fs::read(file).unwrap());
    }
}

/// The corpus would prove nothing if no list in it were read.
#[test]
fn a_list_with_a_mark_quotes_and_other_columns_is_read() {
    let list = b"\xef\xbb\xbf\"Last Name\",first_name,Unknown,Zip\r\n\"Roe, Jr.\",Ada,x,43999-1234\r\n\"\",,,\r\nBligh";
    let found: Vec<_> = rows(List::Provider, list).unwrap();
    let [Row::Listed(_, roe), Row::Refused, Row::Listed(_, bligh)] = &found[..] else {
        panic!("{}", found.len())
    };
    assert_eq!(
        (roe.last_name.as_str(), roe.first_name.as_str(), roe.zip.as_str()),
        ("Roe, Jr.", "Ada", "439991234")
    );
    assert_eq!(bligh.last_name, "Bligh");
}

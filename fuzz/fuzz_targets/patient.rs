//! Patients in the text of pages, which anybody may have written.
#![no_main]

use documents::extract;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let pages: Vec<String> = text.split('\x0c').map(str::to_owned).collect();
    let found = extract::from_text(&pages);
    assert!(found.page.is_none_or(|page| (1..=pages.len()).contains(&(page as usize))));
});

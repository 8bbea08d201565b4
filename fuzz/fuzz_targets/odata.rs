#![no_main]

use console::odata::parser::{filter, options};
use std::collections::BTreeMap;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = filter(text);
    let query = text.lines().filter_map(|line| line.split_once('='));
    let _ = options(&query.map(|(name, value)| (name.into(), value.into())).collect::<BTreeMap<_, _>>());
});

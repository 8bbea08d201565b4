//! What a file is, by its name and its content: those of office programs, archives and the rest.
#![no_main]

use documents::{Kind, check_upload, detect, file_types, kind_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, content)) = bytes.split_first() else { return };
    let types = file_types();
    let name = format!("file.{}", types[usize::from(*choice) % types.len()].extension);
    if let Ok(taken) = check_upload(&name, content) {
        assert!(!content.is_empty() && taken.kind != Kind::Unknown, "{name}: {:?}", taken.kind);
    }
    let _ = kind_of(&name, content);
    let _ = detect(content);
});

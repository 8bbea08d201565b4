//! Pictures: one becomes a page, or there is a reason.
#![no_main]

use documents::{Kind, convert, detect, pdf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let kind = detect(bytes);
    if !matches!(kind, Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp) {
        return;
    }
    if let Ok(made) = convert::to_pdf(kind, bytes) {
        assert_eq!(pdf::page_count(&made), Ok(1));
    }
});

//! A line of a mail server to which this one sends.
#![no_main]

use direct::inner::smtp_reply_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    if let Some((code, _, text)) = smtp_reply_line(line) {
        assert!((200..600).contains(&code));
        assert_eq!(text, text.trim());
    }
});

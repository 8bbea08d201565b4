use base64::{Engine, prelude::BASE64_STANDARD};
use clinical::embedded::from_base64;
use proptest::prelude::*;

#[test]
fn base64_is_read_as_senders_write_it_and_not_in_part() {
    assert_eq!(from_base64("JVBE\r\n Ri0x").as_deref(), Some(&b"%PDF-1"[..]));
    assert_eq!(from_base64("YQ").as_deref(), Some(&b"a"[..]));
    assert_eq!(from_base64("YQ==").as_deref(), Some(&b"a"[..]));
    assert_eq!(from_base64("-_8="), from_base64("+/8="));
    assert_eq!(from_base64("  ").as_deref(), Some(&b""[..]));
    assert_eq!(from_base64("U*RG"), None);
    assert_eq!(from_base64("UERGé"), None);
}

proptest! {
    #[test]
    fn lines_of_any_length_give_the_bytes_back(
        bytes in prop::collection::vec(any::<u8>(), 0..200), width in 1usize..90, padded in any::<bool>(),
    ) {
        let mut text = BASE64_STANDARD.encode(&bytes);
        if !padded {
            text = text.trim_end_matches('=').to_owned();
        }
        let lines: Vec<_> = text.as_bytes().chunks(width).map(String::from_utf8_lossy).collect();
        prop_assert_eq!(from_base64(&lines.join("\r\n")), Some(bytes));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}") {
        if let Some(bytes) = from_base64(&text) {
            prop_assert!(bytes.len() <= text.len());
        }
    }
}

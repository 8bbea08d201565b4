//! Lines and framing of the bytes of a message, before they are decoded (HL7 v2.5.1, 2.5 and 2.10.3).

/// A frame without framing and batch headers before its message.
pub fn without_batch(frame: &[u8]) -> &[u8] {
    let mut rest = without_framing(frame);
    while rest.starts_with(b"FHS") || rest.starts_with(b"BHS") {
        let end = rest.iter().position(|byte| is_line_end(*byte)).unwrap_or(rest.len());
        rest = without_framing(&rest[end..]);
    }
    rest
}

fn without_framing(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = rest.trim_ascii_start();
        match rest {
            [b'\x0b' | b'\x1c', behind @ ..] | [0xef, 0xbb, 0xbf, behind @ ..] => rest = behind,
            _ => return rest,
        }
    }
}

pub fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Whether a line begins with the name of a segment and a field separator.
pub fn begins_segment(line: &[u8], field: char) -> bool {
    line.len() > 3
        && line[0].is_ascii_uppercase()
        && line[1..3].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && char::from(line[3]) == field
}

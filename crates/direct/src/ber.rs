//! The ASN.1 functions needed in addition to OpenSSL: walking BER (including indefinite lengths) to find an algorithm
//! before anything is decrypted, and writing a few DER structures.

/// Tag of SEQUENCE.
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
const BOOLEAN: u8 = 0x01;
/// Deepest nesting accepted; CMS needs about ten levels.
const MAX_DEPTH: usize = 24;

/// Most elements of one structure. OpenSSL allocates about a hundred bytes for each; a message to a thousand
/// recipients with a long chain has about twenty thousand.
const MAX_ELEMENTS: usize = 50_000;
/// Bytes per allowed piece of a string in indefinite length. Such pieces need no memory of their own, so more of them
/// are allowed than elements.
const BYTES_PER_PIECE: usize = 64;
const CONSTRUCTED: u8 = 0x20;

/// DER of one element with a definite length.
pub(crate) fn encode(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        n if n < 0x80 => out.push(n as u8),
        n => {
            let bytes = n.to_be_bytes();
            let significant = &bytes[bytes.iter().take_while(|b| **b == 0).count()..];
            out.push(0x80 | significant.len() as u8);
            out.extend_from_slice(significant);
        }
    }
    out.extend_from_slice(content);
    out
}

/// One element: its tag and its content, and the bytes that follow it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
    pub rest: &'a [u8],
}

/// Reads the element at the start; none when the bytes are not BER or use tags above 30.
pub(crate) fn read(bytes: &[u8]) -> Option<Element<'_>> {
    read_nested(bytes, 0)
}

fn read_nested(bytes: &[u8], depth: usize) -> Option<Element<'_>> {
    let tag = *bytes.first()?;
    if depth > MAX_DEPTH || tag & 0x1F == 0x1F {
        return None;
    }
    let (length, header) = match length(&bytes[1..])? {
        (None, _) => return read_indefinite(tag, &bytes[2..], depth),
        (Some(length), header) => (length, header + 1),
    };
    let end = header.checked_add(length)?;
    Some(Element { tag, content: bytes.get(header..end)?, rest: &bytes[end..] })
}

fn read_indefinite(tag: u8, bytes: &[u8], depth: usize) -> Option<Element<'_>> {
    let mut rest = bytes;
    while !rest.starts_with(&[0, 0]) {
        rest = read_nested(rest, depth + 1)?.rest;
    }
    let length = bytes.len() - rest.len();
    Some(Element { tag, content: &bytes[..length], rest: &rest[2..] })
}

/// Whether the first element is complete BER within the limits on nesting and number of elements, so that it may be
/// given to OpenSSL. Allocates nothing.
pub(crate) fn is_within_limits(bytes: &[u8]) -> bool {
    walk(bytes).is_some()
}

/// An element being read: its end, if known, and whether its members are pieces of a string.
struct Open {
    end: Option<usize>,
    in_pieces: bool,
}

fn walk(bytes: &[u8]) -> Option<()> {
    let (mut at, mut elements, mut pieces) = (0, 0, 0);
    let mut open: Vec<Open> = Vec::new();
    loop {
        while open.last().is_some_and(|o| o.end == Some(at)) {
            open.pop();
        }
        if at > 0 && open.is_empty() {
            return Some(());
        }
        let (&tag, &first) = (bytes.get(at)?, bytes.get(at + 1)?);
        if (tag, first) == (0, 0) && open.last().is_some_and(|o| o.end.is_none()) {
            open.pop();
            at += 2;
            continue;
        }
        let is_piece = tag == OCTET_STRING && open.last().is_some_and(|o| o.in_pieces);
        *(if is_piece { &mut pieces } else { &mut elements }) += 1;
        if tag & 0x1F == 0x1F || elements > MAX_ELEMENTS || pieces > 1000 + bytes.len() / BYTES_PER_PIECE {
            return None;
        }
        let constructed = tag & CONSTRUCTED != 0;
        let (end, start) = match length(bytes.get(at + 1..)?)? {
            (Some(length), header) => {
                let end = (at + 1 + header).checked_add(length).filter(|end| *end <= bytes.len())?;
                (Some(end), at + 1 + header)
            }
            (None, header) if constructed => (None, at + 1 + header),
            (None, _) => return None,
        };
        let outer = open.last().map_or(Some(bytes.len()), |o| o.end);
        if end.is_some_and(|end| outer.is_some_and(|outer| end > outer)) {
            return None;
        }
        if constructed {
            if open.len() >= MAX_DEPTH {
                return None;
            }
            // a constructed OCTET STRING, or one with an implicit tag, such as encrypted content
            open.push(Open { end, in_pieces: matches!(tag, 0x24 | 0xA0) });
        }
        at = if constructed { start } else { end? };
    }
}

/// The length at the start (none when it is indefinite), and the size of the length field in bytes.
fn length(bytes: &[u8]) -> Option<(Option<usize>, usize)> {
    let first = *bytes.first()?;
    match first {
        0x80 => Some((None, 1)),
        ..0x80 => Some((Some(usize::from(first)), 1)),
        _ => {
            let count = usize::from(first & 0x7F);
            let digits = bytes.get(1..=count).filter(|_| count <= 8)?;
            Some((Some(digits.iter().fold(0usize, |n, d| n << 8 | usize::from(*d))), 1 + count))
        }
    }
}

/// The first member of an element with that tag.
pub(crate) fn child<'a>(content: &'a [u8], tag: u8) -> Option<Element<'a>> {
    let mut rest = content;
    loop {
        let element = read(rest)?;
        if element.tag == tag {
            return Some(element);
        }
        rest = element.rest;
    }
}

/// Whether basicConstraints of the certificate says that it is an authority.
pub(crate) fn is_certificate_authority(der: &[u8]) -> bool {
    const BASIC_CONSTRAINTS: [u8; 3] = [0x55, 0x1D, 0x13];
    let extensions = || {
        let body = child(read(der)?.content, SEQUENCE)?;
        Some(read(child(body.content, 0xA3)?.content)?.content)
    };
    let mut rest = extensions().unwrap_or_default();
    while let Some(extension) = read(rest) {
        rest = extension.rest;
        if child(extension.content, OBJECT_IDENTIFIER).is_some_and(|oid| oid.content == BASIC_CONSTRAINTS) {
            let value = child(extension.content, OCTET_STRING).and_then(|v| read(v.content));
            return value.and_then(|v| child(v.content, BOOLEAN)).is_some_and(|b| b.content != [0]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn indefinite_lengths_end_at_their_own_end_mark() {
        let inner = [0x24, 0x80, 0x04, 0x02, 0, 0, 0, 0];
        let bytes = [&[0x30, 0x80][..], &inner, &[0, 0, 0xFF]].concat();
        let element = read(&bytes).unwrap();
        assert_eq!((element.content, element.rest), (&inner[..], &[0xFF][..]));
    }

    #[test]
    fn truncated_and_endlessly_nested_bytes_are_refused() {
        assert!(read(&[0x30, 0x84, 0xFF, 0xFF]).is_none());
        assert!(read(&[0x30, 0x05, 1]).is_none());
        assert!(read(&[0x30, 0x80].repeat(1000)).is_none());
    }

    #[test]
    fn structures_of_very_many_parts_are_told_before_anything_is_built() {
        let many = |part: &[u8], count: usize| part.repeat(count);
        let null = [5, 0];
        assert!(is_within_limits(&encode(SEQUENCE, &many(&null, MAX_ELEMENTS - 1))));
        assert!(!is_within_limits(&encode(SEQUENCE, &many(&null, MAX_ELEMENTS))));
        let indefinite = [&[0x30, 0x80][..], &many(&null, MAX_ELEMENTS), &[0, 0]].concat();
        assert!(!is_within_limits(&indefinite));
        let nested: Vec<u8> = (0..MAX_DEPTH + 1).fold(null.to_vec(), |inner, _| encode(SEQUENCE, &inner));
        assert!(!is_within_limits(&nested));
    }

    #[test]
    fn a_string_in_pieces_may_have_as_many_as_senders_make() {
        let piece = encode(OCTET_STRING, &[7; 100]);
        let string = |piece: &[u8], count| [&[0x24, 0x80][..], &piece.repeat(count), &[0, 0]].concat();
        assert!(is_within_limits(&string(&piece, 60_000)));
        assert!(!is_within_limits(&string(&[4, 1, 7], 60_000)));
    }

    #[test]
    fn what_is_no_whole_element_is_not_within_limits() {
        for bytes in [
            &[][..],
            &[0x30],
            &[0x30, 5, 1],
            &[0x30, 0x80, 5, 0],
            &[0x1F, 0x81, 0],
            &[0x30, 3, 0x30, 4, 5, 0, 0],
        ] {
            assert!(!is_within_limits(bytes), "{bytes:?}");
        }
        assert!(is_within_limits(&[0x30, 2, 5, 0, 0xFF, 0xFF]), "what follows does not count");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(tag in 0u8..=0x1E, size in 0usize..70_000) {
            let content = vec![7; size];
            let bytes = encode(tag, &content);
            prop_assert!(is_within_limits(&bytes));
            let element = read(&bytes).unwrap();
            prop_assert_eq!((element.tag, element.content, element.rest), (tag, &content[..], &[][..]));
        }
    }
}

//! The little of ASN.1 that is needed beside OpenSSL: walking BER (indefinite lengths included) to see an
//! algorithm before anything is decrypted, and writing a few DER structures.

/// Tag of SEQUENCE.
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
const BOOLEAN: u8 = 0x01;
/// Deeper nesting is refused; CMS needs about ten levels.
const MAX_DEPTH: usize = 24;

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
    let (&tag, &first) = (bytes.first()?, bytes.get(1)?);
    if depth > MAX_DEPTH || tag & 0x1F == 0x1F {
        return None;
    }
    if first == 0x80 {
        return read_indefinite(tag, &bytes[2..], depth);
    }
    let (length, header) = if first < 0x80 {
        (usize::from(first), 2)
    } else {
        let count = usize::from(first & 0x7F);
        let digits = bytes.get(2..2 + count).filter(|_| count <= 8)?;
        (digits.iter().fold(0usize, |n, d| n << 8 | usize::from(*d)), 2 + count)
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
    fn long_lengths_are_written_and_read_back() {
        let bytes = encode(0x04, &vec![7; 70_000]);
        assert_eq!(read(&bytes).unwrap().content.len(), 70_000);
    }
}

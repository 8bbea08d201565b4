//! Content-Transfer-Encodings. Decoding never fails: broken data is omitted or kept as it is, and reported.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};

/// Reads base64 with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Characters of a line of base64.
const LINE: usize = 76;
/// Bytes encoded at a time: a thousand lines.
const PIECE: usize = 1000 * LINE / 4 * 3;
/// A line with at most one foreign byte in this many is damaged base64; with more it is not base64 at all.
const DAMAGED: usize = 8;

/// Decodes base64 with white space, padded or not. The flag reports a repair.
pub(crate) fn decode_base64(text: &[u8]) -> (Vec<u8>, bool) {
    let mut dense = Vec::with_capacity(text.len());
    for line in text.split(|b| *b == b'\n') {
        dense.extend_from_slice(line.trim_ascii());
    }
    if let Ok(decoded) = LENIENT.decode(&dense) {
        return (decoded, false);
    }
    dense.retain(|b| !b.is_ascii_whitespace());
    LENIENT.decode(&dense).map_or_else(|_| (repair_base64(text), true), |decoded| (decoded, false))
}

/// Certainty that the data ended with the previous line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    No,
    /// After a line shorter than the first: clean lines may follow.
    Perhaps,
    /// After padding, or after a foreign line: only another full line continues the data.
    Likely,
}

/// Decodes line by line: foreign lines (a gateway's footer) are skipped, and a wrong byte counts as one digit.
fn repair_base64(text: &[u8]) -> Vec<u8> {
    let (mut digits, mut full, mut end) = (Digits::default(), None, End::No);
    for line in text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii) {
        let bad = line.iter().filter(|b| digit(**b).is_none() && **b != b'=').count();
        if line.is_empty() || bad * DAMAGED > line.len() {
            if full.is_some() && (bad > 0 || end == End::Perhaps) {
                end = End::Likely;
            }
            continue;
        }
        let goes_on = match end {
            End::No => true,
            End::Perhaps => bad == 0,
            End::Likely => bad == 0 && full == Some(line.len()),
        };
        if !goes_on {
            break;
        }
        // In a line of the usual length a byte was changed; otherwise one was inserted.
        let changed = full == Some(line.len()) || line.len() % 4 == 0;
        let full = *full.get_or_insert(if changed { line.len() } else { line.len() - bad });
        line.iter().for_each(|byte| digits.push(*byte, changed));
        end = match line.ends_with(b"=") {
            true => End::Likely,
            false if line.len() < full => End::Perhaps,
            false => End::No,
        };
    }
    digits.finish();
    if digits.out.is_empty() { text.to_vec() } else { digits.out }
}

/// Accumulator that turns base64 digits into bytes.
#[derive(Default)]
struct Digits {
    out: Vec<u8>,
    group: u32,
    count: usize,
}

impl Digits {
    fn push(&mut self, byte: u8, changed: bool) {
        let value = match digit(byte) {
            Some(value) => value,
            None if byte == b'=' => return self.finish(),
            None if changed => 0,
            None => return,
        };
        self.group = self.group << 6 | value;
        self.count += 1;
        if self.count == 4 {
            self.out.extend_from_slice(&self.group.to_be_bytes()[1..]);
            (self.group, self.count) = (0, 0);
        }
    }

    /// Ends a group of fewer than four digits.
    fn finish(&mut self) {
        let group = (self.group << (6 * (4 - self.count))).to_be_bytes();
        self.out.extend_from_slice(&group[1..1 + self.count * 3 / 4]);
        (self.group, self.count) = (0, 0);
    }
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Appends base64 in lines of 76 characters, each ended by CRLF.
pub(crate) fn encode_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve((bytes.len().div_ceil(3) * 4).div_ceil(LINE) * (LINE + 2));
    // Piece by piece, so that a large file is not held in memory twice.
    for piece in bytes.chunks(PIECE) {
        for line in STANDARD.encode(piece).as_bytes().chunks(LINE) {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// Decodes quoted-printable (RFC 2045 6.7); an equals sign without a valid escape is kept, and reported by the flag.
pub(crate) fn decode_quoted_printable(text: &[u8]) -> (Vec<u8>, bool) {
    let (mut out, mut repaired) = (Vec::with_capacity(text.len()), false);
    for line in text.split_inclusive(|b| *b == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = &line[content.len()..];
        let content = content.trim_ascii_end();
        let (content, end) = content.strip_suffix(b"=").map_or((content, end), |joined| (joined, &b""[..]));
        let mut rest = content;
        while let Some(at) = memchr::memchr(b'=', rest) {
            out.extend_from_slice(&rest[..at]);
            let escaped = rest.get(at + 1..at + 3).and_then(hex_byte);
            repaired |= escaped.is_none();
            out.push(escaped.unwrap_or(b'='));
            rest = &rest[at + if escaped.is_some() { 3 } else { 1 }..];
        }
        out.extend_from_slice(rest);
        out.extend_from_slice(end);
    }
    (out, repaired)
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let value = |d: u8| char::from(d).to_digit(16);
    u8::try_from(value(digits[0])? << 4 | value(digits[1])?).ok()
}

/// A uuencoded file: its name and content.
pub(crate) struct Uuencoded {
    pub name: Option<String>,
    pub content: Vec<u8>,
    /// Lines were cut or changed, or the end is missing.
    pub repaired: bool,
}

/// Decodes the first uuencoded file in a text; none if no line starts one.
pub(crate) fn decode_uuencoded(text: &[u8]) -> Option<Uuencoded> {
    let mut lines = text.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let begin = lines.by_ref().find_map(|line| line.strip_prefix(b"begin "))?;
    let name = String::from_utf8_lossy(begin).split_once(' ').map(|(_, name)| name.trim().to_owned());
    let (mut content, mut repaired, mut ended) = (Vec::with_capacity(text.len()), false, false);
    for line in lines {
        if line == b"end" {
            ended = true;
            break;
        }
        let Some((first, rest)) = line.split_first() else { continue };
        repaired |= line.iter().any(|b| !(b' '..=b'`').contains(b));
        let value = |byte: &u8| u32::from(byte.wrapping_sub(b' ') & 0x3F);
        let (start, length) = (content.len(), value(first) as usize);
        for group in rest.chunks(4) {
            // Trailing spaces of a line may be lost in transit.
            let digits = group.iter().map(value).chain([0; 4]).take(4);
            let bytes = digits.fold(0, |bytes, digit| bytes << 6 | digit).to_be_bytes();
            content.extend_from_slice(&bytes[1..]);
        }
        repaired |= content.len() - start < length;
        content.truncate(start + length);
    }
    Some(Uuencoded { name: name.filter(|n| !n.is_empty()), content, repaired: repaired || !ended })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        encode_base64(bytes, &mut text);
        text
    }

    #[test]
    fn base64_comes_in_lines_of_76_and_is_read_back_without_padding_too() {
        for size in [0, 1, 57, 58, 256, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 100] {
            let bytes: Vec<u8> = (0..=255).cycle().take(size).collect();
            let text = encoded(&bytes);
            let mut lines: Vec<_> = text.split_inclusive(|b| *b == b'\n').collect();
            let last = lines.pop().unwrap_or(b"\r\n");
            assert!(lines.iter().all(|line| line.len() == LINE + 2), "{size}");
            assert!(last.len() <= LINE + 2 && last.ends_with(b"\r\n"), "{size}");
            assert_eq!(decode_base64(&text), (bytes, false));
        }
        assert_eq!(decode_base64(b"YQ"), (b"a".to_vec(), false));
        assert_eq!(decode_base64(b" Y W\tJj\r\nZ\rA\n= ="), (b"abcd".to_vec(), false));
    }

    #[test]
    fn a_footer_under_base64_does_not_become_data() {
        let footer = "\r\n-- \r\nThis mail was scanned by\r\nExampleGateway\r\n";
        for size in [100, 101, 102, 114] {
            let bytes: Vec<u8> = (0..=255).cycle().take(size).collect();
            let text = [&encoded(&bytes)[..], footer.as_bytes()].concat();
            assert_eq!(decode_base64(&text), (bytes, true), "{size}");
        }
    }

    #[test]
    fn one_wrong_byte_of_base64_spoils_at_most_its_own_group() {
        let bytes: Vec<u8> = (0..=255).cycle().take(399).collect();
        let text = encoded(&bytes);
        for (at, wrong) in [(10, b'!'), (100, 0xFF), (text.len() - 4, b'*')] {
            let mut changed = text.clone();
            changed[at] = wrong;
            let (read, repaired) = decode_base64(&changed);
            assert!(repaired && read.len() == bytes.len(), "{at}");
            assert!(read.iter().zip(&bytes).filter(|(a, b)| a != b).count() <= 3, "{at}");
            let mut longer = text.clone();
            longer.insert(at, wrong);
            assert_eq!(decode_base64(&longer), (bytes.clone(), true), "{at}");
        }
    }

    #[test]
    fn base64_in_padded_pieces_is_read_to_its_end() {
        let bytes: Vec<u8> = (0..=255).cycle().take(400).collect();
        let text: Vec<u8> = bytes.chunks(100).flat_map(encoded).collect();
        assert_eq!(decode_base64(&text), (bytes, true));
    }

    #[test]
    fn text_that_is_no_base64_stays_as_it_is() {
        let text = b"This was never encoded, whatever its header says.\r\n";
        assert_eq!(decode_base64(text), (text.to_vec(), true));
    }

    #[test]
    fn quoted_printable_is_decoded_around_what_is_broken() {
        let (read, repaired) = decode_quoted_printable(b"M=C3=A9ni=\r\n=c3=A8re  \r\n3 =3D 3=20\r\nlast=");
        assert_eq!((String::from_utf8(read).unwrap(), repaired), ("Ménière\r\n3 = 3 \r\nlast".into(), false));
        let (read, repaired) = decode_quoted_printable(b"a=C3=A9 =ZZ =4 x\n50% = half\xE9 =");
        assert_eq!((read, repaired), (b"a\xC3\xA9 =ZZ =4 x\n50% = half\xE9 ".to_vec(), true));
    }

    #[test]
    fn uuencoded_files_are_read_with_their_name_and_cut_lines_are_noticed() {
        let text = b"preamble\r\nbegin 644 cat food.txt\r\n#0V%T\r\n`\r\nend\r\nrest";
        let file = decode_uuencoded(text).unwrap();
        assert_eq!((file.name.as_deref(), &file.content[..]), (Some("cat food.txt"), &b"Cat"[..]));
        assert!(!file.repaired);
        assert!(decode_uuencoded(b"begin 644 a\n#0V\n").unwrap().repaired);
        assert!(decode_uuencoded(b"nothing here").is_none());
    }

    fn uuencoded(bytes: &[u8]) -> Vec<u8> {
        let digit = |value: u32| if value & 0x3F == 0 { b'`' } else { (value & 0x3F) as u8 + b' ' };
        let mut text = b"begin 600 file.bin\n".to_vec();
        for line in bytes.chunks(45) {
            text.push(digit(line.len() as u32));
            for group in line.chunks(3) {
                let value = (0..3).fold(0, |v, i| v << 8 | u32::from(*group.get(i).unwrap_or(&0)));
                text.extend([18, 12, 6, 0].map(|shift| digit(value >> shift)));
            }
            text.push(b'\n');
        }
        text.extend_from_slice(b"`\nend\n");
        text
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded_again(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            prop_assert_eq!(decode_base64(&encoded(&bytes)), (bytes.clone(), false));
            let file = decode_uuencoded(&uuencoded(&bytes)).unwrap();
            prop_assert!(!file.repaired);
            prop_assert_eq!(file.content, bytes);
        }

        #[test]
        fn decoding_never_makes_more_of_it(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            prop_assert!(decode_base64(&bytes).0.len() <= bytes.len());
            prop_assert!(decode_quoted_printable(&bytes).0.len() <= bytes.len());
            prop_assert!(decode_uuencoded(&bytes).is_none_or(|f| f.content.len() <= bytes.len()));
        }
    }
}

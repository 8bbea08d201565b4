//! The DATA stream: undoes dot-stuffing and finds the end, which is `CRLF . CRLF` and nothing else.

use bytes::{BufMut, BytesMut};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// After CRLF, or at the very start.
    LineStart,
    Text,
    /// After a CR in a line.
    Cr,
    /// After a dot at the start of a line.
    Dot,
    /// After a dot at the start of a line and a CR.
    DotCr,
}

/// Decodes DATA chunk by chunk.
#[derive(Debug)]
pub struct DataDecoder {
    state: State,
    malformed: bool,
}

impl Default for DataDecoder {
    fn default() -> Self {
        Self { state: State::LineStart, malformed: false }
    }
}

impl DataDecoder {
    /// Whether a bare CR or LF occurred: such a message is refused, since other servers may see its end elsewhere.
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// Decodes `input` into `out`. When the end is found, returns the number of bytes that belong to the message; the
    /// next command follows.
    pub fn decode(&mut self, input: &[u8], out: &mut BytesMut) -> Option<usize> {
        // The bytes between the two are output unchanged.
        let (mut start, mut at) = (0, 0);
        while at < input.len() {
            if self.state == State::Text || (self.state == State::LineStart && input[at] != b'.') {
                let run = memchr::memchr2(b'\r', b'\n', &input[at..]).unwrap_or(input.len() - at);
                at += run;
                if input[at..].starts_with(b"\r\n") {
                    at += 2;
                    self.state = State::LineStart;
                    continue;
                }
                if run > 0 {
                    self.state = State::Text;
                }
                if at == input.len() {
                    break;
                }
            }
            out.put_slice(&input[start..at]);
            let byte = input[at];
            at += 1;
            start = at;
            if self.step(byte, out) {
                return Some(at);
            }
        }
        out.put_slice(&input[start..]);
        None
    }

    /// Processes one byte; true at the end of the message.
    fn step(&mut self, byte: u8, out: &mut BytesMut) -> bool {
        self.state = match (self.state, byte) {
            (State::DotCr, b'\n') => return true,
            (State::Cr, b'\n') => {
                out.put_slice(b"\r\n");
                State::LineStart
            }
            (State::LineStart, b'.') => State::Dot,
            (State::Dot, b'\r') => State::DotCr,
            (State::Cr | State::DotCr, _) => {
                self.malformed = true;
                out.put_u8(b'\r');
                self.state = State::Text;
                return self.step(byte, out);
            }
            (State::LineStart | State::Text, b'\r') => State::Cr,
            (State::LineStart | State::Text | State::Dot, other) => {
                self.malformed |= other == b'\n';
                out.put_u8(other);
                State::Text
            }
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(input: &[u8], step: usize) -> (Vec<u8>, Option<usize>, bool) {
        let (mut decoder, mut out, mut done) = (DataDecoder::default(), BytesMut::new(), 0);
        for chunk in input.chunks(step) {
            if let Some(end) = decoder.decode(chunk, &mut out) {
                return (out.to_vec(), Some(done + end), decoder.is_malformed());
            }
            done += chunk.len();
        }
        (out.to_vec(), None, decoder.is_malformed())
    }

    #[test]
    fn dots_are_unstuffed_and_the_end_is_found_however_the_bytes_arrive() {
        let input = b"a\r\n..b\r\n.c\r\n\r\n.\r\nQUIT\r\n";
        for step in 1..input.len() {
            assert_eq!(
                decode(input, step),
                (b"a\r\n.b\r\nc\r\n\r\n".to_vec(), Some(17), false),
                "step {step}"
            );
        }
    }

    #[test]
    fn an_empty_message_ends_at_once() {
        assert_eq!(decode(b".\r\n", 1), (vec![], Some(3), false));
    }

    #[test]
    fn no_other_line_end_ends_a_message_and_each_marks_it() {
        for smuggled in [
            &b"a\n.\nMAIL"[..],
            b"a\n.\r\nMAIL",
            b"a\r\n.\nMAIL",
            b"a\r.\rMAIL",
            b"a\r\n.\rMAIL",
            b"a\r\r\n.\r\r\n",
        ] {
            for step in [1, 3, 100] {
                let (_, end, malformed) = decode(smuggled, step);
                assert_eq!((end, malformed), (None, true), "{}", smuggled.escape_ascii());
            }
        }
    }
}

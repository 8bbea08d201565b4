//! Frames of MLLP release 1: `0x0B` payload `0x1C 0x0D`, and one answer before the next message.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const START: u8 = 0x0B;
const END: u8 = 0x1C;
const RETURN: u8 = 0x0D;

/// Why a frame could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the connection ended inside a frame")]
    Ended,
    #[error("the frame is too large")]
    TooLarge,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A message in its MLLP frame.
pub fn framed(payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(payload.len() + 3);
    frame.push(START);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&[END, RETURN]);
    frame
}

/// Writes one frame.
pub async fn write(stream: &mut (impl AsyncWrite + Unpin), payload: &[u8]) -> std::io::Result<()> {
    stream.write_all(&framed(payload)).await?;
    stream.flush().await
}

/// Reads frames that arrive in pieces. The return after the end may be missing, and bytes between frames are skipped.
#[derive(Debug, Default)]
pub struct Frames {
    buffer: Vec<u8>,
    /// Length of the buffer already searched for the end of a frame.
    searched: usize,
    inside: bool,
}

impl Frames {
    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether a frame has started and not ended.
    pub fn is_inside(&self) -> bool {
        self.inside
    }

    /// Number of buffered bytes.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// The next complete frame. Refuses more than `limit` bytes without an end.
    pub fn next(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FrameError> {
        if !self.inside {
            match self.buffer.iter().position(|byte| *byte == START) {
                Some(start) => {
                    self.buffer.drain(..=start);
                    self.inside = true;
                    self.searched = 0;
                }
                None => {
                    self.buffer.clear();
                    return Ok(None);
                }
            }
        }
        let found = self.buffer[self.searched..].iter().position(|byte| *byte == END);
        match found.map(|end| end + self.searched) {
            Some(end) if end > limit => Err(FrameError::TooLarge),
            Some(end) => {
                let rest = self.buffer.split_off(end + 1);
                self.buffer.truncate(end);
                self.inside = false;
                Ok(Some(std::mem::replace(&mut self.buffer, rest)))
            }
            None if self.buffer.len() > limit => Err(FrameError::TooLarge),
            None => {
                self.searched = self.buffer.len();
                Ok(None)
            }
        }
    }

    /// Reads until a frame is complete.
    pub async fn read(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
        limit: usize,
    ) -> Result<Vec<u8>, FrameError> {
        let mut piece = [0; 4096];
        loop {
            if let Some(frame) = self.next(limit)? {
                return Ok(frame);
            }
            match stream.read(&mut piece).await? {
                0 => return Err(FrameError::Ended),
                read => self.feed(&piece[..read]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_frame_without_the_return_and_noise_between_frames_are_read() {
        let mut frames = Frames::default();
        frames.feed(b"\r\n\x0bMSH|a\x1c\x0bMSH|b\x1c\r");
        assert_eq!(frames.next(10).unwrap().unwrap(), b"MSH|a");
        assert_eq!(frames.next(10).unwrap().unwrap(), b"MSH|b");
        assert!(frames.next(10).unwrap().is_none());
    }

    #[test]
    fn a_frame_without_end_is_refused_at_the_limit() {
        let mut frames = Frames::default();
        frames.feed(b"\x0b0123456789");
        assert!(frames.next(10).unwrap().is_none());
        frames.feed(b"0");
        assert!(matches!(frames.next(10), Err(FrameError::TooLarge)));
    }

    proptest! {
        #[test]
        fn frames_come_out_as_they_went_in_however_they_are_cut(
            messages in prop::collection::vec("[ -~\\r]{0,60}", 1..5), cut in 1usize..9,
        ) {
            let wire: Vec<u8> = messages.iter().flat_map(|message| framed(message.as_bytes())).collect();
            let (mut frames, mut read) = (Frames::default(), Vec::new());
            for piece in wire.chunks(cut) {
                frames.feed(piece);
                while let Some(frame) = frames.next(100).unwrap() {
                    read.push(String::from_utf8(frame).unwrap());
                }
            }
            prop_assert_eq!(read, messages);
        }

        #[test]
        fn whatever_comes_in_is_bounded(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut frames = Frames::default();
            for piece in bytes.chunks(7) {
                frames.feed(piece);
                while let Ok(Some(frame)) = frames.next(50) {
                    prop_assert!(frame.len() <= 50);
                }
            }
        }
    }
}

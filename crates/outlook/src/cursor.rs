//! Sequential reading of bytes, numbers in little endian.

/// Reads bytes sequentially and never beyond their end.
pub struct Cursor<'a>(pub &'a [u8]);

impl<'a> Cursor<'a> {
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A length of four bytes.
    pub fn length(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    /// Bytes padded to a multiple of four; the padding may be missing at the end.
    pub fn padded(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.take(length)?;
        self.0 = self.0.get(length.next_multiple_of(4) - length..).unwrap_or_default();
        Some(taken)
    }
}

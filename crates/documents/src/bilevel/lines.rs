//! Decodes the lines of fax pages (ITU-T T.4 and T.6), and checks that they are complete.

use hayro_ccitt::{DecodeSettings, Decoder, DecoderContext, EncodingMode};

/// Compression and size of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coding {
    pub columns: u32,
    pub rows: u32,
    pub mode: EncodingMode,
    pub has_line_ends: bool,
    pub is_byte_aligned: bool,
}

/// Decoded lines of a page.
pub(crate) struct Lines {
    /// Line by line; 0 is black, 255 is white. Unreadable lines are left out.
    pub pixels: Vec<u8>,
    /// Whether the page is complete and intact, as far as this can be detected.
    pub is_whole: bool,
}

/// Accepted padding after the last line, in bytes.
const PADDING: usize = 4;
/// A page with a proper end mark may lack one line in this many of the height in its header.
const SHORTER: usize = 64;

/// Decodes as many lines as there are. A damaged page keeps the lines before the damage, as a fax machine
/// would print them.
pub(crate) fn lines(data: &[u8], coding: Coding) -> Lines {
    let (columns, rows) = (coding.columns as usize, coding.rows as usize);
    let mut sink = Sink { columns, pixels: Vec::new(), most: columns.saturating_mul(rows) };
    let decoded = hayro_ccitt::decode(data, &mut sink, &mut DecoderContext::new(settings(coding, false)));
    let read = sink.pixels.len().checked_div(columns).unwrap_or_default();
    let is_whole = match (decoded, coding.mode) {
        (Ok(end), EncodingMode::Group4) => {
            let (before, behind) = data.split_at(end.min(data.len()));
            let is_padding = behind.len() < PADDING || behind.iter().all(|byte| *byte == 0);
            if ends_page(before) { read + rows / SHORTER >= rows } else { read == rows && is_padding }
        }
        // The decoder silently skips unreadable lines unless it is strict.
        (Ok(_), _) => read + rows / SHORTER >= rows && is_faultless(data, coding),
        (Err(_), _) => false,
    };
    Lines { pixels: sink.pixels, is_whole }
}

fn settings(coding: Coding, strict: bool) -> DecodeSettings {
    DecodeSettings {
        columns: coding.columns,
        rows: coding.rows,
        end_of_block: true,
        // The decoder detects line ends even if they are not declared.
        end_of_line: coding.has_line_ends && !strict,
        rows_are_byte_aligned: coding.is_byte_aligned,
        encoding: coding.mode,
        strict,
    }
}

fn is_faultless(data: &[u8], coding: Coding) -> bool {
    let mut nothing = Sink { columns: 0, pixels: Vec::new(), most: 0 };
    hayro_ccitt::decode(data, &mut nothing, &mut DecoderContext::new(settings(coding, true))).is_ok()
}

/// Whether the data ends with the mark for the end of a page (T.6 section 2.4.1.1), padded to a byte.
fn ends_page(data: &[u8]) -> bool {
    const END: u64 = 0x00_1001;
    let last = data.iter().rev().take(5).rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    last != 0 && (last >> last.trailing_zeros()) & 0xff_ffff == END
}

struct Sink {
    columns: usize,
    pixels: Vec<u8>,
    most: usize,
}

impl Decoder for Sink {
    fn push_row(&mut self, changes: &[u32]) {
        if self.columns == 0 || self.pixels.len() + self.columns > self.most {
            return;
        }
        let start = self.pixels.len();
        self.pixels.resize(start + self.columns, 0xff);
        let row = &mut self.pixels[start..];
        for black in changes.chunks(2) {
            let from = (black[0] as usize).min(row.len());
            let to = black.get(1).map_or(row.len(), |&end| end as usize).clamp(from, row.len());
            row[from..to].fill(0);
        }
    }
}

//! What holds for every picture, whether it is a file of its own or part of a document.

use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Longest side of a picture, in pixels.
pub(crate) const MAX_SIDE: u32 = 30_000;
/// Memory for decoded pixels, in bytes.
pub(crate) const MAX_DECODED: u64 = 400 << 20;

/// Whether the data of a picture in JPEG goes on to its end without a fault. Headers may be odd.
pub(crate) fn is_whole_jpeg(content: &[u8]) -> bool {
    let side = MAX_SIDE as usize;
    let options = DecoderOptions::default().set_max_width(side).set_max_height(side);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(content), options);
    let Ok(()) = decoder.decode_headers() else { return false };
    let Some((width, height)) = decoder.dimensions() else { return false };
    if (width as u64).saturating_mul(height as u64).saturating_mul(3) > MAX_DECODED {
        return false;
    }
    decoder.set_options(options.set_strict_mode(true));
    decoder.decode().is_ok()
}

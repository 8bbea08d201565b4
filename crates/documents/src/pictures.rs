//! Limits and checks of pictures, both as files and inside documents.

use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum side of a picture, in pixels.
pub(crate) const MAX_SIDE: u32 = 30_000;
/// Maximum memory for decoded pixels, in bytes.
pub(crate) const MAX_DECODED: u64 = 400 << 20;

/// Whether the data of a JPEG is complete and free of errors. Unusual headers are accepted.
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

//! Run-length encoded pictures (DICOM PS3.5 annex G): one segment for each byte of each sample.

use super::{BROKEN, Form};
use crate::error::ConversionError;

/// Size of the header in bytes: the number of segments and their offsets.
const HEADER: usize = 64;
const MOST_SEGMENTS: usize = 15;

/// The samples of a picture, pixel by pixel, little endian. A truncated segment is refused: the rest would be
/// black, which looks like a valid picture.
pub(super) fn samples(data: &[u8], form: &Form) -> Result<Vec<u8>, ConversionError> {
    let (pixels, samples, bytes) = (form.pixels(), form.samples, form.bytes());
    let number = |at: usize| {
        let four = data.get(at * 4..at * 4 + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
    };
    let segments = number(0).ok_or(BROKEN)?;
    if segments != samples * bytes || segments > MOST_SEGMENTS || data.len() < HEADER {
        return Err(BROKEN);
    }
    let mut out = vec![0; pixels * samples * bytes];
    for segment in 0..segments {
        let start = number(segment + 1).ok_or(BROKEN)?;
        let end = if segment + 1 < segments { number(segment + 2).ok_or(BROKEN)? } else { data.len() };
        let unpacked = unpacked(data.get(start..end).ok_or(BROKEN)?, pixels).ok_or(BROKEN)?;
        // The first segment of a sample contains its highest byte.
        let (sample, byte) = (segment / bytes, bytes - 1 - segment % bytes);
        let places = out.iter_mut().skip(sample * bytes + byte).step_by(samples * bytes);
        places.zip(unpacked).for_each(|(place, value)| *place = value);
    }
    Ok(out)
}

/// Decodes this many bytes of a segment; `None` if there are fewer.
fn unpacked(mut data: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(wanted);
    while out.len() < wanted {
        let (&head, rest) = data.split_first()?;
        data = match head {
            0..=127 => {
                let (literal, rest) = rest.split_at_checked(usize::from(head) + 1)?;
                out.extend_from_slice(literal);
                rest
            }
            // No operation.
            128 => rest,
            129..=255 => {
                let (&value, rest) = rest.split_first()?;
                out.resize(out.len() + 257 - usize::from(head), value);
                rest
            }
        };
    }
    out.truncate(wanted);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(samples: usize, bits: u16) -> Form {
        Form {
            width: 2,
            height: 2,
            samples,
            bits,
            stored: bits,
            is_signed: false,
            in_planes: false,
            photometric: String::new(),
        }
    }

    fn file(segments: &[&[u8]]) -> Vec<u8> {
        let mut at = HEADER as u32;
        let mut header = (segments.len() as u32).to_le_bytes().to_vec();
        for segment in segments {
            header.extend(at.to_le_bytes());
            at += segment.len() as u32;
        }
        header.resize(HEADER, 0);
        [&header, &segments.concat()[..]].concat()
    }

    #[test]
    fn segments_are_put_together_to_samples_of_any_size() {
        let grey = file(&[&[1, 1, 2, 0xff, 9], &[3, 10, 20, 30, 40]]);
        assert_eq!(samples(&grey, &form(1, 16)).unwrap(), [10, 1, 20, 2, 30, 9, 40, 9]);
        let same = |value: u8| [253, value];
        let wide = file(&[&same(4), &same(3), &same(2), &same(1)]);
        assert_eq!(samples(&wide, &form(1, 32)).unwrap(), [1, 2, 3, 4].repeat(4));
        let colours = file(&[&same(200), &same(100), &same(50)]);
        assert_eq!(samples(&colours, &form(3, 8)).unwrap(), [200, 100, 50].repeat(4));
        let short = file(&[&[254, 7], &same(1)]);
        assert_eq!(samples(&short, &form(1, 16)), Err(BROKEN), "a part would be black");
        assert_eq!(samples(&grey, &form(1, 8)), Err(BROKEN));
    }
}

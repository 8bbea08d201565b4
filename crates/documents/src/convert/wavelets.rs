//! Decodes pictures of devices in JPEG 2000 (DICOM PS3.5 A.4.4).

use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};

use super::ConversionError;

/// Maximum number of samples of a picture: decoding takes about twenty bytes for each.
const MAX_SAMPLES: u64 = 24 << 20;
/// Offset of the format of the first component in a codestream, after the first two markers and the sizes.
const FIRST_COMPONENT: usize = 42;
const CODESTREAM: [u8; 4] = [0xff, 0x4f, 0xff, 0x51];

/// A decoded picture.
pub(super) struct Wavelets {
    pub width: u32,
    pub height: u32,
    pub samples: Samples,
}

pub(super) enum Samples {
    /// Values as stored by the device.
    Grey(Vec<f32>),
    /// Three bytes per pixel.
    Colours(Vec<u8>),
}

pub(super) fn decoded(data: &[u8]) -> Result<Wavelets, ConversionError> {
    let unsupported = |_| ConversionError::Unsupported;
    let image = Image::new(data, &DecodeSettings::default()).map_err(unsupported)?;
    let (width, height) = (image.width(), image.height());
    let pixels = u64::from(width).saturating_mul(u64::from(height));
    let channels = u64::from(image.color_space().num_channels()) + u64::from(image.has_alpha());
    if pixels.saturating_mul(channels) > MAX_SAMPLES {
        return Err(ConversionError::TooLarge);
    }
    let mut context = DecoderContext::default();
    let picture = image.decode(&mut context).map_err(unsupported)?;
    let samples = match picture.components() {
        [grey] => {
            // The decoder returns unsigned values.
            let is_signed =
                data.starts_with(&CODESTREAM) && data.get(FIRST_COMPONENT).is_some_and(|b| b & 0x80 != 0);
            let offset = if is_signed { 2f32.powi(i32::from(grey.bit_depth()) - 1) } else { 0.0 };
            Samples::Grey(grey.samples().iter().map(|sample| sample - offset).collect())
        }
        [_, _, _] => Samples::Colours(picture.data_u8()),
        _ => return Err(ConversionError::Unsupported),
    };
    Ok(Wavelets { width, height, samples })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A codestream of eight bits whose only packet is empty: the whole picture has the middle value.
    fn even(width: u32, height: u32, depth: u8) -> Vec<u8> {
        let sizes = [width, height, 0, 0, width, height, 0, 0].map(u32::to_be_bytes).concat();
        let size = [&[0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0][..], &sizes, &[0, 1, depth, 1, 1]].concat();
        let coding = [0xff, 0x52, 0, 12, 0, 0, 0, 1, 0, 0, 4, 4, 0, 1];
        let quantization = [0xff, 0x5c, 0, 4, 0x40, 0x40];
        let tile = [0xff, 0x90, 0, 10, 0, 0, 0, 0, 0, 15, 0, 1, 0xff, 0x93, 0, 0xff, 0xd9];
        [&size[..], &coding, &quantization, &tile].concat()
    }

    #[test]
    fn a_picture_is_decoded_to_the_values_that_were_stored() {
        let grey = |depth: u8| {
            let Wavelets { width, height, samples } = decoded(&even(4, 3, depth)).unwrap();
            assert_eq!((width, height), (4, 3));
            let Samples::Grey(values) = samples else { panic!("it is grey") };
            assert_eq!(values.len(), 12);
            values[0]
        };
        assert_eq!(grey(7), 128.0);
        assert_eq!(grey(0x80 | 11), 0.0, "signed values lie around zero");
    }

    #[test]
    fn a_picture_that_is_too_large_is_refused_by_its_header() {
        assert_eq!(decoded(&even(60_000, 60_000, 7)).err(), Some(ConversionError::TooLarge));
        assert_eq!(decoded(b"no picture").err(), Some(ConversionError::Unsupported));
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_decoder(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut damaged = even(16, 16, 7);
            let place = at.index(damaged.len());
            damaged[place] = byte;
            if let Some(Ok(picture)) = crate::pdf::guarded(|| decoded(&damaged)) {
                prop_assert!(u64::from(picture.width) * u64::from(picture.height) <= MAX_SAMPLES);
            }
        }
    }
}

//! The palette of a brand: ten steps from light to dark, computed from one colour.

use palette::{FromColor, IsWithinBounds, Oklch, Srgb};
use store::entities::string_list::StringList;

/// Lightness of each step (Oklch), and the share of the colour's chroma that it keeps. White text on steps 6 and 7,
/// and step 7 on white, have a contrast of more than 4.5:1 for every hue.
const STEPS: [(f32, f32); 10] = [
    (0.97, 0.12),
    (0.93, 0.25),
    (0.87, 0.5),
    (0.79, 0.75),
    (0.71, 0.95),
    (0.62, 1.0),
    (0.51, 1.0),
    (0.45, 0.95),
    (0.38, 0.85),
    (0.3, 0.7),
];

/// The ten steps for a colour such as `#0B6570`, or `None` for other texts.
pub fn palette(color: &str) -> Option<StringList> {
    let chosen: Srgb<u8> = color.parse().ok()?;
    let chosen = Oklch::from_color(chosen.into_linear::<f32>());
    Some(STEPS.iter().map(|(lightness, share)| step(chosen, *lightness, *share)).collect())
}

/// The colour of this lightness and hue with the highest chroma that screens can show.
fn step(chosen: Oklch, lightness: f32, share: f32) -> String {
    let mut chroma = chosen.chroma * share;
    loop {
        let shown = Srgb::from_color(Oklch::new(lightness, chroma, chosen.hue));
        if shown.is_within_bounds() || chroma < 0.001 {
            return format!("#{:X}", shown.into_format::<u8>());
        }
        chroma *= 0.95;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palette::color_difference::Wcag21RelativeContrast;

    fn contrast_with_white(step: &str) -> f32 {
        let color: Srgb<u8> = step.parse().expect("a colour");
        Srgb::new(1.0, 1.0, 1.0).into_linear().relative_contrast(color.into_linear())
    }

    #[test]
    fn every_colour_gives_steps_on_which_white_can_be_read() {
        for color in ["#0B6570", "#7C3671", "#FFEE00", "#00FF00", "#0000FF", "#FF0000", "#FFFFFF", "#000000"]
        {
            let steps = palette(color).expect("a colour").0;
            assert_eq!(steps.len(), 10);
            for step in &steps[6..] {
                assert!(
                    contrast_with_white(step) >= 4.5,
                    "{color}: {step} has {}",
                    contrast_with_white(step)
                );
            }
            let contrasts: Vec<f32> = steps.iter().map(|step| contrast_with_white(step)).collect();
            assert!(contrasts.is_sorted(), "{color}: from light to dark, {contrasts:?}");
        }
        assert_eq!(palette("plum"), None);
    }
}

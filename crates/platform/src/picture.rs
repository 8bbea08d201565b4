//! Small pictures uploaded by operators: logos.

use crate::{
    App,
    upload::{Checked, Upload},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use documents::{Kind, detect, worker::Input};

/// Maximum size of a logo in bytes.
pub const MAX_LOGO: usize = 512 << 10;

/// The media type of a logo, or why it cannot be used. The confined converter draws it once as a test.
pub async fn check_logo(app: &App, content: &Checked) -> Result<&'static str, String> {
    if content.len() > MAX_LOGO {
        return Err(format!("A logo may have at most {} KiB.", MAX_LOGO >> 10));
    }
    let kind = detect(content);
    let media_type = match kind {
        Kind::Png => "image/png",
        Kind::Jpeg => "image/jpeg",
        _ => return Err("Please choose a PNG or JPEG picture.".into()),
    };
    let drawn = app.converter.to_pdf(Input::bytes(kind, content.to_vec())).await;
    drawn.map(|_| media_type).map_err(|_| "The logo could not be read as a picture.".into())
}

/// A picture as in forms: `data:image/png;base64,…`, or empty for none.
pub fn to_data_url(media_type: &str, content: &[u8]) -> String {
    format!("data:{media_type};base64,{}", STANDARD.encode(content))
}

/// The content of such a text, regardless of the stated media type. `None` if it is invalid.
pub fn from_data_url(text: &str) -> Option<Upload> {
    let (head, content) = text.split_once(',')?;
    let is_one = head.starts_with("data:") && head.ends_with(";base64");
    is_one.then(|| STANDARD.decode(content).ok())?.map(Upload::unnamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_travels_as_text() {
        let text = to_data_url("image/png", b"\x89PNG");
        assert_eq!(from_data_url(&text), Some(Upload::unnamed(b"\x89PNG".as_slice())));
        for wrong in ["", "iVBORw0K", "data:image/png,plain", "data:image/png;base64,%%"] {
            assert_eq!(from_data_url(wrong), None, "{wrong}");
        }
    }
}

//! Preparing PDF files for signatures, within the process boundary.

use std::ops::Range;

use pades::{Faces, Problem, Signing};

const FACES: Faces<'static> = Faces {
    text: include_bytes!("../fonts/LiberationSans-Regular.ttf"),
    bold: include_bytes!("../fonts/LiberationSans-Bold.ttf"),
    script: include_bytes!("../fonts/LiberationSerif-Italic.ttf"),
};

/// A signature and the file for it, as one input for the worker.
pub(crate) fn packed(what: &Signing, pdf: &[u8]) -> Vec<u8> {
    let head = serde_json::to_vec(what).unwrap_or_default();
    let mut out = (head.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&head);
    out.extend_from_slice(pdf);
    out
}

/// Decodes the result of [`packed`] and prepares the file.
pub(crate) fn prepare_packed(content: &[u8]) -> Result<(Vec<u8>, Range<usize>), Problem> {
    let (what, pdf) = unpacked(content).ok_or(Problem::Broken)?;
    Ok(pades::prepare(pdf, &what, &FACES)?.into_parts())
}

fn unpacked(content: &[u8]) -> Option<(Signing, &[u8])> {
    let (length, rest) = content.split_first_chunk::<4>()?;
    let (head, pdf) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((serde_json::from_slice(head).ok()?, pdf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pades::{Mark, Prepared};

    #[test]
    fn a_file_of_ours_is_prepared_and_something_else_is_refused() {
        let pdf = crate::convert::to_pdf(crate::Kind::Text, b"Visit note").unwrap();
        let what = Signing {
            field: "one".into(),
            mark: Mark::Typed("Ola Ng".into()),
            name: "Ola Ng".into(),
            role: String::new(),
            organization: "Clinic".into(),
            at: chrono::DateTime::UNIX_EPOCH,
            at_text: "1970".into(),
            reason: "Test".into(),
            room: 64,
        };
        let (made, hole) = prepare_packed(&packed(&what, &pdf)).unwrap();
        assert!(Prepared::of_parts(&pdf, made, hole).is_some());
        assert_eq!(prepare_packed(&packed(&what, b"text")).unwrap_err(), Problem::Broken);
        assert_eq!(prepare_packed(b"").unwrap_err(), Problem::Broken);
    }
}

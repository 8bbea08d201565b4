//! What a signer drew or typed, and agreed to.

use super::types::{MarkKind, SignForm, SignatureMark};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use pades::{CANVAS, Mark};
use platform::{Error, Result};
use serde::{Deserialize, Serialize};
use store::{entities::signature, keys::DataKey};
use uuid::Uuid;

/// What people agree to when they sign. Stored with each signature, so it may be changed here.
pub const CONSENT: &str = "I agree to sign these documents electronically. My electronic signature has the same legal \
                           effect as my signature on paper. I have read the documents listed here, and I sign all of \
                           them. I know that I can ask for them on paper instead.";

const STROKES_MAX: usize = 200;
const POINTS_MAX: usize = 5_000;
const NO_MARK: &str = "Please type or draw your signature.";
const TOO_LONG: &str = "This drawing is too long. Please clear it and sign again.";
const NO_DRAWING: &str = "This drawing cannot be read. Please clear it and sign again.";

/// A signature as the signer gave it. Stored sealed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Given {
    pub mark: Mark,
    /// Name of the signer at that time.
    pub name: String,
    /// Job of the signer at that time.
    pub role: String,
    /// Name of the signer's time zone.
    pub zone: String,
    /// The text that the signer agreed to.
    pub consent: String,
}

impl Given {
    /// The signature in a form, if it is complete.
    pub fn of(form: &SignForm, name: &str, role: String) -> Result<Self> {
        let mark = form.signature.as_ref().ok_or_else(|| Error::field("signature", NO_MARK))?;
        let mark = mark_of(mark).map_err(|problem| Error::field("signature", problem))?;
        if !form.consents {
            return Err(Error::field("consents", "Please agree to sign electronically."));
        }
        let zone = zone_of(form.time_zone.as_deref().unwrap_or_default()).name().to_owned();
        Ok(Self { mark, name: name.to_owned(), role, zone, consent: CONSENT.into() })
    }

    pub fn seal(&self, key: &DataKey, id: Uuid) -> Result<Vec<u8>> {
        Ok(key.seal(&context(id), &serde_json::to_vec(self).map_err(Error::internal)?))
    }

    /// The signature of a row; none if it was given without one.
    pub fn open(key: &DataKey, row: &signature::Model) -> Result<Option<Self>> {
        let Some(sealed) = &row.sealed_mark else { return Ok(None) };
        serde_json::from_slice(&key.open(&context(row.id), sealed)?).map(Some).map_err(Error::internal)
    }

    /// The time of the signature for people, in the zone of the signer.
    pub fn at_text(&self, at: DateTime<Utc>) -> String {
        at.with_timezone(&zone_of(&self.zone)).format("%b %-d, %Y, %-I:%M %p %Z").to_string()
    }
}

fn zone_of(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::UTC)
}

fn context(id: Uuid) -> String {
    format!("signature.mark:{id}")
}

fn mark_of(given: &SignatureMark) -> Result<Mark, &'static str> {
    match given.kind {
        MarkKind::Typed => {
            let name = given.text.as_deref().map(str::trim).unwrap_or_default();
            if name.is_empty() { Err(NO_MARK) } else { Ok(Mark::Typed(name.into())) }
        }
        MarkKind::Drawn => drawn(given.strokes.as_deref().unwrap_or_default()),
    }
}

fn drawn(strokes: &[Vec<u16>]) -> Result<Mark, &'static str> {
    if strokes.is_empty() {
        return Err(NO_MARK);
    }
    if strokes.len() > STROKES_MAX || strokes.iter().map(Vec::len).sum::<usize>() > 2 * POINTS_MAX {
        return Err(TOO_LONG);
    }
    let is_line = |stroke: &Vec<u16>| {
        !stroke.is_empty() && stroke.len().is_multiple_of(2) && stroke.iter().all(|at| *at <= CANVAS)
    };
    if !strokes.iter().all(is_line) {
        return Err(NO_DRAWING);
    }
    Ok(Mark::Drawn(strokes.iter().map(|stroke| stroke.as_chunks::<2>().0.to_vec()).collect()))
}

#[cfg(test)]
mod tests {
    use super::{super::types::TypedSignature, *};

    fn drawing(strokes: Vec<Vec<u16>>) -> SignatureMark {
        SignatureMark { kind: MarkKind::Drawn, text: None, strokes: Some(strokes) }
    }

    #[test]
    fn a_drawing_has_lines_within_the_canvas_and_limits() {
        assert_eq!(mark_of(&drawing(vec![])), Err(NO_MARK));
        for wrong in [vec![], vec![1, 2, 3], vec![1, CANVAS + 1]] {
            assert_eq!(mark_of(&drawing(vec![wrong])), Err(NO_DRAWING));
        }
        assert_eq!(mark_of(&drawing(vec![vec![1, 1]; STROKES_MAX + 1])), Err(TOO_LONG));
        assert_eq!(mark_of(&drawing(vec![vec![1; 2 * POINTS_MAX + 2]])), Err(TOO_LONG));
        assert_eq!(mark_of(&drawing(vec![vec![1, 2, 3, 4]])), Ok(Mark::Drawn(vec![vec![[1, 2], [3, 4]]])));
    }

    #[test]
    fn a_typed_name_is_not_blank() {
        let typed = |text: Option<&str>| SignatureMark {
            kind: MarkKind::Typed,
            text: text.map(|t| TypedSignature::new(t).unwrap()),
            strokes: None,
        };
        assert_eq!(mark_of(&typed(None)), Err(NO_MARK));
        assert_eq!(mark_of(&typed(Some("Ola Ng"))), Ok(Mark::Typed("Ola Ng".into())));
    }
}

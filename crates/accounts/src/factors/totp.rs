//! Codes of authenticator apps (RFC 6238): 30 seconds, SHA-1, 6 digits, which every app supports.

use chrono::{DateTime, Utc};
use platform::{App, Error, Result};
use qrcode::{EcLevel, QrCode, render::svg};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use store::entities::second_factor;
use totp_rs::{Algorithm, Builder, Secret, Totp};
use uuid::Uuid;

/// 160 bits, as long as the hash (RFC 4226 section 4).
const SECRET_BYTES: usize = 20;
const DIGITS: u8 = 6;
const SECONDS: u64 = 30;
/// Time steps by which a code may be late, because typing takes time. A code is valid for at most a minute.
const LATE: u16 = 1;

/// A new secret for an app.
pub fn new_secret() -> Result<Vec<u8>> {
    let mut bytes = vec![0; SECRET_BYTES];
    openssl::rand::rand_bytes(&mut bytes).map_err(Error::internal)?;
    Ok(bytes)
}

/// Data for setting up an app.
pub struct Setup {
    /// For manual entry.
    pub secret: String,
    pub uri: String,
    pub qr_svg: String,
}

pub fn setup(secret: &[u8], issuer: &str, user_name: &str) -> Result<Setup> {
    let plain = |text: &str| text.replace(':', " ");
    let totp = totp(secret, Some((plain(issuer), plain(user_name))))?;
    let uri = totp.to_url().map_err(Error::internal)?;
    let code = QrCode::with_error_correction_level(uri.as_bytes(), EcLevel::M).map_err(Error::internal)?;
    let qr_svg = code.render::<svg::Color>().min_dimensions(200, 200).build();
    // Without the XML declaration the SVG can be embedded in a page.
    let qr_svg = qr_svg.split_once("?>").map_or(qr_svg.clone(), |(_, drawing)| drawing.to_owned());
    Ok(Setup { secret: totp.secret().to_base32(), uri, qr_svg })
}

/// The time step of a code, the current one or the one before; `None` if the code is wrong.
pub fn step(secret: &[u8], code: &str, now: DateTime<Utc>) -> Result<Option<i64>> {
    let seconds = u64::try_from(now.timestamp()).map_err(Error::internal)?;
    let found = totp(secret, None)?.check(code, seconds).filter(|step| *step <= seconds / SECONDS);
    Ok(found.and_then(|step| i64::try_from(step).ok()))
}

fn totp(secret: &[u8], label: Option<(String, String)>) -> Result<Totp> {
    let builder = Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(DIGITS)
        .with_skew(LATE)
        .with_step_duration(SECONDS)
        .with_secret(Secret::new(secret.into()));
    let (issuer, account) = label.unwrap_or(("Carepost".into(), "account".into()));
    builder.with_issuer(Some(issuer)).with_account_name(account).build().map_err(Error::internal)
}

pub fn seal(app: &App, user_id: Uuid, secret: &[u8]) -> Vec<u8> {
    app.keys.master().seal(&context(user_id), secret)
}

pub fn open(app: &App, user_id: Uuid, sealed: &[u8]) -> Result<Vec<u8>> {
    Ok(app.keys.open_secret(&context(user_id), sealed)?)
}

/// Reseals the secrets of all authenticator apps with the current master key. Returns how many had another.
pub async fn reseal(app: &App) -> Result<u64> {
    use second_factor::Column;
    let db = app.store.db();
    let sealed: Vec<(Uuid, Vec<u8>)> = second_factor::Entity::find()
        .select_only()
        .columns([Column::UserId, Column::SealedSecret])
        .filter(Column::SealedSecret.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let mut changed = 0;
    for (user_id, before) in sealed {
        let Some(sealed) = app.keys.resealed(&context(user_id), &before)? else { continue };
        // The user may have set up another app meanwhile.
        changed += second_factor::Entity::update_many()
            .col_expr(Column::SealedSecret, Expr::value(sealed))
            .filter(Column::UserId.eq(user_id))
            .filter(Column::SealedSecret.eq(before))
            .exec(db)
            .await?
            .rows_affected;
    }
    Ok(changed)
}

fn context(user_id: Uuid) -> String {
    format!("second_factor.secret:{user_id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of the test vectors of RFC 6238, appendix B.
    const VECTOR: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            assert_eq!(step(VECTOR, code, at(seconds)).expect("a check"), Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn a_code_is_good_in_its_step_and_the_one_after() {
        for (seconds, fits) in [(29, false), (30, true), (59, true), (60, true), (89, true), (90, false)] {
            assert_eq!(step(VECTOR, "287082", at(seconds)).expect("a check").is_some(), fits, "{seconds}");
        }
        for wrong in ["", "28708", "2870822", "28708a", "２８７０８２", "287083"] {
            assert_eq!(step(VECTOR, wrong, at(59)).expect("a check"), None, "{wrong}");
        }
    }

    #[test]
    fn an_app_is_set_up_by_a_drawing_or_by_typing() {
        let setup = setup(VECTOR, "Harbor: line", "dana@carepost.example").expect("a setup");
        assert_eq!(setup.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert!(setup.uri.starts_with("otpauth://totp/Harbor"), "{}", setup.uri);
        assert!(setup.uri.contains("secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), "{}", setup.uri);
        assert!(setup.qr_svg.starts_with("<svg"), "{}", &setup.qr_svg[..80]);
    }
}

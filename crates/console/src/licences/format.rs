//! Format of a licence: `CPL1`, the terms as JSON and an Ed25519 signature over both (RFC 8032), in base64url without
//! padding (RFC 4648 section 5), separated by dots. `docs/licences.md` documents it for authors of connectors.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use openssl::{
    error::ErrorStack,
    pkey::{Id, PKey, Private, Public},
    sha::sha256,
    sign::{Signer, Verifier},
};
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

const MARK: &str = "CPL1";
/// Maximum length of a licence.
const LENGTH_MAX: usize = 8 << 10;

/// Terms of a licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    pub id: Uuid,
    /// Id of the signing key: see [`key_id`].
    pub key: String,
    pub product: String,
    pub license_type: String,
    pub licensed_plan: bool,
    /// Empty for a licensed plan.
    pub application: String,
    pub organization_id: Uuid,
    pub organization: String,
    pub reference: String,
    /// SHA-256 of the connector's identity, 64 hexadecimal digits. Without one, any connector may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    pub issued: DateTime<Utc>,
    pub expires: DateTime<Utc>,
}

/// Reason for refusing a licence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text is not a licence.
    Malformed,
    /// It was changed, or signed with another key.
    Forged,
    /// It belongs to another connector.
    OtherConnector,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "This is not a licence.",
            Self::Forged => {
                "The signature is wrong: the licence was changed, or another installation issued it."
            }
            Self::OtherConnector => "This licence belongs to another connector.",
        })
    }
}

/// Id of a public key: the first 8 bytes of its SHA-256 in hexadecimal digits.
pub fn key_id(public_key: &[u8]) -> String {
    sha256(public_key)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a licence.
pub fn sign(terms: &Terms, key: &PKey<Private>) -> Result<String, ErrorStack> {
    let json = serde_json::to_vec(terms).expect("terms are JSON");
    let signed = format!("{MARK}.{}", URL_SAFE_NO_PAD.encode(json));
    let signature = Signer::new_without_digest(key)?.sign_oneshot_to_vec(signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// Reads a licence signed by `key`. `fingerprint` is that of the asking connector. The caller checks the end date: an
/// expired licence causes a warning, and stops nothing.
pub fn verify(licence: &str, key: &PKey<Public>, fingerprint: Option<&str>) -> Result<Terms, Refusal> {
    let licence = licence.trim();
    if licence.len() > LENGTH_MAX {
        return Err(Refusal::Malformed);
    }
    let (signed, signature) = licence.rsplit_once('.').ok_or(Refusal::Malformed)?;
    let json = signed.strip_prefix(MARK).and_then(|rest| rest.strip_prefix('.')).ok_or(Refusal::Malformed)?;
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| Refusal::Malformed);
    let (json, signature) = (decode(json)?, decode(signature)?);
    let is_genuine = key.id() == Id::ED25519
        && Verifier::new_without_digest(key)
            .and_then(|mut verifier| verifier.verify_oneshot(&signature, signed.as_bytes()))
            .unwrap_or(false);
    if !is_genuine {
        return Err(Refusal::Forged);
    }
    let terms: Terms = serde_json::from_slice(&json).map_err(|_| Refusal::Malformed)?;
    match &terms.fingerprint {
        Some(bound) if fingerprint.map(plain).as_deref() != Some(bound) => Err(Refusal::OtherConnector),
        _ => Ok(terms),
    }
}

/// A fingerprint in its compared form: lower case, without colons.
pub fn plain(fingerprint: &str) -> String {
    fingerprint.trim().chars().filter(|c| *c != ':').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn terms(fingerprint: Option<&str>) -> Terms {
        Terms {
            id: Uuid::from_u128(7),
            key: "0123456789abcdef".into(),
            product: "Connector".into(),
            license_type: "Standard".into(),
            licensed_plan: false,
            application: "Carepost Connector".into(),
            organization_id: Uuid::from_u128(8),
            organization: "Larkfield Family Practice".into(),
            reference: "r-1".into(),
            fingerprint: fingerprint.map(str::to_owned),
            issued: Utc.with_ymd_and_hms(2026, 11, 1, 0, 0, 0).unwrap(),
            expires: Utc.with_ymd_and_hms(2027, 11, 1, 0, 0, 0).unwrap(),
        }
    }

    fn keys() -> (PKey<Private>, PKey<Public>) {
        let key = PKey::generate_ed25519().expect("a key");
        let public = key.raw_public_key().expect("a public key");
        (key, PKey::public_key_from_raw_bytes(&public, Id::ED25519).expect("a public key"))
    }

    #[test]
    fn a_licence_is_read_as_it_was_signed() {
        let (key, public) = keys();
        let licence = sign(&terms(None), &key).expect("a licence");
        assert_eq!(verify(&format!(" {licence}\n"), &public, None), Ok(terms(None)));
        assert_eq!(verify(&licence, &public, Some("AA")), Ok(terms(None)));
    }

    #[test]
    fn a_licence_of_another_key_or_with_another_end_is_forged() {
        let (key, public) = keys();
        let licence = sign(&terms(None), &key).expect("a licence");
        assert_eq!(verify(&licence, &keys().1, None), Err(Refusal::Forged));
        let later = Terms { expires: Utc.with_ymd_and_hms(2099, 1, 1, 0, 0, 0).unwrap(), ..terms(None) };
        let json = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&later).expect("JSON"));
        let (_, signature) = licence.rsplit_once('.').expect("a signature");
        assert_eq!(verify(&format!("{MARK}.{json}.{signature}"), &public, None), Err(Refusal::Forged));
    }

    #[test]
    fn what_is_no_licence_is_said_to_be_none() {
        let (_, public) = keys();
        for text in ["", "CPL1", "CPL1.e30", "CPL2.e30.e30", "CPL1.!.!", &"x".repeat(9000)] {
            assert_eq!(verify(text, &public, None), Err(Refusal::Malformed), "{text}");
        }
    }

    #[test]
    fn a_bound_licence_is_for_its_connector_alone() {
        let (key, public) = keys();
        let bound = terms(Some("ab12"));
        let licence = sign(&bound, &key).expect("a licence");
        assert_eq!(verify(&licence, &public, Some("AB:12")), Ok(bound));
        assert_eq!(verify(&licence, &public, Some("ab13")), Err(Refusal::OtherConnector));
        assert_eq!(verify(&licence, &public, None), Err(Refusal::OtherConnector));
    }
}

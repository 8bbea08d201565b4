//! Passkeys (WebAuthn). Options and credentials are passed through in the standard's JSON form.

use platform::{App, Error, Result, session::full_name};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::entities::{app_user, passkey};
use url::{Host, Url};
use uuid::Uuid;
use webauthn_rs::prelude::{
    AuthenticationResult, DiscoverableAuthentication, DiscoverableKey, Passkey, PasskeyAuthentication,
    PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential, Webauthn, WebauthnBuilder,
};
use webauthn_rs_proto::ResidentKeyRequirement;

pub const NOT_AVAILABLE: &str = "Passkeys cannot be used at the address of this installation.";

/// The relying party id and origin. Browsers support no passkeys for IP addresses or without TLS, except on
/// localhost; a demonstration at 127.0.0.1 uses that name.
fn site(public_url: &Url) -> Option<(String, Url)> {
    match public_url.host()? {
        Host::Domain(name) if public_url.scheme() == "https" || name == "localhost" => {
            Some((name.to_owned(), public_url.clone()))
        }
        Host::Ipv4(address) if address.is_loopback() => {
            let mut origin = public_url.clone();
            origin.set_host(Some("localhost")).ok()?;
            Some(("localhost".into(), origin))
        }
        _ => None,
    }
}

pub fn are_available(app: &App) -> bool {
    site(&app.config.http.public_url).is_some()
}

fn webauthn(app: &App) -> Result<Webauthn> {
    let (id, origin) = site(&app.config.http.public_url).ok_or(Error::Conflict(NOT_AVAILABLE.into()))?;
    let builder = WebauthnBuilder::new(&id, &origin).map_err(Error::internal)?;
    builder.rp_name("Carepost").build().map_err(Error::internal)
}

/// Options for a browser, and the state to keep until its response.
pub struct Question {
    pub options: Value,
    pub state: String,
}

fn question(options: &impl Serialize, state: &impl Serialize) -> Result<Question> {
    let mut options = serde_json::to_value(options).map_err(Error::internal)?;
    let state = serde_json::to_string(state).map_err(Error::internal)?;
    Ok(Question { options: options["publicKey"].take(), state })
}

fn state<T: DeserializeOwned>(text: Option<&str>) -> Option<T> {
    text.and_then(|text| serde_json::from_str(text).ok())
}

fn known(rows: &[passkey::Model]) -> Result<Vec<Passkey>> {
    rows.iter().map(|row| serde_json::from_str(&row.credential).map_err(Error::internal)).collect()
}

/// Options for a new discoverable passkey.
pub fn ask_new(app: &App, user: &app_user::Model, existing: &[passkey::Model]) -> Result<Question> {
    let exclude = known(existing)?.iter().map(|key| key.cred_id().clone()).collect();
    let name = full_name(user);
    let (mut options, state) = webauthn(app)?
        .start_passkey_registration(user.id, &user.user_name, &name, Some(exclude))
        .map_err(Error::internal)?;
    if let Some(selection) = &mut options.public_key.authenticator_selection {
        selection.resident_key = Some(ResidentKeyRequirement::Required);
        selection.require_resident_key = true;
    }
    question(&options, &state)
}

/// A new passkey as stored.
pub struct NewPasskey {
    pub credential_id: Vec<u8>,
    pub credential: String,
}

/// The passkey created by a browser; `None` if the response does not match the state.
pub fn new(app: &App, asked: Option<&str>, answer: Value) -> Result<Option<NewPasskey>> {
    let Some(asked) = state::<PasskeyRegistration>(asked) else { return Ok(None) };
    let Ok(answer) = serde_json::from_value::<RegisterPublicKeyCredential>(answer) else { return Ok(None) };
    let Ok(made) = webauthn(app)?.finish_passkey_registration(&answer, &asked) else { return Ok(None) };
    let credential = serde_json::to_string(&made).map_err(Error::internal)?;
    Ok(Some(NewPasskey { credential_id: made.cred_id().to_vec(), credential }))
}

/// Options to authenticate with one of a user's passkeys.
pub fn ask_for(app: &App, rows: &[passkey::Model]) -> Result<Question> {
    let (options, state) =
        webauthn(app)?.start_passkey_authentication(&known(rows)?).map_err(Error::internal)?;
    question(&options, &state)
}

/// Options to authenticate with any passkey of this site.
pub fn ask_for_any(app: &App) -> Result<Question> {
    let (options, state) = webauthn(app)?.start_discoverable_authentication().map_err(Error::internal)?;
    question(&options, &state)
}

/// The used passkey, with its new counter; `None` for an invalid response.
pub fn answered(
    app: &App,
    asked: Option<&str>,
    answer: &Value,
    rows: &[passkey::Model],
) -> Result<Option<passkey::Model>> {
    let Some(asked) = state::<PasskeyAuthentication>(asked) else { return Ok(None) };
    let Some(answer) = credential(answer) else { return Ok(None) };
    match webauthn(app)?.finish_passkey_authentication(&answer, &asked) {
        Ok(result) => used(rows, &result),
        Err(_) => Ok(None),
    }
}

/// The user and the credential id that a response claims.
pub fn claimed(app: &App, answer: &Value) -> Result<Option<(Uuid, Vec<u8>)>> {
    let Some(answer) = credential(answer) else { return Ok(None) };
    let claimed = webauthn(app)?.identify_discoverable_authentication(&answer).ok();
    Ok(claimed.map(|(user_id, id)| (user_id, id.to_vec())))
}

/// As [`answered`], for a discoverable passkey.
pub fn answered_alone(
    app: &App,
    asked: Option<&str>,
    answer: &Value,
    row: passkey::Model,
) -> Result<Option<passkey::Model>> {
    let Some(asked) = state::<DiscoverableAuthentication>(asked) else { return Ok(None) };
    let Some(answer) = credential(answer) else { return Ok(None) };
    let rows = [row];
    let [key] = &known(&rows)?[..] else { return Ok(None) };
    match webauthn(app)?.finish_discoverable_authentication_v2(&answer, asked, DiscoverableKey::from(key)) {
        Ok(result) => used(&rows, &result),
        Err(_) => Ok(None),
    }
}

fn credential(answer: &Value) -> Option<PublicKeyCredential> {
    serde_json::from_value(answer.clone()).ok()
}

fn used(rows: &[passkey::Model], result: &AuthenticationResult) -> Result<Option<passkey::Model>> {
    let id: &[u8] = result.cred_id().as_ref();
    let Some(row) = rows.iter().find(|row| row.credential_id == id) else { return Ok(None) };
    let mut key: Passkey = serde_json::from_str(&row.credential).map_err(Error::internal)?;
    key.update_credential(result);
    let credential = serde_json::to_string(&key).map_err(Error::internal)?;
    Ok(Some(passkey::Model { credential, ..row.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_belong_to_a_name_with_tls_or_to_the_own_machine() {
        let id =
            |url: &str| site(&url.parse().expect("an address")).map(|(id, origin)| (id, origin.to_string()));
        let at = |id: &str, origin: &str| Some((id.to_owned(), origin.to_owned()));
        assert_eq!(id("https://care.example"), at("care.example", "https://care.example/"));
        assert_eq!(id("http://localhost:8080"), at("localhost", "http://localhost:8080/"));
        assert_eq!(id("http://127.0.0.1:8080"), at("localhost", "http://localhost:8080/"));
        assert_eq!(id("http://care.example"), None);
        assert_eq!(id("https://192.0.2.1"), None);
    }
}

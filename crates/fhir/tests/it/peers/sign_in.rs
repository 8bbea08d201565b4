//! oidc-provider as the sign-in of the EHR.

use super::Peer;
use crate::http;
use crate::sign_in::{now, parameter, pass_on, refused};
use chrono::Duration;
use fhir::keys::{SigningKey, jwks};
use fhir::problem::SignInReason;
use fhir::sign_in::{self, Authorization, Discovered, discover};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

const BACK: &str = "https://carepost.example/ehr/return";
const SCOPE: &str = "openid fhirUser offline_access user/*.cruds";
const SYSTEM: &str = "system/Patient.rs system/DocumentReference.cruds";

async fn sign_in_with(clients: Value) -> Option<(Peer, Discovered)> {
    let peer = Peer::start(include_str!("../../peers/sign_in.mjs"), clients).await?;
    let discovered = discover(&http(), &peer.base).await.unwrap();
    Some((peer, discovered))
}

/// A client that signs in with one of these keys.
fn app(id: &str, keys: &[&SigningKey]) -> Value {
    json!({
        "client_id": id,
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_signing_alg": "ES384",
        "grant_types": ["client_credentials"],
        "redirect_uris": [],
        "response_types": [],
        "scope": SYSTEM,
        "jwks": jwks(keys),
    })
}

/// A browser, as far as the pages of the sign-in need one.
#[derive(Default)]
struct Browser {
    cookies: BTreeMap<String, String>,
}

impl Browser {
    /// Signs in and agrees; returns the address at which the person comes back.
    async fn sign_in(&mut self, begun: &Authorization) -> Url {
        let mut page = self.follow(http::Request::get(&begun.url).body(Vec::new()).unwrap()).await;
        for fields in ["prompt=login&login=okafor&password=any", "prompt=consent"] {
            let (_, shown) = page.unwrap_or_else(|back| panic!("came back early: {back}"));
            let action = shown.split("action=\"").nth(1).unwrap().split('"').next().unwrap();
            let sent =
                http::Request::post(action).header("content-type", "application/x-www-form-urlencoded");
            page = self.follow(sent.body(fields.into()).unwrap()).await;
        }
        page.expect_err("the address of the app")
    }

    /// The page to which a request leads, or else an address of another server.
    async fn follow(&mut self, mut request: http::Request<Vec<u8>>) -> Result<(Url, String), Url> {
        loop {
            let at: Url = request.uri().to_string().parse().unwrap();
            let cookies: Vec<_> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request.headers_mut().insert("cookie", cookies.join("; ").parse().unwrap());
            let (parts, body) = http().send(request, 1 << 20).await.unwrap().into_parts();
            for set in parts.headers.get_all("set-cookie") {
                let (name, rest) = set.to_str().unwrap().split_once('=').unwrap();
                self.cookies.insert(name.into(), rest.split(';').next().unwrap().into());
            }
            let Some(next) = parts.headers.get("location") else {
                assert!(parts.status.is_success(), "{}", String::from_utf8_lossy(&body));
                return Ok((at, String::from_utf8(body).unwrap()));
            };
            let next = at.join(next.to_str().unwrap()).unwrap();
            if next.origin() != at.origin() {
                return Err(next);
            }
            request = http::Request::get(next.as_str()).body(Vec::new()).unwrap();
        }
    }
}

/// Whether the EHR takes an access token.
async fn is_valid(peer: &Peer, token: &str) -> bool {
    let request = http::Request::get(format!("{}/me", peer.base.trim_end_matches("/fhir")));
    let request = request.header("authorization", format!("Bearer {token}")).body(Vec::new()).unwrap();
    http().send(request, 1 << 20).await.unwrap().status().is_success()
}

#[tokio::test]
async fn a_person_signs_in_at_another_ehr() {
    let app = json!([{
        "client_id": "carepost", "token_endpoint_auth_method": "none", "redirect_uris": [BACK],
        "grant_types": ["authorization_code", "refresh_token"],
    }]);
    let Some((peer, at)) = sign_in_with(app).await else { return };
    assert!(at.pkce_s256 && at.revoke.is_some() && peer.base.starts_with(&at.issuer));
    let begin = || sign_in::authorization(&at, "carepost", BACK, SCOPE, &peer.base).unwrap();
    let redeem = async |begun: &Authorization, back: &Url| {
        let code = parameter(back, "code").unwrap();
        sign_in::redeem(&http(), &at, "carepost", BACK, &code, &begun.verifier, now()).await
    };
    let begun = begin();
    let back = Browser::default().sign_in(&begun).await;
    assert!(back.as_str().starts_with(BACK));
    assert_eq!(parameter(&back, "state").as_ref(), Some(&begun.state));
    let given = redeem(&begun, &back).await.unwrap();
    assert_eq!(given.fhir_user.as_deref(), Some("Practitioner/okafor"));
    assert!(given.expires_at > now() && given.scope.contains("user/*.cruds"));
    assert!(is_valid(&peer, given.value.expose()).await);

    // The refresh token changes, and ends together with what it gave when it is used again.
    let before = given.refresh.unwrap();
    let refresh = async |token: &str| sign_in::refresh(&http(), &at, "carepost", token, now()).await;
    let next = refresh(&before).await.unwrap();
    let after = next.refresh.unwrap();
    assert!(after != before && next.value != given.value && is_valid(&peer, next.value.expose()).await);
    assert_eq!(refresh(&before).await, refused(SignInReason::Other));
    assert_eq!(refresh(&after).await, refused(SignInReason::Other));

    // A code is valid once, and for its own verifier.
    let (begun, other) = (begin(), begin());
    let back = Browser::default().sign_in(&begun).await;
    assert_eq!(redeem(&other, &back).await, refused(SignInReason::Other));
    let back = Browser::default().sign_in(&other).await;
    let given = redeem(&other, &back).await.unwrap();
    let refresh_token = given.refresh.as_deref().unwrap();
    sign_in::revoke(&http(), &at, "carepost", refresh_token).await.unwrap();
    assert_eq!(refresh(refresh_token).await, refused(SignInReason::Other));
    assert!(!is_valid(&peer, given.value.expose()).await);
    assert_eq!(redeem(&other, &back).await, refused(SignInReason::Other));
}

#[tokio::test]
async fn an_app_signs_in_at_another_ehr_with_its_key() {
    let (first, second) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    // While keys change the EHR has both, and then the new one alone.
    let clients = json!([app("changing", &[&first, &second]), app("changed", &[&second])]);
    let Some((_peer, at)) = sign_in_with(clients).await else { return };
    let token = async |at: &Discovered, app: &str, key: &SigningKey, minutes: i64, scope: &str| {
        let now = now() + Duration::minutes(minutes);
        sign_in::backend_token(&http(), at, app, key, scope, now).await
    };
    for (app, key) in [("changing", &first), ("changing", &second), ("changed", &second)] {
        let given = token(&at, app, key, 0, SYSTEM).await.unwrap();
        assert!(given.scope == SYSTEM && given.refresh.is_none() && given.expires_at > now());
    }
    assert_eq!(token(&at, "changed", &first, 0, SYSTEM).await, refused(SignInReason::UnknownClientOrKey));
    assert_eq!(token(&at, "nobody", &first, 0, SYSTEM).await, refused(SignInReason::UnknownClientOrKey));
    assert_eq!(token(&at, "changed", &second, -30, SYSTEM).await, refused(SignInReason::ClockSkew));
    let more = token(&at, "changed", &second, 0, "openid system/Observation.rs").await;
    assert_eq!(more, refused(SignInReason::WrongScope));

    // An assertion for another server, which passes it on.
    let elsewhere = Discovered { token: pass_on(&at.token).await, ..at.clone() };
    let forwarded = token(&elsewhere, "changed", &second, 0, SYSTEM).await;
    assert_eq!(forwarded, refused(SignInReason::UnknownClientOrKey));
}

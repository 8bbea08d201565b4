//! A software authenticator (WebAuthn level 3): one P-256 credential, attestation "none".

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use openssl::{
    bn::{BigNum, BigNumContext},
    ec::{EcGroup, EcKey},
    hash::MessageDigest,
    nid::Nid,
    pkey::{PKey, Private},
    sign::Signer,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const HAS_CREDENTIAL: u8 = 0x40;

pub struct Authenticator {
    key: EcKey<Private>,
    id: Vec<u8>,
    user: Vec<u8>,
    counter: u32,
    /// Whether it claims user verification.
    pub verifies: bool,
}

impl Authenticator {
    /// Creates a credential for the options of a site; also returns the browser's answer.
    pub fn create(options: &Value, origin: &str) -> (Self, Value) {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("the curve");
        let made = Self {
            key: EcKey::generate(&group).expect("a key"),
            id: Uuid::new_v4().as_bytes().to_vec(),
            user: bytes(&options["user"]["id"]),
            counter: 0,
            verifies: true,
        };
        let client = client_data("webauthn.create", options, origin);
        let mut data = made.data(options["rp"]["id"].as_str().expect("a site"), HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend((made.id.len() as u16).to_be_bytes());
        data.extend(&made.id);
        data.extend(made.cose());
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        attestation.extend((data.len() as u16).to_be_bytes());
        attestation.extend(&data);
        let answer = json!({
            "id": BASE64.encode(&made.id), "rawId": BASE64.encode(&made.id), "type": "public-key",
            "response": {
                "clientDataJSON": BASE64.encode(client), "attestationObject": BASE64.encode(attestation),
            },
            "clientExtensionResults": {},
        });
        (made, answer)
    }

    /// The browser's answer to a request for a credential.
    pub fn answer(&mut self, options: &Value, origin: &str) -> Value {
        self.counter += 1;
        let client = client_data("webauthn.get", options, origin);
        let data = self.data(options["rpId"].as_str().expect("a site"), 0);
        let key = PKey::from_ec_key(self.key.clone()).expect("a key");
        let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
        signer.update(&data).expect("data");
        signer.update(&Sha256::digest(&client)).expect("data");
        json!({
            "id": BASE64.encode(&self.id), "rawId": BASE64.encode(&self.id), "type": "public-key",
            "response": {
                "clientDataJSON": BASE64.encode(client), "authenticatorData": BASE64.encode(data),
                "signature": BASE64.encode(signer.sign_to_vec().expect("a signature")),
                "userHandle": BASE64.encode(&self.user),
            },
            "clientExtensionResults": {},
        })
    }

    fn data(&self, site: &str, more: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(site).to_vec();
        data.push(PRESENT | verified | more);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The public key in COSE format (RFC 9053, section 7.1.1).
    fn cose(&self) -> Vec<u8> {
        let (mut x, mut y) = (BigNum::new().expect("a number"), BigNum::new().expect("a number"));
        let mut context = BigNumContext::new().expect("a context");
        let point = self.key.public_key();
        point.affine_coordinates(self.key.group(), &mut x, &mut y, &mut context).expect("a point");
        let mut cose = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".to_vec();
        cose.extend(x.to_vec_padded(32).expect("32 bytes"));
        cose.extend(b"\x22\x58\x20");
        cose.extend(y.to_vec_padded(32).expect("32 bytes"));
        cose
    }
}

fn client_data(kind: &str, options: &Value, origin: &str) -> Vec<u8> {
    json!({ "type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": false })
        .to_string()
        .into_bytes()
}

fn bytes(value: &Value) -> Vec<u8> {
    BASE64.decode(value.as_str().expect("text")).expect("base64")
}

//! Verification of the assertion that identifies the sender of a request (SAML 2.0 in WS-Security, according to IHE
//! XUA): it must be the only one, in the security header, currently valid, and signed by a known certificate. Unless
//! loose assertions are allowed, it must also name us as its audience, be short-lived, and be bound to the client.
//! Its other statements are ignored.

use super::provide::{self, Fault, SECURITY, child};
use crate::soap::SOAP;
use base64::{Engine, engine::general_purpose::STANDARD};
use bergshamra_dsig::{DsigContext, VerifyResult, verify::verify};
use bergshamra_keys::{KeysManager, loader::load_x509_cert_der};
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use openssl::{asn1::Asn1Time, sha::sha256, x509::X509};
use roxmltree::{Document, Node};
use std::fmt::Write;

const SAML: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
/// Transforms that cover the whole assertion.
const TRANSFORMS: [&str; 2] =
    ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"];
/// RSA and ECDSA with SHA-2 (XML Signature 1.1, 6.4; RFC 6931).
const SIGNATURES: [&str; 6] = [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
    "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
    "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
];
/// SHA-2 (XML Signature 1.1, 6.2).
const DIGESTS: [&str; 3] = [
    "http://www.w3.org/2001/04/xmlenc#sha256",
    "http://www.w3.org/2001/04/xmldsig-more#sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512",
];
const HOLDER_OF_KEY: &str = "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key";
/// Longest lifetime of an assertion.
const LONGEST: Duration = Duration::minutes(15);
/// Tolerated clock difference.
const SKEW: Duration = Duration::minutes(2);

const MISSING: &str =
    "The security header must contain one SAML assertion, with the only signature of the request.";
const UNKNOWN: &str = "The certificate of the assertion is not known here, or not in force.";
const OVER: &str = "The assertion is not valid at present.";
const UNSIGNED: &str = "The signature of the assertion is not valid.";
const FOR_OTHERS: &str = "The assertion is not meant for this system.";
const TOO_LONG: &str = "The assertion is valid for more than 15 minutes.";
const UNBOUND: &str = "The assertion is not bound to who shows it.";

/// A valid assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Unique per signer.
    pub id: String,
    /// Its `NotOnOrAfter`.
    pub until: DateTime<Utc>,
    /// Valid for one request: all strictly checked assertions, and those with `OneTimeUse` (SAML 2.0 core, 2.5.1.5).
    /// Others may be reused while they are valid.
    pub is_for_one_use: bool,
}

/// Requirements for an assertion.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// SHA-256 fingerprint of the signer's certificate, in lower case.
    pub signatory: String,
    /// None for a loose assertion.
    pub strict: Option<Strict>,
}

/// Additional requirements for a strictly checked assertion.
#[derive(Clone, Debug, Default)]
pub struct Strict {
    /// Accepted names of its audience.
    pub audience: Vec<String>,
    /// Fingerprint of the client's certificate, if it has shown one.
    pub client: Option<String>,
    /// Only the client with that certificate is admitted.
    pub is_bound: bool,
}

/// The fault for an expired assertion, and for a reused one.
pub fn over() -> Fault {
    Fault::sender(OVER)
}

/// Verifies the assertion of a request.
pub fn check(
    content_type: &str,
    body: &Bytes,
    terms: &Terms,
    now: DateTime<Utc>,
) -> Result<Assertion, Fault> {
    let envelope = provide::envelope(content_type, body)?;
    let document = provide::parsed(envelope.xml)?;
    let (assertion, signature) = signed(&document).ok_or(Fault::sender(MISSING))?;
    let certificate = signatory(signature, &terms.signatory, now).ok_or(Fault::sender(UNKNOWN))?;
    let (from, until) = current(assertion, now).ok_or_else(over)?;
    if let Some(strict) = &terms.strict {
        strict.judge(assertion, until - from)?;
    }
    if !holds(&alone(envelope.xml, assertion), assertion, signature, &certificate) {
        return Err(Fault::sender(UNSIGNED));
    }
    Ok(Assertion {
        id: assertion.attribute("ID").unwrap_or_default().to_owned(),
        until,
        is_for_one_use: terms.strict.is_some() || is_for_one_use(assertion),
    })
}

impl Strict {
    fn judge<'a>(&self, assertion: Node<'a, 'a>, life: Duration) -> Result<(), Fault> {
        if life > LONGEST + SKEW {
            return Err(Fault::sender(TOO_LONG));
        }
        if !self.is_meant_for_us(assertion) {
            return Err(Fault::sender(FOR_OTHERS));
        }
        if self.binds(assertion) { Ok(()) } else { Err(Fault::sender(UNBOUND)) }
    }

    /// Whether there is an audience restriction, and each one names us.
    fn is_meant_for_us<'a>(&self, assertion: Node<'a, 'a>) -> bool {
        let conditions = child(assertion, SAML, "Conditions");
        let restrictions = conditions.into_iter().flat_map(|conditions| conditions.children());
        let mut restrictions =
            restrictions.filter(|node| node.has_tag_name((SAML, "AudienceRestriction"))).peekable();
        let names_us = |restriction: Node<'a, 'a>| {
            let mut audience = restriction.children().filter(|node| node.has_tag_name((SAML, "Audience")));
            audience.any(|node| {
                let name = node.text().unwrap_or_default().trim();
                self.audience.iter().any(|own| own.eq_ignore_ascii_case(name))
            })
        };
        restrictions.peek().is_some() && restrictions.all(names_us)
    }

    /// Whether the client is the subject of the assertion: a holder of key by its certificate, and others because
    /// only the client with the connection's certificate is admitted.
    fn binds<'a>(&self, assertion: Node<'a, 'a>) -> bool {
        let mut confirmations = assertion
            .descendants()
            .filter(|node| node.has_tag_name((SAML, "SubjectConfirmation")))
            .peekable();
        let is_held = |confirmation: Node<'a, 'a>| {
            let of_key = confirmation.attribute("Method") == Some(HOLDER_OF_KEY);
            let Some(client) = self.client.as_deref().filter(|_| of_key) else { return false };
            certificates(confirmation).any(|der| hex(&sha256(&der)) == client)
        };
        confirmations.peek().is_some()
            && confirmations.all(|confirmation| match confirmation.attribute("Method") {
                Some(HOLDER_OF_KEY) => is_held(confirmation),
                _ => self.is_bound,
            })
    }
}

/// The only element with a name in the whole envelope.
fn only<'a>(document: &'a Document<'a>, namespace: &str, name: &str) -> Option<Node<'a, 'a>> {
    let mut found = document.descendants().filter(|node| node.has_tag_name((namespace, name)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The assertion in the security header, and its signature. A second one of either is refused, because the checked
/// one might not be the signed one.
fn signed<'a>(document: &'a Document<'a>) -> Option<(Node<'a, 'a>, Node<'a, 'a>)> {
    let (assertion, signature) = (only(document, SAML, "Assertion")?, only(document, DSIG, "Signature")?);
    let security = assertion.parent().filter(|node| node.has_tag_name((SECURITY, "Security")))?;
    let header = security.parent().filter(|node| node.has_tag_name((SOAP, "Header")))?;
    let stands = header.parent() == Some(document.root_element()) && signature.parent() == Some(assertion);
    stands.then_some((assertion, signature))
}

/// The certificate named in the signature, if it is the known one.
fn signatory<'a>(signature: Node<'a, 'a>, fingerprint: &str, now: DateTime<Utc>) -> Option<Vec<u8>> {
    let known = certificates(signature).find(|der| hex(&sha256(der)) == fingerprint)?;
    is_in_force(&known, now).then_some(known)
}

/// The certificates in an element, in DER.
fn certificates<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Vec<u8>> {
    let named = node.descendants().filter(|node| node.has_tag_name((DSIG, "X509Certificate")));
    named.filter_map(|node| {
        let written: String = node.text()?.split_whitespace().collect();
        STANDARD.decode(written).ok()
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_in_force(certificate: &[u8], now: DateTime<Utc>) -> bool {
    let (Ok(certificate), Ok(now)) = (X509::from_der(certificate), Asn1Time::from_unix(now.timestamp()))
    else {
        return false;
    };
    certificate.not_before() <= now && certificate.not_after() >= now
}

fn is_for_one_use<'a>(assertion: Node<'a, 'a>) -> bool {
    child(assertion, SAML, "Conditions")
        .is_some_and(|conditions| child(conditions, SAML, "OneTimeUse").is_some())
}

/// Start and end of an assertion's validity, if it is currently valid.
fn current<'a>(assertion: Node<'a, 'a>, now: DateTime<Utc>) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let moment = |name: &str| {
        let conditions = child(assertion, SAML, "Conditions")?;
        let at = DateTime::parse_from_rfc3339(conditions.attribute(name)?.trim()).ok()?;
        Some(at.with_timezone(&Utc))
    };
    let (from, until) = (moment("NotBefore")?, moment("NotOnOrAfter")?);
    (from <= now + SKEW && until > now - SKEW).then_some((from, until))
}

/// The assertion with its inherited namespaces, without the surrounding request: ids of documents may occur more than
/// once there, which makes a signature ambiguous.
fn alone<'a>(xml: &str, assertion: Node<'a, 'a>) -> String {
    let names = assertion.namespaces().filter(|namespace| namespace.name() != Some("xml"));
    let mut around = String::from("<assertion");
    for namespace in names {
        let prefix = namespace.name().map(|prefix| format!(":{prefix}")).unwrap_or_default();
        let uri = namespace.uri().replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let _ = write!(around, " xmlns{prefix}=\"{uri}\"");
    }
    format!("{around}>{}</assertion>", &xml[assertion.range()])
}

/// Whether the signature covers the whole assertion and was made with the key of the certificate.
fn holds<'a>(xml: &str, assertion: Node<'a, 'a>, signature: Node<'a, 'a>, certificate: &[u8]) -> bool {
    let Some(id) = assertion.attribute("ID").filter(|id| !id.is_empty()) else { return false };
    let wanted = format!("#{id}");
    let uses = |name: &str, known: &[&str]| {
        let mut named = signature.descendants().filter(|node| node.has_tag_name((DSIG, name)));
        named.all(|node| node.attribute("Algorithm").is_some_and(|algorithm| known.contains(&algorithm)))
    };
    let is_strong = uses("SignatureMethod", &SIGNATURES) && uses("DigestMethod", &DIGESTS);
    let is_whole = uses("Transform", &TRANSFORMS);
    let references = signature.descendants().filter(|node| node.has_tag_name((DSIG, "Reference")));
    let about: Vec<_> = references.map(|node| node.attribute("URI").unwrap_or_default()).collect();
    if !is_strong || !is_whole || about != [wanted.as_str()] {
        return false;
    }
    let Ok(key) = load_x509_cert_der(certificate) else { return false };
    let mut keys = KeysManager::new();
    keys.add_key(key);
    match verify(&DsigContext::new(keys), xml) {
        Ok(VerifyResult::Valid { references, .. }) => {
            matches!(&references[..], [one] if one.digest_verified && one.uri == wanted)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        saml::Signer,
        samples::delivery,
        xdr::{self, Profile},
    };
    use openssl::{
        hash::MessageDigest,
        pkey::PKey,
        rsa::Rsa,
        x509::{X509, X509Name},
    };

    /// A certificate and key, valid for an hour around the samples.
    fn pair() -> (X509, Vec<u8>) {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        let mut name = X509Name::builder().unwrap();
        name.append_entry_by_text("CN", "north.example").unwrap();
        let name = name.build();
        let at =
            |hours: i64| Asn1Time::from_unix((delivery().at + Duration::hours(hours)).timestamp()).unwrap();
        let mut builder = X509::builder().unwrap();
        builder.set_subject_name(&name).unwrap();
        builder.set_pubkey(&key).unwrap();
        builder.set_not_before(&at(-1)).unwrap();
        builder.set_not_after(&at(1)).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        let certificate = builder.build();
        let pem = [certificate.to_pem().unwrap(), key.private_key_to_pem_pkcs8().unwrap()].concat();
        (certificate, pem)
    }

    #[test]
    fn only_a_whole_and_present_assertion_of_who_is_known_lets_a_request_in() {
        let ((certificate, pem), (other, _)) = (pair(), pair());
        let now = delivery().at;
        let mut request = xdr::request(&delivery(), &Profile::Direct { is_minimal: false });
        let without = request.written("https://xdr.example/provide");
        request.headers +=
            &Signer::from_pem(&pem, now).unwrap().header(&delivery().claims(), "xdr.example").unwrap();
        let (kind, body) = request.written("https://xdr.example/provide");
        let body = String::from_utf8(body).unwrap();
        let known = hex(&sha256(&certificate.to_der().unwrap()));
        let loose = |signatory: &str| Terms { signatory: signatory.to_owned(), strict: None };
        let judged = |body: String, fingerprint: &str, now| {
            check(&kind, &Bytes::from(body), &loose(fingerprint), now).map_err(|fault| fault.words)
        };
        let held = judged(body.clone(), &known, now).unwrap();
        assert_eq!((held.until, held.is_for_one_use), (now + Duration::minutes(10), true));
        assert!(held.id.len() > 32 && body.contains(&format!("ID=\"{}\"", held.id)), "{held:?}");
        let stranger = hex(&sha256(&other.to_der().unwrap()));
        assert_eq!(judged(body.clone(), &stranger, now), Err(UNKNOWN));
        assert_eq!(judged(body.clone(), &known, now + Duration::hours(2)), Err(UNKNOWN));
        assert_eq!(judged(body.clone(), &known, now + Duration::minutes(30)), Err(OVER));
        assert_eq!(judged(body.replace("TREATMENT", "MARKETING"), &known, now), Err(UNSIGNED));
        let second = format!("<x:Assertion xmlns:x=\"{SAML}\" ID=\"_2\"/></soap:Header>");
        assert_eq!(judged(body.replace("</soap:Header>", &second), &known, now), Err(MISSING));
        let without = check(&without.0, &Bytes::from(without.1), &loose(&known), now);
        assert_eq!(without.map_err(|fault| fault.words), Err(MISSING));
    }

    #[test]
    fn judged_strictly_it_is_meant_for_us_short_lived_and_bound_to_who_shows_it() {
        let (certificate, pem) = pair();
        let now = delivery().at;
        let known = hex(&sha256(&certificate.to_der().unwrap()));
        let mut request = xdr::request(&delivery(), &Profile::Direct { is_minimal: false });
        let signer = Signer::from_pem(&pem, now).unwrap();
        request.headers += &signer.header(&delivery().claims(), "xdr.example").unwrap();
        let (kind, body) = request.written("https://xdr.example/provide");
        let judged = |strict: Strict| {
            let terms = Terms { signatory: known.clone(), strict: Some(strict) };
            check(&kind, &Bytes::from(body.clone()), &terms, now).map_err(|fault| fault.words)
        };
        let ours = || Strict {
            audience: vec!["https://xdr.example/provide".into(), "XDR.example".into()],
            client: None,
            is_bound: true,
        };
        assert!(judged(ours()).unwrap().is_for_one_use);
        let of_others = Strict { audience: vec!["other.example".into()], ..ours() };
        assert_eq!(judged(of_others), Err(FOR_OTHERS));
        // A sender-vouches assertion needs a client with a known certificate.
        assert_eq!(judged(Strict { is_bound: false, ..ours() }), Err(UNBOUND));
    }

    #[test]
    fn the_holder_of_a_key_is_known_by_the_certificate_of_the_connection() {
        let (certificate, _) = pair();
        let der = certificate.to_der().unwrap();
        let about = |life: i64, der: &[u8]| {
            format!(
                "<a:Assertion xmlns:a=\"{SAML}\" xmlns:d=\"{DSIG}\"><a:Subject><a:SubjectConfirmation \
                 Method=\"{HOLDER_OF_KEY}\"><a:SubjectConfirmationData><d:X509Certificate>{}</d:X509Certificate>\
                 </a:SubjectConfirmationData></a:SubjectConfirmation></a:Subject><a:Conditions life=\"{life}\">\
                 <a:AudienceRestriction><a:Audience>here</a:Audience></a:AudienceRestriction></a:Conditions>\
                 </a:Assertion>",
                STANDARD.encode(der)
            )
        };
        let judged = |xml: &str, life: i64| {
            let document = xml::parse(xml, 1_000).unwrap();
            let client = Some(hex(&sha256(&der)));
            let strict = Strict { audience: vec!["here".into()], client, is_bound: false };
            strict.judge(document.root_element(), Duration::minutes(life)).map_err(|fault| fault.words)
        };
        assert_eq!(judged(&about(10, &der), 10), Ok(()));
        assert_eq!(judged(&about(60, &der), 60), Err(TOO_LONG));
        assert_eq!(judged(&about(10, b"another certificate"), 10), Err(UNBOUND));
        assert_eq!(
            judged(&about(10, &der).replace("<a:Audience>here</a:Audience>", ""), 10),
            Err(FOR_OTHERS)
        );
    }

    #[test]
    fn no_signature_with_sha_1_is_taken() {
        let (certificate, pem) = pair();
        let now = delivery().at;
        let known = hex(&sha256(&certificate.to_der().unwrap()));
        let mut request = xdr::request(&delivery(), &Profile::Direct { is_minimal: false });
        request.headers +=
            &Signer::from_pem(&pem, now).unwrap().header(&delivery().claims(), "xdr.example").unwrap();
        let (kind, body) = request.written("https://xdr.example/provide");
        let body = String::from_utf8(body).unwrap();
        let terms = Terms { signatory: known, strict: None };
        for (strong, weak) in [
            (
                "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
                "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
            ),
            ("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"),
        ] {
            let body = Bytes::from(body.replace(strong, weak));
            assert_eq!(check(&kind, &body, &terms, now).map_err(|fault| fault.words), Err(UNSIGNED));
        }
    }
}

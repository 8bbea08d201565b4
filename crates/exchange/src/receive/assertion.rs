//! The assertion by which a request says who sends it (SAML 2.0 in WS-Security, as IHE XUA has it): the only one, in the
//! security header, about the present, and signed by a certificate that is known. What else it says is not judged.

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
/// What leaves the assertion whole.
const TRANSFORMS: [&str; 2] =
    ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"];
/// Clocks may differ by this much.
const SKEW: Duration = Duration::minutes(2);

const MISSING: &str =
    "The security header has to hold one SAML assertion, with the only signature of the request.";
const UNKNOWN: &str = "The certificate of the assertion is not known here, or not in force.";
const OVER: &str = "The assertion does not hold at present.";
const UNSIGNED: &str = "The signature of the assertion does not hold.";

/// An assertion that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Different for each assertion of who signed it.
    pub id: String,
    /// Its `NotOnOrAfter`.
    pub until: DateTime<Utc>,
    /// It lets one request in (`OneTimeUse`, SAML 2.0 core, 2.5.1.5). Others may be shown again while they hold.
    pub is_for_one_use: bool,
}

/// What is said of an assertion out of its time, and of one that was used before.
pub fn over() -> Fault {
    Fault::sender(OVER)
}

/// The assertion of a request, if it is signed by the certificate with this SHA-256 fingerprint, in lower case.
pub fn check(
    content_type: &str,
    body: &Bytes,
    fingerprint: &str,
    now: DateTime<Utc>,
) -> Result<Assertion, Fault> {
    let envelope = provide::envelope(content_type, body)?;
    let document = provide::parsed(envelope.xml)?;
    let (assertion, signature) = signed(&document).ok_or(Fault::sender(MISSING))?;
    let certificate = signatory(signature, fingerprint, now).ok_or(Fault::sender(UNKNOWN))?;
    let until = current_until(assertion, now).ok_or_else(over)?;
    match holds(&alone(envelope.xml, assertion), assertion, signature, &certificate) {
        true => Ok(Assertion {
            id: assertion.attribute("ID").unwrap_or_default().to_owned(),
            until,
            is_for_one_use: is_for_one_use(assertion),
        }),
        false => Err(Fault::sender(UNSIGNED)),
    }
}

/// The only element of a name in the whole envelope.
fn only<'a>(document: &'a Document<'a>, namespace: &str, name: &str) -> Option<Node<'a, 'a>> {
    let mut found = document.descendants().filter(|node| node.has_tag_name((namespace, name)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The assertion in the security header, and its signature. With a second one of either, what is looked at might not be what
/// is signed.
fn signed<'a>(document: &'a Document<'a>) -> Option<(Node<'a, 'a>, Node<'a, 'a>)> {
    let (assertion, signature) = (only(document, SAML, "Assertion")?, only(document, DSIG, "Signature")?);
    let security = assertion.parent().filter(|node| node.has_tag_name((SECURITY, "Security")))?;
    let header = security.parent().filter(|node| node.has_tag_name((SOAP, "Header")))?;
    let stands = header.parent() == Some(document.root_element()) && signature.parent() == Some(assertion);
    stands.then_some((assertion, signature))
}

/// The certificate that the signature names, if it is the one that is known.
fn signatory<'a>(signature: Node<'a, 'a>, fingerprint: &str, now: DateTime<Utc>) -> Option<Vec<u8>> {
    let named = signature.descendants().filter(|node| node.has_tag_name((DSIG, "X509Certificate")));
    let mut certificates = named.filter_map(|node| {
        let written: String = node.text()?.split_whitespace().collect();
        STANDARD.decode(written).ok()
    });
    let known = certificates.find(|der| hex(&sha256(der)) == fingerprint)?;
    is_in_force(&known, now).then_some(known)
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

/// Until when an assertion holds, if it is about the present.
fn current_until<'a>(assertion: Node<'a, 'a>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let moment = |name: &str| {
        let conditions = child(assertion, SAML, "Conditions")?;
        let at = DateTime::parse_from_rfc3339(conditions.attribute(name)?.trim()).ok()?;
        Some(at.with_timezone(&Utc))
    };
    let (from, until) = (moment("NotBefore")?, moment("NotOnOrAfter")?);
    (from <= now + SKEW && until > now - SKEW).then_some(until)
}

/// The assertion with the namespaces that it stands in, without the request around it: there the ids of documents may stand
/// more than once, which no signature may be judged in.
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

/// Whether the signature is about the whole assertion and made with the key of the certificate.
fn holds<'a>(xml: &str, assertion: Node<'a, 'a>, signature: Node<'a, 'a>, certificate: &[u8]) -> bool {
    let Some(id) = assertion.attribute("ID").filter(|id| !id.is_empty()) else { return false };
    let wanted = format!("#{id}");
    let mut transforms = signature.descendants().filter(|node| node.has_tag_name((DSIG, "Transform")));
    let is_whole = transforms
        .all(|node| node.attribute("Algorithm").is_some_and(|algorithm| TRANSFORMS.contains(&algorithm)));
    let references = signature.descendants().filter(|node| node.has_tag_name((DSIG, "Reference")));
    let about: Vec<_> = references.map(|node| node.attribute("URI").unwrap_or_default()).collect();
    if !is_whole || about != [wanted.as_str()] {
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

    /// Certificate and key of somebody, in force for an hour around the samples.
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
        request.headers += &Signer::from_pem(&pem, now).unwrap().header(&delivery(), "xdr.example").unwrap();
        let (kind, body) = request.written("https://xdr.example/provide");
        let body = String::from_utf8(body).unwrap();
        let known = hex(&sha256(&certificate.to_der().unwrap()));
        let judged = |body: String, fingerprint: &str, now| {
            check(&kind, &Bytes::from(body), fingerprint, now).map_err(|fault| fault.words)
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
        let without = check(&without.0, &Bytes::from(without.1), &known, now);
        assert_eq!(without.map_err(|fault| fault.words), Err(MISSING));
    }
}

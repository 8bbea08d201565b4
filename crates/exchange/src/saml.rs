//! A signed SAML 2.0 assertion for SOAP requests (WS-Security, SAML Token Profile 1.1). It is written in exclusive
//! canonical form, so that the signed bytes are the sent bytes.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, Utc};
use openssl::{
    error::ErrorStack,
    hash::MessageDigest,
    pkey::{Id, PKey, Private},
    sha::sha256,
    sign::Signer as Signing,
    x509::X509,
};

/// Tolerated clock difference.
const SKEW: Duration = Duration::minutes(2);
const VALID: Duration = Duration::minutes(10);

/// Why there is no usable signer.
#[derive(Debug, thiserror::Error)]
pub enum SignerError {
    #[error("the certificate or its key cannot be read")]
    Unreadable(#[from] ErrorStack),
    #[error("the certificate and its key do not belong together")]
    OtherKey,
    #[error("the key is not an RSA key, which is required to sign assertions")]
    NotRsa,
}

/// Who makes a request.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// Direct address.
    pub address: &'a str,
    pub organization: &'a str,
    /// OID.
    pub organization_id: &'a str,
}

/// A signer: a certificate with its RSA key.
pub struct Signer {
    certificate: X509,
    key: PKey<Private>,
    now: DateTime<Utc>,
}

/// Text in canonical form.
fn text(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control());
    kept.fold(String::new(), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
        out
    })
}

impl Signer {
    /// Reads certificate and key from PEM. Refuses a key that does not match the certificate.
    pub fn from_pem(pem: &[u8], now: DateTime<Utc>) -> Result<Self, SignerError> {
        let (certificate, key) = (X509::from_pem(pem)?, PKey::private_key_from_pem(pem)?);
        if key.id() != Id::RSA {
            Err(SignerError::NotRsa)
        } else if !certificate.public_key()?.public_eq(&key) {
            Err(SignerError::OtherKey)
        } else {
            Ok(Self { certificate, key, now })
        }
    }

    /// The security header: a timestamp, and the assertion that names sender and purpose (treatment).
    pub(crate) fn header(&self, claims: &Claims, audience: &str) -> Result<String, ErrorStack> {
        let (from, until) = (instant(self.now - SKEW), instant(self.now + VALID));
        Ok(format!(
            "<wsse:Security \
             xmlns:wsse=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd\" \
             soap:mustUnderstand=\"true\"><wsu:Timestamp \
             xmlns:wsu=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" \
             wsu:Id=\"timestamp\"><wsu:Created>{from}</wsu:Created><wsu:Expires>{until}</wsu:Expires></wsu:Timestamp>\
             {}</wsse:Security>",
            self.assertion(claims, audience)?
        ))
    }

    /// The assertion with its enveloped signature.
    pub fn assertion(&self, claims: &Claims, audience: &str) -> Result<String, ErrorStack> {
        let id = format!("_{}", uuid::Uuid::new_v4().simple());
        let (open, content) = self.unsigned(&id, claims, audience)?;
        let issuer_end = content.find("</saml:Issuer>").map_or(0, |at| at + "</saml:Issuer>".len());
        let digest = STANDARD.encode(sha256(format!("{open}{content}</saml:Assertion>").as_bytes()));
        let info = |namespace: &str| {
            format!(
                "<ds:SignedInfo{namespace}><ds:CanonicalizationMethod \
                 Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:CanonicalizationMethod>\
                 <ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\">\
                 </ds:SignatureMethod><ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform \
                 Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform><ds:Transform \
                 Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"></ds:Transform></ds:Transforms>\
                 <ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod>\
                 <ds:DigestValue>{digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
            )
        };
        let mut signing = Signing::new(MessageDigest::sha256(), &self.key)?;
        signing.update(info(" xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"").as_bytes())?;
        let value = STANDARD.encode(signing.sign_to_vec()?);
        let certificate = STANDARD.encode(self.certificate.to_der()?);
        let signature = format!(
            "<ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">{}<ds:SignatureValue>{value}\
             </ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate>\
             </ds:X509Data></ds:KeyInfo></ds:Signature>",
            info("")
        );
        let (issuer, rest) = content.split_at(issuer_end);
        Ok(format!("{open}{issuer}{signature}{rest}</saml:Assertion>"))
    }

    fn unsigned(&self, id: &str, claims: &Claims, audience: &str) -> Result<(String, String), ErrorStack> {
        let (now, from, until) = (instant(self.now), instant(self.now - SKEW), instant(self.now + VALID));
        let subject = self.certificate.subject_name().entries();
        let names = subject.filter_map(|entry| {
            Some(format!("{}={}", entry.object().nid().short_name().ok()?, entry.data().to_string().ok()?))
        });
        let issuer = text(&names.collect::<Vec<_>>().join(","));
        let open = format!(
            "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"{id}\" IssueInstant=\"{now}\" \
             Version=\"2.0\">"
        );
        let attributes: String = [
            ("urn:oasis:names:tc:xspa:1.0:subject:organization", claims.organization),
            ("urn:oasis:names:tc:xspa:1.0:subject:organization-id", claims.organization_id),
            ("urn:oasis:names:tc:xspa:1.0:subject:purposeofuse", "TREATMENT"),
        ]
        .map(|(name, value)| {
            format!(
                "<saml:Attribute Name=\"{name}\"><saml:AttributeValue>{}</saml:AttributeValue></saml:Attribute>",
                text(value)
            )
        })
        .concat();
        let content = format!(
            "<saml:Issuer Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName\">{issuer}</saml:Issuer>\
             <saml:Subject><saml:NameID Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\">{}\
             </saml:NameID><saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:sender-vouches\">\
             </saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore=\"{from}\" NotOnOrAfter=\"{until}\">\
             <saml:AudienceRestriction><saml:Audience>{}</saml:Audience></saml:AudienceRestriction>\
             <saml:OneTimeUse></saml:OneTimeUse></saml:Conditions>\
             <saml:AuthnStatement AuthnInstant=\"{now}\"><saml:AuthnContext><saml:AuthnContextClassRef>\
             urn:oasis:names:tc:SAML:2.0:ac:classes:X509</saml:AuthnContextClassRef></saml:AuthnContext>\
             </saml:AuthnStatement><saml:AttributeStatement>{attributes}</saml:AttributeStatement>",
            text(claims.address),
            text(audience)
        );
        Ok((open, content))
    }
}

fn instant(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::{asn1::Asn1Time, rsa::Rsa, sign::Verifier, x509::X509Name};

    fn signer() -> Signer {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        let mut name = X509Name::builder().unwrap();
        name.append_entry_by_text("CN", "carepost.example").unwrap();
        let name = name.build();
        let mut builder = X509::builder().unwrap();
        builder.set_subject_name(&name).unwrap();
        builder.set_pubkey(&key).unwrap();
        builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
        builder.set_not_after(&Asn1Time::days_from_now(1).unwrap()).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        Signer { certificate: builder.build(), key, now: crate::samples::delivery().at }
    }

    #[test]
    fn only_the_key_of_the_certificate_signs() {
        let (one, other) = (signer(), signer());
        let pem = |key: &PKey<Private>| {
            let key = key.private_key_to_pem_pkcs8().unwrap();
            [one.certificate.to_pem().unwrap(), key].concat()
        };
        assert!(Signer::from_pem(&pem(&one.key), one.now).is_ok());
        assert!(matches!(Signer::from_pem(&pem(&other.key), one.now), Err(SignerError::OtherKey)));
        let group = openssl::ec::EcGroup::from_curve_name(openssl::nid::Nid::X9_62_PRIME256V1).unwrap();
        let curve = PKey::from_ec_key(openssl::ec::EcKey::generate(&group).unwrap()).unwrap();
        assert!(matches!(Signer::from_pem(&pem(&curve), one.now), Err(SignerError::NotRsa)));
    }

    #[test]
    fn the_signature_holds_for_what_is_sent() {
        let signer = signer();
        let xml = signer.assertion(&crate::samples::delivery().claims(), "xdr.example").unwrap();
        let between = |from: &str, to: &str| {
            let start = xml.find(from).unwrap();
            let end = xml[start..].find(to).unwrap() + start;
            (start, end + to.len())
        };
        let (start, end) = between("<ds:Signature ", "</ds:Signature>");
        let without = format!("{}{}", &xml[..start], &xml[end..]);
        let digest = STANDARD.encode(sha256(without.as_bytes()));
        assert!(xml.contains(&format!("<ds:DigestValue>{digest}</ds:DigestValue>")));
        let (start, end) = between("<ds:SignedInfo>", "</ds:SignedInfo>");
        let info = xml[start..end].replacen(
            "<ds:SignedInfo>",
            "<ds:SignedInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">",
            1,
        );
        let (start, end) = between("<ds:SignatureValue>", "</ds:SignatureValue>");
        let value = STANDARD.decode(&xml[start + 19..end - 20]).unwrap();
        let mut verifier = Verifier::new(MessageDigest::sha256(), &signer.key).unwrap();
        verifier.update(info.as_bytes()).unwrap();
        assert!(verifier.verify(&value).unwrap());
        assert!(xml.contains("Larkfield &amp; Sons"));
    }
}

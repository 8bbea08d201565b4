//! Timestamps (RFC 3161; RFC 5816). The caller sends the request by HTTP (`application/timestamp-query`).

use crate::{Problem, cms::SHA256};
use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use cms::{
    cert::{
        CertificateChoices,
        x509::{
            Certificate,
            ext::pkix::{ExtendedKeyUsage, SubjectKeyIdentifier},
            spki::AlgorithmIdentifierOwned,
        },
    },
    content_info::ContentInfo,
    signed_data::{SignedData, SignerIdentifier},
};
use der::{
    Any, Decode, Encode, Reader, Sequence, SliceReader, Tag, Tagged,
    asn1::{ObjectIdentifier, OctetString, Uint},
};
use openssl::{
    cms::{CMSOptions, CmsContentInfo},
    rand,
    x509::store::X509StoreBuilder,
};

/// Media type of a request.
pub const QUERY: &str = "application/timestamp-query";
/// Largest usable answer, in bytes.
pub const ANSWER_MAX: usize = 64 << 10;

/// id-ct-TSTInfo
const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");
/// id-kp-timeStamping
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
/// Largest difference between the clocks of the authority and of this machine.
const CLOCKS: Duration = Duration::minutes(5);

#[derive(Sequence)]
struct MessageImprint {
    algorithm: AlgorithmIdentifierOwned,
    hash: OctetString,
}

#[derive(Sequence)]
struct TimeStampReq {
    version: u8,
    imprint: MessageImprint,
    nonce: Uint,
    wants_certificates: bool,
}

/// The beginning of `TSTInfo`, as far as it is the same in all.
#[derive(Sequence)]
struct TstHead {
    version: u8,
    policy: ObjectIdentifier,
    imprint: MessageImprint,
    serial: Any,
    at: Any,
}

/// A request for a timestamp.
pub struct Request {
    imprint: [u8; 32],
    nonce: Uint,
}

impl Request {
    /// A request for the timestamp of a SHA-256 digest.
    pub fn new(imprint: [u8; 32]) -> Result<Self, Problem> {
        let mut nonce = [0; 8];
        rand::rand_bytes(&mut nonce).map_err(|_| Problem::Timestamp)?;
        // An integer does not begin with zeros.
        nonce[0] |= 1;
        Ok(Self { imprint, nonce: Uint::new(&nonce).map_err(|_| Problem::Timestamp)? })
    }

    /// The request in DER.
    pub fn to_der(&self) -> Result<Vec<u8>, Problem> {
        let made = || -> der::Result<Vec<u8>> {
            TimeStampReq {
                version: 1,
                imprint: MessageImprint {
                    algorithm: AlgorithmIdentifierOwned { oid: SHA256, parameters: None },
                    hash: OctetString::new(self.imprint.to_vec())?,
                },
                nonce: self.nonce.clone(),
                wants_certificates: true,
            }
            .to_der()
        };
        made().map_err(|_| Problem::Timestamp)
    }

    /// The token in an answer: granted, signed by the certificate in it, which is for timestamps, and about what was
    /// asked for just now.
    pub fn read(&self, answer: &[u8], now: DateTime<Utc>) -> Result<Vec<u8>, Problem> {
        let token = token(answer).ok().flatten().ok_or(Problem::Timestamp)?;
        let info = signed_content(&token).map_err(|_| Problem::Timestamp)?;
        let is_right =
            is_of_an_authority(&token).unwrap_or(false) && self.is_answered_by(&info, now).unwrap_or(false);
        if is_right { Ok(token) } else { Err(Problem::Timestamp) }
    }

    fn is_answered_by(&self, info: &[u8], now: DateTime<Utc>) -> der::Result<bool> {
        let all = Any::from_der(info)?;
        let mut reader = SliceReader::new(all.value())?;
        let head = TstHead {
            version: reader.decode()?,
            policy: reader.decode()?,
            imprint: reader.decode()?,
            serial: reader.decode()?,
            at: reader.decode()?,
        };
        let mut is_mine = false;
        while !reader.is_finished() {
            let further: Any = reader.decode()?;
            is_mine |= further.to_der()? == self.nonce.to_der()?;
        }
        let is_now = time(&head.at).is_some_and(|at| (at - now).abs() <= CLOCKS);
        Ok(is_mine
            && is_now
            && head.imprint.algorithm.oid == SHA256
            && head.imprint.hash.as_bytes() == self.imprint)
    }
}

/// The token of `TimeStampResp`; none if the request was refused.
fn token(answer: &[u8]) -> der::Result<Option<Vec<u8>>> {
    let all = Any::from_der(answer)?;
    let mut reader = SliceReader::new(all.value())?;
    let status: Any = reader.decode()?;
    let granted: u8 = SliceReader::new(status.value())?.decode()?;
    if granted > 1 || reader.is_finished() {
        return Ok(None);
    }
    let token: Any = reader.decode()?;
    Ok(Some(token.to_der()?))
}

/// A time, which may have fractions of a second.
fn time(at: &Any) -> Option<DateTime<Utc>> {
    let text = std::str::from_utf8(at.value()).ok()?.strip_suffix('Z')?;
    let seconds = text.get(..14).filter(|_| at.tag() == Tag::GeneralizedTime)?;
    Some(NaiveDateTime::parse_from_str(seconds, "%Y%m%d%H%M%S").ok()?.and_utc())
}

/// Whether a token is a timestamp, signed once, with a certificate for nothing but timestamps (RFC 3161 section 2.3).
fn is_of_an_authority(token: &[u8]) -> der::Result<bool> {
    let data: SignedData = ContentInfo::from_der(token)?.content.decode_as()?;
    let [signer] = data.signer_infos.0.as_slice() else { return Ok(false) };
    let mut is_right = false;
    for choice in data.certificates.iter().flat_map(|all| all.0.iter()) {
        let CertificateChoices::Certificate(certificate) = choice else { continue };
        if is_named(certificate, &signer.sid)? {
            let usage = certificate.tbs_certificate.get::<ExtendedKeyUsage>()?;
            if !usage.is_some_and(|(is_critical, usage)| is_critical && usage.0 == [TIME_STAMPING]) {
                return Ok(false);
            }
            is_right = true;
        }
    }
    Ok(is_right && data.encap_content_info.econtent_type == TST_INFO)
}

/// Whether a signer is the one of a certificate.
fn is_named(certificate: &Certificate, signer: &SignerIdentifier) -> der::Result<bool> {
    let of = &certificate.tbs_certificate;
    Ok(match signer {
        SignerIdentifier::IssuerAndSerialNumber(named) => {
            named.issuer == of.issuer && named.serial_number == of.serial_number
        }
        SignerIdentifier::SubjectKeyIdentifier(named) => {
            of.get::<SubjectKeyIdentifier>()?.is_some_and(|(_, own)| own == *named)
        }
    })
}

/// The content of a token whose signature is correct. The authority is trusted by its address; whether its certificate
/// is trusted decides who verifies.
fn signed_content(token: &[u8]) -> Result<Vec<u8>, openssl::error::ErrorStack> {
    let mut content = Vec::new();
    let store = X509StoreBuilder::new()?.build();
    let flags = CMSOptions::NO_SIGNER_CERT_VERIFY | CMSOptions::BINARY;
    CmsContentInfo::from_der(token)?.verify(None, Some(&store), None, Some(&mut content), flags)?;
    Ok(content)
}

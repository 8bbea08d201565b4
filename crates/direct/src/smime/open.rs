//! Decrypting, and verifying every signer.

use std::borrow::Cow;

use bytes::Bytes;
use openssl::asn1::Asn1Object;
use openssl::error::ErrorStack;

use super::cms::{Enveloped, Outcome, Verified};
use super::{OpenError, Opened, SignatureVerdict, Signer, cms};
use crate::ber;
use crate::cert::{Certificate, Identity};
use crate::mime::entity::{Entity, canonical, fields};

// object identifiers, as their encoded content
const SIGNED_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02];
const ENVELOPED_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x03];
const AUTH_ENVELOPED_DATA: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01, 0x17];
const AES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01];
/// Last arc of the accepted AES object identifiers: 128, 192 and 256 bits, CBC and GCM.
const AES_CBC: [u8; 3] = [2, 22, 42];
const AES_GCM: [u8; 3] = [6, 26, 46];

/// Decrypts a message with the first of our identities that is a recipient, and verifies every signer. CPU-heavy:
/// call it on an async thread only through [`super::off_thread`].
pub fn open(raw: &[u8], identities: &[Identity]) -> Result<Opened, OpenError> {
    let outer = Entity::new(raw);
    let (content, key) = decrypt(&outer, identities)?;
    let content = Bytes::from(content);
    let (signed, verified) = verify(&content)?;
    let (message, wrapped) = unwrap_message(&outer, &signed);
    Ok(Opened {
        message,
        wrapped,
        signers: verified.signatures.into_iter().map(signer).collect(),
        certificates: verified.certificates.into_iter().map(Certificate::from).collect(),
        key,
    })
}

fn is_pkcs7(entity: &Entity<'_>) -> bool {
    match entity.content_type().as_str() {
        "application/pkcs7-mime" | "application/x-pkcs7-mime" => true,
        // RFC 8551 3.9: agents that use a generic type
        "application/octet-stream" => {
            entity.file_name().is_some_and(|n| n.to_ascii_lowercase().ends_with(".p7m"))
        }
        _ => false,
    }
}

fn decrypt(outer: &Entity<'_>, identities: &[Identity]) -> Result<(Vec<u8>, usize), OpenError> {
    if !is_pkcs7(outer) {
        return Err(OpenError::NotEncrypted);
    }
    let ber = outer.decoded_body().bytes;
    check_cipher(&ber)?;
    check_parts(&ber)?;
    let envelope = Enveloped::from_bytes(&ber).map_err(|_| OpenError::Unreadable)?;
    drop(ber);
    let mut for_us = false;
    for (index, identity) in identities.iter().enumerate() {
        let certificate = identity.certificate();
        if certificate.check_key().is_err() || !envelope.is_for(certificate.x509()) {
            continue;
        }
        for_us = true;
        if let Ok(content) = envelope.decrypt(identity.key().pkey(), certificate.x509()) {
            return Ok((content, index));
        }
    }
    Err(if for_us { OpenError::Damaged } else { OpenError::NotForUs })
}

/// Refuses structures with so many parts that parsing them would exhaust memory.
fn check_parts(message: &[u8]) -> Result<(), OpenError> {
    if ber::is_within_limits(message) { Ok(()) } else { Err(OpenError::TooComplex) }
}

/// Refuses everything but AES before any key is used.
fn check_cipher(message: &[u8]) -> Result<(), OpenError> {
    let info = ber::read(message).ok_or(OpenError::Unreadable)?;
    let kind = ber::read(info.content).ok_or(OpenError::Unreadable)?;
    let authenticated = match kind.content {
        ENVELOPED_DATA => false,
        AUTH_ENVELOPED_DATA => true,
        SIGNED_DATA => return Err(OpenError::NotEncrypted),
        _ => return Err(OpenError::Unreadable),
    };
    let cipher = content_cipher(kind.rest).ok_or(OpenError::Unreadable)?;
    let modes: &[u8] = if authenticated { &AES_GCM } else { &AES_CBC };
    match cipher.split_last() {
        Some((last, AES)) if modes.contains(last) => Ok(()),
        _ => Err(OpenError::WeakCipher(oid_name(cipher))),
    }
}

/// The object identifier of the content cipher: `[0] { SEQUENCE { version, [0]?, SET recipients, SEQUENCE {
/// type, SEQUENCE { cipher ...` (RFC 5652 6.1).
fn content_cipher(explicit: &[u8]) -> Option<&[u8]> {
    let data = ber::read(ber::read(explicit)?.content)?;
    let recipients = ber::child(data.content, ber::SET)?;
    let encrypted = ber::child(recipients.rest, ber::SEQUENCE)?;
    let algorithm = ber::child(encrypted.content, ber::SEQUENCE)?;
    Some(ber::read(algorithm.content).filter(|e| e.tag == ber::OBJECT_IDENTIFIER)?.content)
}

fn oid_name(content: &[u8]) -> String {
    let mut arcs: Vec<u64> = Vec::new();
    let mut value = 0u64;
    for byte in content {
        value = value << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            match arcs.is_empty() {
                true => arcs.extend([(value / 40).min(2), value - (value / 40).min(2) * 40]),
                false => arcs.push(value),
            }
            value = 0;
        }
    }
    let dotted = arcs.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
    let known = Asn1Object::from_str(&dotted).and_then(|o| o.nid().short_name().map(str::to_owned));
    known.unwrap_or(dotted)
}

/// Reads decrypted content and verifies every signer, as [`open`] does. Returns the number of signers.
pub fn check_signatures(content: &Bytes) -> Result<usize, OpenError> {
    verify(content).map(|(_, verified)| verified.signatures.len())
}

/// The signed entity and its signatures: detached (multipart/signed) or enveloping (signed-data).
fn verify(content: &Bytes) -> Result<(Bytes, Verified), OpenError> {
    let entity = Entity::new(content);
    if entity.content_type() == "multipart/signed" {
        let (parts, _) = entity.parts(2).unwrap_or_default();
        let [signed, signature] = parts[..] else { return Err(OpenError::NotSigned) };
        let signature = Entity::new(signature);
        if !matches!(
            signature.content_type().as_str(),
            "application/pkcs7-signature" | "application/x-pkcs7-signature"
        ) {
            return Err(OpenError::NotSigned);
        }
        let signature = signature.decoded_body().bytes;
        check_parts(&signature)?;
        let verified = verify_detached(&signature, signed).map_err(|_| OpenError::NotSigned)?;
        return signed_by_someone(content.slice_ref(signed), verified);
    }
    if is_pkcs7(&entity) {
        let enveloping = entity.decoded_body().bytes;
        check_parts(&enveloping)?;
        let mut verified = cms::verify(&enveloping, None).map_err(|_| OpenError::NotSigned)?;
        let signed = Bytes::from(std::mem::take(&mut verified.content));
        return signed_by_someone(signed, verified);
    }
    Err(OpenError::NotSigned)
}

fn signed_by_someone(signed: Bytes, verified: Verified) -> Result<(Bytes, Verified), OpenError> {
    match verified.signatures.is_empty() {
        true => Err(OpenError::NotSigned),
        false => Ok((signed, verified)),
    }
}

/// Verifies a detached signature. Signatures cover canonical line ends, but some agents encrypt other ones.
fn verify_detached(signature: &[u8], signed: &[u8]) -> Result<Verified, ErrorStack> {
    let verified = cms::verify(signature, Some(signed))?;
    if verified.signatures.iter().any(|s| matches!(s.outcome, Outcome::Good(_))) {
        return Ok(verified);
    }
    match canonical(signed) {
        Cow::Owned(canonical) => cms::verify(signature, Some(&canonical)),
        Cow::Borrowed(_) => Ok(verified),
    }
}

fn signer(signature: cms::Signature) -> Signer {
    let certificate = signature.certificate.map(Certificate::from);
    let verdict = match (&certificate, signature.outcome) {
        (_, Outcome::RefusedDigest(name)) => SignatureVerdict::RefusedDigest(name),
        (None, _) => SignatureVerdict::NoCertificate,
        (Some(certificate), Outcome::Good(digest)) => {
            match certificate.check_key().is_ok() && certificate.purposes().sign {
                true => SignatureVerdict::Valid(digest),
                false => SignatureVerdict::RefusedKey,
            }
        }
        (Some(_), Outcome::Broken) => SignatureVerdict::Broken,
    };
    Signer { certificate, verdict }
}

/// The inner message, and whether its headers were signed.
fn unwrap_message(outer: &Entity<'_>, signed: &Bytes) -> (Bytes, bool) {
    let entity = Entity::new(signed);
    if entity.content_type() == "message/rfc822" {
        return match entity.decoded_body().bytes {
            Cow::Borrowed(body) => (signed.slice_ref(body), true),
            Cow::Owned(body) => (body.into(), true),
        };
    }
    let own = fields(entity.header);
    let is_own = |name: &str| own.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let mut message = Vec::with_capacity(signed.len() + outer.header.len());
    for (name, field) in fields(outer.header) {
        if !is_own(name) && !name.to_ascii_lowercase().starts_with("content-") {
            message.extend_from_slice(field);
        }
    }
    message.extend_from_slice(signed);
    (message.into(), false)
}

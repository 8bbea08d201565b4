//! Signing and encrypting.

use uuid::Uuid;

use super::{ContentCipher, Digest, SealError, SealOptions, cms};
use crate::cert::{CertError, Certificate, Identity};
use crate::mime::MimeError;
use crate::mime::encoding::encode_base64;
use crate::mime::entity::{canonical, fields, split_header};

/// The inner headers copied to the unencrypted outer message. Bcc is omitted on purpose: other recipients would read
/// it.
const OUTER_HEADERS: [&str; 8] =
    ["From", "To", "Cc", "Orig-Date", "Date", "Message-ID", "In-Reply-To", "References"];

/// Wraps the inner message as `message/rfc822`, signs it, encrypts it to all recipients, and returns the outer MIME
/// message with only the headers that may be public. CPU-heavy: call it on an async thread only through
/// [`super::off_thread`].
pub fn seal(
    inner: &[u8],
    signer: &Identity,
    recipients: &[Certificate],
    options: SealOptions,
) -> Result<Vec<u8>, SealError> {
    if recipients.is_empty() {
        return Err(SealError::NoRecipient);
    }
    for certificate in recipients.iter().chain([signer.certificate()]) {
        certificate.check_key()?;
    }
    if !signer.certificate().purposes().sign || recipients.iter().any(|r| !r.purposes().encrypt) {
        return Err(SealError::Certificate(CertError::WrongPurpose));
    }
    let mut outer = outer_headers(inner)?;
    let signed = sign(inner, signer, options.digest)?;
    let to: Vec<_> = recipients.iter().map(Certificate::x509).collect();
    let envelope = cms::encrypt(&signed, &to, options.cipher, options.key_transport)?;
    drop(signed);
    let kind = match options.cipher {
        ContentCipher::Aes128Cbc | ContentCipher::Aes256Cbc => "enveloped-data",
        ContentCipher::Aes256Gcm => "authEnveloped-data",
    };
    outer.extend_from_slice(
        format!(
            "MIME-Version: 1.0\r\n\
             Content-Type: application/pkcs7-mime; smime-type={kind}; name=\"smime.p7m\"\r\n\
             Content-Transfer-Encoding: base64\r\n\
             Content-Disposition: attachment; filename=\"smime.p7m\"\r\n\r\n"
        )
        .as_bytes(),
    );
    encode_base64(&envelope, &mut outer);
    Ok(outer)
}

fn outer_headers(inner: &[u8]) -> Result<Vec<u8>, MimeError> {
    let header = canonical(split_header(inner).0);
    let fields = fields(&header);
    if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("From")) {
        return Err(MimeError::Unreadable);
    }
    let seen = fields.iter().filter(|(name, _)| OUTER_HEADERS.iter().any(|o| o.eq_ignore_ascii_case(name)));
    Ok(seen.flat_map(|(_, field)| field.iter().copied()).collect())
}

/// The wrapped message with its detached signature, in one buffer to save memory.
fn sign(inner: &[u8], signer: &Identity, digest: Digest) -> Result<Vec<u8>, SealError> {
    let inner = canonical(inner);
    let boundary = format!("signed_{}", Uuid::new_v4().as_simple());
    let micalg = match digest {
        Digest::Sha256 => "sha256",
        Digest::Sha384 => "sha384",
        Digest::Sha512 => "sha512",
    };
    let mut out = Vec::with_capacity(inner.len() + 8192);
    out.extend_from_slice(
        format!(
            "Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\";\r\n \
             micalg={micalg}; boundary=\"{boundary}\"\r\n\r\n--{boundary}\r\n"
        )
        .as_bytes(),
    );
    let start = out.len();
    out.extend_from_slice(b"Content-Type: message/rfc822\r\n");
    if !inner.is_ascii() {
        out.extend_from_slice(b"Content-Transfer-Encoding: 8bit\r\n");
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&inner);
    let chain: Vec<_> = signer.chain().iter().map(|c| c.x509().clone()).collect();
    let certificate = signer.certificate().x509();
    let signature = cms::sign(&out[start..], certificate, signer.key().pkey(), &chain, digest)?;
    out.extend_from_slice(
        format!(
            "\r\n--{boundary}\r\n\
             Content-Type: application/pkcs7-signature; name=\"smime.p7s\"\r\n\
             Content-Transfer-Encoding: base64\r\n\
             Content-Disposition: attachment; filename=\"smime.p7s\"\r\n\r\n"
        )
        .as_bytes(),
    );
    encode_base64(&signature, &mut out);
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(out)
}

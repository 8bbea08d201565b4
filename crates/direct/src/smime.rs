//! S/MIME: wrap, sign and encrypt; decrypt and inspect every signer (Applicability Statement 2; RFC 8551).

mod cms;
mod memory;
pub(crate) mod open;
mod seal;

use bytes::Bytes;
use openssl::error::ErrorStack;

pub use memory::give_memory_back;
pub use open::open;
pub use seal::seal;

use crate::cert::{CertError, Certificate, Identity};
use crate::mime::MimeError;

/// Largest message in bytes that is processed on the calling thread: this takes a millisecond at most, and a thread
/// switch costs a considerable part of that.
const MAX_IN_PLACE: usize = 256 << 10;

/// Runs work on a message of the given size in bytes: on the blocking pool if it is long, otherwise in place.
pub async fn off_thread<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    if bytes <= MAX_IN_PLACE { Ok(work()) } else { tokio::task::spawn_blocking(work).await }
}

/// Digest of signatures; nothing weaker is used or accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Digest {
    /// SHA-256.
    #[default]
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// Cipher of the content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContentCipher {
    /// AES-128-CBC, supported by every Direct agent.
    #[default]
    Aes128Cbc,
    /// AES-256-CBC.
    Aes256Cbc,
    /// AES-256-GCM in AuthEnvelopedData (RFC 5083); only for partners known to read it.
    Aes256Gcm,
}

/// How the content key is encrypted to an RSA recipient.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeyTransport {
    /// RSAES-OAEP with SHA-1 and MGF1-SHA-1, the defaults of RFC 8017.
    OaepSha1,
    /// RSAES-OAEP with SHA-256 and MGF1-SHA-256.
    #[default]
    OaepSha256,
    /// RSAES-PKCS1-v1_5, for partners that read nothing newer.
    Pkcs1v15,
}

/// Algorithms of an outgoing message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SealOptions {
    /// Signature digest.
    pub digest: Digest,
    /// Content cipher.
    pub cipher: ContentCipher,
    /// Key transport.
    pub key_transport: KeyTransport,
}

/// Why a message could not be signed and encrypted.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// No recipient certificates.
    #[error("there is no certificate to encrypt to")]
    NoRecipient,
    /// A key too weak, or not meant for its use here.
    #[error(transparent)]
    Certificate(#[from] CertError),
    /// The message has no header block.
    #[error(transparent)]
    Message(#[from] MimeError),
    /// The cryptographic library refused.
    #[error("the cryptographic library refused the operation")]
    Library(#[from] ErrorStack),
}

/// Why a received message cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Not a MIME message that could be read.
    #[error("the message cannot be read")]
    Unreadable,
    /// Divided into more parts than any real sender uses.
    #[error("the message has too many parts")]
    TooComplex,
    /// Not encrypted (it may well be signed).
    #[error("the message is not encrypted")]
    NotEncrypted,
    /// Encrypted, but not to any of our keys.
    #[error("the message is not encrypted to any of our keys")]
    NotForUs,
    /// Encrypted with an algorithm that is refused; its object identifier or name.
    #[error("the message is encrypted with an algorithm that is not accepted: {0}")]
    WeakCipher(String),
    /// Encrypted to us but damaged.
    #[error("the message is damaged")]
    Damaged,
    /// Encrypted but not signed.
    #[error("the message is not signed")]
    NotSigned,
}

/// Verdict on one signature of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureVerdict {
    /// The signature is valid for this content.
    Valid(Digest),
    /// Made with a refused digest (SHA-1, MD5 ...), or with one that does not match the signature; its name.
    RefusedDigest(String),
    /// Made with a key that is too weak, or by a certificate not meant for signing.
    RefusedKey,
    /// Content or signature was changed.
    Broken,
    /// The message does not contain the signer's certificate.
    NoCertificate,
}

/// One signer of a message.
#[derive(Debug, Clone)]
pub struct Signer {
    /// Certificate, if the message contains it.
    pub certificate: Option<Certificate>,
    /// Verdict on the signature, without regard to trust and binding.
    pub verdict: SignatureVerdict,
}

/// A decrypted message with at least one signature. No part of it may be shown before one of its signers is found
/// valid, bound to the sender and trusted.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The inner message (headers and body). An unwrapped one gets the outer headers, which are not protected.
    pub message: Bytes,
    /// Whether it was wrapped as `message/rfc822`, so that its headers are signed.
    pub wrapped: bool,
    /// Every signer.
    pub signers: Vec<Signer>,
    /// Every certificate in the signature, including intermediates.
    pub certificates: Vec<Certificate>,
    /// Index of the key that opened the message, in the list given.
    pub key: usize,
}

/// Signs and encrypts the content, decrypts and verifies it, and nothing else: the baseline for benchmarks of whole
/// deliveries. Returns the size of the encrypted form in bytes.
pub fn bare_cryptography(
    content: &[u8],
    signer: &Identity,
    recipient: &Identity,
    options: SealOptions,
) -> Result<usize, SealError> {
    let chain: Vec<_> = signer.chain().iter().map(|c| c.x509().clone()).collect();
    let signature =
        cms::sign(content, signer.certificate().x509(), signer.key().pkey(), &chain, options.digest)?;
    let to = recipient.certificate().x509();
    let encrypted = cms::encrypt(content, &[to], options.cipher, options.key_transport)?;
    let decrypted = cms::Enveloped::from_bytes(&encrypted)?.decrypt(recipient.key().pkey(), to)?;
    cms::verify(&signature, Some(&decrypted))?;
    Ok(encrypted.len())
}

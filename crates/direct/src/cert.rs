//! Certificates and private keys of Direct addresses and domains, and the built-in certificate authority.

mod authority;
mod identity;
mod known;

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use openssl::asn1::{Asn1Time, Asn1TimeRef};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::Id;
use openssl::x509::{X509, X509ExtendedKeyUsage, X509KeyUsage, X509Ref};

pub use aws_lc_rs::rsa::KeySize;

pub use authority::{
    AuthorityName, BoundTo, CertificateAuthority, CertificateRequest, RevokedSerial, Validity,
};
pub use identity::{Identity, PrivateKey, pick_decryption_identities, pick_signer};

use crate::DirectAddress;

/// Smallest RSA modulus accepted for signing and for encryption, in bits.
pub const MIN_RSA_BITS: u32 = 2048;
/// Smallest elliptic curve key accepted, in bits.
pub const MIN_EC_BITS: u32 = 256;

/// Errors of certificates, keys and their files.
#[derive(Debug, thiserror::Error)]
pub enum CertError {
    /// The bytes are not a certificate (or not in the form named).
    #[error("This is not a readable certificate.")]
    Unreadable,
    /// The bytes are not a private key, or it is protected by another passphrase.
    #[error("This is not a readable private key.")]
    UnreadableKey,
    /// Key and certificate do not belong together.
    #[error("The private key does not belong to the certificate.")]
    KeyMismatch,
    /// The certificate may not issue others.
    #[error("The certificate does not belong to a certificate authority.")]
    NotAnAuthority,
    /// The key is too weak.
    #[error("The key is too weak: RSA keys need at least 2048 bits.")]
    WeakKey,
    /// A new key could not be generated.
    #[error("The key could not be generated.")]
    UnmadeKey,
    /// The key usage does not allow the intended use.
    #[error("The certificate is not meant for this use.")]
    WrongPurpose,
    /// No certificate of ours matches the sender, so nothing can be sent.
    #[error("There is no usable signing certificate for {0}.")]
    NoSigner(DirectAddress),
    /// The cryptographic library refused.
    #[error("The cryptographic library refused the operation.")]
    Library(#[from] ErrorStack),
}

/// An X.509 certificate. Two are equal if their encoded bytes are.
#[derive(Clone)]
pub struct Certificate {
    x509: X509,
}

/// Validity of a certificate, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// First instant of validity.
    pub not_before: DateTime<Utc>,
    /// Last instant of validity.
    pub not_after: DateTime<Utc>,
}

/// State of a certificate at a moment, by its [`Period`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodStatus {
    /// The validity lies in the future.
    NotYetValid,
    /// The certificate may be used.
    Valid,
    /// The validity lies in the past.
    Expired,
}

/// How a certificate is tied to Direct names (Applicability Statement 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Tied to the address itself.
    Address,
    /// Tied to the health domain of the address.
    Domain,
}

/// What the key of a certificate may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPurposes {
    /// `digitalSignature` (or `nonRepudiation`), or no keyUsage at all.
    pub sign: bool,
    /// `keyEncipherment` (`keyAgreement` for elliptic curves), or no keyUsage at all.
    pub encrypt: bool,
}

impl KeyPurposes {
    /// Signing and encryption: what the built-in authority issues.
    pub const BOTH: Self = Self { sign: true, encrypt: true };
    /// Signing only.
    pub const SIGN: Self = Self { sign: true, encrypt: false };
    /// Encryption only.
    pub const ENCRYPT: Self = Self { sign: false, encrypt: true };
}

impl Certificate {
    /// Reads one DER certificate.
    pub fn from_der(der: &[u8]) -> Result<Self, CertError> {
        known::FROM_DER.read(der, X509::from_der).map(Self::from).map_err(|_| CertError::Unreadable)
    }

    /// Reads the first PEM certificate.
    pub fn from_pem(pem: &[u8]) -> Result<Self, CertError> {
        known::FROM_PEM.read(pem, X509::from_pem).map(Self::from).map_err(|_| CertError::Unreadable)
    }

    /// Reads an uploaded file: one or more PEM certificates, or one DER certificate.
    pub fn many_from_file(bytes: &[u8]) -> Result<Vec<Self>, CertError> {
        if bytes.windows(10).any(|w| w == b"-----BEGIN") {
            let found = X509::stack_from_pem(bytes).map_err(|_| CertError::Unreadable)?;
            return if found.is_empty() {
                Err(CertError::Unreadable)
            } else {
                Ok(found.into_iter().map(Self::from).collect())
            };
        }
        Ok(vec![Self::from_der(bytes)?])
    }

    /// DER encoding.
    pub fn to_der(&self) -> Vec<u8> {
        self.x509.to_der().unwrap_or_default()
    }

    /// PEM encoding.
    pub fn to_pem(&self) -> String {
        self.x509.to_pem().map(|p| String::from_utf8_lossy(&p).into_owned()).unwrap_or_default()
    }

    /// SHA-256 over the DER encoding, lower-case hex without separators.
    pub fn fingerprint(&self) -> String {
        self.x509.digest(MessageDigest::sha256()).map(|d| hex(&d)).unwrap_or_default()
    }

    /// Serial number, lower-case hex.
    pub fn serial(&self) -> String {
        let number = self.x509.serial_number().to_bn();
        number.map(|n| hex(&n.to_vec())).unwrap_or_default()
    }

    /// Subject in one line, `CN=..., O=...`.
    pub fn subject(&self) -> String {
        name_line(self.x509.subject_name())
    }

    /// Issuer in one line, `CN=..., O=...`.
    pub fn issuer(&self) -> String {
        name_line(self.x509.issuer_name())
    }

    /// Start and end of validity.
    pub fn period(&self) -> Period {
        Period { not_before: instant(self.x509.not_before()), not_after: instant(self.x509.not_after()) }
    }

    /// Whether the certificate is valid at that moment, as far as its dates go.
    pub fn status(&self, at: DateTime<Utc>) -> PeriodStatus {
        let period = self.period();
        match at {
            at if at < period.not_before => PeriodStatus::NotYetValid,
            at if at > period.not_after => PeriodStatus::Expired,
            _ => PeriodStatus::Valid,
        }
    }

    /// Refuses RSA keys under 2048 bits, elliptic curve keys under 256 bits and all other kinds of key.
    pub fn check_key(&self) -> Result<(), CertError> {
        let key = self.x509.public_key().map_err(|_| CertError::Unreadable)?;
        let strong = match key.id() {
            Id::RSA | Id::RSA_PSS => key.bits() >= MIN_RSA_BITS,
            Id::EC => key.bits() >= MIN_EC_BITS,
            _ => false,
        };
        if strong { Ok(()) } else { Err(CertError::WeakKey) }
    }

    /// The uses allowed by keyUsage and extendedKeyUsage in S/MIME (RFC 8550 4.4). A certificate whose
    /// extendedKeyUsage has neither `emailProtection` nor `anyExtendedKeyUsage` has no use here.
    pub fn purposes(&self) -> KeyPurposes {
        let mail = self.x509.extended_key_usage().is_none_or(|usage| {
            usage.contains(X509ExtendedKeyUsage::SMIME) || usage.contains(X509ExtendedKeyUsage::ANYEKU)
        });
        let Some(usage) = self.x509.key_usage() else {
            return KeyPurposes { sign: mail, encrypt: mail };
        };
        let agreement = self.x509.public_key().is_ok_and(|k| k.id() == Id::EC);
        let encipher = if agreement { X509KeyUsage::KEY_AGREEMENT } else { X509KeyUsage::KEY_ENCIPHERMENT };
        KeyPurposes {
            sign: mail && usage.intersects(X509KeyUsage::DIGITAL_SIGNATURE | X509KeyUsage::NON_REPUDIATION),
            encrypt: mail && usage.intersects(encipher),
        }
    }

    /// How the certificate is bound to the address; none when it is not.
    ///
    /// Bound to the address: every rfc822Name of subjectAltName and the emailAddress of the subject, if present,
    /// equal it. Bound to the domain: no mail address, and a dNSName equal to the domain (no wildcard, no parent
    /// domain).
    pub fn binding(&self, address: &DirectAddress) -> Option<Binding> {
        let names = self.bound_names();
        let mailbox = address.mailbox();
        let is_address = |text: &String| {
            DirectAddress::parse(text).is_ok_and(|bound| bound == *address || bound.mailbox() == mailbox)
        };
        let alternative = names.alternative_addresses.iter();
        if !names.alternative_addresses.is_empty() || !names.subject_addresses.is_empty() {
            let subject_agrees = names.subject_addresses.iter().all(is_address);
            let alternative_agrees =
                names.alternative_addresses.is_empty() || alternative.clone().any(is_address);
            if subject_agrees && alternative_agrees {
                return Some(Binding::Address);
            }
            // the subject of an organizational certificate may contain the contact address of its owner
            if !names.alternative_addresses.is_empty() {
                return None;
            }
        }
        let domain = names.domains.iter().any(|d| d.eq_ignore_ascii_case(address.domain()));
        domain.then_some(Binding::Domain)
    }

    /// The names a certificate is bound to.
    pub fn bound_names(&self) -> BoundNames {
        let alternative = self.x509.subject_alt_names();
        let alternative: Vec<_> = alternative.iter().flatten().collect();
        let subject = self.x509.subject_name().entries_by_nid(Nid::PKCS9_EMAILADDRESS);
        BoundNames {
            alternative_addresses: alternative.iter().filter_map(|n| n.email().map(str::to_owned)).collect(),
            subject_addresses: subject.filter_map(|e| Some(e.data().to_string().ok()?.to_string())).collect(),
            domains: alternative.iter().filter_map(|n| n.dnsname().map(str::to_ascii_lowercase)).collect(),
        }
    }

    /// HTTP addresses of the CRL distribution points.
    pub fn crl_urls(&self) -> Vec<String> {
        let points = self.x509.crl_distribution_points();
        let names = points.iter().flatten().filter_map(|p| p.distpoint()?.fullname());
        names.flatten().filter_map(|n| n.uri().map(str::to_owned)).filter(|u| is_http(u)).collect()
    }

    /// HTTP addresses of the issuer's certificate (caIssuers of the AIA extension, RFC 5280 4.2.2.1).
    pub fn issuer_urls(&self) -> Vec<String> {
        let access = self.x509.authority_info();
        let issuers = access.iter().flatten().filter(|a| a.method().nid() == Nid::AD_CA_ISSUERS);
        issuers.filter_map(|a| a.location().uri().map(str::to_owned)).filter(|u| is_http(u)).collect()
    }

    /// Whether subject and issuer are the same name.
    pub fn is_self_issued(&self) -> bool {
        self.x509.subject_name().try_cmp(self.x509.issuer_name()).is_ok_and(|o| o.is_eq())
    }

    /// The certificate as an OpenSSL object.
    pub fn as_x509(&self) -> &X509Ref {
        &self.x509
    }

    pub(crate) fn x509(&self) -> &X509 {
        &self.x509
    }
}

/// The names found in a certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoundNames {
    /// rfc822Name entries of subjectAltName.
    pub alternative_addresses: Vec<String>,
    /// Legacy emailAddress attributes of the subject.
    pub subject_addresses: Vec<String>,
    /// dNSName entries of subjectAltName, lower case.
    pub domains: Vec<String>,
}

impl From<X509> for Certificate {
    fn from(x509: X509) -> Self {
        Self { x509 }
    }
}
impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.to_der() == other.to_der()
    }
}
impl Eq for Certificate {}
impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({}, serial {})", self.subject(), self.serial())
    }
}

pub(crate) fn is_http(url: &str) -> bool {
    let url = url.to_ascii_lowercase();
    url.starts_with("http://") || url.starts_with("https://")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn name_line(name: &openssl::x509::X509NameRef) -> String {
    let part = |e: &openssl::x509::X509NameEntryRef| {
        let key = e.object().nid().short_name().unwrap_or("?").to_owned();
        Some(format!("{key}={}", &*e.data().to_string().ok()?))
    };
    name.entries().filter_map(part).collect::<Vec<_>>().join(", ")
}

/// ASN.1 time as an instant. An unreadable date becomes the epoch, so that the certificate counts as expired.
pub(crate) fn instant(time: &Asn1TimeRef) -> DateTime<Utc> {
    let since = Asn1Time::from_unix(0).and_then(|epoch| epoch.diff(time));
    let since = since.map(|d| TimeDelta::days(d.days.into()) + TimeDelta::seconds(d.secs.into()));
    since.map(|d| DateTime::UNIX_EPOCH + d).unwrap_or(DateTime::UNIX_EPOCH)
}

pub(crate) fn asn1_time(at: DateTime<Utc>) -> Result<Asn1Time, ErrorStack> {
    Asn1Time::from_unix(at.timestamp())
}

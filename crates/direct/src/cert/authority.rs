//! The built-in certificate authority: it issues the certificates of hosted domains and signs their CRL.

use chrono::{DateTime, TimeDelta, Utc};
use openssl::asn1::{Asn1Object, Asn1OctetString};
use openssl::bn::{BigNum, MsbOption};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::x509::extension::{
    BasicConstraints, CrlNumber, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName, SubjectKeyIdentifier,
};
use openssl::x509::{
    X509Builder, X509CrlBuilder, X509Extension, X509KeyUsage, X509Name, X509NameBuilder, X509Revoked,
    X509RevokedBuilder,
};

use super::{CertError, Certificate, Identity, KeyPurposes, KeySize, PrivateKey, asn1_time};
use crate::DirectAddress;
use crate::ber;

const SERIAL_BITS: i32 = 127;
/// id-kp-documentSigning (RFC 9336).
const DOCUMENT_SIGNING: &str = "1.3.6.1.5.5.7.3.36";

/// Name of an authority.
#[derive(Debug, Clone)]
pub struct AuthorityName {
    /// Common name, at most 64 characters.
    pub common_name: String,
    /// Organization, at most 64 characters.
    pub organization: String,
}

/// Validity of a new certificate.
#[derive(Debug, Clone, Copy)]
pub struct Validity {
    /// First instant.
    pub from: DateTime<Utc>,
    /// Length.
    pub lasting: TimeDelta,
}

/// Request for a certificate.
#[derive(Debug, Clone)]
pub struct CertificateRequest {
    /// Organization shown in the subject, at most 64 characters.
    pub organization: String,
    /// Name that the certificate is bound to.
    pub bound_to: BoundTo,
    /// Uses of the key; [`KeyPurposes::BOTH`] unless there is a reason.
    pub purposes: KeyPurposes,
    /// Validity; cut to that of the authority.
    pub validity: Validity,
    /// Address of the authority's CRL.
    pub crl_url: Option<String>,
    /// Address of the authority's certificate (AIA caIssuers).
    pub issuer_url: Option<String>,
}

/// Name that a new certificate is bound to.
#[derive(Debug, Clone)]
pub enum BoundTo {
    /// A health domain: dNSName (Applicability Statement 4.1.2).
    Domain(String),
    /// One address: rfc822Name (Applicability Statement 4.1.1).
    Address(DirectAddress),
}

/// A revoked certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedSerial {
    /// Serial number as hex, see [`Certificate::serial`].
    pub serial: String,
    /// Time of the revocation.
    pub at: DateTime<Utc>,
}

/// A certificate authority with its key.
#[derive(Debug, Clone)]
pub struct CertificateAuthority {
    identity: Identity,
}

impl CertificateAuthority {
    /// Creates a self-signed authority for a given key.
    pub fn create(name: &AuthorityName, validity: Validity, key: PrivateKey) -> Result<Self, CertError> {
        let subject = subject(&name.common_name, &name.organization)?;
        let mut builder = new_certificate(&subject, &subject, &key, validity)?;
        builder.append_extension(BasicConstraints::new().critical().ca().build()?)?;
        builder.append_extension(KeyUsage::new().critical().key_cert_sign().crl_sign().build()?)?;
        let id = SubjectKeyIdentifier::new().build(&builder.x509v3_context(None, None))?;
        builder.append_extension(id)?;
        builder.sign(key.pkey(), MessageDigest::sha256())?;
        Ok(Self { identity: Identity::new(builder.build().into(), key, vec![])? })
    }

    /// Imports an authority: its certificate first, then intermediates up to the root, as PEM; and its unencrypted
    /// PEM key.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, CertError> {
        let mut certificates = Certificate::many_from_file(certificates)?;
        let certificate = certificates.remove(0);
        Self::new(Identity::new(certificate, PrivateKey::from_pem(key)?, certificates)?)
    }

    /// An authority from a parsed key and certificate.
    pub fn new(identity: Identity) -> Result<Self, CertError> {
        let certificate = identity.certificate();
        let usage = certificate.as_x509().key_usage();
        let may_sign = usage.is_none_or(|u| u.contains(X509KeyUsage::KEY_CERT_SIGN));
        if !is_authority(certificate) || !may_sign {
            return Err(CertError::NotAnAuthority);
        }
        certificate.check_key()?;
        Ok(Self { identity })
    }

    /// Certificate, key and intermediates of the authority, for storage.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Certificate of the authority, which partners use as an anchor.
    pub fn certificate(&self) -> &Certificate {
        self.identity.certificate()
    }

    /// Issues a certificate for a new RSA-2048 key. Slow: do not call on an async thread.
    pub fn issue(&self, request: &CertificateRequest) -> Result<Identity, CertError> {
        self.issue_for_key(request, PrivateKey::generate_rsa(KeySize::Rsa2048)?)
    }

    /// Issues a certificate for a given key.
    pub fn issue_for_key(
        &self,
        request: &CertificateRequest,
        key: PrivateKey,
    ) -> Result<Identity, CertError> {
        let common_name = match &request.bound_to {
            BoundTo::Domain(domain) => domain.as_str(),
            BoundTo::Address(address) => address.as_str(),
        };
        let subject = subject(common_name, &request.organization)?;
        let mut builder = new_certificate(&subject, &self.issuer_name()?, &key, self.cut(request.validity))?;
        self.append_leaf_extensions(&mut builder, request)?;
        builder.sign(self.identity.key().pkey(), MessageDigest::sha256())?;
        Identity::new(builder.build().into(), key, self.intermediates())
    }

    /// The certificates between those that this authority issues and the root.
    fn intermediates(&self) -> Vec<Certificate> {
        let mut chain = vec![self.certificate().clone()];
        chain.extend_from_slice(self.identity.chain());
        chain.retain(|c| !c.is_self_issued());
        chain
    }

    /// Issues a certificate for signing documents for a given key (RFC 9336). Readers that check for mail only accept
    /// it as well; as it names no address or domain, it is of no use for mail.
    pub fn issue_for_documents(
        &self,
        organization: &str,
        validity: Validity,
        crl_url: &str,
        key: PrivateKey,
    ) -> Result<Identity, CertError> {
        let subject = subject(organization, organization)?;
        let mut builder = new_certificate(&subject, &self.issuer_name()?, &key, self.cut(validity))?;
        builder.append_extension(BasicConstraints::new().critical().build()?)?;
        let usage = KeyUsage::new().critical().digital_signature().non_repudiation().build()?;
        builder.append_extension(usage)?;
        let purposes = ExtendedKeyUsage::new().other(DOCUMENT_SIGNING).email_protection().build()?;
        builder.append_extension(purposes)?;
        builder.append_extension(self.authority_key_id()?)?;
        let id = SubjectKeyIdentifier::new().build(&builder.x509v3_context(None, None))?;
        builder.append_extension(id)?;
        builder.append_extension(crl_distribution_point(crl_url)?)?;
        builder.sign(self.identity.key().pkey(), MessageDigest::sha256())?;
        Identity::new(builder.build().into(), key, self.intermediates())
    }

    /// A signed CRL in DER.
    ///
    /// `number` must increase from CRL to CRL; `next_update` is the end of its validity.
    pub fn crl(
        &self,
        number: u64,
        this_update: DateTime<Utc>,
        next_update: DateTime<Utc>,
        revoked: &[RevokedSerial],
    ) -> Result<Vec<u8>, CertError> {
        let mut builder = X509CrlBuilder::new()?;
        builder.set_issuer_name(self.certificate().as_x509().subject_name())?;
        builder.set_last_update(&*asn1_time(this_update)?)?;
        builder.set_next_update(&*asn1_time(next_update)?)?;
        for entry in revoked {
            builder.add_revoked(revoked_entry(entry)?)?;
        }
        builder.sort()?;
        builder.append_extension(self.authority_key_id()?)?;
        builder.append_extension(CrlNumber::new(BigNum::from_dec_str(&number.to_string())?)?.build()?)?;
        builder.sign(self.identity.key().pkey(), MessageDigest::sha256())?;
        Ok(builder.build()?.to_der()?)
    }

    fn issuer_name(&self) -> Result<X509Name, CertError> {
        Ok(self.certificate().as_x509().subject_name().to_owned()?)
    }

    /// authorityKeyIdentifier with this authority's subjectKeyIdentifier, if it has one.
    fn authority_key_id(&self) -> Result<X509Extension, CertError> {
        let id = self.certificate().as_x509().subject_key_id().map(|id| id.as_slice().to_vec());
        let key_id = id.map(|id| ber::encode(0x80, &id)).unwrap_or_default();
        extension("2.5.29.35", &ber::encode(ber::SEQUENCE, &key_id))
    }

    fn cut(&self, wanted: Validity) -> Validity {
        let end = self.certificate().period().not_after;
        Validity { from: wanted.from, lasting: wanted.lasting.min(end - wanted.from) }
    }

    fn append_leaf_extensions(
        &self,
        builder: &mut X509Builder,
        request: &CertificateRequest,
    ) -> Result<(), CertError> {
        builder.append_extension(BasicConstraints::new().critical().build()?)?;
        let mut usage = KeyUsage::new();
        usage.critical();
        if request.purposes.sign {
            usage.digital_signature();
        }
        if request.purposes.encrypt {
            usage.key_encipherment();
        }
        builder.append_extension(usage.build()?)?;
        builder.append_extension(ExtendedKeyUsage::new().email_protection().build()?)?;
        let mut extensions = vec![subject_alt_name(builder, &request.bound_to)?, self.authority_key_id()?];
        extensions.push(SubjectKeyIdentifier::new().build(&builder.x509v3_context(None, None))?);
        if let Some(url) = &request.crl_url {
            extensions.push(crl_distribution_point(url)?);
        }
        if let Some(url) = &request.issuer_url {
            extensions.push(authority_info_access(url)?);
        }
        extensions.into_iter().try_for_each(|e| builder.append_extension(e)).map_err(CertError::from)
    }
}

fn subject(common_name: &str, organization: &str) -> Result<X509Name, CertError> {
    let cut = |text: &str| text.chars().take(64).collect::<String>();
    let mut builder = X509NameBuilder::new()?;
    builder.append_entry_by_nid(Nid::COMMONNAME, &cut(common_name))?;
    if !organization.is_empty() {
        builder.append_entry_by_nid(Nid::ORGANIZATIONNAME, &cut(organization))?;
    }
    Ok(builder.build())
}

fn new_certificate(
    subject: &X509Name,
    issuer: &X509Name,
    key: &PrivateKey,
    validity: Validity,
) -> Result<X509Builder, CertError> {
    let mut serial = BigNum::new()?;
    serial.rand(SERIAL_BITS, MsbOption::ONE, false)?;
    let mut builder = X509Builder::new()?;
    builder.set_version(2)?;
    builder.set_serial_number(&*serial.to_asn1_integer()?)?;
    builder.set_subject_name(subject)?;
    builder.set_issuer_name(issuer)?;
    builder.set_not_before(&*asn1_time(validity.from)?)?;
    builder.set_not_after(&*asn1_time(validity.from + validity.lasting)?)?;
    builder.set_pubkey(key.pkey())?;
    Ok(builder)
}

fn subject_alt_name(builder: &X509Builder, bound_to: &BoundTo) -> Result<X509Extension, CertError> {
    let mut names = SubjectAlternativeName::new();
    match bound_to {
        BoundTo::Domain(domain) => names.dns(&domain.to_ascii_lowercase()),
        BoundTo::Address(address) => names.email(address.as_str()),
    };
    Ok(names.build(&builder.x509v3_context(None, None))?)
}

/// `CRLDistributionPoints` with one full name (RFC 5280 4.2.1.13).
fn crl_distribution_point(url: &str) -> Result<X509Extension, CertError> {
    let name = ber::encode(0xA0, &ber::encode(0xA0, &ber::encode(0x86, url.as_bytes())));
    extension("2.5.29.31", &ber::encode(ber::SEQUENCE, &ber::encode(ber::SEQUENCE, &name)))
}

/// `AuthorityInfoAccess` with one caIssuers address (RFC 5280 4.2.2.1).
fn authority_info_access(url: &str) -> Result<X509Extension, CertError> {
    /// id-ad-caIssuers, 1.3.6.1.5.5.7.48.2, encoded.
    const CA_ISSUERS: [u8; 10] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02];
    let access = [&CA_ISSUERS[..], &ber::encode(0x86, url.as_bytes())].concat();
    extension("1.3.6.1.5.5.7.1.1", &ber::encode(ber::SEQUENCE, &ber::encode(ber::SEQUENCE, &access)))
}

fn extension(oid: &str, der: &[u8]) -> Result<X509Extension, CertError> {
    let value = Asn1OctetString::new_from_bytes(der)?;
    Ok(X509Extension::new_from_der(&*Asn1Object::from_str(oid)?, false, &value)?)
}

fn revoked_entry(entry: &RevokedSerial) -> Result<X509Revoked, CertError> {
    let serial = BigNum::from_hex_str(&entry.serial)?.to_asn1_integer()?;
    let mut revoked = X509RevokedBuilder::new()?;
    revoked.set_serial_number(&serial)?;
    revoked.set_revocation_date(&*asn1_time(entry.at)?)?;
    Ok(revoked.build())
}

fn is_authority(certificate: &Certificate) -> bool {
    // OpenSSL returns only the path length, or that the constraint is present
    ber::is_certificate_authority(&certificate.to_der())
}

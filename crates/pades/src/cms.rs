//! The signature itself: CMS SignedData with the attributes of CAdES (RFC 5652; ETSI EN 319 122-1).

use crate::Problem;
use cms::{
    cert::{
        CertificateChoices, IssuerAndSerialNumber,
        x509::{
            Certificate,
            attr::{Attribute, AttributeValue, Attributes},
            spki::AlgorithmIdentifierOwned,
        },
    },
    content_info::{CmsVersion, ContentInfo},
    signed_data::{
        CertificateSet, DigestAlgorithmIdentifiers, EncapsulatedContentInfo, SignedAttributes, SignedData,
        SignerIdentifier, SignerInfo, SignerInfos,
    },
};
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{ObjectIdentifier, OctetString, SetOfVec},
};
use openssl::{
    hash::MessageDigest,
    pkey::{Id, PKey, Private},
    sign::Signer,
};
use sha2::{Digest, Sha256};

const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
const SIGNING_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");
const TIMESTAMP_TOKEN: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
pub(crate) const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const RSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
const ECDSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");

/// Size of a signature without its certificates, in bytes.
const ATTRIBUTES: usize = 4 << 10;
/// Room for a timestamp with its certificates, in bytes.
const TIMESTAMP: usize = 16 << 10;
/// Largest size of an attribute without its value, in bytes.
const ATTRIBUTE: usize = 64;

/// A certificate with its key.
pub struct Identity {
    certificate: Certificate,
    /// The certificate, as it was given.
    der: Vec<u8>,
    chain: Vec<Certificate>,
    key: PKey<Private>,
    size: usize,
}

impl Identity {
    /// Certificates in DER, from that of the signer upwards, and the PKCS#8 key of the first one.
    pub fn new(certificate: &[u8], chain: &[Vec<u8>], key: &[u8]) -> Result<Self, Problem> {
        let read = |der: &[u8]| Certificate::from_der(der).map_err(|_| Problem::Identity);
        Ok(Self {
            certificate: read(certificate)?,
            der: certificate.to_vec(),
            chain: chain.iter().map(|der| read(der)).collect::<Result<_, _>>()?,
            key: PKey::private_key_from_pkcs8(key).map_err(|_| Problem::Identity)?,
            size: certificate.len() + chain.iter().map(Vec::len).sum::<usize>(),
        })
    }

    /// Room that a signature needs in a file, in bytes, with that for a timestamp.
    pub fn room(&self) -> usize {
        ATTRIBUTES + self.size + TIMESTAMP
    }
}

/// `SigningCertificateV2` with SHA-256, the default (RFC 5035 section 3).
#[derive(Sequence)]
struct SigningCertificate {
    certs: Vec<CertificateId>,
}

#[derive(Sequence)]
struct CertificateId {
    hash: OctetString,
}

/// A signature that can still get a timestamp.
pub struct Unstamped {
    signer: SignerInfo,
    certificates: Vec<Certificate>,
}

impl Unstamped {
    /// Signs a digest. The time of the signature is not among the attributes: in a PDF it is in the signature
    /// dictionary (EN 319 142-1 section 6.3).
    pub fn sign(digest: &[u8; 32], identity: &Identity) -> Result<Self, Problem> {
        Self::with(digest, identity).map_err(|_| Problem::Identity)
    }

    fn with(digest: &[u8; 32], identity: &Identity) -> Result<Self, Failure> {
        let hash = OctetString::new(Sha256::digest(&identity.der).to_vec())?;
        let attributes: SignedAttributes = SetOfVec::try_from(vec![
            attribute(CONTENT_TYPE, &DATA)?,
            attribute(MESSAGE_DIGEST, &OctetString::new(digest.to_vec())?)?,
            attribute(SIGNING_CERTIFICATE, &SigningCertificate { certs: vec![CertificateId { hash }] })?,
        ])?;
        let mut signer = Signer::new(MessageDigest::sha256(), &identity.key)?;
        let signature = signer.sign_oneshot_to_vec(&attributes.to_der()?)?;
        let of = &identity.certificate.tbs_certificate;
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: of.issuer.clone(),
                serial_number: of.serial_number.clone(),
            }),
            digest_alg: AlgorithmIdentifierOwned { oid: SHA256, parameters: None },
            signed_attrs: Some(attributes),
            signature_algorithm: match identity.key.id() {
                Id::EC => AlgorithmIdentifierOwned { oid: ECDSA_SHA256, parameters: None },
                _ => AlgorithmIdentifierOwned { oid: RSA_SHA256, parameters: Some(Any::null()) },
            },
            signature: OctetString::new(signature)?,
            unsigned_attrs: None,
        };
        let certificates = std::iter::once(&identity.certificate).chain(&identity.chain).cloned().collect();
        Ok(Self { signer, certificates })
    }

    /// SHA-256 of the signature, of which a timestamp proves the time.
    pub fn imprint(&self) -> [u8; 32] {
        Sha256::digest(self.signer.signature.as_bytes()).into()
    }

    /// Adds a timestamp: the token that [`crate::timestamp::Request::read`] returned.
    pub fn stamp(&mut self, token: &[u8]) -> Result<(), Problem> {
        if token.len() > TIMESTAMP - ATTRIBUTE {
            return Err(Problem::Timestamp);
        }
        let made = || -> der::Result<Attributes> {
            SetOfVec::try_from(vec![attribute(TIMESTAMP_TOKEN, &Any::from_der(token)?)?])
        };
        self.signer.unsigned_attrs = Some(made().map_err(|_| Problem::Timestamp)?);
        Ok(())
    }

    /// The signature in DER.
    pub fn to_der(&self) -> Result<Vec<u8>, Problem> {
        self.encoded().map_err(|_| Problem::Identity)
    }

    fn encoded(&self) -> der::Result<Vec<u8>> {
        let all: Vec<_> = self.certificates.iter().cloned().map(CertificateChoices::Certificate).collect();
        let algorithm = AlgorithmIdentifierOwned { oid: SHA256, parameters: None };
        let data = SignedData {
            version: CmsVersion::V1,
            digest_algorithms: DigestAlgorithmIdentifiers::try_from(vec![algorithm])?,
            encap_content_info: EncapsulatedContentInfo { econtent_type: DATA, econtent: None },
            certificates: Some(CertificateSet(SetOfVec::try_from(all)?)),
            crls: None,
            signer_infos: SignerInfos(SetOfVec::try_from(vec![self.signer.clone()])?),
        };
        ContentInfo { content_type: SIGNED_DATA, content: Any::encode_from(&data)? }.to_der()
    }
}

/// Certificates (DER) as one file without a signature (`.p7c`), which PDF readers import.
pub fn bundle(certificates: &[Vec<u8>]) -> Result<Vec<u8>, Problem> {
    let made = || -> der::Result<Vec<u8>> {
        let read = |der: &Vec<u8>| Certificate::from_der(der).map(CertificateChoices::Certificate);
        let all = certificates.iter().map(read).collect::<der::Result<Vec<_>>>()?;
        let data = SignedData {
            version: CmsVersion::V1,
            digest_algorithms: DigestAlgorithmIdentifiers::default(),
            encap_content_info: EncapsulatedContentInfo { econtent_type: DATA, econtent: None },
            certificates: Some(CertificateSet(SetOfVec::try_from(all)?)),
            crls: None,
            signer_infos: SignerInfos(SetOfVec::new()),
        };
        ContentInfo { content_type: SIGNED_DATA, content: Any::encode_from(&data)? }.to_der()
    };
    made().map_err(|_| Problem::Identity)
}

/// One attribute with one value.
fn attribute(oid: ObjectIdentifier, value: &impl Encoded) -> der::Result<Attribute> {
    let value: AttributeValue = value.any()?;
    Ok(Attribute { oid, values: SetOfVec::try_from(vec![value])? })
}

/// A value that can be encoded by itself.
trait Encoded {
    fn any(&self) -> der::Result<Any>;
}

impl<T: Encode> Encoded for T {
    fn any(&self) -> der::Result<Any> {
        Any::from_der(&self.to_der()?)
    }
}

/// What may fail on the way to a signature.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Encoding(#[from] der::Error),
    #[error(transparent)]
    Library(#[from] openssl::error::ErrorStack),
}

//! Building and judging chains.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use openssl::error::ErrorStack;
use openssl::stack::Stack;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use openssl::x509::verify::{X509VerifyFlags, X509VerifyParam};
use openssl::x509::{X509StoreContext, X509VerifyResult};

use super::{
    AnchorSet, IssuerSource, RevocationSource, RevocationStatus, TrustedChain, UnknownRevocation, Untrusted,
    known::Parts,
};
use crate::cert::{Certificate, PeriodStatus};

/// Most intermediates fetched for one chain.
const MAX_FETCHED: usize = 5;
/// Most addresses of one certificate that are asked for its issuer, or for its revocation list.
const MAX_URLS: usize = 3;
/// Longest chain, anchor included.
const MAX_DEPTH: i32 = 10;
/// OpenSSL's security level of 112 bits: RSA of 2048 bits and SHA-256 at the least, in every link.
const SECURITY_LEVEL: i32 = 2;

// X509_V_ERR_* of openssl/x509_vfy.h
const ERR_UNABLE_TO_GET_ISSUER_CERT: i32 = 2;
const ERR_CERT_NOT_YET_VALID: i32 = 9;
const ERR_CERT_HAS_EXPIRED: i32 = 10;
const ERR_DEPTH_ZERO_SELF_SIGNED: i32 = 18;
const ERR_SELF_SIGNED_IN_CHAIN: i32 = 19;
const ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: i32 = 20;
const ERR_UNABLE_TO_VERIFY_LEAF: i32 = 21;
const ERR_EE_KEY_TOO_SMALL: i32 = 66;
const ERR_CA_KEY_TOO_SMALL: i32 = 67;
const ERR_CA_MD_TOO_WEAK: i32 = 68;

/// Judges certificates against anchors.
#[derive(Debug, Clone)]
pub struct TrustEngine {
    revocation: Arc<dyn RevocationSource>,
    issuers: Arc<dyn IssuerSource>,
    unknown_revocation: UnknownRevocation,
}

impl TrustEngine {
    /// An engine with these sources of revocation lists and missing intermediates.
    pub fn new(
        revocation: Arc<dyn RevocationSource>,
        issuers: Arc<dyn IssuerSource>,
        unknown_revocation: UnknownRevocation,
    ) -> Self {
        Self { revocation, issuers, unknown_revocation }
    }

    /// Whether the certificate leads to one of the anchors at that moment: every link signed, in its time,
    /// strong enough and not revoked. `intermediates` are untrusted helpers; missing ones are fetched from
    /// the addresses that the certificates name.
    pub async fn evaluate(
        &self,
        certificate: &Certificate,
        intermediates: &[Certificate],
        anchors: &AnchorSet,
        at: DateTime<Utc>,
    ) -> Result<TrustedChain, Untrusted> {
        match certificate.status(at) {
            PeriodStatus::NotYetValid => return Err(Untrusted::NotYetValid),
            PeriodStatus::Expired => return Err(Untrusted::Expired),
            PeriodStatus::Valid => {}
        }
        certificate.check_key().map_err(|_| Untrusted::Weak)?;
        let chain = self.complete_chain(certificate, intermediates, anchors, at).await?;
        let revocation = self.check_revocation(&chain, at).await?;
        Ok(TrustedChain { chain, revocation })
    }

    /// Builds the chain, fetching one issuer after the other while the chain ends in nothing.
    async fn complete_chain(
        &self,
        certificate: &Certificate,
        intermediates: &[Certificate],
        anchors: &AnchorSet,
        at: DateTime<Utc>,
    ) -> Result<Vec<Certificate>, Untrusted> {
        if anchors.anchors().is_empty() {
            return Err(Untrusted::NoAnchor);
        }
        let parts = Parts::of(certificate, intermediates).map_err(library)?;
        if let Some(chain) = anchors.known.get(&parts, at) {
            return Ok(chain);
        }
        let store = store(anchors, at).map_err(library)?;
        let mut helpers = intermediates.to_vec();
        let mut last = certificate.clone();
        for _ in 0..=MAX_FETCHED {
            match build(&store, certificate, &helpers).map_err(library)? {
                Err(ref missing) if missing.is_missing_issuer() => {}
                Err(failure) => return Err(failure.reason()),
                Ok(chain) => {
                    anchors.known.put(parts, &chain);
                    return Ok(chain);
                }
            }
            last = top_of(&last, &helpers);
            let Some(issuer) = self.fetch_issuer(&last, at).await else {
                return Err(Untrusted::NoAnchor);
            };
            helpers.push(issuer);
        }
        Err(Untrusted::NoAnchor)
    }

    /// The certificate that issued `subject`, from the addresses it names.
    async fn fetch_issuer(&self, subject: &Certificate, at: DateTime<Utc>) -> Option<Certificate> {
        if subject.is_self_issued() {
            return None;
        }
        for url in subject.issuer_urls().into_iter().take(MAX_URLS) {
            match self.issuers.issuers(&url, at).await {
                Ok(found) => {
                    if let Some(issuer) = found.into_iter().find(|c| issued(c, subject)) {
                        return Some(issuer);
                    }
                }
                Err(error) => tracing::info!(%url, %error, "issuer certificate not fetched"),
            }
        }
        None
    }

    /// Looks every certificate below the anchor up in the lists it names.
    async fn check_revocation(
        &self,
        chain: &[Certificate],
        at: DateTime<Utc>,
    ) -> Result<RevocationStatus, Untrusted> {
        let (mut checked, mut unavailable) = (false, None);
        for (certificate, issuer) in chain.iter().zip(chain.iter().skip(1)) {
            let urls = certificate.crl_urls();
            if urls.is_empty() {
                continue;
            }
            match self.is_revoked(certificate, issuer, &urls, at).await {
                Ok(None) => checked = true,
                Ok(Some(since)) => return Err(Untrusted::Revoked(since)),
                Err(reason) => unavailable = Some(reason),
            }
        }
        match (unavailable, self.unknown_revocation) {
            (Some(_), UnknownRevocation::Refuse) => Err(Untrusted::RevocationUnknown),
            (Some(reason), UnknownRevocation::Accept) => {
                tracing::warn!(%reason, "certificate taken without a revocation list");
                Ok(RevocationStatus::Unavailable(reason))
            }
            (None, _) if checked => Ok(RevocationStatus::Checked),
            (None, _) => Ok(RevocationStatus::NotPublished),
        }
    }

    /// When the certificate was revoked, by the first of its lists that can be had and is in force; the error
    /// says why none is.
    async fn is_revoked(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        urls: &[String],
        at: DateTime<Utc>,
    ) -> Result<Option<DateTime<Utc>>, String> {
        let mut reason = String::new();
        for url in urls.iter().take(MAX_URLS) {
            let crl = match self.revocation.crl(url, at).await {
                Ok(Some(crl)) => crl,
                Ok(None) => {
                    reason = format!("nobody answers for the revocation list {url}");
                    continue;
                }
                Err(error) => {
                    reason = format!("revocation list {url}: {error}");
                    continue;
                }
            };
            if !crl.is_signed_by(issuer) {
                reason = format!("revocation list {url} is not signed by the issuer");
            } else if let Some(since) = crl.revoked_at(certificate) {
                // a revocation is not taken back by the list growing old
                return Ok(Some(since));
            } else if crl.next_update() < at {
                reason = format!("revocation list {url} is out of date");
            } else {
                return Ok(None);
            }
        }
        Err(reason)
    }
}

fn store(anchors: &AnchorSet, at: DateTime<Utc>) -> Result<X509Store, ErrorStack> {
    let mut store = X509StoreBuilder::new()?;
    for anchor in anchors.anchors() {
        store.add_cert(anchor.x509().clone())?;
    }
    let mut parameters = X509VerifyParam::new()?;
    parameters.set_flags(X509VerifyFlags::PARTIAL_CHAIN)?;
    parameters.set_time(at.timestamp());
    parameters.set_depth(MAX_DEPTH);
    parameters.set_auth_level(SECURITY_LEVEL);
    store.set_param(&parameters)?;
    Ok(store.build())
}

/// One attempt to build a chain with what is at hand.
fn build(
    store: &X509Store,
    certificate: &Certificate,
    helpers: &[Certificate],
) -> Result<Result<Vec<Certificate>, Failure>, ErrorStack> {
    let mut untrusted = Stack::new()?;
    for helper in helpers {
        untrusted.push(helper.x509().clone())?;
    }
    X509StoreContext::new()?.init(store, certificate.as_x509(), &untrusted, |context| {
        if !context.verify_cert()? {
            return Ok(Err(Failure(context.error())));
        }
        let chain = context.chain().map(|c| c.iter().map(|x| Certificate::from(x.to_owned())).collect());
        Ok(Ok(chain.unwrap_or_default()))
    })
}

struct Failure(X509VerifyResult);

impl Failure {
    fn is_missing_issuer(&self) -> bool {
        matches!(
            self.0.as_raw(),
            ERR_UNABLE_TO_GET_ISSUER_CERT | ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY | ERR_UNABLE_TO_VERIFY_LEAF
        )
    }

    fn reason(&self) -> Untrusted {
        match self.0.as_raw() {
            ERR_CERT_NOT_YET_VALID => Untrusted::NotYetValid,
            ERR_CERT_HAS_EXPIRED => Untrusted::Expired,
            ERR_DEPTH_ZERO_SELF_SIGNED | ERR_SELF_SIGNED_IN_CHAIN => Untrusted::NoAnchor,
            ERR_EE_KEY_TOO_SMALL | ERR_CA_KEY_TOO_SMALL | ERR_CA_MD_TOO_WEAK => Untrusted::Weak,
            _ => Untrusted::Invalid(self.0.error_string().to_owned()),
        }
    }
}

/// The highest certificate reachable from `start` through the helpers.
fn top_of(start: &Certificate, helpers: &[Certificate]) -> Certificate {
    let mut top = start.clone();
    for _ in 0..MAX_DEPTH {
        match helpers.iter().find(|h| !top.is_self_issued() && issued(h, &top)) {
            Some(issuer) => top = issuer.clone(),
            None => break,
        }
    }
    top
}

fn issued(issuer: &Certificate, subject: &Certificate) -> bool {
    issuer.as_x509().issued(subject.as_x509()) == X509VerifyResult::OK
}

fn library(error: ErrorStack) -> Untrusted {
    Untrusted::Invalid(error.errors().first().and_then(|e| e.reason()).unwrap_or("unreadable").to_owned())
}

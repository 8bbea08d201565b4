//! Building and verifying chains.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use openssl::error::ErrorStack;
use openssl::x509::X509VerifyResult;
use openssl::x509::store::{X509Store, X509StoreBuilder};
use openssl::x509::verify::{X509VerifyFlags, X509VerifyParam};

use super::budget::FetchBudget;
use super::known::Parts;
use super::verify::{accept_policy, delta_urls, signer_urls, verify};
use super::{
    AnchorSet, Crl, IssuerSource, PolicyRequirements, RevocationSource, RevocationStatus, TrustedChain,
    UnknownRevocation, Untrusted,
};
use crate::cert::{Certificate, PeriodStatus};

/// Most intermediates fetched for one chain.
const MAX_FETCHED: usize = 5;
/// Most addresses of one certificate that are tried for its issuer, or for its revocation list.
const MAX_URLS: usize = 3;
/// Longest chain, anchor included.
const MAX_DEPTH: i32 = 10;
/// OpenSSL's security level of 112 bits: at least RSA 2048 and SHA-256 in every link.
const SECURITY_LEVEL: i32 = 2;
/// Tolerance for the clock of a revocation list's signer.
const CLOCK_SKEW: TimeDelta = TimeDelta::minutes(5);

// X509_V_ERR_* of openssl/x509_vfy.h
const ERR_UNABLE_TO_GET_ISSUER_CERT: i32 = 2;
const ERR_CERT_NOT_YET_VALID: i32 = 9;
const ERR_CERT_HAS_EXPIRED: i32 = 10;
const ERR_CRL_NOT_YET_VALID: i32 = 11;
const ERR_CRL_HAS_EXPIRED: i32 = 12;
const ERR_DEPTH_ZERO_SELF_SIGNED: i32 = 18;
const ERR_SELF_SIGNED_IN_CHAIN: i32 = 19;
const ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: i32 = 20;
const ERR_UNABLE_TO_VERIFY_LEAF: i32 = 21;
const ERR_CERT_REVOKED: i32 = 23;
const ERR_EE_KEY_TOO_SMALL: i32 = 66;
const ERR_CA_KEY_TOO_SMALL: i32 = 67;
const ERR_CA_MD_TOO_WEAK: i32 = 68;

/// Verifies certificates against anchors.
#[derive(Debug, Clone)]
pub struct TrustEngine {
    revocation: Arc<dyn RevocationSource>,
    issuers: Arc<dyn IssuerSource>,
    unknown_revocation: UnknownRevocation,
}

/// Source of missing intermediates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingIssuers {
    /// None: only cached certificates count.
    AtHand,
    /// From the addresses that the certificates name (RFC 5280 4.2.2.1).
    Fetched,
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

    /// Verifies that the certificate leads to one of the anchors at that moment (RFC 5280 6): every link signed,
    /// valid, strong enough, within the names and policies of those above it, and not revoked. `intermediates` are
    /// untrusted helpers; missing ones are fetched from the addresses in the certificates.
    pub async fn evaluate(
        &self,
        certificate: &Certificate,
        intermediates: &[Certificate],
        anchors: &AnchorSet,
        at: DateTime<Utc>,
    ) -> Result<TrustedChain, Untrusted> {
        let (missing, budget) = (MissingIssuers::Fetched, FetchBudget::for_one_mail());
        self.evaluate_within(certificate, intermediates, anchors, missing, &budget, at).await
    }

    /// Like [`Self::evaluate`], with a budget shared with other certificates.
    pub async fn evaluate_within(
        &self,
        certificate: &Certificate,
        intermediates: &[Certificate],
        anchors: &AnchorSet,
        missing: MissingIssuers,
        budget: &FetchBudget,
        at: DateTime<Utc>,
    ) -> Result<TrustedChain, Untrusted> {
        match certificate.status(at) {
            PeriodStatus::NotYetValid => return Err(Untrusted::NotYetValid),
            PeriodStatus::Expired => return Err(Untrusted::Expired),
            PeriodStatus::Valid => {}
        }
        certificate.check_key().map_err(|_| Untrusted::Weak)?;
        let judging = Judging { engine: self, anchors, missing, budget, at };
        let mut helpers = intermediates.to_vec();
        let chain = judging.complete_chain(certificate, &mut helpers).await?;
        let revocation = judging.check_revocation(&chain, &mut helpers).await?;
        Ok(TrustedChain { chain, revocation })
    }
}

/// Verification of one certificate: its anchors, time and budget.
struct Judging<'a> {
    engine: &'a TrustEngine,
    anchors: &'a AnchorSet,
    missing: MissingIssuers,
    budget: &'a FetchBudget,
    at: DateTime<Utc>,
}

impl Judging<'_> {
    /// Builds the chain, fetching one missing issuer after the other.
    async fn complete_chain(
        &self,
        certificate: &Certificate,
        helpers: &mut Vec<Certificate>,
    ) -> Result<Vec<Certificate>, Untrusted> {
        if self.anchors.anchors().is_empty() {
            return Err(Untrusted::NoAnchor);
        }
        let parts = Parts::of(certificate, helpers).map_err(library)?;
        if let Some(chain) = self.anchors.known.get(&parts, self.at) {
            return Ok(chain);
        }
        let store = self.anchors.policies.store(self.anchors, self.at).map_err(library)?;
        let mut last = certificate.clone();
        for _ in 0..=MAX_FETCHED {
            match verify(&store, certificate, helpers, &[]).map_err(library)? {
                Err(missing) if is_missing_issuer(missing) => {}
                Err(failure) => return Err(reason(failure)),
                Ok(chain) => {
                    self.anchors.known.put(parts, &chain);
                    return Ok(chain);
                }
            }
            last = top_of(&last, helpers);
            let issuer = match self.missing {
                MissingIssuers::Fetched => self.fetch_issuer(&last).await,
                MissingIssuers::AtHand => None,
            };
            helpers.push(issuer.ok_or(Untrusted::NoAnchor)?);
        }
        Err(Untrusted::NoAnchor)
    }

    /// Fetches the issuer of `subject` from the addresses in it.
    async fn fetch_issuer(&self, subject: &Certificate) -> Option<Certificate> {
        if subject.is_self_issued() {
            return None;
        }
        for url in subject.issuer_urls().into_iter().take(MAX_URLS) {
            match self.engine.issuers.issuers(&url, self.at, self.budget).await {
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

    /// Checks every certificate below the anchor against its lists.
    async fn check_revocation(
        &self,
        chain: &[Certificate],
        helpers: &mut Vec<Certificate>,
    ) -> Result<RevocationStatus, Untrusted> {
        helpers.extend(chain.iter().skip(1).cloned());
        let (mut checked, mut unavailable) = (false, None);
        for certificate in &chain[..chain.len().saturating_sub(1)] {
            let urls = certificate.crl_urls();
            if urls.is_empty() {
                continue;
            }
            match self.is_revoked(certificate, helpers, &urls).await {
                Ok(None) => checked = true,
                Ok(Some(since)) => return Err(Untrusted::Revoked(since)),
                Err(reason) => unavailable = Some(reason),
            }
        }
        let is_strict = chain.last().is_some_and(|anchor| self.anchors.requires_revocation(anchor));
        let unknown = if is_strict { UnknownRevocation::Refuse } else { self.engine.unknown_revocation };
        match (unavailable, unknown) {
            (Some(_), UnknownRevocation::Refuse) => Err(Untrusted::RevocationUnknown),
            (Some(reason), UnknownRevocation::Accept) => {
                tracing::warn!(%reason, "certificate accepted without a revocation list");
                Ok(RevocationStatus::Unavailable(reason))
            }
            (None, _) if checked => Ok(RevocationStatus::Checked),
            (None, _) => Ok(RevocationStatus::NotPublished),
        }
    }

    /// Time of the certificate's revocation, from as many of its lists as necessary; the error says why they give no
    /// answer.
    async fn is_revoked(
        &self,
        certificate: &Certificate,
        helpers: &mut Vec<Certificate>,
        urls: &[String],
    ) -> Result<Option<DateTime<Utc>>, String> {
        let (mut lists, mut unknown) = (Vec::new(), String::new());
        for url in urls.iter().take(MAX_URLS) {
            let list = match self.list(url).await {
                Ok(list) => list,
                Err(reason) => {
                    unknown = reason;
                    continue;
                }
            };
            for delta in delta_urls(certificate.x509(), list.x509()).iter().take(MAX_URLS) {
                match self.list(delta).await {
                    Ok(delta) => lists.push(delta),
                    Err(reason) => tracing::info!(%reason, "delta revocation list not fetched"),
                }
            }
            lists.push(list.clone());
            let mut told = self.look_up(certificate, helpers, &lists)?;
            if matches!(told, Listed::Unknown(_)) && self.fetch_signer(&list, helpers, &mut lists).await {
                told = self.look_up(certificate, helpers, &lists)?;
            }
            match told {
                Listed::Good => return Ok(None),
                Listed::Revoked(since) => return Ok(Some(since)),
                Listed::Unknown(reason) => unknown = format!("revocation list {url}: {reason}"),
            }
        }
        Err(unknown)
    }

    async fn list(&self, url: &str) -> Result<Arc<Crl>, String> {
        match self.engine.revocation.crl(url, self.at, self.budget).await {
            Ok(Some(list)) => Ok(list),
            Ok(None) => Err(format!("nobody answers for the revocation list {url}")),
            Err(error) => Err(format!("revocation list {url}: {error}")),
        }
    }

    /// Fetches the data for verifying a list signed by another key than the certificate's issuer: that key's
    /// certificate, if the list names its address, and its own lists. False if there is none.
    async fn fetch_signer(
        &self,
        list: &Crl,
        helpers: &mut Vec<Certificate>,
        lists: &mut Vec<Arc<Crl>>,
    ) -> bool {
        let (had_helpers, had_lists) = (helpers.len(), lists.len());
        for url in signer_urls(list.x509()).iter().take(MAX_URLS) {
            if let Ok(found) = self.engine.issuers.issuers(url, self.at, self.budget).await {
                helpers.extend(found);
                break;
            }
        }
        let signers = helpers.iter().filter(|helper| list.bears_the_name_of(helper));
        let urls: Vec<_> = signers.flat_map(|signer| signer.crl_urls().into_iter().take(1)).collect();
        for url in urls.iter().take(MAX_URLS) {
            lists.extend(self.list(url).await.ok());
        }
        (helpers.len(), lists.len()) != (had_helpers, had_lists)
    }

    fn look_up(
        &self,
        certificate: &Certificate,
        helpers: &[Certificate],
        lists: &[Arc<Crl>],
    ) -> Result<Listed, String> {
        let unreadable = |error: ErrorStack| library(error).to_string();
        let parts = Parts::of(certificate, &[]).map_err(unreadable)?;
        if self.anchors.known.is_unrevoked(&parts, lists, self.at) {
            return Ok(Listed::Good);
        }
        let listed = look_up(self.anchors, certificate, helpers, lists, self.at).map_err(unreadable)?;
        if matches!(listed, Listed::Good) {
            self.anchors.known.put_unrevoked(parts, lists, self.at);
        }
        Ok(listed)
    }
}

/// Result of looking up a certificate in revocation lists.
enum Listed {
    Good,
    Revoked(DateTime<Utc>),
    /// No valid answer; the reason.
    Unknown(String),
}

/// Looks up a certificate in lists according to RFC 5280 6.3: complete and delta lists, signed by its issuer or a
/// delegate, for this kind of certificate and distribution point, with all critical extensions understood.
fn look_up(
    anchors: &AnchorSet,
    certificate: &Certificate,
    helpers: &[Certificate],
    lists: &[Arc<Crl>],
    at: DateTime<Utc>,
) -> Result<Listed, ErrorStack> {
    let flags =
        X509VerifyFlags::CRL_CHECK | X509VerifyFlags::EXTENDED_CRL_SUPPORT | X509VerifyFlags::USE_DELTAS;
    let listed_at = |at| -> Result<Option<X509VerifyResult>, ErrorStack> {
        let store = store(anchors, at, flags, &[])?;
        Ok(verify(&store, certificate, helpers, lists)?.err())
    };
    let problem = match listed_at(at)? {
        Some(early) if early.as_raw() == ERR_CRL_NOT_YET_VALID => {
            let from = lists.iter().map(|list| list.this_update()).max().unwrap_or(at);
            if from - at > CLOCK_SKEW { Some(early) } else { listed_at(from)? }
        }
        // A revocation stays valid when the list expires.
        Some(old) if old.as_raw() == ERR_CRL_HAS_EXPIRED => {
            let until = lists.iter().map(|list| list.next_update()).min().unwrap_or(at);
            let then = listed_at(until - TimeDelta::seconds(1))?;
            then.filter(|problem| problem.as_raw() == ERR_CERT_REVOKED).or(Some(old))
        }
        other => other,
    };
    Ok(match problem {
        None => Listed::Good,
        Some(revoked) if revoked.as_raw() == ERR_CERT_REVOKED => {
            Listed::Revoked(lists.iter().filter_map(|list| list.revoked_at(certificate)).min().unwrap_or(at))
        }
        Some(problem) => Listed::Unknown(problem.error_string().to_owned()),
    })
}

/// `anyPolicy` (RFC 5280, section 4.2.1.4).
const ANY_POLICY: &str = "2.5.29.32.0";

impl PolicyRequirements {
    /// A store of the anchors, for paths that meet these requirements and those of their own certificates.
    fn store(&self, anchors: &AnchorSet, at: DateTime<Utc>) -> Result<X509Store, ErrorStack> {
        let mut flags = X509VerifyFlags::POLICY_CHECK;
        flags.set(X509VerifyFlags::EXPLICIT_POLICY, self.explicit);
        flags.set(X509VerifyFlags::INHIBIT_MAP, self.inhibit_mapping);
        flags.set(X509VerifyFlags::INHIBIT_ANY, self.inhibit_any);
        store(anchors, at, flags, &self.accepted)
    }
}

/// A store of the anchors with the requirements for a path. An anchor may be anywhere in it.
fn store(
    anchors: &AnchorSet,
    at: DateTime<Utc>,
    flags: X509VerifyFlags,
    policies: &[String],
) -> Result<X509Store, ErrorStack> {
    let mut store = X509StoreBuilder::new()?;
    for anchor in anchors.anchors() {
        store.add_cert(anchor.x509().clone())?;
    }
    let mut parameters = X509VerifyParam::new()?;
    parameters.set_flags(flags | X509VerifyFlags::PARTIAL_CHAIN)?;
    // For OpenSSL an empty set accepts no policy; in RFC 5280 section 6.1.1 it accepts any.
    let any = [ANY_POLICY.to_owned()];
    let policies = if policies.is_empty() { &any[..] } else { policies };
    for policy in policies {
        accept_policy(&mut parameters, policy)?;
    }
    parameters.set_time(at.timestamp());
    parameters.set_depth(MAX_DEPTH);
    parameters.set_auth_level(SECURITY_LEVEL);
    store.set_param(&parameters)?;
    Ok(store.build())
}

fn is_missing_issuer(failure: X509VerifyResult) -> bool {
    matches!(
        failure.as_raw(),
        ERR_UNABLE_TO_GET_ISSUER_CERT | ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY | ERR_UNABLE_TO_VERIFY_LEAF
    )
}

fn reason(failure: X509VerifyResult) -> Untrusted {
    match failure.as_raw() {
        ERR_CERT_NOT_YET_VALID => Untrusted::NotYetValid,
        ERR_CERT_HAS_EXPIRED => Untrusted::Expired,
        ERR_DEPTH_ZERO_SELF_SIGNED | ERR_SELF_SIGNED_IN_CHAIN => Untrusted::NoAnchor,
        ERR_EE_KEY_TOO_SMALL | ERR_CA_KEY_TOO_SMALL | ERR_CA_MD_TOO_WEAK => Untrusted::Weak,
        _ => Untrusted::Invalid(failure.error_string().to_owned()),
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

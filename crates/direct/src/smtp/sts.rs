//! MTA-STS (RFC 8461): a domain publishes over HTTPS the names of its mail servers, which must have valid
//! certificates.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::dns::{DnsClient, DnsError};
use fetch::Fetch;

/// Largest policy, in bytes (RFC 8461 3.3).
const MAX_POLICY: usize = 64 << 10;
/// Longest lifetime of a policy in seconds (RFC 8461 3.2).
const MAX_AGE: u64 = 31_557_600;
/// Pause before a failed fetch of a policy is repeated.
const RETRY_AFTER: TimeDelta = TimeDelta::minutes(5);
/// Most domains with a failed fetch that are remembered.
const REMEMBERED: usize = 10_000;

/// Policy of a domain for senders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StsPolicy {
    /// Whether mail must not be delivered otherwise; false while a domain is testing.
    pub enforce: bool,
    /// Names of mail servers; `*.` stands for one label.
    pub servers: Vec<String>,
    /// Seconds.
    pub max_age: u64,
}

impl StsPolicy {
    /// Parses a policy (RFC 8461 3.2); none if it is invalid or has the mode `none`.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut version, mut mode, mut max_age, mut servers) = (None, None, None, Vec::new());
        for line in text.lines() {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "version" => version = Some(value),
                "mode" => mode = Some(value),
                "max_age" => max_age = value.parse::<u64>().ok(),
                "mx" => servers.push(value.trim_end_matches('.').to_ascii_lowercase()),
                _ => {}
            }
        }
        let enforce = match mode? {
            "enforce" => true,
            "testing" => false,
            _ => return None,
        };
        if version? != "STSv1" || servers.is_empty() {
            return None;
        }
        Some(Self { enforce, servers, max_age: max_age?.min(MAX_AGE) })
    }

    /// Whether the policy names a mail server (RFC 8461 4.1).
    pub fn names(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.servers.iter().any(|server| match server.strip_prefix("*.") {
            Some(parent) => {
                host.split_once('.').is_some_and(|(label, rest)| !label.is_empty() && rest == parent)
            }
            None => *server == host,
        })
    }
}

/// The id in the TXT record of a domain (RFC 8461 3.1); none unless there is exactly one such record.
fn id_of(records: &[String]) -> Option<String> {
    let mut found = records.iter().filter(|text| text.starts_with("v=STSv1;"));
    let (record, None) = (found.next()?, found.next()) else { return None };
    let id = record
        .split(';')
        .filter_map(|field| field.trim().split_once('='))
        .find(|(key, _)| key.trim() == "id");
    let id = id?.1.trim();
    let fits = (1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
    fits.then(|| id.to_owned())
}

/// A fetched policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPolicy {
    /// Its id in DNS.
    pub id: String,
    /// The policy.
    pub policy: StsPolicy,
    /// End of its validity.
    pub until: DateTime<Utc>,
}

/// The stored policies cannot be read or written at the moment.
#[derive(Debug, thiserror::Error)]
#[error("MTA-STS policies cannot be read or written")]
pub struct PoliciesUnavailable;

/// Storage of policies, so that neither a restart nor another node forgets a valid one (RFC 8461 5.1). Suppressing
/// the record then has no effect.
#[async_trait]
pub trait PolicyStore: Send + Sync + std::fmt::Debug {
    /// The stored policy of a domain.
    async fn load(&self, domain: &str) -> Result<Option<FetchedPolicy>, PoliciesUnavailable>;
    /// Stores the policy of a domain, replacing an earlier one.
    async fn save(
        &self,
        domain: &str,
        policy: &FetchedPolicy,
        now: DateTime<Utc>,
    ) -> Result<(), PoliciesUnavailable>;
}

/// Failed fetches by domain: the policy ids, and when they may be fetched again.
type Failures = HashMap<String, (String, DateTime<Utc>)>;

/// Policies of domains, cached for their lifetime.
#[derive(Debug, Clone)]
pub struct StsPolicies {
    dns: DnsClient,
    fetch: Arc<dyn Fetch>,
    store: Arc<dyn PolicyStore>,
    failed: Arc<Mutex<Failures>>,
}

impl StsPolicies {
    /// Queries with this client, fetches policies with `fetch`, which must verify certificates, and keeps them in
    /// `store`.
    pub fn new(dns: DnsClient, fetch: Arc<dyn Fetch>, store: Arc<dyn PolicyStore>) -> Self {
        Self { dns, fetch, store, failed: Arc::default() }
    }

    /// The policy of a domain, if it has one.
    pub async fn of(
        &self,
        domain: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<StsPolicy>, PoliciesUnavailable> {
        let records = self.dns.texts(&format!("_mta-sts.{domain}")).await;
        self.judge(domain, records, now).await
    }

    /// Decides which policy applies. A policy is valid for its lifetime, even if the record is gone, since an
    /// attacker may suppress it.
    async fn judge(
        &self,
        domain: &str,
        records: Result<Vec<String>, DnsError>,
        now: DateTime<Utc>,
    ) -> Result<Option<StsPolicy>, PoliciesUnavailable> {
        let known = self.store.load(domain).await?.filter(|known| known.until > now);
        let id = records.ok().and_then(|records| id_of(&records));
        let id = id.filter(|id| known.as_ref().is_none_or(|known| known.id != *id));
        let Some(id) = id.filter(|id| self.may_fetch(domain, id, now)) else {
            return Ok(known.map(|known| known.policy));
        };
        let Some(policy) = self.fetched(domain).await else {
            self.note_failure(domain, id, now);
            return Ok(known.map(|known| known.policy));
        };
        let age = TimeDelta::seconds(policy.max_age.try_into().unwrap_or_default());
        let fetched = FetchedPolicy { id, policy, until: now + age };
        self.store.save(domain, &fetched, now).await?;
        Ok(Some(fetched.policy))
    }

    async fn fetched(&self, domain: &str) -> Option<StsPolicy> {
        let url = format!("https://mta-sts.{domain}/.well-known/mta-sts.txt");
        let bytes = self.fetch.get(&url, MAX_POLICY).await.ok()?;
        StsPolicy::parse(&String::from_utf8_lossy(&bytes))
    }

    fn may_fetch(&self, domain: &str, id: &str, now: DateTime<Utc>) -> bool {
        self.failed().get(domain).is_none_or(|(failed, until)| failed != id || *until <= now)
    }

    fn note_failure(&self, domain: &str, id: String, now: DateTime<Utc>) {
        let mut failed = self.failed();
        if failed.len() >= REMEMBERED {
            failed.retain(|_, (_, until)| *until > now);
        }
        if failed.len() < REMEMBERED {
            failed.insert(domain.to_owned(), (id, now + RETRY_AFTER));
        }
    }

    fn failed(&self) -> MutexGuard<'_, Failures> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dns::DnsSettings;
    use fetch::FetchError;

    const POLICY: &str = "version: STSv1\r\nmode: enforce\r\nmx: mx1.south.example\r\nmx: *.relay.example\r\nmax_age: 86400\r\n";

    #[test]
    fn a_policy_names_its_servers() {
        let policy = StsPolicy::parse(POLICY).expect("a policy");
        assert!(policy.enforce);
        for host in ["mx1.south.example", "MX1.South.Example.", "a.relay.example"] {
            assert!(policy.names(host), "{host}");
        }
        for host in ["mx2.south.example", "relay.example", "a.b.relay.example", "evil.example"] {
            assert!(!policy.names(host), "{host}");
        }
        assert!(!StsPolicy::parse(&POLICY.replace("enforce", "testing")).expect("a policy").enforce);
        for wrong in
            ["", "mode: enforce", &POLICY.replace("STSv1", "STSv2"), &POLICY.replace("enforce", "none")]
        {
            assert_eq!(StsPolicy::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_one_record_with_an_id_counts() {
        let id = |records: &[&str]| id_of(&records.iter().map(|r| (*r).to_owned()).collect::<Vec<_>>());
        assert_eq!(id(&["v=STSv1; id=20260101T0;"]).as_deref(), Some("20260101T0"));
        assert_eq!(id(&["something else", "v=STSv1;id=1"]).as_deref(), Some("1"));
        for wrong in [&["v=STSv1; id=1", "v=STSv1; id=2"][..], &["v=STSv1"], &["v=STSv1; id=a-b"], &[]] {
            assert_eq!(id(wrong), None, "{wrong:?}");
        }
    }

    #[derive(Debug, Default)]
    struct Web(Mutex<Option<&'static str>>);

    #[async_trait]
    impl Fetch for Web {
        async fn get(&self, url: &str, _: usize) -> Result<Vec<u8>, FetchError> {
            assert_eq!(url, "https://mta-sts.south.example/.well-known/mta-sts.txt");
            self.0.lock().expect("the page").map(Into::into).ok_or(FetchError::Unreachable)
        }
    }

    #[derive(Debug, Default)]
    struct Kept(Mutex<Option<FetchedPolicy>>);

    #[async_trait]
    impl PolicyStore for Kept {
        async fn load(&self, _: &str) -> Result<Option<FetchedPolicy>, PoliciesUnavailable> {
            Ok(self.0.lock().expect("the policy").clone())
        }
        async fn save(
            &self,
            _: &str,
            policy: &FetchedPolicy,
            _: DateTime<Utc>,
        ) -> Result<(), PoliciesUnavailable> {
            *self.0.lock().expect("the policy") = Some(policy.clone());
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_policy_holds_until_its_end_even_when_its_record_and_page_are_suppressed() {
        let web = Arc::new(Web::default());
        let dns = DnsClient::new(&DnsSettings {
            servers: vec![([127, 0, 0, 1], 9).into()],
            ..DnsSettings::default()
        });
        let (dns, kept) = (dns.expect("a client"), Arc::new(Kept::default()));
        let policies = StsPolicies::new(dns.clone(), web.clone(), kept.clone());
        let start = DateTime::UNIX_EPOCH;
        let judge = async |id: Option<&str>, at: TimeDelta| {
            let records = id.map(|id| format!("v=STSv1; id={id}")).into_iter().collect();
            policies.judge("south.example", Ok(records), start + at).await.expect("the store answers")
        };
        assert_eq!(judge(None, TimeDelta::zero()).await, None);
        assert_eq!(judge(Some("1"), TimeDelta::zero()).await, None, "the page is not there");
        *web.0.lock().expect("the page") = Some(POLICY);
        assert_eq!(judge(Some("1"), TimeDelta::minutes(1)).await, None, "it is not asked for at once");
        assert!(judge(Some("1"), TimeDelta::minutes(6)).await.is_some());
        *web.0.lock().expect("the page") = None;
        assert!(judge(None, TimeDelta::hours(20)).await.is_some());
        assert!(judge(Some("2"), TimeDelta::hours(20)).await.is_some());
        let failed = policies.judge("south.example", Err(DnsError::Unanswered), start + TimeDelta::hours(20));
        assert!(failed.await.expect("the store answers").is_some());
        let elsewhere = StsPolicies::new(dns, web.clone(), kept);
        let failed = elsewhere.judge("south.example", Ok(vec![]), start + TimeDelta::hours(20));
        assert!(failed.await.expect("the store answers").is_some(), "another node knows it too");
        assert_eq!(judge(None, TimeDelta::hours(30)).await, None);
    }
}

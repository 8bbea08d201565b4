//! Chains, anchors, revocation, missing intermediates, bundles.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use direct::cert::{BoundTo, Certificate, CertificateAuthority, Identity, RevokedSerial};
use direct::trust::{
    AnchorSet, BundleError, BundleSignature, FetchBudget, HostedCrls, HttpCrlSource, HttpIssuerSource,
    LayeredRevocation, MAX_FETCH_TIME, MAX_FETCHES, MissingIssuers, RevocationStatus, TrustEngine,
    UnknownRevocation, Untrusted, parse_bundle,
};
use fetch::{AddressGuard, Fetch, FetchError, HttpFetcher};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::*;

const CRL: &str = "http://pki.example/ca.crl";
const ISSUER: &str = "http://pki.example/intermediate.crt";

/// Root, intermediate, and a leaf with addresses of its issuer and its revocation list.
struct Chain {
    root: CertificateAuthority,
    intermediate: CertificateAuthority,
    leaf: Identity,
}

fn chain() -> Chain {
    let root = authority("Root");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (root_crt, root_key) = write_pem(folder.path(), "root", root.identity());
    let ext = path("ext");
    std::fs::write(&ext, "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n")
        .unwrap();
    let (key, csr, crt) = (path("i.key"), path("i.csr"), path("i.crt"));
    openssl(
        &[
            "req",
            "-new",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=Intermediate",
            "-keyout",
            &key,
            "-out",
            &csr,
        ],
        b"",
    );
    openssl(
        &[
            "x509",
            "-req",
            "-in",
            &csr,
            "-CA",
            &root_crt,
            "-CAkey",
            &root_key,
            "-CAcreateserial",
            "-days",
            "3000",
            "-extfile",
            &ext,
            "-out",
            &crt,
        ],
        b"",
    );
    let intermediate =
        CertificateAuthority::from_pem(&std::fs::read(crt).unwrap(), &std::fs::read(key).unwrap()).unwrap();
    let mut wanted = request(BoundTo::Domain("direct.example".into()));
    wanted.crl_url = Some(CRL.into());
    wanted.issuer_url = Some(ISSUER.into());
    // openssl made the intermediate valid from today on
    wanted.validity.from = intermediate.certificate().period().not_before;
    let leaf = intermediate.issue_for_key(&wanted, crate::support::key()).unwrap();
    Chain { root, intermediate, leaf }
}

impl Chain {
    fn at(&self) -> chrono::DateTime<chrono::Utc> {
        self.leaf.certificate().period().not_before + TimeDelta::days(1)
    }

    fn crl(&self, revoked: &[RevokedSerial]) -> Vec<u8> {
        self.intermediate.crl(1, self.at(), self.at() + TimeDelta::days(7), revoked).unwrap()
    }
}

#[tokio::test]
async fn a_certificate_is_trusted_when_its_chain_ends_in_an_anchor() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let trusted = engine(&web)
        .evaluate(chain.leaf.certificate(), chain.leaf.chain(), &anchors(&[&chain.root]), chain.at())
        .await
        .unwrap();
    assert_eq!(trusted.chain.len(), 3);
    assert_eq!(trusted.anchor(), Some(chain.root.certificate()));
}

#[tokio::test]
async fn an_anchor_may_be_an_intermediate_or_the_certificate_itself() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    for anchor in [chain.intermediate.certificate(), chain.leaf.certificate()] {
        let set = AnchorSet::new(vec![anchor.clone()]);
        let trusted = engine(&web).evaluate(chain.leaf.certificate(), &[], &set, chain.at()).await.unwrap();
        assert_eq!(trusted.anchor(), Some(anchor));
    }
}

#[tokio::test]
async fn another_anchor_or_none_at_all_gives_no_trust() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    for set in [AnchorSet::default(), anchors(&[&authority("Other")])] {
        let verdict =
            engine(&web).evaluate(chain.leaf.certificate(), chain.leaf.chain(), &set, chain.at()).await;
        assert_eq!(verdict.unwrap_err(), Untrusted::NoAnchor);
    }
}

#[tokio::test]
async fn a_missing_intermediate_is_fetched_from_the_address_in_the_certificate() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let (engine, set) = (engine(&web), anchors(&[&chain.root]));
    let verdict = engine.evaluate(chain.leaf.certificate(), &[], &set, chain.at()).await;
    assert_eq!(verdict.unwrap_err(), Untrusted::NoAnchor);
    // a failed fetch is not repeated at once
    web.put(ISSUER, chain.intermediate.certificate().to_der());
    let later = chain.at() + TimeDelta::minutes(6);
    engine.evaluate(chain.leaf.certificate(), &[], &set, later).await.unwrap();
    engine.evaluate(chain.leaf.certificate(), &[], &set, later).await.unwrap();
    assert_eq!(web.times_asked(ISSUER), 2);
}

/// A stranger's certificates for the same domain, each with its own issuer address.
fn strangers(count: usize) -> Vec<Certificate> {
    let (stranger, key) = (authority("Stranger"), key());
    let issue = |number: usize| {
        let mut wanted = request(BoundTo::Domain("direct.example".into()));
        wanted.issuer_url = Some(format!("http://stranger.example/{number}"));
        stranger.issue_for_key(&wanted, key.clone()).unwrap().certificate().clone()
    };
    (0..count).map(issue).collect()
}

#[tokio::test]
async fn all_certificates_of_a_mail_share_one_fetch_budget_and_cached_answers_are_free() {
    let (web, set) = (Arc::new(Web::default()), anchors(&[&authority("CA")]));
    let (engine, budget) = (engine(&web), FetchBudget::for_one_mail());
    for _ in 0..2 {
        for certificate in strangers(MAX_FETCHES + 10) {
            let verdict = engine
                .evaluate_within(&certificate, &[], &set, MissingIssuers::Fetched, &budget, now())
                .await;
            assert_eq!(verdict.unwrap_err(), Untrusted::NoAnchor);
        }
        assert_eq!(web.asked.lock().unwrap().len(), MAX_FETCHES);
    }
}

#[tokio::test]
async fn an_address_skipped_for_lack_of_budget_is_asked_for_the_next_mail() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    web.put(ISSUER, chain.intermediate.certificate().to_der());
    let (engine, set) = (engine(&web), anchors(&[&chain.root]));
    let judge = async |budget: FetchBudget| {
        let (leaf, missing) = (chain.leaf.certificate(), MissingIssuers::Fetched);
        engine.evaluate_within(leaf, &[], &set, missing, &budget, chain.at()).await.map(|_| ())
    };
    assert_eq!(judge(FetchBudget::new(0, MAX_FETCH_TIME)).await, Err(Untrusted::NoAnchor));
    assert_eq!(judge(FetchBudget::new(10, Duration::ZERO)).await, Err(Untrusted::NoAnchor));
    assert_eq!(judge(FetchBudget::for_one_mail()).await, Ok(()));
}

/// A server that never answers.
#[derive(Debug)]
struct Silence;

#[async_trait::async_trait]
impl Fetch for Silence {
    async fn get(&self, _: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn servers_that_never_answer_hold_up_a_mail_only_until_its_deadline() {
    let (crls, issuers) = (HttpCrlSource::new(Arc::new(Silence)), HttpIssuerSource::new(Arc::new(Silence)));
    let engine = TrustEngine::new(Arc::new(crls), Arc::new(issuers), UnknownRevocation::Accept);
    let (set, start) = (anchors(&[&authority("CA")]), tokio::time::Instant::now());
    let budget = FetchBudget::new(1000, Duration::from_millis(200));
    for certificate in strangers(20) {
        let missing = MissingIssuers::Fetched;
        engine.evaluate_within(&certificate, &[], &set, missing, &budget, now()).await.unwrap_err();
    }
    assert!(start.elapsed() < Duration::from_secs(4), "not twenty times as long");
}

#[tokio::test]
async fn a_fetched_issuer_in_pkcs7_is_read_too() {
    let (chain, web, folder) = (chain(), Arc::new(Web::default()), tempfile::tempdir().unwrap());
    let (crt, _) = write_pem(folder.path(), "i", chain.intermediate.identity());
    web.put(ISSUER, openssl(&["crl2pkcs7", "-nocrl", "-certfile", &crt, "-outform", "DER"], b""));
    let set = anchors(&[&chain.root]);
    engine(&web).evaluate(chain.leaf.certificate(), &[], &set, chain.at()).await.unwrap();
}

#[tokio::test]
async fn expired_and_not_yet_valid_certificates_are_unusable() {
    let (ca, web) = (authority("CA"), Arc::new(Web::default()));
    let leaf = for_domain(&ca, "direct.example");
    let (engine, set) = (engine(&web), anchors(&[&ca]));
    let judge = async |at| engine.evaluate(leaf.certificate(), &[], &set, at).await.map(|_| ());
    assert_eq!(judge(now()).await, Ok(()));
    assert_eq!(judge(now() + TimeDelta::days(400)).await, Err(Untrusted::Expired));
    assert_eq!(judge(now() - TimeDelta::days(40)).await, Err(Untrusted::NotYetValid));
}

#[tokio::test]
async fn a_chain_that_was_trusted_before_ends_with_the_first_of_its_certificates() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let end = chain.intermediate.certificate().period().not_after;
    let mut wanted = request(BoundTo::Domain("direct.example".into()));
    wanted.validity.from = chain.intermediate.certificate().period().not_before;
    wanted.validity.lasting = end + TimeDelta::days(100) - wanted.validity.from;
    let leaf = chain.intermediate.issue_for_key(&wanted, crate::support::key()).unwrap();
    let (engine, set) = (engine(&web), anchors(&[&chain.root]));
    for (at, verdict) in [
        (chain.at(), Ok(3)),
        (end, Ok(3)),
        (end + TimeDelta::seconds(1), Err(Untrusted::Expired)),
        (chain.at(), Ok(3)),
    ] {
        let judged = engine.evaluate(leaf.certificate(), leaf.chain(), &set, at).await;
        assert_eq!(judged.map(|trusted| trusted.chain.len()), verdict, "{at}");
    }
}

#[tokio::test]
async fn a_revoked_certificate_is_unusable_and_a_good_one_is_marked_as_checked() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let (engine, set) = (engine(&web), AnchorSet::new(vec![chain.intermediate.certificate().clone()]));
    web.put(CRL, chain.crl(&[]));
    let trusted = engine.evaluate(chain.leaf.certificate(), &[], &set, chain.at()).await.unwrap();
    assert_eq!(trusted.revocation, RevocationStatus::Checked);
    let since = chain.at() + TimeDelta::minutes(30);
    web.put(CRL, chain.crl(&[RevokedSerial { serial: chain.leaf.certificate().serial(), at: since }]));
    // the list is fetched again after an hour
    let later = chain.at() + TimeDelta::minutes(61);
    let verdict = engine.evaluate(chain.leaf.certificate(), &[], &set, later).await;
    assert_eq!(verdict.unwrap_err(), Untrusted::Revoked(since));
}

#[tokio::test]
async fn our_own_list_is_answered_without_the_network_and_takes_effect_at_once() {
    let (chain, web, hosted) = (chain(), Arc::new(Web::default()), Arc::new(HostedCrls::default()));
    let layers = LayeredRevocation::new(vec![hosted.clone(), Arc::new(HttpCrlSource::new(web.clone()))]);
    let issuers = Arc::new(HttpIssuerSource::new(web.clone()));
    let engine = TrustEngine::new(Arc::new(layers), issuers, UnknownRevocation::Refuse);
    let set = AnchorSet::new(vec![chain.intermediate.certificate().clone()]);
    let judge =
        async || engine.evaluate(chain.leaf.certificate(), &[], &set, chain.at()).await.map(|t| t.revocation);
    hosted.publish(CRL, &chain.crl(&[])).unwrap();
    assert_eq!(judge().await, Ok(RevocationStatus::Checked));
    let entry = RevokedSerial { serial: chain.leaf.certificate().serial(), at: chain.at() };
    hosted.publish(CRL, &chain.crl(&[entry])).unwrap();
    assert_eq!(judge().await, Err(Untrusted::Revoked(chain.at())));
    assert_eq!(web.times_asked(CRL), 0);
}

#[tokio::test]
async fn a_revocation_list_is_fetched_once_an_hour() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let (engine, set) = (engine(&web), AnchorSet::new(vec![chain.intermediate.certificate().clone()]));
    web.put(CRL, chain.crl(&[]));
    for minutes in [0, 10, 59] {
        let at = chain.at() + TimeDelta::minutes(minutes);
        engine.evaluate(chain.leaf.certificate(), &[], &set, at).await.unwrap();
    }
    assert_eq!(web.times_asked(CRL), 1);
}

#[tokio::test]
async fn a_list_that_is_unavailable_forged_or_stale_leaves_revocation_unknown() {
    let (chain, web) = (chain(), Arc::new(Web::default()));
    let set = AnchorSet::new(vec![chain.intermediate.certificate().clone()]);
    let judge = async |unknown, at| {
        engine_with(&web, unknown)
            .evaluate(chain.leaf.certificate(), &[], &set, at)
            .await
            .map(|t| t.revocation)
    };
    let stale = chain.at() + TimeDelta::days(8);
    let forged = authority("Intermediate").crl(1, chain.at(), stale, &[]).unwrap();
    for (list, at) in [(None, chain.at()), (Some(forged), chain.at()), (Some(chain.crl(&[])), stale)] {
        if let Some(list) = list {
            web.put(CRL, list);
        }
        assert!(matches!(judge(UnknownRevocation::Accept, at).await, Ok(RevocationStatus::Unavailable(_))));
        assert_eq!(judge(UnknownRevocation::Refuse, at).await, Err(Untrusted::RevocationUnknown));
        let lenient = engine_with(&web, UnknownRevocation::Accept);
        let judge_by = async |anchor: &Certificate| {
            let set = set.clone().requiring_revocation([anchor.fingerprint()]);
            lenient.evaluate(chain.leaf.certificate(), &[], &set, at).await.map(|t| t.revocation)
        };
        assert_eq!(
            judge_by(chain.intermediate.certificate()).await,
            Err(Untrusted::RevocationUnknown),
            "by its anchor"
        );
        assert!(judge_by(chain.leaf.certificate()).await.is_ok(), "another anchor asks for it");
    }
}

#[tokio::test]
async fn weak_keys_and_sha1_links_give_no_trust() {
    let web = Arc::new(Web::default());
    let weak = self_signed(&["-newkey", "rsa:1024", "-subj", "/CN=weak"]);
    let set = AnchorSet::new(vec![weak.certificate().clone()]);
    let at = weak.certificate().period().not_before + TimeDelta::days(1);
    let verdict = engine(&web).evaluate(weak.certificate(), &[], &set, at).await;
    assert_eq!(verdict.unwrap_err(), Untrusted::Weak);
    let leaf = sha1_leaf();
    let set = AnchorSet::new(vec![leaf.1]);
    let at = leaf.0.period().not_before + TimeDelta::hours(1);
    assert_eq!(engine(&web).evaluate(&leaf.0, &[], &set, at).await.unwrap_err(), Untrusted::Weak);
}

#[tokio::test]
async fn a_certificate_issued_by_one_that_is_no_authority_gives_no_trust() {
    let (ca, web, folder) = (authority("CA"), Arc::new(Web::default()), tempfile::tempdir().unwrap());
    let clinic = for_domain(&ca, "south.example");
    let (crt, key) = write_pem(folder.path(), "clinic", &clinic);
    let csr = openssl(
        &["req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "/dev/null"],
        b"",
    );
    let forged =
        openssl(&["x509", "-req", "-CA", &crt, "-CAkey", &key, "-set_serial", "5", "-days", "3000"], &csr);
    let forged = Certificate::from_pem(&forged).unwrap();
    // openssl made it valid from today on
    let at = forged.period().not_before + TimeDelta::hours(1);
    let helper = [clinic.certificate().clone()];
    for set in [anchors(&[&ca]), AnchorSet::new(helper.to_vec())] {
        let verdict = engine(&web).evaluate(&forged, &helper, &set, at).await;
        assert!(matches!(verdict, Err(Untrusted::Invalid(_) | Untrusted::NoAnchor)), "{verdict:?}");
    }
}

/// A certificate that a good authority signed with SHA-1, and the authority.
fn sha1_leaf() -> (Certificate, Certificate) {
    let folder = tempfile::tempdir().unwrap();
    let ca = self_signed(&["-newkey", "rsa:2048", "-subj", "/CN=Old CA"]);
    let (crt, key) = write_pem(folder.path(), "ca", &ca);
    let csr = openssl(
        &["req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "/dev/null"],
        b"",
    );
    let leaf = openssl(
        &["x509", "-req", "-sha1", "-CA", &crt, "-CAkey", &key, "-set_serial", "5", "-days", "3000"],
        &csr,
    );
    (Certificate::from_pem(&leaf).unwrap(), ca.certificate().clone())
}

#[test]
fn a_bundle_made_by_openssl_is_read_with_each_anchor_once() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (authority("One"), authority("Two"));
    let (a, _) = write_pem(folder.path(), "a", one.identity());
    let (b, _) = write_pem(folder.path(), "b", two.identity());
    for form in ["DER", "PEM"] {
        let args =
            ["crl2pkcs7", "-nocrl", "-certfile", &a, "-certfile", &b, "-certfile", &a, "-outform", form];
        let bundle = parse_bundle(&openssl(&args, b""), &BundleSignature::Unsigned).unwrap();
        assert_eq!(bundle.anchors, [one.certificate().clone(), two.certificate().clone()]);
    }
    assert_eq!(parse_bundle(b"junk", &BundleSignature::Unsigned).unwrap_err(), BundleError::Unreadable);
}

#[test]
fn a_signed_bundle_is_taken_only_from_the_pinned_signer() {
    let folder = tempfile::tempdir().unwrap();
    let (member, signer, other) = (authority("Member"), authority("Signer"), authority("Other"));
    let (a, _) = write_pem(folder.path(), "a", member.identity());
    let (crt, key) = write_pem(folder.path(), "s", signer.identity());
    let plain = openssl(&["crl2pkcs7", "-nocrl", "-certfile", &a, "-outform", "DER"], b"");
    let args = ["cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", &crt, "-inkey", &key];
    let signed = openssl(&args, &plain);
    let pinned = |ca: &CertificateAuthority| BundleSignature::PinnedTo(ca.certificate().clone());
    assert_eq!(parse_bundle(&signed, &pinned(&signer)).unwrap().anchors, [member.certificate().clone()]);
    assert_eq!(parse_bundle(&signed, &pinned(&other)).unwrap_err(), BundleError::WrongSignature);
    assert_eq!(parse_bundle(&plain, &pinned(&signer)).unwrap_err(), BundleError::WrongSignature);
    let unpinned = parse_bundle(&signed, &BundleSignature::Unsigned).unwrap_err();
    assert_eq!(unpinned, BundleError::SignerUnknown, "the certificate of the signer is no anchor");
    let mut changed = signed.clone();
    let middle = changed.len() / 3;
    changed[middle] ^= 1;
    assert!(parse_bundle(&changed, &pinned(&signer)).is_err());
}

/// Answers every connection with these bytes.
async fn web_server(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0u8; 4096]).await;
            let _ = stream.write_all(answer).await;
        }
    });
    url
}

#[tokio::test]
async fn fetching_keeps_to_allowed_addresses_limits_and_the_first_answer() {
    let url = web_server(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello").await;
    let open = HttpFetcher::new(AddressGuard::unrestricted()).unwrap();
    assert_eq!(open.get(&url, 5).await.unwrap(), b"hello");
    assert!(matches!(open.get(&url, 4).await, Err(FetchError::TooLarge)));
    let guarded = HttpFetcher::new(AddressGuard::public_only()).unwrap();
    let by_name = url.replace("127.0.0.1", "localhost");
    for inner in [url.as_str(), &by_name, "http://[::1]:1/x"] {
        assert!(matches!(guarded.get(inner, 5).await, Err(FetchError::Forbidden)), "{inner}");
    }
    assert!(matches!(guarded.get("file:///etc/passwd", 5).await, Err(FetchError::BadAddress)));
    let moved =
        web_server(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n").await;
    assert!(matches!(open.get(&moved, 5).await, Err(FetchError::Status(302))));
}

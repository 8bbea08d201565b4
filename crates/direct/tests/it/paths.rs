//! Certificate paths and revocation lists according to RFC 5280, with authorities made by the openssl command line.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use direct::cert::Certificate;
use direct::trust::{AnchorSet, PolicyRequirements, RevocationStatus, UnknownRevocation, Untrusted};
use tempfile::TempDir;

use crate::support::*;

const LIST: &str = "http://pki.example/ca.crl";
const DELTA: &str = "http://pki.example/delta.crl";
const POLICY: &str = "1.3.6.1.4.1.99999.1";
const OTHER_POLICY: &str = "1.3.6.1.4.1.99999.2";

/// Extensions of an authority that may sign certificates and revocation lists.
const AUTHORITY: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n\
    subjectKeyIdentifier=hash\n";
const ISSUED: &str = "authorityKeyIdentifier=keyid\n";
const LEAF: &str = "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\n\
    subjectAltName=email:ada@north.example\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n";
/// A distribution point for the root's own list.
const LISTED_BY_ROOT: &str = "crlDistributionPoints=URI:http://pki.example/root.crl\n";
/// A distribution point at [`LIST`].
const LISTED: &str = "crlDistributionPoints=URI:http://pki.example/ca.crl\n";

/// A folder of keys and certificates by name.
struct Pki(TempDir);

impl Pki {
    /// A PKI with a self-signed `root`.
    fn new() -> Self {
        let pki = Self(tempfile::tempdir().unwrap());
        pki.issue("root", None, 1, AUTHORITY);
        pki
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Issues a certificate with a file name; its common name is the part before the dash.
    fn issue(&self, name: &str, issuer: Option<&str>, serial: u32, extensions: &str) -> Certificate {
        let file = |end: &str| self.path(&format!("{name}{end}"));
        let subject = format!("/CN={}", name.split('-').next().unwrap());
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
        let made = ["-subj", &subject, "-keyout", &file(".key")];
        let request = openssl(&[&["req", "-new"][..], &made, &curve].concat(), b"");
        std::fs::write(file(".ext"), extensions).unwrap();
        let (signer, key) = (issuer.map(|i| self.path(&format!("{i}.crt"))), issuer.unwrap_or(name));
        let (key, serial, extensions) = (self.path(&format!("{key}.key")), serial.to_string(), file(".ext"));
        let mut sign = vec!["x509", "-req", "-days", "30", "-set_serial", &serial, "-extfile", &extensions];
        match &signer {
            Some(signer) => sign.extend(["-CA", signer, "-CAkey", &key]),
            None => sign.extend(["-signkey", &key]),
        }
        let pem = openssl(&sign, &request);
        std::fs::write(file(".crt"), &pem).unwrap();
        Certificate::from_pem(&pem).unwrap()
    }

    /// A revocation list of these entries (serial number and reason), with these extensions.
    fn list(&self, signer: &str, number: u32, entries: &[(u32, &str)], extensions: &str) -> Vec<u8> {
        let name = signer.split('-').next().unwrap();
        let index: String = entries
            .iter()
            .map(|(serial, reason)| {
                format!("R\t401231235959Z\t200101000000Z,{reason}\t{serial:02X}\tunknown\t/CN={name}\n")
            })
            .collect();
        std::fs::write(self.path("index"), index).unwrap();
        std::fs::write(self.path("index.attr"), "unique_subject=no\n").unwrap();
        std::fs::write(self.path("number"), format!("{number:02X}\n")).unwrap();
        let settings = format!(
            "[ca]\ndefault_ca=d\n[d]\ndatabase={}\ncrlnumber={}\ndefault_md=sha256\ndefault_crl_days=7\n\
             crl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid\n{extensions}",
            self.path("index"),
            self.path("number")
        );
        std::fs::write(self.path("settings"), settings).unwrap();
        let (key, certificate) = (self.path(&format!("{signer}.key")), self.path(&format!("{signer}.crt")));
        let make =
            ["ca", "-gencrl", "-config", &self.path("settings"), "-keyfile", &key, "-cert", &certificate];
        openssl(&make, b"")
    }

    fn anchors(&self) -> AnchorSet {
        AnchorSet::new(vec![Certificate::from_pem(&std::fs::read(self.path("root.crt")).unwrap()).unwrap()])
    }
}

/// A moment at which new certificates of openssl are valid.
fn at(leaf: &Certificate) -> DateTime<Utc> {
    leaf.period().not_before + TimeDelta::hours(1)
}

/// Verifies a leaf under an authority with these extensions, with these requirements.
async fn judge(authority: &str, leaf: &str, requirements: PolicyRequirements) -> Result<(), Untrusted> {
    let pki = Pki::new();
    let helper = pki.issue("CA", Some("root"), 2, &format!("{AUTHORITY}{ISSUED}{authority}"));
    let leaf = pki.issue("leaf", Some("CA"), 3, &format!("{LEAF}{leaf}"));
    let anchors = pki.anchors().requiring(requirements);
    let engine = engine(&Arc::default());
    engine.evaluate(&leaf, &[helper], &anchors, at(&leaf)).await.map(|_| ())
}

fn asserts(policies: &[&str]) -> String {
    format!("certificatePolicies={}\n", policies.join(","))
}

fn accepting(policy: &str) -> PolicyRequirements {
    PolicyRequirements { accepted: vec![policy.into()], explicit: true, ..PolicyRequirements::default() }
}

fn is_invalid(verdict: &Result<(), Untrusted>) -> bool {
    matches!(verdict, Err(Untrusted::Invalid(_)))
}

#[tokio::test]
async fn every_certificate_of_a_chain_must_assert_the_policy_that_is_required() {
    let both = asserts(&[POLICY]);
    assert_eq!(judge(&both, &both, accepting(POLICY)).await, Ok(()));
    for (authority, leaf) in [
        (both.as_str(), String::new()),
        ("", both.clone()),
        (&both, asserts(&[OTHER_POLICY])),
        (&asserts(&[OTHER_POLICY]), both.clone()),
    ] {
        assert!(is_invalid(&judge(authority, &leaf, accepting(POLICY)).await), "{authority} {leaf}");
        assert_eq!(judge(authority, &leaf, PolicyRequirements::default()).await, Ok(()), "not asked for");
    }
}

#[tokio::test]
async fn an_authority_may_require_a_policy_of_what_it_issues() {
    let requires = format!("{}policyConstraints=critical,requireExplicitPolicy:0\n", asserts(&[POLICY]));
    assert_eq!(judge(&requires, &asserts(&[POLICY]), PolicyRequirements::default()).await, Ok(()));
    for leaf in [String::new(), asserts(&[OTHER_POLICY])] {
        assert!(is_invalid(&judge(&requires, &leaf, PolicyRequirements::default()).await), "{leaf}");
    }
}

#[tokio::test]
async fn policies_are_mapped_and_any_policy_counts_unless_that_is_forbidden() {
    let maps = format!("{}policyMappings={POLICY}:{OTHER_POLICY}\n", asserts(&[POLICY]));
    let any = asserts(&["2.5.29.32.0"]);
    let no_mapping = PolicyRequirements { inhibit_mapping: true, ..accepting(POLICY) };
    let no_any = PolicyRequirements { inhibit_any: true, ..accepting(POLICY) };
    for (authority, leaf, strict) in
        [(&maps, asserts(&[OTHER_POLICY]), no_mapping), (&any, asserts(&[POLICY]), no_any)]
    {
        assert_eq!(judge(authority, &leaf, accepting(POLICY)).await, Ok(()));
        assert!(is_invalid(&judge(authority, &leaf, strict).await));
    }
}

#[tokio::test]
async fn an_authority_issues_only_within_its_names_and_critical_extensions_are_understood_or_refused() {
    let judge =
        async |authority: &str, leaf: &str| judge(authority, leaf, PolicyRequirements::default()).await;
    assert_eq!(judge("nameConstraints=critical,permitted;email:north.example\n", "").await, Ok(()));
    for names in ["permitted;email:south.example", "excluded;email:north.example"] {
        assert!(is_invalid(&judge(&format!("nameConstraints=critical,{names}\n"), "").await), "{names}");
    }
    assert!(is_invalid(&judge("", "1.3.6.1.4.1.99999.9=critical,ASN1:NULL\n").await));
    assert_eq!(judge("", "1.3.6.1.4.1.99999.9=ASN1:NULL\n").await, Ok(()));
}

/// A leaf under `CA`, whose lists are served.
struct Listed {
    pki: Pki,
    web: Arc<Web>,
    leaf: Certificate,
    helpers: Vec<Certificate>,
}

impl Listed {
    fn new(authority: &str, leaf: &str) -> Self {
        let pki = Pki::new();
        let helpers = vec![pki.issue("CA", Some("root"), 2, &format!("{authority}{ISSUED}"))];
        let leaf = pki.issue("leaf", Some("CA"), 3, &format!("{LEAF}{leaf}"));
        Self { pki, web: Arc::default(), leaf, helpers }
    }

    async fn status(&self) -> Result<RevocationStatus, Untrusted> {
        let engine = engine_with(&self.web, UnknownRevocation::Accept);
        let trusted = engine.evaluate(&self.leaf, &self.helpers, &self.pki.anchors(), at(&self.leaf)).await;
        trusted.map(|t| t.revocation)
    }
}

fn is_unknown(status: &Result<RevocationStatus, Untrusted>) -> bool {
    matches!(status, Ok(RevocationStatus::Unavailable(_)))
}

#[tokio::test]
async fn a_list_counts_only_for_the_certificates_and_reasons_and_distribution_point_it_is_for() {
    let listed = Listed::new(AUTHORITY, LISTED);
    for (scope, counts) in [
        ("onlyuser=TRUE", true),
        ("onlyCA=TRUE", false),
        ("onlyAA=TRUE", false),
        ("onlysomereasons=keyCompromise,CACompromise", false),
        ("fullname=URI:http://pki.example/ca.crl", true),
        ("fullname=URI:http://pki.example/other.crl", false),
    ] {
        let extension = format!("issuingDistributionPoint=critical,@scope\n[scope]\n{scope}\n");
        listed.web.put(LIST, listed.pki.list("CA", 1, &[], &extension));
        let status = listed.status().await;
        match counts {
            true => assert_eq!(status, Ok(RevocationStatus::Checked), "{scope}"),
            false => assert!(is_unknown(&status), "{scope}: {status:?}"),
        }
        listed.web.put(LIST, listed.pki.list("CA", 1, &[(3, "keyCompromise")], &extension));
        let revoked = matches!(listed.status().await, Err(Untrusted::Revoked(_)));
        assert_eq!(revoked, counts || scope.contains("keyCompromise"), "{scope}");
    }
}

#[tokio::test]
async fn a_list_with_a_critical_extension_that_nobody_knows_does_not_count() {
    let listed = Listed::new(AUTHORITY, LISTED);
    listed.web.put(LIST, listed.pki.list("CA", 1, &[], "1.3.6.1.4.1.99999.9=critical,ASN1:NULL\n"));
    assert!(is_unknown(&listed.status().await));
}

#[tokio::test]
async fn a_list_signed_by_a_key_that_may_not_sign_lists_does_not_count() {
    let listed = Listed::new(&AUTHORITY.replace(",cRLSign", ""), LISTED);
    listed.web.put(LIST, listed.pki.list("CA", 1, &[], ""));
    assert!(is_unknown(&listed.status().await));
}

#[tokio::test]
async fn an_authority_may_sign_lists_with_another_key_of_its_own() {
    let mut listed = Listed::new(&AUTHORITY.replace(",cRLSign", ""), LISTED);
    let signer = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,cRLSign\nsubjectKeyIdentifier=hash\n";
    listed.helpers.push(listed.pki.issue(
        "CA-lists",
        Some("root"),
        4,
        &format!("{signer}{ISSUED}{LISTED_BY_ROOT}"),
    ));
    listed.web.put("http://pki.example/root.crl", listed.pki.list("root", 1, &[], ""));
    listed.web.put(LIST, listed.pki.list("CA-lists", 1, &[], ""));
    assert_eq!(listed.status().await, Ok(RevocationStatus::Checked));
    listed.web.put(LIST, listed.pki.list("CA-lists", 2, &[(3, "keyCompromise")], ""));
    assert!(matches!(listed.status().await, Err(Untrusted::Revoked(_))));
}

#[tokio::test]
async fn the_list_of_a_stranger_with_the_name_of_the_authority_does_not_count() {
    let listed = Listed::new(AUTHORITY, LISTED);
    listed.pki.issue("CA-stranger", None, 2, AUTHORITY);
    listed.web.put(LIST, listed.pki.list("CA-stranger", 1, &[(3, "keyCompromise")], ""));
    assert!(is_unknown(&listed.status().await));
}

#[tokio::test]
async fn an_indirect_list_revokes_only_certificates_of_the_issuer_it_names() {
    let points = "crlDistributionPoints=points\n[points]\nfullname=URI:http://pki.example/ca.crl\n\
        CRLissuer=dirName:issuer\n[issuer]\nCN=Lists\n";
    let mut listed = Listed::new(AUTHORITY, points);
    let signer = format!("{AUTHORITY}{ISSUED}{LISTED_BY_ROOT}");
    listed.helpers.push(listed.pki.issue("Lists", Some("root"), 4, &signer));
    listed.web.put("http://pki.example/root.crl", listed.pki.list("root", 1, &[], ""));
    let several = "issuingDistributionPoint=critical,@scope\n[scope]\nindirectCRL=TRUE\n\
        fullname=URI:http://pki.example/ca.crl\n";
    // the entry is about number 3 of "Lists", not of "CA"
    listed.web.put(LIST, listed.pki.list("Lists", 1, &[(3, "keyCompromise")], several));
    assert_eq!(listed.status().await, Ok(RevocationStatus::Checked));
}

#[tokio::test]
async fn a_delta_list_revokes_and_releases() {
    let fresh = format!("{LISTED}freshestCRL=URI:{DELTA}\n");
    let since = "2.5.29.27=critical,DER:020101\n";
    for (complete, changes, revoked) in [
        (&[][..], &[][..], false),
        (&[], &[(3, "keyCompromise")], true),
        (&[(3, "certificateHold")], &[], true),
        (&[(3, "certificateHold")], &[(3, "removeFromCRL")], false),
    ] {
        let listed = Listed::new(AUTHORITY, &fresh);
        listed.web.put(LIST, listed.pki.list("CA", 1, complete, ""));
        listed.web.put(DELTA, listed.pki.list("CA", 2, changes, since));
        let status = listed.status().await;
        match revoked {
            true => {
                assert!(matches!(status, Err(Untrusted::Revoked(_))), "{complete:?} {changes:?} {status:?}")
            }
            false => assert_eq!(status, Ok(RevocationStatus::Checked), "{complete:?} {changes:?}"),
        }
    }
}

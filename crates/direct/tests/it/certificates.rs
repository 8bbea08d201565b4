//! The built-in authority, and certificates from files, seen by the openssl command line.

use chrono::TimeDelta;
use direct::cert::{
    BoundTo, CertError, Certificate, CertificateAuthority, Identity, PeriodStatus, RevokedSerial,
};

use crate::support::*;

fn text(identity: &Identity) -> String {
    let pem = identity.certificate().to_pem();
    String::from_utf8(openssl(&["x509", "-noout", "-text"], pem.as_bytes())).unwrap()
}

#[test]
fn an_issued_domain_certificate_carries_what_the_standard_asks_for() {
    let ca = authority("Carepost Test CA");
    let mut wanted = request(BoundTo::Domain("north.direct.example".into()));
    wanted.crl_url = Some("http://pki.example/ca.crl".into());
    wanted.issuer_url = Some("http://pki.example/ca.crt".into());
    let issued = ca.issue_for_key(&wanted, key()).unwrap();
    let text = text(&issued);
    for part in [
        "DNS:north.direct.example",
        "Digital Signature, Key Encipherment",
        "E-mail Protection",
        "URI:http://pki.example/ca.crl",
        "CA Issuers - URI:http://pki.example/ca.crt",
        "CA:FALSE",
        "sha256WithRSAEncryption",
        "Authority Key Identifier",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(issued.certificate().crl_urls(), ["http://pki.example/ca.crl"]);
    assert_eq!(issued.certificate().issuer_urls(), ["http://pki.example/ca.crt"]);
    assert_eq!(issued.certificate().bound_names().domains, ["north.direct.example"]);
}

#[test]
fn an_issued_certificate_is_verified_by_openssl_for_mail_use() {
    let (ca, folder) = (authority("CA"), tempfile::tempdir().unwrap());
    let (leaf, _) = write_pem(folder.path(), "leaf", &for_domain(&ca, "direct.example"));
    let (root, _) = write_pem(folder.path(), "root", ca.identity());
    let at = now().timestamp().to_string();
    for purpose in ["smimesign", "smimeencrypt"] {
        openssl(
            &["verify", "-x509_strict", "-attime", &at, "-purpose", purpose, "-CAfile", &root, &leaf],
            b"",
        );
    }
}

#[test]
fn a_certificate_for_documents_signs_for_the_organization_and_is_bound_to_no_address() {
    let (ca, folder) = (authority("CA"), tempfile::tempdir().unwrap());
    let issued =
        ca.issue_for_documents("North Clinic", validity(), "http://pki.example/ca.crl", key()).unwrap();
    let text = text(&issued);
    for part in ["Digital Signature, Non Repudiation", "1.3.6.1.5.5.7.3.36", "E-mail Protection", "CA:FALSE"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(issued.certificate().subject(), "CN=North Clinic, O=North Clinic");
    assert_eq!(issued.certificate().crl_urls(), ["http://pki.example/ca.crl"]);
    assert_eq!(issued.certificate().binding(&addr("a@north.direct.example")), None);
    let (leaf, _) = write_pem(folder.path(), "leaf", &issued);
    let (root, _) = write_pem(folder.path(), "root", ca.identity());
    let at = now().timestamp().to_string();
    openssl(&["verify", "-x509_strict", "-attime", &at, "-CAfile", &root, &leaf], b"");
}

#[test]
fn openssl_accepts_the_revocation_list_and_finds_only_revoked_certificates_on_it() {
    let (ca, folder) = (authority("CA"), tempfile::tempdir().unwrap());
    let (good, bad) = (for_domain(&ca, "good.example"), for_domain(&ca, "bad.example"));
    let revoked = [RevokedSerial { serial: bad.certificate().serial(), at: now() - TimeDelta::hours(1) }];
    let crl = ca.crl(7, now(), now() + TimeDelta::days(7), &revoked).unwrap();
    let crl_file = folder.path().join("ca.crl.pem");
    std::fs::write(&crl_file, openssl(&["crl", "-inform", "DER"], &crl)).unwrap();
    let (root, _) = write_pem(folder.path(), "root", ca.identity());
    let (good, _) = write_pem(folder.path(), "good", &good);
    let (bad, _) = write_pem(folder.path(), "bad", &bad);
    let (at, crl_file) = (now().timestamp().to_string(), crl_file.to_str().unwrap());
    let verify = |leaf: &str| {
        let args = ["verify", "-attime", &at, "-crl_check", "-CRLfile", crl_file, "-CAfile", &root, leaf];
        let output = try_openssl(&args, b"");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(verify(&good).0, "{}", verify(&good).1);
    assert!(verify(&bad).1.contains("certificate revoked"), "{}", verify(&bad).1);
}

#[test]
fn an_external_authority_is_loaded_with_its_chain_and_issues_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let own = self_signed(&["-newkey", "rsa:2048", "-subj", "/CN=Outside CA"]);
    let (crt, key) = write_pem(folder.path(), "ca", &own);
    let ca =
        CertificateAuthority::from_pem(&std::fs::read(&crt).unwrap(), &std::fs::read(&key).unwrap()).unwrap();
    assert!(for_domain(&ca, "direct.example").certificate().issuer().contains("Outside CA"));
}

#[test]
fn a_certificate_that_is_no_authority_or_has_another_key_cannot_issue() {
    let ca = authority("CA");
    let leaf = for_domain(&ca, "direct.example");
    assert!(matches!(CertificateAuthority::new(leaf.clone()), Err(CertError::NotAnAuthority)));
    let mismatch = Identity::new(leaf.certificate().clone(), key(), vec![]);
    assert!(matches!(mismatch, Err(CertError::KeyMismatch)));
}

#[test]
fn a_certificate_never_outlives_its_authority() {
    let ca = authority("CA");
    let mut wanted = request(BoundTo::Domain("direct.example".into()));
    wanted.validity.lasting = TimeDelta::days(36_500);
    let issued = ca.issue_for_key(&wanted, key()).unwrap();
    assert_eq!(issued.certificate().period().not_after, ca.certificate().period().not_after);
}

#[test]
fn a_certificate_is_valid_from_its_first_moment_to_its_last() {
    let leaf = for_domain(&authority("CA"), "direct.example");
    let certificate = leaf.certificate();
    assert_eq!(certificate.status(now()), PeriodStatus::Valid);
    assert_eq!(certificate.status(now() - TimeDelta::days(31)), PeriodStatus::NotYetValid);
    assert_eq!(certificate.status(now() + TimeDelta::days(336)), PeriodStatus::Expired);
}

#[test]
fn rsa_keys_under_2048_bits_are_weak() {
    let weak = self_signed(&["-newkey", "rsa:1024", "-subj", "/CN=weak"]);
    assert!(matches!(weak.certificate().check_key(), Err(CertError::WeakKey)));
}

#[test]
fn certificates_are_read_from_pem_and_der() {
    let ca = authority("CA");
    let leaf = for_domain(&ca, "direct.example");
    let both = [leaf.certificate().to_pem(), ca.certificate().to_pem()].concat();
    assert_eq!(Certificate::many_from_file(both.as_bytes()).unwrap().len(), 2);
    assert_eq!(
        Certificate::many_from_file(&leaf.certificate().to_der()).unwrap(),
        [leaf.certificate().clone()]
    );
    assert!(matches!(Certificate::many_from_file(b"hello"), Err(CertError::Unreadable)));
}

#[test]
fn a_private_key_never_shows_in_debug_output() {
    let leaf = for_domain(&authority("CA"), "direct.example");
    assert_eq!(format!("{:?}", leaf.key()), "PrivateKey(..)");
    let der = leaf.key().to_pkcs8().unwrap();
    // Part of the private half, in the forms in which bytes are written.
    let secret = &der[der.len() / 2 / 48 * 48..][..24];
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let forms = |bytes: &[u8]| [format!("{bytes:?}"), hex(bytes), openssl::base64::encode_block(bytes)];
    let shown = format!("{leaf:?}").to_lowercase();
    for (part, whole) in forms(secret).into_iter().zip(forms(&der)) {
        let part = part.trim_matches(['[', ']']).to_lowercase();
        assert!(whole.to_lowercase().replace('\n', "").contains(&part), "it would be found: {part}");
        assert!(!shown.contains(&part), "{shown}");
    }
}

//! Certificates and names: the bindings of a certificate, and the choice of one.

use direct::cert::{
    Binding, BoundTo, CertError, Identity, KeyPurposes, pick_decryption_identities, pick_signer,
};

use crate::support::*;

fn with_names(subject: &str, alternative: &str) -> Identity {
    let alternative = format!("subjectAltName={alternative}");
    self_signed(&["-newkey", "rsa:2048", "-subj", subject, "-addext", &alternative])
}

fn binding(identity: &Identity, address: &str) -> Option<Binding> {
    identity.certificate().binding(&addr(address))
}

#[test]
fn an_address_bound_certificate_serves_its_address_only() {
    let ada = for_address(&authority("CA"), "ada@direct.example");
    assert_eq!(binding(&ada, "ada@direct.example"), Some(Binding::Address));
    assert_eq!(binding(&ada, "bob@direct.example"), None);
}

#[test]
fn case_of_letters_does_not_matter_for_binding() {
    let ada = for_address(&authority("CA"), "Ada@direct.example");
    assert_eq!(binding(&ada, "ADA@DIRECT.EXAMPLE"), Some(Binding::Address));
    assert_eq!(binding(&ada, "ada@direct.example"), Some(Binding::Address));
}

#[test]
fn a_tagged_address_is_served_by_the_certificate_of_its_mailbox() {
    let ada = for_address(&authority("CA"), "ada@direct.example");
    assert_eq!(binding(&ada, "ada+lab@direct.example"), Some(Binding::Address));
}

#[test]
fn a_legacy_address_in_the_subject_counts_and_must_agree_with_the_alternative_name() {
    let legacy = self_signed(&["-newkey", "rsa:2048", "-subj", "/CN=Ada/emailAddress=ada@direct.example"]);
    assert_eq!(binding(&legacy, "ada@direct.example"), Some(Binding::Address));
    let agreeing = with_names("/CN=Ada/emailAddress=ada@direct.example", "email:ada@direct.example");
    assert_eq!(binding(&agreeing, "ada@direct.example"), Some(Binding::Address));
    let disagreeing = with_names("/CN=Ada/emailAddress=eve@direct.example", "email:ada@direct.example");
    assert_eq!(binding(&disagreeing, "ada@direct.example"), None);
    assert_eq!(binding(&disagreeing, "eve@direct.example"), None);
}

#[test]
fn a_domain_bound_certificate_serves_exactly_its_domain() {
    let clinic = for_domain(&authority("CA"), "Direct.Example");
    assert_eq!(binding(&clinic, "anyone@direct.example"), Some(Binding::Domain));
    assert_eq!(binding(&clinic, "anyone@sub.direct.example"), None);
    assert_eq!(binding(&clinic, "anyone@example"), None);
    let wildcard = with_names("/CN=x", "DNS:*.direct.example");
    assert_eq!(binding(&wildcard, "anyone@sub.direct.example"), None);
    let common_name_only = self_signed(&["-newkey", "rsa:2048", "-subj", "/CN=direct.example"]);
    assert_eq!(binding(&common_name_only, "anyone@direct.example"), None);
}

#[test]
fn the_address_bound_identity_signs_before_the_domain_bound_one() {
    let ca = authority("CA");
    let identities = [for_domain(&ca, "direct.example"), for_address(&ca, "ada@direct.example")];
    let picked = pick_signer(&identities, &addr("ada@direct.example"), now()).unwrap();
    assert_eq!(picked.certificate(), identities[1].certificate());
    let picked = pick_signer(&identities, &addr("bob@direct.example"), now()).unwrap();
    assert_eq!(picked.certificate(), identities[0].certificate());
}

#[test]
fn a_sender_without_a_bound_valid_key_cannot_send() {
    let identities = [for_domain(&authority("CA"), "direct.example")];
    let refused = |address: &str, at| {
        matches!(pick_signer(&identities, &addr(address), at), Err(CertError::NoSigner(_)))
    };
    assert!(refused("ada@other.example", now()));
    assert!(refused("ada@direct.example", now() + chrono::TimeDelta::days(400)));
}

#[test]
fn single_use_certificates_are_picked_by_their_key_usage() {
    let ca = authority("CA");
    let single = |purposes| {
        let mut wanted = request(BoundTo::Domain("direct.example".into()));
        wanted.purposes = purposes;
        ca.issue_for_key(&wanted, key()).unwrap()
    };
    let identities = [single(KeyPurposes::ENCRYPT), single(KeyPurposes::SIGN)];
    let ada = addr("ada@direct.example");
    assert_eq!(pick_signer(&identities, &ada, now()).unwrap().certificate(), identities[1].certificate());
    let opening = pick_decryption_identities(&identities, &ada);
    assert_eq!(opening.len(), 1);
    assert_eq!(opening[0].certificate(), identities[0].certificate());
}

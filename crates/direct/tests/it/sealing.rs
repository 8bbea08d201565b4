//! Signing and encrypting, opening and inspecting; openssl on the other side.

use std::path::Path;
use std::slice::from_ref;

use direct::cert::{BoundTo, CertError, Identity, KeyPurposes};
use direct::smime::{
    ContentCipher, Digest, KeyTransport, OpenError, SealError, SealOptions, SignatureVerdict,
    bare_cryptography, open, seal,
};

use crate::support::*;

const ADA: &str = "ada@north.example";
const BOB: &str = "bob@south.example";

struct Pair {
    ada: Identity,
    bob: Identity,
    root: Identity,
    folder: tempfile::TempDir,
}

fn pair() -> Pair {
    let ca = authority("CA");
    let (ada, bob) = (for_domain(&ca, "north.example"), for_domain(&ca, "south.example"));
    Pair { ada, bob, root: ca.identity().clone(), folder: tempfile::tempdir().unwrap() }
}

impl Pair {
    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn seal(&self, options: SealOptions) -> Vec<u8> {
        seal(&message(ADA, &[BOB]).build().unwrap(), &self.ada, &[self.bob.certificate().clone()], options)
            .unwrap()
    }

    /// What `openssl cms -sign` makes of an entity, with these extra arguments.
    fn openssl_sign(&self, entity: &[u8], extra: &[&str]) -> Vec<u8> {
        let (crt, key) = write_pem(self.path(), "ada", &self.ada);
        openssl(&[&["cms", "-sign", "-signer", &crt, "-inkey", &key], extra].concat(), entity)
    }

    /// What `openssl cms -encrypt` makes of an entity, under the outer headers of a message.
    fn openssl_encrypt(&self, entity: &[u8], extra: &[&str]) -> Vec<u8> {
        let (crt, _) = write_pem(self.path(), "bob", &self.bob);
        let from_to = ["-from", ADA, "-to", BOB];
        openssl(&[&["cms", "-encrypt"], &from_to[..], &["-recip", &crt], extra].concat(), entity)
    }
}

fn wrapped() -> Vec<u8> {
    format!("Content-Type: message/rfc822\n\nFrom: {ADA}\nTo: {BOB}\nSubject: from openssl\n\nHello.\n")
        .into_bytes()
}

fn options(cipher: ContentCipher, key_transport: KeyTransport, digest: Digest) -> SealOptions {
    SealOptions { digest, cipher, key_transport }
}

#[test]
fn openssl_decrypts_and_verifies_what_we_send_in_every_combination() {
    let pair = pair();
    let (bob, bob_key) = write_pem(pair.path(), "bob", &pair.bob);
    let (root, _) = write_pem(pair.path(), "root", &pair.root);
    let at = now().timestamp().to_string();
    for transport in [KeyTransport::Pkcs1v15, KeyTransport::OaepSha1, KeyTransport::OaepSha256] {
        for cipher in [ContentCipher::Aes128Cbc, ContentCipher::Aes256Cbc, ContentCipher::Aes256Gcm] {
            let sealed = pair.seal(options(cipher, transport, Digest::Sha256));
            let signed = openssl(&["cms", "-decrypt", "-recip", &bob, "-inkey", &bob_key], &sealed);
            let inner = openssl(&["cms", "-verify", "-CAfile", &root, "-attime", &at], &signed);
            let expect =
                [&b"Content-Type: message/rfc822\r\n\r\n"[..], &message(ADA, &[BOB]).build().unwrap()]
                    .concat();
            assert_eq!(inner, expect, "{transport:?} {cipher:?}");
        }
    }
}

#[test]
fn openssl_names_the_algorithms_that_were_asked_for() {
    let pair = pair();
    let print = |options| {
        let sealed = pair.seal(options);
        String::from_utf8(openssl(&["cms", "-cmsout", "-print", "-noout"], &sealed)).unwrap()
    };
    let text = print(options(ContentCipher::Aes256Cbc, KeyTransport::OaepSha256, Digest::Sha256));
    assert!(text.contains("aes-256-cbc") && text.contains("rsaesOaep") && text.contains("sha256"), "{text}");
    let text = print(options(ContentCipher::Aes128Cbc, KeyTransport::Pkcs1v15, Digest::Sha256));
    assert!(text.contains("aes-128-cbc") && text.contains("rsaEncryption"), "{text}");
}

#[test]
fn we_open_and_verify_what_openssl_makes_with_every_key_transport_and_cipher() {
    let pair = pair();
    let signed = pair.openssl_sign(&wrapped(), &["-md", "sha256"]);
    let oaep = ["-keyopt", "rsa_padding_mode:oaep"];
    let transports = [vec![], oaep.to_vec(), [&oaep[..], &["-keyopt", "rsa_oaep_md:sha256"]].concat()];
    for transport in &transports {
        for cipher in ["-aes128", "-aes192", "-aes256", "-aes-128-gcm", "-aes-256-gcm"] {
            let mut extra = transport.clone();
            extra.push(cipher);
            let opened = open(&pair.openssl_encrypt(&signed, &extra), from_ref(&pair.bob)).unwrap();
            assert_eq!(opened.signers[0].verdict, SignatureVerdict::Valid(Digest::Sha256), "{extra:?}");
            assert_eq!(opened.signers[0].certificate.as_ref(), Some(pair.ada.certificate()));
            assert!(opened.wrapped);
            assert!(opened.message.starts_with(b"From: ada@north.example"), "{extra:?}");
        }
    }
}

#[test]
fn signatures_are_verified_whatever_the_line_ends_inside_and_in_opaque_form_too() {
    let pair = pair();
    for (sign, encrypt) in [
        (&["-md", "sha256"][..], &["-aes128"][..]),
        (&["-md", "sha384"], &["-aes128", "-binary"]),
        (&["-md", "sha512", "-crlfeol"], &["-aes128", "-binary"]),
        (&["-md", "sha256", "-nodetach"], &["-aes128"]),
        (&["-md", "sha256", "-nodetach", "-nostream", "-binary"][..3], &["-aes128", "-stream"]),
        (&["-md", "sha256", "-keyid", "-keyopt", "rsa_padding_mode:pss"], &["-aes128", "-keyid"]),
    ] {
        let sealed = pair.openssl_encrypt(&pair.openssl_sign(&wrapped(), sign), encrypt);
        let opened = open(&sealed, from_ref(&pair.bob)).unwrap();
        assert!(matches!(opened.signers[0].verdict, SignatureVerdict::Valid(_)), "{sign:?} {encrypt:?}");
        assert!(
            opened.wrapped && opened.message.ends_with(b"Hello.\n")
                || opened.message.ends_with(b"Hello.\r\n")
        );
    }
}

#[test]
fn the_older_x_pkcs7_types_are_taken() {
    let pair = pair();
    let old = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap().replace("application/pkcs7", "application/x-pkcs7")
    };
    let signed = old(pair.openssl_sign(&wrapped(), &["-md", "sha256"]));
    let sealed = old(pair.openssl_encrypt(signed.as_bytes(), &["-aes128"]));
    assert!(sealed.contains("application/x-pkcs7-mime"));
    assert!(matches!(
        open(sealed.as_bytes(), &[pair.bob]).unwrap().signers[0].verdict,
        SignatureVerdict::Valid(_)
    ));
}

#[test]
fn an_unwrapped_message_takes_its_headers_from_outside_and_says_so() {
    let pair = pair();
    let signed = pair.openssl_sign(b"Content-Type: text/plain\n\nHello.\n", &["-md", "sha256"]);
    let sealed = pair.openssl_encrypt(&signed, &["-aes128", "-subject", "seen by all"]);
    let opened = open(&sealed, from_ref(&pair.bob)).unwrap();
    let text = String::from_utf8(opened.message.to_vec()).unwrap();
    assert!(!opened.wrapped);
    assert!(text.contains("From: ada@north.example") && text.contains("Subject: seen by all"), "{text}");
    assert!(!text.contains("pkcs7-mime") && text.contains("Content-Type: text/plain"), "{text}");
}

#[test]
fn sha1_and_md5_signatures_are_refused() {
    let pair = pair();
    for (digest, name) in [("sha1", "SHA1"), ("md5", "MD5")] {
        let sealed = pair.openssl_encrypt(&pair.openssl_sign(&wrapped(), &["-md", digest]), &["-aes128"]);
        let opened = open(&sealed, from_ref(&pair.bob)).unwrap();
        assert_eq!(opened.signers[0].verdict, SignatureVerdict::RefusedDigest(name.into()));
    }
}

#[test]
fn triple_des_is_refused_before_any_key_is_used() {
    let pair = pair();
    let sealed = pair.openssl_encrypt(&pair.openssl_sign(&wrapped(), &["-md", "sha256"]), &["-des3"]);
    assert_eq!(open(&sealed, &[]).unwrap_err(), OpenError::WeakCipher("DES-EDE3-CBC".into()));
}

#[test]
fn weak_rsa_keys_are_refused_for_signing_and_for_encrypting() {
    let pair = pair();
    let weak = self_signed(&[
        "-newkey",
        "rsa:1024",
        "-subj",
        "/CN=w",
        "-addext",
        "subjectAltName=DNS:north.example",
    ]);
    let inner = message(ADA, &[BOB]).build().unwrap();
    let sealed = |signer: &Identity, to: &Identity| {
        seal(&inner, signer, &[to.certificate().clone()], SealOptions::default()).unwrap_err()
    };
    assert!(matches!(sealed(&weak, &pair.bob), SealError::Certificate(CertError::WeakKey)));
    assert!(matches!(sealed(&pair.ada, &weak), SealError::Certificate(CertError::WeakKey)));
    let signed_weakly = Pair { ada: weak, ..pair };
    let signed = signed_weakly.openssl_sign(&wrapped(), &["-md", "sha256"]);
    let opened =
        open(&signed_weakly.openssl_encrypt(&signed, &["-aes128"]), from_ref(&signed_weakly.bob)).unwrap();
    assert_eq!(opened.signers[0].verdict, SignatureVerdict::RefusedKey);
}

#[test]
fn keys_serve_only_what_their_certificate_allows() {
    let ca = authority("CA");
    let single = |purposes| {
        let mut wanted = request(BoundTo::Domain("north.example".into()));
        wanted.purposes = purposes;
        ca.issue_for_key(&wanted, key()).unwrap()
    };
    let (signing, encrypting) = (single(KeyPurposes::SIGN), single(KeyPurposes::ENCRYPT));
    let inner = message(ADA, &[BOB]).build().unwrap();
    let attempt = |signer: &Identity, to: &Identity| {
        seal(&inner, signer, &[to.certificate().clone()], SealOptions::default())
    };
    assert!(matches!(
        attempt(&encrypting, &encrypting),
        Err(SealError::Certificate(CertError::WrongPurpose))
    ));
    assert!(matches!(attempt(&signing, &signing), Err(SealError::Certificate(CertError::WrongPurpose))));
    let sealed = attempt(&signing, &encrypting).unwrap();
    assert!(matches!(open(&sealed, &[encrypting]).unwrap().signers[0].verdict, SignatureVerdict::Valid(_)));
}

#[test]
fn only_routing_headers_are_visible_outside_the_encryption() {
    let mut letter = message(ADA, &[BOB]);
    letter.in_reply_to = Some("earlier@south.example".into());
    letter.references = vec!["earlier@south.example".into()];
    letter.request_delivery_notice = true;
    letter.extra_headers.push(("X-DIRECT-CONTEXT".into(), "<x@north.example>".into()));
    let pair = pair();
    let inner = letter.build().unwrap();
    let sealed = seal(&inner, &pair.ada, &[pair.bob.certificate().clone()], SealOptions::default()).unwrap();
    let text = String::from_utf8(sealed.clone()).unwrap();
    let head = text.split("\r\n\r\n").next().unwrap();
    let names: Vec<_> =
        head.lines().filter(|l| !l.starts_with([' ', '\t'])).filter_map(|l| l.split(':').next()).collect();
    let mut expected = vec![
        "From",
        "To",
        "Date",
        "Message-ID",
        "In-Reply-To",
        "References",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
        "Content-Disposition",
    ];
    let mut seen = names.clone();
    expected.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, expected);
    assert!(head.contains("application/pkcs7-mime; smime-type=enveloped-data; name=\"smime.p7m\""));
    assert!(text.lines().all(|l| l.len() <= 998) && sealed.is_ascii());
}

#[test]
fn the_signed_part_has_the_shape_that_direct_agents_expect() {
    let pair = pair();
    let (bob, key) = write_pem(pair.path(), "bob", &pair.bob);
    let signed =
        openssl(&["cms", "-decrypt", "-recip", &bob, "-inkey", &key], &pair.seal(SealOptions::default()));
    let text = String::from_utf8(signed).unwrap();
    assert!(
        text.starts_with("Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\";"),
        "{text}"
    );
    for part in [
        "micalg=sha256",
        "Content-Type: message/rfc822\r\n",
        "Content-Type: application/pkcs7-signature; name=\"smime.p7s\"",
        "Content-Disposition: attachment; filename=\"smime.p7s\"",
    ] {
        assert!(text.contains(part), "{part} is missing");
    }
}

#[test]
fn one_message_is_read_by_each_of_its_recipients_and_by_nobody_else() {
    let ca = authority("CA");
    let ada = for_domain(&ca, "north.example");
    let readers = [for_domain(&ca, "south.example"), for_address(&ca, "carol@west.example")];
    let to: Vec<_> = readers.iter().map(|r| r.certificate().clone()).collect();
    let inner = message(ADA, &[BOB, "carol@west.example"]).build().unwrap();
    let sealed = seal(&inner, &ada, &to, SealOptions::default()).unwrap();
    for reader in &readers {
        assert_eq!(open(&sealed, from_ref(reader)).unwrap().message, inner);
    }
    assert_eq!(open(&sealed, &[ada]).unwrap_err(), OpenError::NotForUs);
}

#[test]
fn all_our_keys_are_tried() {
    let (pair, ca) = (pair(), authority("Other CA"));
    let sealed = pair.seal(SealOptions::default());
    let identities = [for_domain(&ca, "south.example"), pair.bob.clone()];
    assert_eq!(open(&sealed, &identities).unwrap().key, 1);
}

#[test]
fn unencrypted_and_unsigned_messages_are_told_apart() {
    let pair = pair();
    let bob = [pair.bob.clone()];
    let plain = message(ADA, &[BOB]).build().unwrap();
    assert_eq!(open(&plain, &bob).unwrap_err(), OpenError::NotEncrypted);
    assert_eq!(open(&pair.openssl_sign(&wrapped(), &[]), &bob).unwrap_err(), OpenError::NotEncrypted);
    assert_eq!(
        open(&pair.openssl_sign(&wrapped(), &["-nodetach"]), &bob).unwrap_err(),
        OpenError::NotEncrypted
    );
    assert_eq!(
        open(&pair.openssl_encrypt(&wrapped(), &["-aes128"]), &bob).unwrap_err(),
        OpenError::NotSigned
    );
    assert_eq!(open(b"", &bob).unwrap_err(), OpenError::NotEncrypted);
}

#[test]
fn a_changed_message_never_passes() {
    let pair = pair();
    let bob = [pair.bob.clone()];
    for cipher in [ContentCipher::Aes128Cbc, ContentCipher::Aes256Gcm] {
        let sealed = pair.seal(options(cipher, KeyTransport::OaepSha256, Digest::Sha256));
        let start = sealed.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
        for place in (start..sealed.len()).step_by(301).filter(|i| sealed[*i].is_ascii_alphanumeric()) {
            let mut changed = sealed.clone();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            if let Ok(opened) = open(&changed, &bob) {
                let same = opened.message == open(&sealed, &bob).unwrap().message;
                let valid = opened.signers.iter().any(|s| matches!(s.verdict, SignatureVerdict::Valid(_)));
                assert!(same || !valid, "{cipher:?}: a change at {place} passed");
            }
        }
    }
}

#[test]
fn replaced_content_inside_the_envelope_breaks_the_signature() {
    let pair = pair();
    let signed = String::from_utf8(pair.openssl_sign(&wrapped(), &["-md", "sha256"])).unwrap();
    let exchanged = signed.replace("Hello.", "Hallo.");
    let opened =
        open(&pair.openssl_encrypt(exchanged.as_bytes(), &["-aes128"]), from_ref(&pair.bob)).unwrap();
    assert_eq!(opened.signers[0].verdict, SignatureVerdict::Broken);
}

#[test]
fn a_message_with_too_many_signers_is_refused() {
    let pair = pair();
    let (crt, key) = write_pem(pair.path(), "ada", &pair.ada);
    let mut signers = Vec::new();
    for _ in 0..33 {
        signers.extend(["-signer", &crt, "-inkey", &key]);
    }
    let signed =
        openssl(&[&["cms", "-sign", "-nocerts", "-md", "sha256"], &signers[..]].concat(), &wrapped());
    let sealed = pair.openssl_encrypt(&signed, &["-aes128"]);
    assert_eq!(open(&sealed, from_ref(&pair.bob)).unwrap_err(), OpenError::NotSigned);
}

#[test]
fn the_chain_of_the_signer_travels_with_the_signature() {
    let (pair, other) = (pair(), authority("Helper"));
    let link = other.certificate().clone();
    let ada =
        Identity::new(pair.ada.certificate().clone(), pair.ada.key().clone(), vec![link.clone()]).unwrap();
    let inner = message(ADA, &[BOB]).build().unwrap();
    let sealed = seal(&inner, &ada, &[pair.bob.certificate().clone()], SealOptions::default()).unwrap();
    assert!(open(&sealed, &[pair.bob]).unwrap().certificates.contains(&link));
}

#[test]
fn an_eight_bit_message_of_another_program_survives_unchanged() {
    let pair = pair();
    let inner = format!("From: {ADA}\nTo: {BOB}\nSubject: ü\n\nGrüße\n").into_bytes();
    let sealed = seal(&inner, &pair.ada, &[pair.bob.certificate().clone()], SealOptions::default()).unwrap();
    let opened = open(&sealed, &[pair.bob]).unwrap();
    assert_eq!(opened.message, String::from_utf8(inner).unwrap().replace('\n', "\r\n").as_bytes());
    assert!(matches!(opened.signers[0].verdict, SignatureVerdict::Valid(_)));
}

#[test]
fn the_bare_cryptography_can_be_timed() {
    let pair = pair();
    assert!(
        bare_cryptography(&vec![7; 100_000], &pair.ada, &pair.bob, SealOptions::default()).unwrap() > 100_000
    );
}

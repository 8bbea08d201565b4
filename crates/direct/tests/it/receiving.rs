//! Verification of received messages per recipient.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use direct::DirectAddress;
use direct::cert::{BoundTo, CertificateAuthority, Identity, RevokedSerial};
use direct::mime::{Attachment, MimeError, OutgoingMessage};
use direct::receive::{
    Incoming, ReceiveSettings, Received, ReceivingSide, Rejection, SignerProblem, TamperPolicy, Tampering,
    Verdict, receive,
};
use direct::smime::{OpenError, SealOptions, SignatureVerdict, seal};
use direct::trust::{AnchorSet, MAX_FETCHES, MissingIssuers, TrustEngine, UnknownRevocation, Untrusted};

use crate::support::*;

const ADA: &str = "ada@north.example";
const BOB: &str = "bob@south.example";
const CAROL: &str = "carol@west.example";

struct Side {
    identities: Vec<Identity>,
    anchors: Vec<(&'static str, AnchorSet)>,
    notice_anchors: Option<AnchorSet>,
}

#[async_trait]
impl ReceivingSide for Side {
    async fn identities(&self, _recipient: &DirectAddress) -> Vec<Identity> {
        self.identities.clone()
    }
    async fn incoming_anchors(&self, recipient: &DirectAddress) -> AnchorSet {
        let set = self.anchors.iter().find(|(domain, _)| *domain == recipient.domain());
        set.map(|(_, set)| set.clone()).unwrap_or_default()
    }
    async fn notice_anchors(&self, recipient: &DirectAddress) -> AnchorSet {
        match &self.notice_anchors {
            Some(set) => set.clone(),
            None => self.incoming_anchors(recipient).await,
        }
    }
}

struct World {
    ca: CertificateAuthority,
    ada: Identity,
    side: Side,
    web: Arc<Web>,
}

fn world() -> World {
    let ca = authority("CA");
    let ada = for_domain(&ca, "north.example");
    let identities = vec![for_domain(&ca, "south.example"), for_domain(&ca, "west.example")];
    let set = anchors(&[&ca]);
    let side = Side {
        identities,
        anchors: vec![("south.example", set.clone()), ("west.example", set)],
        notice_anchors: None,
    };
    World { ca, ada, side, web: Arc::default() }
}

impl World {
    fn sealed_by(&self, signer: &Identity, letter: &OutgoingMessage) -> Vec<u8> {
        let to: Vec<_> = self.side.identities.iter().map(|i| i.certificate().clone()).collect();
        seal(&letter.build().unwrap(), signer, &to, SealOptions::default()).unwrap()
    }

    async fn judge(&self, raw: Vec<u8>, from: Option<&str>, to: &[&str]) -> Received {
        self.judge_with(raw, from, to, &ReceiveSettings::default(), &engine(&self.web)).await
    }

    async fn judge_with(
        &self,
        raw: Vec<u8>,
        from: Option<&str>,
        to: &[&str],
        settings: &ReceiveSettings,
        engine: &TrustEngine,
    ) -> Received {
        let recipients = to.iter().map(|t| addr(t)).collect();
        let incoming = Incoming { mail_from: from.map(str::to_owned), recipients, raw: raw.into() };
        receive(incoming, &self.side, engine, settings, now()).await
    }

    /// Verifies a letter from Ada to Bob, signed by this identity.
    async fn signed_by(&self, signer: &Identity) -> Received {
        self.judge(self.sealed_by(signer, &message(ADA, &[BOB])), Some(ADA), &[BOB]).await
    }
}

fn rejection(received: &Received, index: usize) -> &Rejection {
    match &received.verdicts[index].1 {
        Verdict::Rejected(rejection) => rejection,
        Verdict::Accepted(_) => panic!("was accepted"),
    }
}

fn accepted(received: &Received, index: usize) -> bool {
    matches!(received.verdicts[index].1, Verdict::Accepted(_))
}

fn problem(received: &Received) -> SignerProblem {
    match rejection(received, 0) {
        Rejection::NoAcceptableSigner(problems) => problems[0].1.clone(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_trusted_message_is_accepted_with_its_sender_id_and_notices() {
    let world = world();
    let mut letter = message(ADA, &[BOB]);
    letter.request_delivery_notice = true;
    let received = world.judge(world.sealed_by(&world.ada, &letter), Some(ADA), &[BOB]).await;
    assert!(accepted(&received, 0));
    let message = received.message.unwrap();
    assert_eq!(message.sender, addr(ADA));
    assert_eq!(message.message_id.as_deref(), Some("m1@north.example"));
    assert!(message.asked.processed && message.asked.dispatched && message.notice.is_none());
    assert_eq!(message.inner, letter.build().unwrap());
}

#[tokio::test]
async fn the_case_of_the_sender_does_not_matter() {
    let world = world();
    let ada = for_address(&world.ca, ADA);
    for from in ["ADA@NORTH.EXAMPLE", "ada@north.example"] {
        let raw = world.sealed_by(&ada, &message(from, &[BOB]));
        assert!(accepted(&world.judge(raw, Some("Ada@north.example"), &[BOB]).await, 0), "{from}");
    }
}

#[tokio::test]
async fn every_kind_of_payload_arrives_as_it_was_sent() {
    let world = world();
    let files = [
        ("note.xml", "text/xml", &b"<?xml version=\"1.0\"?>\n<ClinicalDocument/>\n"[..]),
        ("scan.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("Überweisung für Müller.pdf", "application/pdf", b"%PDF-1.7\n\xff\xfe"),
        ("xdm.zip", "application/zip", b"PK\x05\x06\0\0"),
    ];
    let mut bundles: Vec<Vec<_>> = files.iter().map(|f| vec![*f]).collect();
    bundles.push(vec![]);
    bundles.push(files.to_vec());
    for bundle in bundles {
        let mut letter = message(ADA, &[BOB]);
        letter.attachments = bundle
            .iter()
            .map(|(name, kind, content)| Attachment {
                file_name: Some((*name).into()),
                content_type: (*kind).into(),
                content_id: None,
                content: content.to_vec().into(),
            })
            .collect();
        let received = world.judge(world.sealed_by(&world.ada, &letter), Some(ADA), &[BOB]).await;
        let parsed = received.message.unwrap().parsed;
        assert_eq!(parsed.attachments, letter.attachments);
        assert_eq!((parsed.headers.subject, parsed.text), (letter.subject, letter.text));
    }
}

#[tokio::test]
async fn an_untrusted_signer_is_rejected() {
    let world = world();
    let stranger = for_domain(&authority("Other"), "north.example");
    let received = world.signed_by(&stranger).await;
    assert_eq!(problem(&received), SignerProblem::Untrusted(Untrusted::NoAnchor));
    assert!(received.message.is_none());
}

#[tokio::test]
async fn a_trusted_signer_who_is_not_the_sender_is_rejected() {
    let world = world();
    let eve = for_domain(&world.ca, "east.example");
    assert_eq!(problem(&world.signed_by(&eve).await), SignerProblem::NotBound);
}

#[tokio::test]
async fn an_expired_signer_is_rejected() {
    let world = world();
    let mut wanted = request(BoundTo::Domain("north.example".into()));
    wanted.validity.lasting = TimeDelta::days(3);
    let expired = world.ca.issue_for_key(&wanted, key()).unwrap();
    assert_eq!(problem(&world.signed_by(&expired).await), SignerProblem::Untrusted(Untrusted::Expired));
}

fn with_crl(ca: &CertificateAuthority) -> Identity {
    let mut wanted = request(BoundTo::Domain("north.example".into()));
    wanted.crl_url = Some("http://pki.example/ca.crl".into());
    ca.issue_for_key(&wanted, key()).unwrap()
}

#[tokio::test]
async fn a_revoked_signer_is_rejected() {
    let world = world();
    let revoked = with_crl(&world.ca);
    let since = now() - TimeDelta::days(1);
    let entry = RevokedSerial { serial: revoked.certificate().serial(), at: since };
    let crl = world.ca.crl(1, now(), now() + TimeDelta::days(1), &[entry]).unwrap();
    world.web.put("http://pki.example/ca.crl", crl);
    assert_eq!(
        problem(&world.signed_by(&revoked).await),
        SignerProblem::Untrusted(Untrusted::Revoked(since))
    );
}

#[tokio::test]
async fn a_required_revocation_list_that_is_unavailable_makes_the_rejection_temporary() {
    let world = world();
    let raw = world.sealed_by(&with_crl(&world.ca), &message(ADA, &[BOB]));
    let strict = engine_with(&world.web, UnknownRevocation::Refuse);
    let received = world.judge_with(raw, Some(ADA), &[BOB], &ReceiveSettings::default(), &strict).await;
    assert!(rejection(&received, 0).is_temporary());
}

#[tokio::test]
async fn a_sha1_signature_is_rejected() {
    let (world, folder) = (world(), tempfile::tempdir().unwrap());
    let (crt, key) = write_pem(folder.path(), "ada", &world.ada);
    let (bob, _) = write_pem(folder.path(), "bob", &world.side.identities[0]);
    let inner =
        [&b"Content-Type: message/rfc822\r\n\r\n"[..], &message(ADA, &[BOB]).build().unwrap()].concat();
    let signed = openssl(&["cms", "-sign", "-md", "sha1", "-signer", &crt, "-inkey", &key], &inner);
    let raw = openssl(&["cms", "-encrypt", "-aes128", "-recip", &bob], &signed);
    let refused = SignerProblem::Signature(SignatureVerdict::RefusedDigest("SHA1".into()));
    assert_eq!(problem(&world.judge(raw, Some(ADA), &[BOB]).await), refused);
}

#[tokio::test]
async fn one_good_signer_among_several_is_enough_whatever_the_order() {
    let (world, folder) = (world(), tempfile::tempdir().unwrap());
    let mut expired = request(BoundTo::Domain("north.example".into()));
    expired.validity.lasting = TimeDelta::days(3);
    let others = [
        for_domain(&authority("Other"), "north.example"),
        world.ca.issue_for_key(&expired, key()).unwrap(),
        for_domain(&world.ca, "east.example"),
    ];
    let (good, good_key) = write_pem(folder.path(), "good", &world.ada);
    let (bob, _) = write_pem(folder.path(), "bob", &world.side.identities[0]);
    let inner =
        [&b"Content-Type: message/rfc822\r\n\r\n"[..], &message(ADA, &[BOB]).build().unwrap()].concat();
    for other in &others {
        let (crt, key) = write_pem(folder.path(), "other", other);
        let good = ["-signer", &good, "-inkey", &good_key];
        let other = ["-signer", &crt, "-inkey", &key];
        for order in [[good, other], [other, good]] {
            let signed = openssl(&[&["cms", "-sign", "-md", "sha256"], &order.concat()[..]].concat(), &inner);
            let raw = openssl(&["cms", "-encrypt", "-aes128", "-recip", &bob], &signed);
            assert!(accepted(&world.judge(raw, Some(ADA), &[BOB]).await, 0));
        }
        let signed = openssl(&[&["cms", "-sign", "-md", "sha256"], &other[..]].concat(), &inner);
        let raw = openssl(&["cms", "-encrypt", "-aes128", "-recip", &bob], &signed);
        assert!(!accepted(&world.judge(raw, Some(ADA), &[BOB]).await, 0));
    }
}

#[tokio::test]
async fn trust_is_decided_for_each_recipient() {
    let mut world = world();
    world.side.anchors[1].1 = anchors(&[&authority("Other")]);
    let raw = world.sealed_by(&world.ada, &message(ADA, &[BOB, CAROL]));
    let received = world.judge(raw, Some(ADA), &[BOB, CAROL]).await;
    assert!(accepted(&received, 0) && !accepted(&received, 1));
    assert!(received.message.is_some());
}

#[tokio::test]
async fn an_envelope_sender_other_than_the_author_is_tampering() {
    let world = world();
    let raw = world.sealed_by(&world.ada, &message(ADA, &[BOB]));
    for envelope in [Some("eve@north.example"), Some("not an address"), None] {
        let received = world.judge(raw.clone(), envelope, &[BOB]).await;
        assert_eq!(*rejection(&received, 0), Rejection::Tampered(Tampering::Sender), "{envelope:?}");
    }
}

#[tokio::test]
async fn a_recipient_who_stands_in_no_header_is_tampering_and_the_others_still_get_the_message() {
    let world = world();
    let raw = world.sealed_by(&world.ada, &message(ADA, &[BOB]));
    let received = world.judge(raw.clone(), Some(ADA), &[BOB, CAROL]).await;
    assert!(accepted(&received, 0));
    assert_eq!(*rejection(&received, 1), Rejection::Tampered(Tampering::Recipient(addr(CAROL))));
}

#[tokio::test]
async fn tampering_is_only_reported_when_the_setting_says_so() {
    let world = world();
    let raw = world.sealed_by(&world.ada, &message(ADA, &[BOB]));
    let settings = ReceiveSettings { tampering: TamperPolicy::Report, ..ReceiveSettings::default() };
    let received =
        world.judge_with(raw, Some("eve@east.example"), &[BOB], &settings, &engine(&world.web)).await;
    match &received.verdicts[0].1 {
        Verdict::Accepted(accepted) => assert_eq!(accepted.tampering, Some(Tampering::Sender)),
        Verdict::Rejected(rejection) => panic!("{rejection}"),
    }
}

#[tokio::test]
async fn the_inner_headers_count_and_not_the_outer_ones() {
    let world = world();
    let raw = String::from_utf8(world.sealed_by(&world.ada, &message(ADA, &[BOB]))).unwrap();
    let raw = raw.replacen(ADA, "eve@east.example", 1).replacen(BOB, "x@east.example", 1);
    let received = world.judge(raw.into_bytes(), Some(ADA), &[BOB]).await;
    assert!(accepted(&received, 0));
    assert_eq!(received.message.unwrap().sender, addr(ADA));
}

#[tokio::test]
async fn unsigned_unencrypted_and_foreign_messages_are_rejected_for_everyone() {
    let mut world = world();
    let plain = message(ADA, &[BOB]).build().unwrap();
    let received = world.judge(plain, Some(ADA), &[BOB, CAROL]).await;
    assert_eq!(*rejection(&received, 1), Rejection::NotOpened(OpenError::NotEncrypted));
    let raw = world.sealed_by(&world.ada, &message(ADA, &[BOB]));
    world.side.identities = vec![for_domain(&world.ca, "south.example")];
    let received = world.judge(raw, Some(ADA), &[BOB]).await;
    assert_eq!(*rejection(&received, 0), Rejection::NotOpened(OpenError::NotForUs));
}

#[tokio::test]
async fn a_domain_key_and_an_address_key_both_open_mail_for_an_address() {
    let mut world = world();
    for key in [for_domain(&world.ca, "south.example"), for_address(&world.ca, BOB)] {
        world.side.identities = vec![key];
        assert!(accepted(&world.signed_by(&world.ada).await, 0));
    }
}

#[tokio::test]
async fn a_notice_of_an_untrusted_sender_is_ignored_and_notices_may_have_their_own_anchors() {
    use direct::notice::{Disposition, MdnDraft, Notice};
    let mut world = world();
    let draft = MdnDraft {
        from: addr(ADA),
        to: addr(BOB),
        message_id: "n1@north.example".into(),
        date: now(),
        original_message_id: "m7@south.example".into(),
        disposition: Disposition::Processed,
        final_destination_delivery: false,
        explanation: String::new(),
        reporting_agent: "north.example; Test".into(),
    };
    let to = [world.side.identities[0].certificate().clone()];
    let raw = seal(&draft.build().unwrap(), &world.ada, &to, SealOptions::default()).unwrap();
    let received = world.judge(raw.clone(), None, &[BOB]).await;
    let notice = received.message.unwrap();
    assert!(
        matches!(&notice.notice, Some(Notice::Mdn(mdn)) if mdn.original_message_id.as_deref() == Some("m7@south.example"))
    );
    assert!(!notice.asked.processed && !notice.asked.dispatched);
    world.side.notice_anchors = Some(AnchorSet::default());
    assert!(world.judge(raw.clone(), None, &[BOB]).await.message.is_none());
    world.side.notice_anchors = Some(anchors(&[&world.ca]));
    world.side.anchors.clear();
    assert!(accepted(&world.judge(raw, None, &[BOB]).await, 0));
}

#[tokio::test]
async fn an_inner_message_without_headers_is_rejected_whoever_signed_it() {
    let (world, folder) = (world(), tempfile::tempdir().unwrap());
    let stranger = for_domain(&authority("Other"), "north.example");
    let (crt, key) = write_pem(folder.path(), "stranger", &stranger);
    let (bob, _) = write_pem(folder.path(), "bob", &world.side.identities[0]);
    for inner in ["", "\r\n", "\r\nonly a body\r\n", "no header at all", ":\r\n\r\nx", " \r\n:x"] {
        let wrapped = format!("Content-Type: message/rfc822\r\n\r\n{inner}");
        let sign = ["cms", "-sign", "-binary", "-md", "sha256", "-signer", &crt, "-inkey", &key];
        let signed = openssl(&sign, wrapped.as_bytes());
        let raw = openssl(&["cms", "-encrypt", "-aes128", "-recip", &bob], &signed);
        let received = world.judge(raw, Some(ADA), &[BOB]).await;
        assert_eq!(*rejection(&received, 0), Rejection::Unreadable(MimeError::Unreadable), "{inner:?}");
    }
}

#[tokio::test]
async fn a_mail_whose_signer_must_be_fetched_is_undecided_where_nothing_is_fetched() {
    let world = world();
    let mut wanted = request(BoundTo::Domain("north.example".into()));
    wanted.issuer_url = Some("http://stranger.example/issuer".into());
    let stranger = authority("Stranger").issue_for_key(&wanted, key()).unwrap();
    // Without the issuer's certificate, which could not be fetched anyway.
    let stranger = Identity::new(stranger.certificate().clone(), stranger.key().clone(), Vec::new()).unwrap();
    let at_hand = ReceiveSettings { missing: MissingIssuers::AtHand, ..ReceiveSettings::default() };
    let judge = async |signer: &Identity, settings: &ReceiveSettings| {
        let raw = world.sealed_by(signer, &message(ADA, &[BOB]));
        let received = world.judge_with(raw, Some(ADA), &[BOB], settings, &engine(&world.web)).await;
        (accepted(&received, 0), received.undecided)
    };
    let asked = || world.web.asked.lock().unwrap().len();
    assert_eq!(judge(&world.ada, &at_hand).await, (true, false));
    assert_eq!(judge(&stranger, &at_hand).await, (false, true));
    assert_eq!(asked(), 0);
    assert_eq!(judge(&stranger, &ReceiveSettings::default()).await, (false, false));
    assert_eq!(asked(), 1);
}

#[tokio::test]
async fn many_signers_share_one_fetch_budget_and_a_good_signer_costs_no_fetch() {
    let (world, folder) = (world(), tempfile::tempdir().unwrap());
    let (stranger, key) = (authority("Stranger"), key());
    let mut signers = Vec::new();
    for number in 0..MAX_FETCHES + 5 {
        let mut wanted = request(BoundTo::Domain("north.example".into()));
        wanted.issuer_url = Some(format!("http://stranger.example/{number}"));
        let identity = stranger.issue_for_key(&wanted, key.clone()).unwrap();
        signers.push(write_pem(folder.path(), &format!("s{number}"), &identity));
    }
    let (bob, _) = write_pem(folder.path(), "bob", &world.side.identities[0]);
    let inner =
        [&b"Content-Type: message/rfc822\r\n\r\n"[..], &message(ADA, &[BOB]).build().unwrap()].concat();
    let sealed = |signers: &[(String, String)]| {
        let signers = signers.iter().flat_map(|(crt, key)| ["-signer", crt, "-inkey", key]);
        let sign: Vec<_> = ["cms", "-sign", "-md", "sha256"].into_iter().chain(signers).collect();
        openssl(&["cms", "-encrypt", "-aes128", "-recip", &bob], &openssl(&sign, &inner))
    };
    let asked = || world.web.asked.lock().unwrap().len();
    assert!(!accepted(&world.judge(sealed(&signers), Some(ADA), &[BOB]).await, 0));
    assert_eq!(asked(), MAX_FETCHES);
    signers.push(write_pem(folder.path(), "ada", &world.ada));
    assert!(accepted(&world.judge(sealed(&signers), Some(ADA), &[BOB]).await, 0));
    assert_eq!(asked(), MAX_FETCHES);
}

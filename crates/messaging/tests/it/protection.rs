//! Mail without half of its protection or with a revoked signer, created by the openssl command line.

use crate::{partner::*, support::*};
use chrono::{DateTime, Duration, Utc};
use direct::cert::{BoundTo, CertificateRequest, Identity, KeyPurposes, RevokedSerial, Validity};
use sea_orm::{EntityTrait, sea_query::Expr};
use serde_json::json;
use std::{fs, net::SocketAddr, path::PathBuf, process::Command};
use store::entities::trust_anchor;
use testkit::{Db, Practice, TestApp};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// A letter, wrapped as a whole as Direct requires.
fn wrapped(app: &TestApp, practice: &Practice) -> Vec<u8> {
    let inner = letter(PAT, &[&practice.address], "Half protected", app.clock.now());
    let mut wrapped = b"Content-Type: message/rfc822\r\n\r\n".to_vec();
    wrapped.extend(inner.build().expect("a letter"));
    wrapped
}

fn file(app: &TestApp, name: &str, content: &[u8]) -> PathBuf {
    let path = app.db.folder().join(name);
    fs::write(&path, content).expect("a file");
    path
}

/// The output of `openssl cms` for the wrapped letter, with mail headers.
fn cms(app: &TestApp, practice: &Practice, arguments: &[&str], files: &[PathBuf]) -> Vec<u8> {
    let input = file(app, "wrapped.eml", &wrapped(app, practice));
    let output = Command::new("openssl")
        .arg("cms")
        .args(arguments)
        .args(["-from", PAT, "-to", &practice.address, "-subject", "Secure message"])
        .arg("-in")
        .arg(input)
        .args(files)
        .output()
        .expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Lines of a mail end with CR and LF.
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n").replace('\n', "\r\n").into_bytes()
}

async fn rejected(partner: &Partner, app: TestApp, practice: &Practice, bytes: &[u8], why: &str) {
    assert!(accepted(&post(&app, PAT, &[&practice.address], bytes).await));
    app.drain().await;
    assert_eq!(subjects(&practice.client, json!({})).await, [""; 0]);
    assert!(partner.mails().is_empty(), "nothing goes back");
    let reasons = rejections(&app, practice).await;
    assert!(reasons.len() == 1 && reasons[0].contains(why), "{reasons:?}");
    app.finish().await;
}

#[tokio::test]
async fn an_encrypted_mail_without_a_signature_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let own = app.node.direct.identities.of(&app, larkfield.organization.id).await.expect("identities");
    let recipient = file(&app, "recipient.pem", own[0].certificate().to_pem().as_bytes());
    let bytes = cms(&app, &larkfield, &["-encrypt", "-aes256"], &[recipient]);
    rejected(&partner, app, &larkfield, &bytes, "not signed").await;
}

#[tokio::test]
async fn a_signed_mail_without_encryption_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let signer = &partner.identities[0];
    let certificate = file(&app, "signer.pem", signer.certificate().to_pem().as_bytes());
    let key = file(&app, "signer.der", &signer.key().to_pkcs8().expect("a key"));
    let files = ["-signer".into(), certificate, "-inkey".into(), key];
    let bytes = cms(&app, &larkfield, &["-sign", "-md", "sha256", "-keyform", "DER"], &files);
    rejected(&partner, app, &larkfield, &bytes, "not encrypted").await;
}

/// Serves one revocation list for every request.
async fn serve_crl(listener: TcpListener, der: Vec<u8>) {
    while let Ok((mut asker, _)) = listener.accept().await {
        let mut request = [0; 4096];
        let _ = asker.read(&mut request).await;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/pkix-crl\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            der.len()
        );
        let _ = asker.write_all(&[head.as_bytes(), &der].concat()).await;
    }
}

fn with_revocation_list(partner: &Partner, place: SocketAddr, now: DateTime<Utc>) -> Identity {
    let request = CertificateRequest {
        organization: "Partner Health".into(),
        bound_to: BoundTo::Domain(DOMAIN.into()),
        purposes: KeyPurposes::BOTH,
        validity: Validity { from: now - Duration::days(9), lasting: Duration::days(99) },
        crl_url: Some(format!("http://{place}/partner.crl")),
        issuer_url: None,
    };
    partner.ca.issue(&request).expect("an identity")
}

#[tokio::test]
async fn a_mail_whose_signer_was_revoked_is_rejected_in_silence() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let place = listener.local_addr().expect("an address");
    let now = app.clock.now();
    let [good, revoked] = [(); 2].map(|()| with_revocation_list(&partner, place, now));
    let serial = RevokedSerial { serial: revoked.certificate().serial(), at: now - Duration::days(1) };
    let list = partner.ca.crl(1, now - Duration::hours(1), now + Duration::days(7), &[serial]);
    let server = tokio::spawn(serve_crl(listener, list.expect("a list")));

    let inner = letter(PAT, &[&larkfield.address], "In good standing", now).build().expect("a letter");
    let bytes = sealed(&app, &good, &larkfield, &inner).await;
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["In good standing"]);
    let answered = partner.mails().len();

    let inner = letter(PAT, &[&larkfield.address], "Revoked", now).build().expect("a letter");
    let bytes = sealed(&app, &revoked, &larkfield, &inner).await;
    assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["In good standing"]);
    assert_eq!(partner.mails().len(), answered, "nothing goes back");
    let reasons = rejections(&app, &larkfield).await;
    assert!(reasons.len() == 1 && reasons[0].contains("was revoked on 2026-11-19"), "{reasons:?}");
    server.abort();
    app.finish().await;
}

#[tokio::test]
async fn below_an_anchor_that_asks_for_it_no_mail_is_taken_without_a_revocation_list() {
    let (partner, app, larkfield) = world(Db::sqlite()).await;
    let now = app.clock.now();
    let nobody: SocketAddr = ([127, 0, 0, 1], 9).into();
    let signer = with_revocation_list(&partner, nobody, now);
    let send = async |subject: &str| {
        let inner = letter(PAT, &[&larkfield.address], subject, now).build().expect("a letter");
        let bytes = sealed(&app, &signer, &larkfield, &inner).await;
        assert!(accepted(&post(&app, PAT, &[&larkfield.address], &bytes).await));
        app.drain().await;
    };
    send("Before").await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["Before"]);
    trust_anchor::Entity::update_many()
        .col_expr(trust_anchor::Column::RequiresRevocation, Expr::value(true))
        .exec(app.store.db())
        .await
        .expect("a change");
    send("After").await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["Before"], "it waits for the list");
}

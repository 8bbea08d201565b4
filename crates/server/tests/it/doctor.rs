//! `carepost doctor` explains problems in plain language.

use crate::configuration::{carepost, text};
use chrono::Duration;
use platform::{Config, Role, audit::heads};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter,
};
use serde_json::json;
use std::net::UdpSocket;
use store::{
    Clock,
    entities::{attachment, direct_certificate, organization},
    keys::MasterKey,
};
use testkit::{Db, Options, TestApp};

testkit::on_both_databases! {
    every_tampered_audit_entry_is_named,
    what_the_role_in_postgresql_may_do_is_told,
}

/// A name server that answers every query with "no such name".
pub fn name_server() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = socket.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        let mut packet = [0u8; 512];
        while let Ok((length, peer)) = socket.recv_from(&mut packet) {
            let mut question = 12;
            while question < length && packet[question] != 0 {
                question += usize::from(packet[question]) + 1;
            }
            let end = (question + 5).min(length);
            // A response: recursion available, no such name, only the question.
            packet[2..4].copy_from_slice(&[0x81, 0x83]);
            packet[6..12].fill(0);
            let _ = socket.send_to(&packet[..end], peer);
        }
    });
    address
}

/// Runs the doctor next to a node; returns whether there are no problems, and the output.
pub async fn ask(app: &TestApp, changes: &[(&str, &str)]) -> (bool, String) {
    let key = app.keys.master().to_base64().to_string();
    let (data, url, dns) = (app.db.folder().display().to_string(), app.db.url(), name_server());
    let mut environment = vec![
        ("CAREPOST_DATA_DIR", data.as_str()),
        ("CAREPOST_DATABASE__URL", &url),
        ("CAREPOST_KEYS__MASTER_KEY", &key),
        ("CAREPOST_DNS__NAMESERVER", &dns),
        ("CAREPOST_HTTP__LISTEN", "127.0.0.1:0"),
        ("CAREPOST_SMTP__LISTEN", "127.0.0.1:0"),
    ];
    environment.extend(changes);
    let environment: Vec<_> = environment.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    // The node answers in the meantime.
    let doctor = tokio::task::spawn_blocking(move || {
        let environment: Vec<_> = environment.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        carepost(&["doctor"], &environment)
    });
    let output = doctor.await.expect("the doctor runs");
    (output.status.success(), text(&output.stdout))
}

async fn start(db: Db) -> TestApp {
    TestApp::start_with(db, Options { live: true, ..Options::default() }).await
}

#[tokio::test]
async fn a_healthy_installation_has_no_problems() {
    let app = start(Db::sqlite()).await;
    app.practice("larkfield").await;
    let (content, said) = ask(&app, &[]).await;
    assert!(content, "{said}");
    for words in [
        "schema is up to date",
        "matches the database",
        "stores and returns documents",
        "audit trail is intact",
        "Nothing is wrong",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[tokio::test]
async fn kept_heads_of_the_audit_trail_that_are_gone_are_missed_until_that_is_accepted() {
    let app = TestApp::start(Db::sqlite()).await;
    app.practice("larkfield").await;
    heads::keep(&app).await.expect("the heads can be kept");
    std::fs::remove_file(app.config.data_dir.join("audit-heads.json")).expect("the file");
    let (_, said) = ask(&app, &[]).await;
    assert!(said.contains("PROBLEM  The stored heads of the audit trail were removed."), "{said}");
    assert!(said.contains("carepost audit accept-heads --reason"), "{said}");
    heads::accept(&app, "The disk was replaced").await.expect("accepted");
    let (_, said) = ask(&app, &[]).await;
    assert!(said.contains("The audit trail matches its heads stored on"), "{said}");
}

#[tokio::test]
async fn a_malware_scanner_that_does_not_answer_is_noticed() {
    let app = start(Db::sqlite()).await;
    let (content, said) = ask(&app, &[]).await;
    assert!(content && said.contains("There is no malware scanner"), "{said}");
    let (content, said) = ask(&app, &[("CAREPOST_MALWARE__CLAMD", "127.0.0.1:9")]).await;
    assert!(!content && said.contains("the malware scanner cannot be reached"), "{said}");
    let (content, said) = ask(&app, &[("CAREPOST_MALWARE__CLAMD", "nowhere")]).await;
    assert!(!content && said.contains("malware.clamd"), "{said}");
}

#[tokio::test]
async fn a_missing_document_is_noticed() {
    let app = start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let draft = practice.client.draft(json!({ "subject": "Visit" })).await;
    practice.client.upload(&draft, "note.txt", b"A note".to_vec(), json!({})).await;
    let file = attachment::Entity::find().one(app.store.db()).await.expect("rows").expect("the file");
    app.blobs.delete(file.organization_id, file.blob_id).await.expect("the blob goes");
    let (content, said) = ask(&app, &[]).await;
    assert!(!content && said.contains("1 of 1 documents (the newest) are missing"), "{said}");
    assert!(said.contains(&file.id.to_string()), "{said}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_named_as_such() {
    let app = start(Db::sqlite()).await;
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_future', 0)";
    app.store.db().execute_unprepared(newer).await.expect("the row");
    let (content, said) = ask(&app, &[]).await;
    assert!(!content && said.contains("a newer version of Carepost has changed the database"), "{said}");
    assert_eq!(said.matches("m9999_future").count(), 1, "{said}");
}

async fn every_tampered_audit_entry_is_named(db: Db) {
    let app = start(db).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..7 {
        app.browser_of(&user).await;
    }
    let guards: &[&str] = if app.db.is_postgres() {
        &["DROP TRIGGER audit_entry_append_only ON audit_entry"]
    } else {
        &["DROP TRIGGER audit_entry_no_UPDATE", "DROP TRIGGER audit_entry_no_DELETE"]
    };
    let tampering = [
        "UPDATE audit_entry SET source_ip = '192.0.2.1' WHERE seq = 2",
        "DELETE FROM audit_entry WHERE seq = 4",
        "UPDATE audit_entry SET seq = 1006 WHERE seq = 6",
        "UPDATE audit_entry SET seq = 6 WHERE seq = 7",
        "UPDATE audit_entry SET seq = 7 WHERE seq = 1006",
    ];
    for statement in guards.iter().chain(&tampering) {
        app.store.db().execute_unprepared(statement).await.expect("the statement runs");
    }
    let (content, said) = ask(&app, &[]).await;
    assert!(!content, "{said}");
    for seq in [2, 4, 6, 7] {
        assert!(
            said.contains(&format!("audit entry {seq} of chain {}", larkfield.id)),
            "entry {seq}: {said}"
        );
    }
    assert!(!said.contains("audit entry 3 "), "{said}");
}

async fn what_the_role_in_postgresql_may_do_is_told(db: Db) {
    let app = start(db).await;
    let url = app.db.url();
    let (_, said) = ask(&app, &[]).await;
    if !app.db.is_postgres() {
        assert!(!said.contains("PostgreSQL"), "{said}");
        return;
    }
    assert!(said.contains("note     Carepost signs in to PostgreSQL as a superuser"), "{said}");
    let role = format!("app_{}", uuid::Uuid::now_v7().simple());
    let (before, after) = url.split_once('@').expect("an address with a user");
    let url = format!("{}{role}@{after}", &before[..=before.rfind('/').expect("a scheme")]);
    let run = async |statements: &[String]| {
        for statement in statements {
            app.store.db().execute_unprepared(statement).await.expect("the statement runs");
        }
    };
    let asked = async || ask(&app, &[("CAREPOST_DATABASE__URL", &url)]).await.1;
    let granted = format!("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}");
    run(&[format!("CREATE ROLE {role} LOGIN"), granted]).await;
    let said = asked().await;
    assert!(said.contains("ok       The role in PostgreSQL cannot change the tables"), "{said}");
    run(&[format!("ALTER TABLE audit_entry OWNER TO {role}")]).await;
    let said = asked().await;
    assert!(said.contains("note     Carepost signs in to PostgreSQL as the owner of its tables"), "{said}");
    let own = "ALTER TABLE audit_entry OWNER TO CURRENT_USER".to_owned();
    run(&[own, format!("DROP OWNED BY {role}"), format!("DROP ROLE {role}")]).await;
}

#[tokio::test]
async fn a_master_key_that_does_not_fit_is_named() {
    let app = start(Db::sqlite()).await;
    let other = MasterKey::generate().to_base64().to_string();
    let (content, said) = ask(&app, &[("CAREPOST_KEYS__MASTER_KEY", &other)]).await;
    assert!(!content && said.contains("does not match"), "{said}");
}

#[tokio::test]
async fn expired_and_missing_certificates_are_named() {
    // A live node would renew the certificates.
    let app = TestApp::start(Db::sqlite()).await;
    let expired = app.practice("larkfield").await;
    app.organization("summit").await;
    let cancelled = app.organization("tarn").await;
    organization::ActiveModel { id: Set(cancelled.id), is_cancelled: Set(true), ..Default::default() }
        .update(app.store.db())
        .await
        .expect("a cancelled organization");
    let change = direct_certificate::ActiveModel {
        not_after: Set(Clock::system().now() - Duration::days(1)),
        ..Default::default()
    };
    direct_certificate::Entity::update_many()
        .set(change)
        .filter(direct_certificate::Column::OrganizationId.eq(expired.organization.id))
        .exec(app.store.db())
        .await
        .expect("the certificate is there");
    let (content, said) = ask(&app, &[]).await;
    assert!(!content, "{said}");
    assert!(said.contains("The Direct certificate of larkfield practice expired"), "{said}");
    assert!(said.contains("summit practice is activated but has no Direct certificate"), "{said}");
    assert!(!said.contains("tarn"), "who is cancelled needs none: {said}");
}

#[test]
fn a_database_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let output =
        carepost(&["doctor"], &[("CAREPOST_DATA_DIR", &data), ("CAREPOST_DNS__NAMESERVER", &name_server())]);
    assert!(!output.status.success());
    let said = text(&output.stdout);
    assert!(said.contains("does not exist yet"), "{said}");
}

#[test]
fn an_unusable_configuration_is_named() {
    let output = carepost(&["doctor"], &[("CAREPOST_SESSION__IDLE_MINUTES", "90")]);
    assert!(!output.status.success());
    assert!(text(&output.stdout).contains("session.idle_minutes"));
}

#[tokio::test]
async fn the_revocation_lists_of_our_certificates_are_fetched() {
    let configure = |config: &mut Config| {
        let port = testports::free_port();
        config.http.listen = ([127, 0, 0, 1], port).into();
        config.http.public_url = format!("http://127.0.0.1:{port}").parse().expect("an address");
    };
    let options = Options { live: true, configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    app.practice("larkfield").await;
    let (content, said) = ask(&app, &[]).await;
    assert!(content && said.contains(".crl can be fetched"), "{said}");

    // Certificates are not changed when the server moves.
    let certificate = direct_certificate::Entity::find().one(app.store.db()).await.expect("certificates");
    let mut moved = certificate.expect("a certificate").into_active_model();
    moved.certificate_pem = Set(elsewhere());
    moved.update(app.store.db()).await.expect("a change");
    let production = [
        ("CAREPOST_MODE", "production"),
        ("CAREPOST_HTTP__PUBLIC_URL", "https://care.example"),
        ("CAREPOST_DIRECT__HOST", "care.example"),
    ];
    let (content, said) = ask(&app, &production).await;
    assert!(!content && said.contains("gone.crl, which our certificates name, cannot be fetched"), "{said}");
}

/// A certificate whose revocation list is not available.
fn elsewhere() -> String {
    use direct::cert::{
        AuthorityName, BoundTo, CertificateAuthority, CertificateRequest, KeyPurposes, KeySize, PrivateKey,
        Validity,
    };
    let validity = Validity { from: Clock::system().now(), lasting: Duration::days(9) };
    let name = AuthorityName { common_name: "Elsewhere".into(), organization: "Elsewhere".into() };
    let key = PrivateKey::generate_rsa(KeySize::Rsa2048).expect("a key");
    let ca = CertificateAuthority::create(&name, validity, key).expect("an authority");
    let request = CertificateRequest {
        organization: "Elsewhere".into(),
        bound_to: BoundTo::Domain("elsewhere.example".into()),
        purposes: KeyPurposes::BOTH,
        validity,
        crl_url: Some("http://127.0.0.1:9/gone.crl".into()),
        issuer_url: None,
    };
    ca.issue(&request).expect("a certificate").certificate().to_pem()
}

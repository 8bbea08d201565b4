//! `carepost trust`: the operator determines whose certificates are trusted. openssl makes the certificates
//! and bundles.

use crate::configuration::{carepost, text};
use axum::{Router, extract::Path as UrlPath, http::StatusCode, routing::get};
use direct::cert::Certificate;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use store::entities::audit_entry;
use tempfile::TempDir;
use testkit::{Db, Options, TestApp};

/// A folder for openssl's files, published over HTTP.
pub struct Publisher {
    folder: TempDir,
    address: SocketAddr,
}

impl Publisher {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().to_owned();
        let file = move |UrlPath(name): UrlPath<String>| async move {
            fs::read(root.join(name)).map_err(|_| StatusCode::NOT_FOUND)
        };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().route("/{name}", get(file));
        // On its own thread, because the test's thread waits for the command line.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async move {
                listener.set_nonblocking(true).expect("a listener");
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                axum::serve(listener, router).await
            })
        });
        Self { folder, address }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub fn openssl(&self, arguments: &[&str]) {
        let output = Command::new("openssl").args(arguments).current_dir(self.folder.path()).output();
        let output = output.expect("openssl runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }

    /// A root certificate with this name.
    pub fn root(&self, name: &str) -> String {
        let (key, certificate) = (format!("{name}.key"), format!("{name}.pem"));
        let subject = format!("/CN={name} Root/O=Partner Health");
        self.openssl(&[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "3650",
            "-subj",
            &subject,
            "-keyout",
            &key,
            "-out",
            &certificate,
        ]);
        certificate
    }

    /// A `.p7b` with these certificates.
    pub fn bundle(&self, name: &str, certificates: &[&str]) {
        let mut arguments = vec!["crl2pkcs7", "-nocrl", "-outform", "DER", "-out", name];
        arguments.extend(certificates.iter().flat_map(|c| ["-certfile", c]));
        self.openssl(&arguments);
    }
}

/// Runs `carepost trust` next to a node whose workers continue: a worker blocked in a transaction would lock
/// the command out.
async fn trust(app: &TestApp, arguments: &[&str]) -> Output {
    let environment = [
        ("CAREPOST_DATA_DIR", app.db.folder().display().to_string()),
        ("CAREPOST_DATABASE__URL", app.db.url()),
        ("CAREPOST_KEYS__MASTER_KEY", app.keys.master().to_base64().to_string()),
        ("CAREPOST_DIRECT__ALLOW_PRIVATE_NETWORKS", "true".to_owned()),
    ];
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let run = move || {
        let arguments: Vec<&str> =
            ["trust"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        carepost(&arguments, &environment.each_ref().map(|(name, value)| (*name, value.as_str())))
    };
    tokio::task::spawn_blocking(run).await.expect("the program runs")
}

async fn done(app: &TestApp, arguments: &[&str]) -> String {
    let output = trust(app, arguments).await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

async fn refused(app: &TestApp, arguments: &[&str]) -> String {
    let output = trust(app, arguments).await;
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stdout) + &text(&output.stderr)
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// The id in the line of `list` that contains these words.
#[track_caller]
fn id_of(list: &str, kind: &str, words: &str) -> String {
    let line = list.lines().find(|l| l.starts_with(kind) && l.contains(words)).expect("it is listed");
    line.split_whitespace().nth(1).expect("an id").to_owned()
}

async fn start(db: Db) -> TestApp {
    TestApp::start_with(db, Options { live: true, ..Options::default() }).await
}

#[tokio::test]
async fn the_own_certificate_is_printed_and_written_for_partners() {
    let app = start(Db::sqlite()).await;
    let printed = done(&app, &["export"]).await;
    let certificate = Certificate::from_pem(printed.as_bytes()).expect("a certificate");
    assert!(certificate.subject().contains("Test Direct CA"), "{}", certificate.subject());
    let file = app.db.folder().join("anchor.pem");
    let said = done(&app, &["export", "--out", shown(&file)]).await;
    assert!(said.contains(&certificate.fingerprint()), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("the file"), printed);
}

#[tokio::test]
async fn the_authority_is_made_anew_until_it_has_issued_a_certificate() {
    let app = start(Db::sqlite()).await;
    let before = done(&app, &["export"]).await;
    let said = done(&app, &["remake-authority"]).await;
    assert!(said.contains("direct.carepost.example"), "{said}");
    let after = done(&app, &["export"]).await;
    let list = done(&app, &["list"]).await;
    assert_ne!(after, before);
    assert_eq!(list.lines().count(), 1, "the former one is trusted no longer: {list}");
    assert!(list.contains("Carepost Direct CA carepost.example"), "{list}");
    let audited = audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectType.eq("authority"))
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("the trail");
    let said: Vec<_> =
        audited.iter().map(|entry| (entry.event_type.as_str(), entry.actor_name.as_str())).collect();
    let expected = [("Created", ""), ("Deleted", "Command line"), ("Created", "Command line")];
    assert_eq!(said, expected, "the authority of the tests was put in first");
    assert!(audited[1].detail.contains("Test Direct CA"), "{}", audited[1].detail);

    app.practice("larkfield").await;
    let said = refused(&app, &["remake-authority"]).await;
    assert!(said.contains("The authority has issued certificates"), "{said}");
    assert_eq!(done(&app, &["export"]).await, after);
}

#[tokio::test]
async fn an_anchor_is_trusted_by_one_organization_in_one_direction_until_it_is_removed() {
    let app = start(Db::sqlite()).await;
    app.organization("larkfield").await;
    let publisher = Publisher::start();
    let file = publisher.path(&publisher.root("north"));
    let add = ["add-anchor", shown(&file), "--organization", "larkfield", "--direction"];
    done(&app, &[&add[..], &["incoming"]].concat()).await;
    assert!(done(&app, &["list"]).await.contains("larkfield, incoming"));
    done(&app, &[&add[..], &["outgoing"]].concat()).await;
    let list = done(&app, &["list"]).await;
    assert!(list.contains("larkfield, outgoing") && !list.contains("larkfield, incoming"), "{list}");
    done(&app, &[&add[..], &["outgoing", "--require-revocation"]].concat()).await;
    let list = done(&app, &["list"]).await;
    assert!(list.contains(", revocation required"), "{list}");
    let id = id_of(&list, "anchor", "north Root");
    done(&app, &["remove", &id]).await;
    assert!(!done(&app, &["list"]).await.contains("north Root"));
    assert!(refused(&app, &["remove", &id]).await.contains("there is no bundle"));
    let stranger = ["add-anchor", shown(&file), "--organization", "nowhere"];
    assert!(refused(&app, &stranger).await.contains("no organization with the subdomain nowhere"));
    let key = publisher.path("north.key");
    assert!(refused(&app, &["add-anchor", shown(&key)]).await.contains("is not a certificate"));
    app.finish().await;
}

#[tokio::test]
async fn a_bundle_is_fetched_again_and_keeps_its_last_good_anchors_when_that_fails() {
    let app = start(Db::sqlite()).await;
    let publisher = Publisher::start();
    let (north, south) = (publisher.root("north"), publisher.root("south"));
    publisher.bundle("community.p7b", &[&north, &south]);
    let url = publisher.url("community.p7b");
    let missing = refused(&app, &["add-bundle", "Community", &publisher.url("nothing.p7b")]).await;
    assert!(missing.contains("could not be fetched: the server answered with status 404"), "{missing}");
    assert!(!done(&app, &["list"]).await.contains("Community"), "what was refused is not kept");
    assert!(done(&app, &["add-bundle", "Community", &url]).await.contains("The 2 certificates of Community"));

    publisher.bundle("community.p7b", &[&north]);
    done(&app, &["refresh"]).await;
    let list = done(&app, &["list"]).await;
    assert!(list.contains("north Root") && !list.contains("south Root"), "{list}");

    fs::write(publisher.path("community.p7b"), "Be right back.").expect("it is written");
    let words = refused(&app, &["refresh"]).await;
    assert!(words.contains("keeps its last good anchors. The trust bundle cannot be read."), "{words}");
    let list = done(&app, &["list"]).await;
    assert!(list.contains("north Root") && list.contains("The last refresh failed"), "{list}");
    let (content, said) = crate::doctor::ask(&app, &[]).await;
    assert!(!content && said.contains("The trust bundle Community keeps its last good anchors"), "{said}");

    let anchor = id_of(&list, "anchor", "north Root");
    assert!(refused(&app, &["remove", &anchor]).await.contains("outside a bundle"));
    done(&app, &["remove", &id_of(&list, "bundle", "Community")]).await;
    assert!(!done(&app, &["list"]).await.contains("north Root"));
    app.finish().await;
}

#[tokio::test]
async fn a_signed_bundle_is_taken_from_its_pinned_signer_only() {
    let app = start(Db::sqlite()).await;
    let publisher = Publisher::start();
    let (north, signer, other) = (publisher.root("north"), publisher.root("signer"), publisher.root("other"));
    publisher.bundle("content.p7b", &[&north]);
    publisher.openssl(&[
        "cms",
        "-sign",
        "-binary",
        "-nodetach",
        "-in",
        "content.p7b",
        "-signer",
        &signer,
        "-inkey",
        "signer.key",
        "-outform",
        "DER",
        "-out",
        "community.p7m",
    ]);
    let add = ["add-bundle", "Community", &publisher.url("community.p7m"), "--signer"];
    let (signer, other) = (publisher.path(&signer), publisher.path(&other));
    let words = refused(&app, &[&add[..], &[shown(&other)]].concat()).await;
    assert!(words.contains("not signed by the pinned signer"), "{words}");
    done(&app, &[&add[..], &[shown(&signer)]].concat()).await;
    assert!(done(&app, &["list"]).await.contains("north Root"));
    app.finish().await;
}

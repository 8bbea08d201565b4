//! Trust bundles determine whose mail is accepted, and are refreshed automatically.

use crate::{partner::*, support::*};
use ::direct::cert::Certificate;
use async_trait::async_trait;
use chrono::Duration;
use fetch::{Fetch, FetchError};
use messaging::direct::bundles::{self, NewBundle};
use platform::audit::Actor;
use serde_json::json;
use std::{process::Command, sync::Mutex};
use testkit::{Db, Practice, TestApp};

/// Publishes one file, or nothing.
#[derive(Debug, Default)]
struct Publisher(Mutex<Option<Vec<u8>>>);

impl Publisher {
    fn publish(&self, app: &TestApp, certificates: &[&Certificate]) {
        let folder = app.db.folder();
        let pem: String = certificates.iter().map(|c| c.to_pem()).collect();
        std::fs::write(folder.join("anchors.pem"), pem).expect("the certificates are written");
        let made = Command::new("openssl")
            .args(["crl2pkcs7", "-nocrl", "-outform", "DER", "-certfile", "anchors.pem"])
            .current_dir(folder)
            .output()
            .expect("openssl runs");
        assert!(made.status.success());
        *self.0.lock().expect("the file") = Some(made.stdout);
    }

    fn vanish(&self) {
        *self.0.lock().expect("the file") = None;
    }
}

#[async_trait]
impl Fetch for Publisher {
    async fn get(&self, _: &str, _: usize) -> Result<Vec<u8>, FetchError> {
        self.0.lock().expect("the file").clone().ok_or(FetchError::Unreachable)
    }
}

struct World {
    partner: Partner,
    app: TestApp,
    larkfield: Practice,
    publisher: Publisher,
}

impl World {
    /// A practice that trusts the partner by a bundle.
    async fn new(db: Db) -> Self {
        let partner = Partner::start().await;
        let app = partner.app(db).await;
        let larkfield = app.practice("larkfield").await;
        let publisher = Publisher::default();
        publisher.publish(&app, &[partner.ca.certificate()]);
        let bundle = NewBundle {
            organization_id: Some(larkfield.organization.id),
            name: "Community".into(),
            url: "https://community.example/bundle.p7b".into(),
            signer: None,
            requires_revocation: false,
        };
        let (_, anchors) =
            bundles::add(&app, &publisher, &Actor::default(), bundle).await.expect("it is taken");
        assert_eq!(anchors, 1);
        Self { partner, app, larkfield, publisher }
    }

    async fn letter(&self, subject: &str) {
        let letter = letter(PAT, &[&self.larkfield.address], subject, self.app.clock.now());
        let inner = letter.build().expect("a letter");
        let outcome = self.partner.send(&self.app, PAT, &self.larkfield, &inner).await;
        assert!(accepted(&outcome), "{outcome:?}");
        self.app.drain().await;
    }

    async fn refresh(&self) {
        bundles::refresh_due(&self.app, &self.publisher).await.expect("the bundles are looked through");
    }

    async fn shown(&self) -> Vec<String> {
        // A session would not last for the days that pass here.
        let client = self.app.browser_of(&self.larkfield.user).await;
        subjects(&client, json!({})).await
    }
}

#[tokio::test]
async fn who_leaves_a_bundle_is_not_believed_any_more_after_a_day() {
    let world = World::new(Db::sqlite()).await;
    world.letter("Believed").await;
    let other = authority("Other Root", world.app.clock.now());
    world.publisher.publish(&world.app, &[other.certificate()]);
    world.refresh().await;
    world.letter("Still fresh").await;
    assert_eq!(world.shown().await, ["Still fresh", "Believed"]);
    world.app.clock.advance(Duration::hours(25));
    world.refresh().await;
    world.letter("Too late").await;
    assert_eq!(world.shown().await, ["Still fresh", "Believed"]);
    assert_eq!(rejections(&world.app, &world.larkfield).await.len(), 1);
    world.app.finish().await;
}

#[tokio::test]
async fn a_bundle_that_cannot_be_fetched_stays_in_force_and_is_tried_again() {
    let world = World::new(Db::sqlite()).await;
    world.publisher.vanish();
    world.app.clock.advance(Duration::hours(25));
    world.refresh().await;
    world.letter("Believed").await;
    assert_eq!(world.shown().await, ["Believed"], "the last good anchors hold");
    let other = authority("Other Root", world.app.clock.now());
    world.publisher.publish(&world.app, &[other.certificate()]);
    world.refresh().await;
    world.letter("Too late").await;
    assert_eq!(world.shown().await, ["Believed"], "the next round needs no day");
    world.app.finish().await;
}

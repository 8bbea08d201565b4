//! Files that are stored directly are scanned for malware first.

use crate::{
    imports::{self, choices, line},
    onboarding::{Fresh, fresh, scan, upload},
};
use platform::Role;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use std::sync::atomic::Ordering::SeqCst;
use store::entities::{brand_logo, import_batch, proofing_document, terms};
use testkit::{Answer, Clamd, Client, Db, TestApp, eicar};

const FOUND: &str =
    "The malware check found a problem in this file, so it was not stored: Eicar-Test-Signature.";
const LATER: &str =
    "The file could not be checked for malware, so it was not stored. Please try again in a few minutes.";

async fn world() -> (TestApp, Clamd) {
    let clamd = Clamd::start();
    let app = TestApp::start_with(Db::sqlite(), clamd.options()).await;
    (app, clamd)
}

#[tokio::test]
async fn a_photo_id_with_malware_is_refused_and_one_that_nobody_could_scan_is_to_be_sent_again() {
    let (app, clamd) = world().await;
    let Fresh { client, .. } = fresh(&app, "larkfield").await;
    let kept = async || proofing_document::Entity::find().count(app.store.db()).await.expect("a count");
    client.post("/api/identityproofing", &crate::onboarding::identity()).await.ok();
    let infected = [scan(), eicar()].concat();
    assert_eq!(upload(&client, "id.pdf", infected).await.texts("file"), [FOUND]);
    clamd.is_up.store(false, SeqCst);
    assert_eq!(upload(&client, "id.pdf", scan()).await.problem(409)["message"], LATER);
    assert_eq!(kept().await, 0, "nothing is stored");
    clamd.is_up.store(true, SeqCst);
    upload(&client, "id.pdf", scan()).await.ok();
    assert_eq!(kept().await, 1);
    app.finish().await;
}

async fn terms_of(client: &Client, brand: &Value, content: Vec<u8>) -> Answer {
    let form = Form::new()
        .part("file", Part::bytes(content).file_name("terms.html"))
        .text("type", "TermsOfService")
        .text("brand", brand.as_str().expect("an id").to_owned())
        .text("version", "7.5");
    client.send(client.request(Method::POST, "/api/admin/eulas").multipart(form)).await
}

/// A picture in the form of a data URL.
fn picture(content: &[u8]) -> String {
    platform::picture::to_data_url("image/png", content)
}

#[tokio::test]
async fn files_of_operators_are_scanned_as_well() {
    let (app, clamd) = world().await;
    let home = app.organization("home").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let (choices, brands) = (choices(&app).await, operator.get("/api/admin/brands").await.ok());
    let brand = &brands["data"][0]["id"];
    let path = format!("/api/brands/{}", brand.as_str().expect("an id"));
    let (form, cover) =
        (operator.get(&path).await.ok(), operator.get(&format!("{path}/faxcover")).await.ok());
    let list = [b"Organization name,Subdomain".to_vec(), line(1).into_bytes()].join(&b'\n');
    let page = b"<p>These are the terms.</p>".to_vec();
    let before = terms::Entity::find().count(app.store.db()).await.expect("a count");

    let with_logo = |mut form: Value, content: &[u8]| {
        form["logo"] = json!(picture(content));
        form
    };
    let all = async |extra: &[u8]| {
        let (logo, list, page) =
            ([b"\x89PNG", extra].concat(), [&list, extra].concat(), [&page, extra].concat());
        [
            ("logo", operator.put(&path, &with_logo(form.clone(), &logo)).await),
            ("logo", operator.put(&format!("{path}/faxcover"), &with_logo(cover.clone(), &logo)).await),
            (
                "file",
                imports::upload(&operator, "/api/admin/import/organization", "a.csv", list, &choices).await,
            ),
            ("file", terms_of(&operator, brand, page).await),
        ]
    };
    for (field, refused) in all(&eicar()).await {
        assert_eq!(refused.texts(field), [FOUND]);
    }
    clamd.is_up.store(false, SeqCst);
    for (_, refused) in all(b"").await {
        assert_eq!(refused.problem(409)["message"], LATER);
    }
    let db = app.store.db();
    assert_eq!(brand_logo::Entity::find().count(db).await.expect("a count"), 0);
    assert_eq!(import_batch::Entity::find().count(db).await.expect("a count"), 0);
    assert_eq!(terms::Entity::find().count(db).await.expect("a count"), before);
    app.finish().await;
}

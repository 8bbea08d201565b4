//! Versions of the terms: managed by operators, accepted by people.

use platform::Role;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use testkit::{Answer, Client, Db, TestApp};

const EULAS: &str = "/api/admin/eulas";
const TERMS: &str = "/api/account/terms";

async fn upload(client: &Client, kind: &str, version: &str, name: &str, html: &[u8]) -> Answer {
    let form = Form::new()
        .text("type", kind.to_owned())
        .text("brand", "standard")
        .text("version", version.to_owned())
        .part("file", Part::bytes(html.to_vec()).file_name(name.to_owned()));
    client.send(client.request(Method::POST, EULAS).multipart(form)).await
}

fn at(eula: &Value) -> String {
    format!("{EULAS}/{}", eula["id"].as_str().expect("an id"))
}

fn versions(page: &Value) -> Vec<&str> {
    page["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|e| e["version"].as_str().expect("a version"))
        .collect()
}

/// ADA-R-036 ADA-R-204 ADA-R-205 ADA-R-206 ADA-R-207 ADA-C-098 ADA-C-099 ADA-C-100 ADA-C-101 ADA-C-102 ADA-C-103
#[tokio::test]
async fn a_version_is_uploaded_read_activated_accepted_and_deleted_only_while_nobody_has_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let admin = app.signed_in(Role::Admin, &home).await;
    let html = b"<h2>Terms</h2><script>alert(1)</script><p onclick=\"x()\">Read them.</p>";
    let added = upload(&operator, "EULA", "10.5", "terms.html", html).await.ok();
    assert_eq!((&added["active"], &added["totalUsers"]), (&json!(false), &json!(0)));
    assert_eq!(operator.get(&at(&added)).await.ok(), added);
    let text = operator.get(&format!("{}/html", at(&added))).await;
    assert_eq!(text.text(), "<h2>Terms</h2><p>Read them.</p>", "nothing runs in terms");
    let paper = operator.get(&format!("{}/pdf", at(&added))).await;
    let page = documents::pdf::text(&paper.body).expect("a PDF").remove(0);
    assert!(page.contains("Read them.") && page.contains("version 10.5"), "{page}");
    let kept = admin.get(&format!("{TERMS}/pdf")).await;
    assert!(documents::pdf::text(&kept.body).expect("a PDF")[0].contains("version 1.0"));
    assert_eq!(admin.get(TERMS).await.ok()["version"], "1.0", "it applies once it is activated");

    operator.put(&format!("{}/activate", at(&added)), &json!({})).await.ok();
    let shown = admin.get(TERMS).await.ok();
    assert_eq!((&shown["version"], &shown["isAccepted"]), (&json!("10.5"), &json!(false)));
    let all = operator.get(&format!("{EULAS}?search=all%20brands")).await.ok();
    let active: Vec<_> =
        all["items"].as_array().expect("items").iter().filter(|e| e["active"] == true).collect();
    assert_eq!(active.len(), 1, "one version of a type and brand is active");
    let refused = operator.delete(&at(&added)).await.problem(409);
    assert_eq!(refused["message"], "This version is active, so it cannot be deleted.");

    admin.post(TERMS, &json!({ "type": "standard", "version": "10.5" })).await.ok();
    let next = upload(&operator, "EULA", "10.6", "terms.htm", html).await.ok();
    operator.put(&format!("{}/activate", at(&next)), &json!({})).await.ok();
    let refused = operator.delete(&at(&added)).await.problem(409);
    assert_eq!(refused["message"], "1 person accepted this version, so it cannot be deleted.");
    let unread = upload(&operator, "EULA", "11", "terms.html", html).await.ok();
    operator.delete(&at(&unread)).await.ok();
    operator.get(&at(&unread)).await.problem(404);
    admin.get(EULAS).await.problem(403);
    app.finish().await;
}

/// ADA-R-162 ADA-R-163 ADA-R-164 ADA-R-306 ADA-R-307 ADA-R-308 ADA-R-309 ADA-R-310 ADA-R-313 ADA-C-104
#[tokio::test]
async fn an_upload_is_checked_and_versions_are_sorted_as_numbers() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let empty =
        operator.send(operator.request(Method::POST, EULAS).multipart(Form::new().text("x", "y"))).await;
    let wrong = empty.problem(422)["modelState"].clone();
    assert_eq!(wrong["file"], json!(["You must select a file."]));
    for field in ["type", "brand", "version"] {
        assert!(wrong[field].is_array(), "{field}");
    }
    let good = b"<p>Text</p>".as_slice();
    for (name, html) in [
        ("terms.pdf", good),
        ("terms.html", b"%PDF-1.7".as_slice()),
        ("terms.html", b"<p></p>"),
        ("t.html", b"<p>\xff</p>"),
    ] {
        let wrong = upload(&operator, "EULA", "3", name, html).await.problem(422);
        assert_eq!(wrong["modelState"]["file"], json!(["You must select a html file."]), "{name}");
    }
    upload(&operator, "EULA", "3", "terms.html", &vec![b'a'; (1 << 20) + 1]).await.problem(422);
    for version in ["9", "10", "2.5"] {
        upload(&operator, "EULA", version, "terms.html", good).await.ok();
    }
    for kind in ["EULA", "Privacy"] {
        let taken = upload(&operator, kind, "9.0", "terms.html", good).await.problem(422);
        let text = "This eula version already exists, please enter a different version number.";
        assert_eq!(taken["modelState"]["version"], json!([text]), "{kind}");
    }
    let exists = async |version: &str| {
        operator.get(&format!("{EULAS}/version/exists?brand=standard&version={version}")).await.ok()["data"]
            .clone()
    };
    assert_eq!((exists("10").await, exists("11").await), (json!(true), json!(false)));
    let page = operator.get(&format!("{EULAS}?search=all%20brands&pageSize=3")).await.ok();
    assert_eq!(versions(&page), ["10", "9", "2.5"]);
    let page = operator.get(&format!("{EULAS}?search=2.5&sortBy=brand&sortDir=asc")).await.ok();
    assert_eq!(versions(&page), ["2.5"]);
    app.finish().await;
}

/// ADA-R-037
#[tokio::test]
async fn privacy_terms_are_accepted_with_the_terms_of_service() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let admin = app.signed_in(Role::Admin, &home).await;
    let read = json!({ "type": "standard", "version": "1.0" });
    admin.post(TERMS, &read).await.ok();
    let privacy = upload(&operator, "Privacy", "4", "privacy.html", b"<p>We keep little.</p>").await.ok();
    operator.put(&format!("{}/activate", at(&privacy)), &json!({})).await.ok();
    let shown = admin.get(TERMS).await.ok();
    assert_eq!((&shown["isAccepted"], &shown["privacy"]["version"]), (&json!(false), &json!("4")));
    admin.post(TERMS, &read).await.problem(409);
    let both = json!({ "type": "standard", "version": "1.0", "privacyVersion": "4" });
    assert_eq!(admin.post(TERMS, &both).await.ok()["isAccepted"], true);
    assert_eq!(operator.get(&at(&privacy)).await.ok()["totalUsers"], 1);
    app.finish().await;
}

/// ADA-R-206
#[tokio::test]
async fn after_an_activation_nobody_does_anything_before_they_have_accepted() {
    let app = TestApp::start(Db::sqlite()).await;
    let home = app.organization("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let admin = app.signed_in(Role::Admin, &home).await;
    let person = app.signed_in(Role::User, &home).await;
    let added = upload(&operator, "EULA", "10.5", "terms.html", b"<p>Read them.</p>").await.ok();
    person.get("/api/messages").await.ok();
    operator.put(&format!("{}/activate", at(&added)), &json!({})).await.ok();

    let accept = json!({ "type": "standard", "version": "10.5" });
    for client in [&person, &admin] {
        for path in ["/api/messages", "/api/users/assignable", "/api/account/sessions"] {
            let problem = client.get(path).await.problem(403);
            assert_eq!(problem["reason"], "TermsRequired", "{path}");
        }
        client.post("/api/account/hubticket", &json!({})).await.problem(403);
        assert_eq!(client.get("/api/users/profiledata").await.ok()["mustAcceptTerms"], true);
        assert_eq!(client.get(TERMS).await.ok()["version"], "10.5");
    }
    person.post(TERMS, &accept).await.ok();
    person.get("/api/messages").await.ok();
    let profile = person.get("/api/users/profiledata").await.ok();
    assert_eq!((&profile["mustAcceptTerms"], &profile["orgIsAcceptedEULA"]), (&json!(false), &json!(false)));
    admin.get("/api/messages").await.problem(403);
    admin.post(TERMS, &accept).await.ok();
    admin.get("/api/messages").await.ok();
    let profile = person.get("/api/users/profiledata").await.ok();
    assert_eq!(profile["orgIsAcceptedEULA"], true, "an administrator's counts for the organization");
    operator.get(EULAS).await.ok();
    assert_eq!(operator.get(&at(&added)).await.ok()["totalUsers"], 2);
    app.finish().await;
}

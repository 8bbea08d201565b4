//! People who sign in at the EHR themselves.

use crate::world::{World, form, text};
use serde_json::{Value, json};
use testkit::Db;

/// Signs in at the sample practice as its page does; returns the address to which the browser is sent back.
async fn consent(url: &str) -> String {
    let browser =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let page = browser.get(url).send().await.expect("the page").text().await.expect("a page");
    let fields: Vec<(String, String)> = page
        .split("<input ")
        .skip(1)
        .filter_map(|field| Some((attribute(field, "name")?, attribute(field, "value")?)))
        .collect();
    let action = page.split("<form ").nth(1).and_then(|form| attribute(form, "action")).unwrap_or_default();
    let to = url::Url::parse(url).expect("an address").join(&action).expect("an address");
    let button = page
        .split("<button ")
        .nth(1)
        .and_then(|button| Some((attribute(button, "name")?, attribute(button, "value")?)));
    let form = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields.into_iter().chain(button))
        .finish();
    let request = browser.post(to).header("content-type", "application/x-www-form-urlencoded").body(form);
    let answer = request.send().await;
    let answer = answer.expect("an answer");
    answer.headers().get("location").expect("a redirect").to_str().expect("an address").to_owned()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = tag.split('>').next()?;
    let value = tag.split(&format!("{name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&amp;", "&"))
}

async fn world() -> World {
    let world = World::start(Db::sqlite(), |ehr| ehr).await;
    let mut wanted = form(&world.server.base);
    (wanted["authentication"], wanted["clientId"]) = (json!("Person"), json!("carepost-people"));
    let id = world.connect(&wanted).await;
    let redirect = text(&world.connection().await, "redirectUrl").to_owned();
    world.server.ehr.register_app("carepost-people", &redirect);
    world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
    world
}

/// The path of the callback, from the address to which the browser is sent.
fn path_of(address: &str) -> String {
    let address = url::Url::parse(address).expect("an address");
    format!("{}?{}", address.path(), address.query().unwrap_or_default())
}

async fn check(world: &World, state: &Value) -> Value {
    let body = json!({ "state": state, "integrationType": "Fhir" });
    world.larkfield.client.post("/api/integrations/checkstate", &body).await.ok()
}

/// MSG-C-099 MSG-C-100 MSG-C-101 MSG-R-226
#[tokio::test]
async fn a_person_signs_in_once_and_is_known_until_they_sign_out() {
    let world = world().await;
    let staff = &world.larkfield.client;
    let search = json!({ "lastName": "Tenney" });
    let refused = staff.post("/api/integrations/patients", &search).await.problem(409);
    assert_eq!(refused["reason"], "LoginRequired");
    assert_eq!(staff.get("/api/integrations/connected/types").await.ok()["items"][0]["needsLogin"], true);
    assert_eq!(staff.get("/api/integrations/capabilities").await.ok()["haveCodeGrantLogin"], true);

    let begun = staff.get("/api/integrations/externallogin?integrationType=Fhir").await.ok();
    assert_eq!(check(&world, &begun["state"]).await, json!({ "isSignedIn": false, "hasFailed": false }));
    let back = path_of(&consent(text(&begun, "url")).await);
    // Somebody else's browser cannot take it over.
    assert!(world.app.client().get(&back).await.text().contains("did not succeed"));
    let page = world.larkfield.client.get(&back).await.text();
    assert!(page.contains("It is now safe to close this window."), "{page}");
    assert_eq!(check(&world, &begun["state"]).await["isSignedIn"], true);
    staff.post("/api/integrations/patients", &search).await.ok();
    assert!(
        world.larkfield.client.get(&back).await.text().contains("did not succeed"),
        "a state is used once"
    );
    staff.post("/api/integrations/patients", &search).await.ok();

    // A colleague is somebody else.
    world.admin.post("/api/integrations/patients", &search).await.problem(409);
    let state = json!({ "state": begun["state"], "integrationType": "Fhir" });
    world.admin.post("/api/integrations/checkstate", &state).await.problem(404);
    staff.post("/api/integrations/revoketoken", &json!({ "type": "Fhir" })).await.ok();
    staff.post("/api/integrations/patients", &search).await.problem(409);
    world.app.finish().await;
}

/// MSG-C-102
#[tokio::test]
async fn a_sign_in_is_renewed_and_revoked_at_the_ehr() {
    let world = world().await;
    let staff = &world.larkfield.client;
    let begun = staff.get("/api/integrations/externallogin?integrationType=Fhir").await.ok();
    let back = path_of(&consent(text(&begun, "url")).await);
    world.larkfield.client.get(&back).await.text();
    // The access token has ended by then.
    world.app.advance(chrono::Duration::hours(3));
    let staff = &world.app.browser_of(&world.larkfield.user).await;
    staff.post("/api/integrations/patients", &json!({ "lastName": "Tenney" })).await.ok();
    staff.post("/api/integrations/revoketoken/oauth", &json!({ "type": "Fhir" })).await.ok();
    staff.post("/api/integrations/patients", &json!({ "lastName": "Tenney" })).await.problem(409);
    world.app.finish().await;
}

#[tokio::test]
async fn a_refused_a_late_and_an_invented_sign_in_fail() {
    let world = world().await;
    let staff = &world.larkfield.client;
    let invented = world.app.client().get("/integrations/callback?state=invented&code=x").await.text();
    assert!(invented.contains("did not succeed"));
    let begun = staff.get("/api/integrations/externallogin?integrationType=Fhir").await.ok();
    let denied = format!("/integrations/callback?error=access_denied&state={}", text(&begun, "state"));
    assert!(world.larkfield.client.get(&denied).await.text().contains("did not succeed"));
    assert_eq!(check(&world, &begun["state"]).await["hasFailed"], true);
    let late = staff.get("/api/integrations/externallogin?integrationType=Fhir").await.ok();
    let back = path_of(&consent(text(&late, "url")).await);
    world.app.advance(chrono::Duration::minutes(11));
    assert!(world.larkfield.client.get(&back).await.text().contains("did not succeed"));
    world.app.finish().await;
}

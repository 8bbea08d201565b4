//! Brands: editing by operators, and display to people.

use crate::world::{Person, World, id_of, with};
use platform::Role;
use reqwest::{Method, StatusCode, header::HOST};
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};
use store::entities::organization;
use testkit::{Client, Db};
use uuid::Uuid;

testkit::on_both_databases! { a_brand_is_shown_at_its_host_names_and_to_the_people_of_its_organizations }

/// A picture of one pixel.
const DOT: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn form() -> Value {
    json!({
        "name": "bluestem",
        "displayName": "Bluestem Exchange",
        "color": "#7c3671",
        "logo": DOT,
        "hosts": ["Mail.Bluestem.example"],
        "hideProviderInvitations": true,
    })
}

async fn branding(client: &Client, host: &str) -> Value {
    let request = client.request(Method::GET, "/api/branding").header(HOST, host);
    client.send(request).await.ok()
}

/// SES-R-001, MSG-R-010, SES-R-019
async fn a_brand_is_shown_at_its_host_names_and_to_the_people_of_its_organizations(db: Db) {
    let world = World::new(db).await;
    let created = world.call("POST", "/api/brands", form()).await.ok();
    let id = id_of(&created);
    assert_eq!(created["hosts"], json!(["mail.bluestem.example"]));

    let stranger = world.app.client();
    let shown = branding(&stranger, "mail.bluestem.example:8443").await;
    assert_eq!(shown["displayName"], "Bluestem Exchange");
    assert_eq!(shown["brandColors"].as_array().map(Vec::len), Some(10));
    assert_eq!(branding(&stranger, "elsewhere.example").await["displayName"], "Carepost");

    let logo = stranger.get(shown["logo"].as_str().expect("an address")).await;
    assert_eq!((logo.status, logo.header("content-type")), (StatusCode::OK, "image/png".into()));
    assert!(logo.header("content-security-policy").starts_with("default-src 'none'"));

    let larkfield = world.organization_id("Larkfield", "larkfield").await;
    let row = organization::ActiveModel { id: Set(larkfield), brand_id: Set(id), ..Default::default() };
    row.update(world.app.store.db()).await.expect("an organization");
    let (member, _) = world.sign_in(Person::Member(Role::User, larkfield)).await;
    assert_eq!(branding(&member, "elsewhere.example").await["displayName"], "Bluestem Exchange");
    let settings = member.get(&format!("/api/entitysettings/Brand/{id}")).await.ok();
    assert_eq!(settings["settings"], json!({ "hideProviderInvitations": "true" }));

    let listed = world.get("/api/brands?search=blue").await;
    assert_eq!((&listed["totalCount"], &listed["items"][0]["organizations"]), (&json!(1), &json!(1)));
    let text = world.call("DELETE", &format!("/api/brands/{id}"), Value::Null).await.problem(409);
    assert_eq!(text["message"], "1 organization uses this entry, so it cannot be deleted.");
}

#[tokio::test]
async fn a_saved_brand_keeps_what_the_form_sent_and_nobody_saves_over_a_newer_version() {
    let world = World::new(Db::sqlite()).await;
    let id = id_of(&world.call("POST", "/api/brands", form()).await.ok());
    let path = format!("/api/brands/{id}");
    let read = world.get(&path).await;
    assert_eq!(read["logo"], DOT);
    assert_eq!(read["color"], "#7C3671");
    let change = with(form(), json!({ "logo": "", "color": "", "hasOwnTerms": true, "version": 1 }));
    let saved = world.call("PUT", &path, change.clone()).await.ok();
    assert_eq!((&saved["logo"], &saved["version"]), (&json!(""), &json!(2)));
    let shown = branding(&world.app.client(), "mail.bluestem.example").await;
    assert_eq!((&shown["brandColors"], &shown["logo"]), (&json!([]), &json!("")));
    world.call("PUT", &path, change).await.problem(409);
    world.call("DELETE", &path, Value::Null).await.ok();
    world.call("GET", &path, Value::Null).await.problem(404);
    let first = format!("/api/brands/{}", world.lists.brand);
    world.call("DELETE", &first, Value::Null).await.problem(409);
}

#[tokio::test]
async fn a_brand_with_wrong_fields_is_refused() {
    let world = World::new(Db::sqlite()).await;
    world.call("POST", "/api/brands", form()).await.ok();
    let other = with(form(), json!({ "name": "other", "hosts": ["other.example"] }));
    for (change, field, text) in [
        (json!({ "name": "Two Words" }), "name", "Please enter small letters, digits and inner hyphens."),
        (json!({ "name": "bluestem" }), "name", "Another brand has this short name."),
        (json!({ "color": "plum" }), "color", "Please enter a colour such as #0B6570."),
        (
            json!({ "hosts": ["MAIL.bluestem.example"] }),
            "hosts",
            "mail.bluestem.example belongs to Bluestem Exchange.",
        ),
        (
            json!({ "logo": "data:image/svg+xml;base64,PHN2Zy8+" }),
            "logo",
            "Please choose a PNG or JPEG picture.",
        ),
        (json!({ "logo": "nothing" }), "logo", "The image is incomplete."),
    ] {
        let answer = world.call("POST", "/api/brands", with(other.clone(), change)).await;
        assert_eq!(answer.texts(field), [text]);
    }
    let answer = world.call("POST", "/api/brands", with(other, json!({ "hosts": ["a b"] }))).await;
    let said = answer.problem(422)["modelState"].to_string();
    assert!(said.contains("Please enter host names such as mail.clinic.example."), "{said}");
}

#[tokio::test]
async fn operators_alone_edit_brands() {
    let world = World::new(Db::sqlite()).await;
    let larkfield = world.organization_id("Larkfield", "larkfield").await;
    let (member, _) = world.sign_in(Person::Member(Role::Admin, larkfield)).await;
    let of = format!("/api/brands/{}", world.lists.brand);
    for (method, path) in
        [("GET", "/api/brands"), ("POST", "/api/brands"), ("GET", &of), ("PUT", &of), ("DELETE", &of)]
    {
        world.call_as(&member, method, path, form()).await.problem(403);
    }
    let nobodys = format!("/api/brands/{}", Uuid::now_v7());
    world.call("GET", &nobodys, Value::Null).await.problem(404);
}

#[tokio::test]
async fn a_fax_cover_is_kept_with_the_version_of_its_brand() {
    let world = World::new(Db::sqlite()).await;
    let path = format!("/api/brands/{}/faxcover", world.lists.brand);
    let cover = world.get(&path).await;
    assert_eq!((&cover["logo"], &cover["notice"], &cover["version"]), (&json!(""), &json!(""), &json!(1)));
    let change = json!({ "logo": DOT, "notice": "Private.", "version": 1 });
    let saved = world.call("PUT", &path, change.clone()).await.ok();
    assert_eq!((&saved["logo"], &saved["notice"]), (&json!(DOT), &json!("Private.")));
    world.call("PUT", &path, change).await.problem(409);
    let wrong = json!({ "logo": "data:image/png;base64,AAAA", "version": 2 });
    assert_eq!(world.call("PUT", &path, wrong).await.texts("logo"), ["Please choose a PNG or JPEG picture."]);
}

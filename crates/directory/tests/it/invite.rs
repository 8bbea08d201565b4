//! Invitations.

use chrono::Duration;
use platform::Role;
use sea_orm::EntityTrait;
use serde_json::{Value, json};
use store::entities::{audit_entry, invitation};
use testkit::{Client, Db, Options, TestApp};

const PATH: &str = "/api/users/sendinvitation";

fn invited() -> Value {
    json!({ "fullName": "Rowan Aldane", "emailAddress": "rowan@trivalley.example" })
}

async fn letters(app: &TestApp) -> Vec<(Value, Value)> {
    let visitor: Client = app.client();
    let list = visitor.get("/api/demo/emails").await.ok();
    let mut letters = Vec::new();
    for item in list["items"].as_array().expect("a list") {
        let path = format!("/api/demo/emails/{}", item["id"].as_str().expect("an id"));
        letters.push((item.clone(), visitor.get(&path).await.ok()));
    }
    letters
}

/// SES-C-018, SES-R-180
#[tokio::test]
async fn an_invitation_goes_to_the_person_and_a_copy_to_its_sender() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let desk = app.source(&larkfield, "desk").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    let mut body = invited();
    body["directAddress"] = json!(desk.address.to_uppercase());
    assert_eq!(client.post(PATH, &body).await.ok()["message"], "Invitation has been sent.");
    app.drain().await;
    let letters = letters(&app).await;
    assert_eq!(letters.len(), 2);
    let to = |address: &str| {
        let found = letters.iter().find(|(item, _)| item["toAddress"] == address);
        found.unwrap_or_else(|| panic!("nothing for {address}: {letters:?}"))
    };
    let (item, letter) = to("rowan@trivalley.example");
    assert_eq!(item["subject"], "Priya Nandakumar of larkfield practice invites you to Carepost");
    let text = letter["text"].as_str().expect("a text");
    assert!(text.contains("Hello Rowan Aldane,") && text.contains("/account/register"), "{text}");
    assert!(text.contains(&format!("Their Direct address is {}.", desk.address)), "{text}");
    let (item, copy) = to(&user.user_name);
    assert_eq!(item["subject"], "Your invitation to Rowan Aldane");
    assert!(copy["text"].as_str().expect("a text").contains("rowan@trivalley.example"));
    let audited = audit_entry::Entity::find().all(app.store.db()).await.expect("entries");
    let entry = audited.iter().find(|entry| entry.event_type == "Invited").expect("an entry");
    assert!(!entry.detail.contains("rowan"), "{}", entry.detail);
    app.finish().await;
}

#[tokio::test]
async fn an_invitation_needs_a_name_and_an_address_and_mentions_only_own_direct_addresses() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.organization("larkfield").await, app.organization("summit").await);
    let foreign = app.source(&summit, "front").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let refused = async |changes: Value, field: &str| {
        let mut body = invited();
        for (name, value) in changes.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let problem = client.post(PATH, &body).await.problem(422);
        problem["modelState"][field][0].as_str().expect("a text").to_owned()
    };
    assert_eq!(refused(json!({ "fullName": " " }), "fullName").await, "Full name is required.");
    refused(json!({ "fullName": "x".repeat(256) }), "fullName").await;
    assert_eq!(refused(json!({ "emailAddress": "" }), "emailAddress").await, "Email address is required.");
    for wrong in [
        "rowan",
        "rowan@",
        "a b@c.example",
        "r@x.example\r\nBcc: all@x.example",
        &format!("{}@x.example", "r".repeat(250)),
    ] {
        let text = refused(json!({ "emailAddress": wrong }), "emailAddress").await;
        assert_eq!(text, "Please enter a valid email address.", "{wrong}");
    }
    refused(json!({ "directAddress": foreign.address }), "directAddress").await;
    refused(json!({ "directAddress": format!("\0{}", foreign.address) }), "directAddress").await;
    app.client().post(PATH, &invited()).await.problem(401);
    app.signed_in(Role::SysAdmin, &larkfield).await.post(PATH, &invited()).await.problem(403);
    app.drain().await;
    assert!(letters(&app).await.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn invitations_are_limited_per_day() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let client = app.browser_of(&user).await;
    let now = app.clock.now();
    let before = (0..50).map(|n| invitation::Model {
        id: uuid::Uuid::now_v7(),
        organization_id: larkfield.id,
        user_id: user.id,
        created_at: now - Duration::minutes(n),
    });
    invitation::Entity::insert_many(before.map(|row| {
        use sea_orm::{ActiveModelTrait, IntoActiveModel};
        row.into_active_model().reset_all()
    }))
    .exec_without_returning(app.store.db())
    .await
    .expect("invitations");
    client.post(PATH, &invited()).await.problem(429);
    app.signed_in(Role::User, &larkfield).await.post(PATH, &invited()).await.ok();
    app.advance(Duration::hours(24));
    app.browser_of(&user).await.post(PATH, &invited()).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn invitations_are_refused_where_no_mail_server_is_set_up() {
    let configure = |config: &mut platform::Config| {
        config.mode = platform::config::Mode::Production;
        config.session.require_second_factor = Some(false);
    };
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let problem = client.post(PATH, &invited()).await.problem(409);
    let text = problem["message"].as_str().expect("a text");
    assert!(text.starts_with("An error occurred while sending the invitation."), "{text}");
    let rows = invitation::Entity::find().all(app.store.db()).await.expect("rows");
    assert!(rows.is_empty());
    app.finish().await;
}

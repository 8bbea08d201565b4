//! Operations that only work in a certain order, called one after the other.

use super::side::{World, text};
use crate::{imports, inbox::newest, passwords, registration, second_factor, single_sign_on};
use chrono::Duration;
use platform::Role;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{ActiveValue::Set, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;
use server::setup::operator;
use store::entities::workflow_step;
use testkit::{Client, PASSWORD, TestApp, User};

pub async fn walk(world: &World) {
    let app = &world.app;
    sign_in_and_out(app, &somebody(world).await).await;
    passwords(app, &somebody(world).await).await;
    authenticator(app, &somebody(world).await).await;
    codes_by_email(app, &somebody(world).await).await;
    confirmed_by_email(app, &somebody(world).await).await;
    passkey(app, &somebody(world).await).await;
    registration(app).await;
    single_sign_on(world).await;
    terms(world).await;
    import(app, world.owner.browser(Role::SysAdmin)).await;
    retry(world).await;
}

/// Works only while the installation has no operator.
pub async fn first_operator(app: &TestApp) {
    let link = operator::new_link(app).await.expect("a link").expect("there is no operator");
    let token = link.split_once('#').expect("a token").1;
    let client = app.client();
    client.post("/api/setup/link", &json!({ "token": token })).await.ok();
    let form = json!({
        "token": token, "email": "ola@carepost.example", "firstName": "Ola", "lastName": "Ng",
        "password": passwords::NEW,
    });
    client.post("/api/setup/operator", &form).await.ok();
}

async fn somebody(world: &World) -> User {
    world.app.user(Role::User, &world.owner.practice.organization).await
}

async fn sign_in_and_out(app: &TestApp, user: &User) {
    let client = app.browser_of(user).await;
    client.renew().await.ok();
    client.post("/api/account/sessions/end", &json!({ "password": PASSWORD })).await.ok();
    let client = app.browser_of(user).await;
    client.post("/api/account/logout", &json!({})).await.ok();
}

async fn confirmed_by_email(app: &TestApp, user: &User) {
    let client = app.browser_of(user).await;
    let path = |tail: &str| format!("/api/users/{}/{tail}", user.id);
    assert_eq!(client.get(&path("sendcode?method=Email")).await.status, 202);
    let code = newest(app, &user.user_name).await.code();
    assert_eq!(client.post(&path("verifycode"), &json!({ "code": code })).await.status, 204);
    client.get(&path(&format!("enabletfa?code={code}"))).await.ok();
    app.advance(Duration::minutes(1));
    assert_eq!(client.post(&path("sendcode"), &json!({})).await.status, 202);
    let code = newest(app, &user.user_name).await.code();
    let setup = client.get(&format!("/api/users/enabletokenauth?code={code}")).await.ok();
    let phone = second_factor::Phone::of(&setup);
    let body = json!({ "challenge": setup["challenge"], "code": phone.code(app, 0) });
    client.post("/api/users/enabletokenauth", &body).await.ok();
}

async fn passwords(app: &TestApp, user: &User) {
    let token = passwords::link(app, user).await;
    passwords::check(app, &token).await.ok();
    passwords::set(app, &token, passwords::NEW).await.ok();
    let client = app.client();
    client.sign_in(&user.user_name, passwords::NEW).await.ok();
    passwords::change(&client, passwords::NEW, PASSWORD).await.ok();
}

async fn authenticator(app: &TestApp, user: &User) {
    let client = app.browser_of(user).await;
    let (phone, _) = second_factor::set_up(app, &client).await;
    client.get("/api/account/secondfactor").await.ok();
    let again = json!({ "password": PASSWORD });
    client.post("/api/account/secondfactor/recoverycodes", &again).await.ok();
    let elsewhere = app.client();
    let challenge = second_factor::first_step(&elsewhere, user).await;
    second_factor::answer(&elsewhere, &challenge, "app", &phone.code(app, 0)).await.ok();
    client.post("/api/account/secondfactor/authenticator/remove", &again).await.ok();
}

async fn codes_by_email(app: &TestApp, user: &User) {
    second_factor::switch_email(&app.browser_of(user).await, true).await.ok();
    let client = app.client();
    let challenge = second_factor::first_step(&client, user).await;
    second_factor::send(&client, &challenge).await.ok();
    let mail = newest(app, &user.user_name).await;
    second_factor::answer(&client, &challenge, "email", &mail.code()).await.ok();
}

async fn passkey(app: &TestApp, user: &User) {
    let mut key = second_factor::add_passkey(&app.browser_of(user).await, "My laptop").await;
    let client = app.client();
    let asked = second_factor::ask(&client, None).await;
    let credential = key.answer(&asked["options"], second_factor::ORIGIN);
    second_factor::show(&client, &asked, credential).await.ok();
}

async fn registration(app: &TestApp) {
    let client = app.client();
    client.get("/api/account/register/options").await.ok();
    client.post("/api/account/register/subdomain", &json!({ "subDomain": "harborview" })).await.ok();
    let kind = app.listed("organization_type", "Physician Practice").await;
    let specialty = app.listed("organization_specialty", "Family Medicine").await;
    registration::register(app, &registration::form((kind, specialty))).await.ok();
    let token = newest(app, registration::DANA).await.token();
    registration::link(app, &token).await.ok();
    registration::confirm(app, &token).await.ok();
}

async fn single_sign_on(world: &World) {
    let (app, alder) = (&world.app, world.app.organization("alder").await);
    app.enable(&alder, single_sign_on::FEATURE).await;
    let provider = single_sign_on::Provider::start(app, &alder);
    let admin = app.signed_in(Role::Admin, &alder).await;
    admin.put(single_sign_on::SETTINGS, &provider.connection("Alder-EHR")).await.ok();
    admin.get(single_sign_on::SETTINGS).await.ok();
    let user = app.user(Role::User, &alder).await;
    let client = app.client();
    single_sign_on::sign_in(&client, "alder-ehr", single_sign_on::name(&user)).await.ok();
    admin.delete(single_sign_on::SETTINGS).await.ok();
}

/// A privacy notice of a brand without organizations, so that nobody has to accept it.
async fn terms(world: &World) {
    let (all, operator) = ("/api/admin/eulas", world.owner.browser(Role::SysAdmin));
    let brand = text(&world.record("/api/brands").await["id"]);
    operator.get(&format!("{all}/version/exists?brand={brand}&version=2.5")).await.ok();
    let mut added = Vec::new();
    for version in ["2.5", "2.6"] {
        let file = Part::bytes(b"<p>What we know of you.</p>".to_vec()).file_name("privacy.html");
        let form = Form::new()
            .text("type", "Privacy")
            .text("brand", brand.clone())
            .text("version", version)
            .part("file", file);
        let created = operator.send(operator.request(Method::POST, all).multipart(form)).await.ok();
        added.push(format!("{all}/{}", text(&created["id"])));
    }
    operator.get(&added[0]).await.ok();
    assert!(operator.get(&format!("{}/html", added[0])).await.text().contains("What we know of you."));
    assert!(operator.get(&format!("{}/pdf", added[0])).await.status.is_success());
    operator.put(&format!("{}/activate", added[0]), &json!({})).await.ok();
    operator.delete(&added[1]).await.ok();
}

async fn import(app: &TestApp, operator: &Client) {
    let (all, choices) = ("/api/admin/import", imports::choices(app).await);
    let template = operator.get(&format!("{all}/template")).await.text();
    let file = format!("{template}Alder,x,,,1 Main Street,,Portland,OR,97201,,,D,W,d@alder.example,,,,\r\n");
    for path in ["organization/check", "organization"] {
        let added =
            imports::upload(operator, &format!("{all}/{path}"), "a.csv", file.clone().into(), &choices)
                .await
                .ok();
        if let Some(id) = added["id"].as_str() {
            app.drain().await;
            assert!(
                operator.get(&format!("{all}/{id}/problems")).await.text().contains("Contact first name")
            );
        }
    }
}

async fn retry(world: &World) {
    let (app, operator) = (&world.app, world.owner.browser(Role::SysAdmin));
    let practice = &world.owner.practice;
    let sent = practice.client.send_document(&practice.address, &[&practice.address], "Referral").await;
    let worn = workflow_step::ActiveModel { attempt: Set(1_000), ..Default::default() };
    workflow_step::Entity::update_many()
        .set(worn)
        .filter(Expr::cust("name = 'Deliver' AND status = 'Pending'"))
        .exec(app.store.db())
        .await
        .expect("steps");
    app.drain().await;
    let found = operator.get(&format!("/api/utilities?id={sent}")).await.ok();
    let form =
        json!({ "type": "send", "retryStep": "Deliver", "workflowIds": [found["items"][0]["workflowId"]] });
    let started = operator.post("/api/workflows/retry", &form).await.ok();
    let stop = format!("/api/workflows/retries/{}/stop", text(&started["id"]));
    operator.post(&stop, &json!({})).await.ok();
    app.drain().await;

    let workflow = format!("/api/workflows/{}", text(&found["items"][0]["workflowId"]));
    let number = operator.get(&workflow).await.ok()["mailMessage"]["mailMessageId"].clone();
    let again = json!({ "type": "MessageSendWorkflow", "retryStep": "Deliver" });
    operator.put(&workflow, &again).await.ok();
    operator.get(&format!("/odata/mailmessages({number})/MailAttachments")).await.ok();
    let reason = json!({ "reason": "Support case 20417" });
    operator.post(&format!("/api/admin/messages/{sent}/names"), &reason).await.ok();
    app.drain().await;
}

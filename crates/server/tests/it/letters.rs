//! Texts of the e-mails to people, word for word. The one for a registration is in `registration.rs`, those
//! about messages are in `notifications.rs`.

use crate::inbox::{Mail, newest};
use documents::samples;
use platform::Role;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use store::entities::{app_user, organization};
use testkit::{Db, PASSWORD, TestApp, User};

const END: &str = "\n-- \nCarepost sent this e-mail from 127.0.0.1. It cannot be answered.\n";

/// The text with placeholders for values that differ between runs.
fn plain(mail: &Mail, user: &User) -> String {
    let text = mail.text.replace(&user.user_name, "USER");
    match text.split_once('#') {
        Some((before, after)) => {
            format!(
                "{before}#{}",
                after.replacen(after.split_whitespace().next().unwrap_or_default(), "TOKEN", 1)
            )
        }
        None => text,
    }
}

#[tokio::test]
async fn every_e_mail_about_an_account_says_what_it_is_for_and_what_to_do() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;

    admin.post("/api/users/resetpassword", &json!({ "id": user.id })).await.ok();
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Set a new password");
    let says = "Hello Priya,\n\nYou can set a new password for USER. The link works once, within an hour.\n\n\
                If you did not request this, you can ignore this e-mail: your password stays the same.\n\n\
                Set a new password: http://127.0.0.1:8080/account/password#TOKEN\n";
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));

    let client = app.browser_of(&user).await;
    let change = json!({ "oldPassword": PASSWORD, "password": "violet tram under the bridge" });
    assert_eq!(client.post("/api/account/password", &change).await.status, 204);
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Your password was changed");
    let says = "Hello Priya,\n\nYour password was changed: USER, Nov 20, 2026 at 9:00 AM UTC, from the address \
                127.0.0.1.\n\nIf this was not you or your administrator, please set a new password and tell your \
                administrator.\n";
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));

    let settings = json!({ "security": { "requireSecondFactor": true } });
    let row =
        organization::ActiveModel { id: Set(larkfield.id), settings: Set(settings), ..Default::default() };
    row.update(app.store.db()).await.expect("settings");
    let body = json!({ "userName": user.user_name, "password": "violet tram under the bridge" });
    let challenge = app.client().post("/api/account/login", &body).await.ok();
    let sent = json!({ "challenge": challenge["challenge"] });
    app.client().post("/api/account/login/email", &sent).await.ok();
    let mail = newest(&app, &user.user_name).await;
    let code = mail.code();
    assert_eq!(mail.subject, format!("{code} is your sign-in code"));
    let says = format!(
        "Hello Priya,\n\n{code} is the code for your sign-in. It works once, within 10 minutes, in the window where \
         you are signing in.\n\nWe never ask for this code by telephone or e-mail. If you are not signing in, \
         somebody else knows your password: please change it.\n"
    );
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));

    let row =
        app_user::ActiveModel { id: Set(user.id), password_hash: Set(String::new()), ..Default::default() };
    row.update(app.store.db()).await.expect("a user without a password");
    let invite = json!({ "id": user.id, "userName": user.user_name });
    admin.post("/api/users/resendinvitation", &invite).await.ok();
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Your account at larkfield practice");
    let says = "Hello Priya,\n\nAn account was created for you at larkfield practice. Your user name is USER. Please \
                choose a password; the link works once, within 7 days.\n\n\
                Choose a password: http://127.0.0.1:8080/account/password#TOKEN\n";
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));
    app.finish().await;
}

#[tokio::test]
async fn an_invitation_to_the_network_says_who_invites_and_what_to_do() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let path = "/api/users/sendinvitation";
    let rowan = json!({ "fullName": "Rowan Aldane", "emailAddress": "rowan@tri-valley.example" });
    larkfield.client.post(path, &rowan).await.ok();
    let mail = newest(&app, "rowan@tri-valley.example").await;
    assert_eq!(mail.subject, "Priya Nandakumar of larkfield practice invites you to Carepost");
    let begins = "Hello Rowan Aldane,\n\nPriya Nandakumar of larkfield practice would like to exchange patient \
                  documents with you: signed, encrypted and confirmed, without paper and without fax.\n\n";
    let ends = "\n\nOtherwise you can register your practice with Carepost.\n\n\
                Register: http://127.0.0.1:8080/account/register\n";
    let asks = "If you already have a Direct address, please send it to Priya Nandakumar.";
    assert_eq!(mail.text, format!("{begins}{asks}{ends}{END}"));
    let copy = newest(&app, &larkfield.user.user_name).await;
    assert_eq!(copy.subject, "Your invitation to Rowan Aldane");
    let begins_copy = "Hello Priya Nandakumar,\n\nYour invitation to Rowan Aldane (rowan@tri-valley.example) was sent. \
                       It says:\n\n    larkfield practice would like to exchange patient documents with \
                       you: signed, encrypted and confirmed, without paper and without fax.\n\n";
    let asks = "It asks them for their Direct address, and how they can register.\n";
    assert_eq!(copy.text, format!("{begins_copy}{asks}{END}"));

    let rowan = json!({
        "fullName": "Rowan Aldane", "emailAddress": "rowan@tri-valley.example", "directAddress": larkfield.address,
    });
    larkfield.client.post(path, &rowan).await.ok();
    let mail = newest(&app, "rowan@tri-valley.example").await;
    let tells = format!(
        "Their Direct address is {}. If you already have one, write to it from your own system.",
        larkfield.address
    );
    assert_eq!(mail.text, format!("{begins}{tells}{ends}{END}"));
    let copy = newest(&app, &larkfield.user.user_name).await;
    let tells = format!("It tells them your Direct address {}.\n", larkfield.address);
    assert_eq!(copy.text, format!("{begins_copy}{tells}{END}"));
    app.finish().await;
}

#[tokio::test]
async fn administrators_are_told_that_their_organization_is_activated() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let admin = app.user(Role::Admin, &larkfield).await;
    let row =
        organization::ActiveModel { id: Set(larkfield.id), is_activated: Set(false), ..Default::default() };
    row.update(app.store.db()).await.expect("an organization that is not activated");
    let operator = app.signed_in(Role::SysAdmin, &larkfield).await;
    let path = format!("/api/organizations/{}/activate", larkfield.id);
    let activated = json!({ "activated": true, "sendEmail": true, "seedRecords": false });
    assert_eq!(operator.put(&path, &activated).await.status, 204);
    let mail = newest(&app, &admin.user_name).await;
    assert_eq!(mail.subject, "larkfield practice is activated");
    let says = format!(
        "Hello Priya,\n\nlarkfield practice is activated. Everybody in the organization can receive documents in \
         Intake and send them with Release.\n\nThe organization's Direct domain is {}.\n\n\
         Sign in: http://127.0.0.1:8080/account/login\n",
        app.config.direct_domain("larkfield")
    );
    assert_eq!(mail.text, format!("{says}{END}"));
    app.finish().await;
}

#[tokio::test]
async fn an_administrator_is_told_how_the_proof_of_identity_goes() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let row = organization::ActiveModel {
        id: Set(larkfield.id),
        id_proofed_at: Set(None),
        is_activated: Set(false),
        ..Default::default()
    };
    row.update(app.store.db()).await.expect("an organization that is not proven");
    let admin = app.user(Role::Admin, &larkfield).await;
    let (client, operator) = (app.browser_of(&admin).await, app.signed_in(Role::SysAdmin, &larkfield).await);
    let upload = async || {
        let scan = Part::bytes(samples::visit_note_pdf(
            &samples::patients()[0],
            &samples::practices()[0],
            app.clock.now().date_naive(),
        ));
        let form = Form::new().part("file", scan.file_name("id.pdf"));
        client
            .send(client.request(Method::POST, "/api/identityproofing/document").multipart(form))
            .await
            .ok();
    };
    let decide = async |passed: bool| {
        let body = json!({ "userId": admin.id, "passed": passed, "sendEmail": true });
        operator.post("/api/admin/users/idproof", &body).await.ok();
    };
    upload().await;
    let mail = newest(&app, &admin.user_name).await;
    assert_eq!(mail.subject, "Your photo ID is under review");
    let says = "Hello Priya,\n\nThank you. The photo ID that you sent for larkfield practice has arrived and is under \
                review. There is nothing more to do for now; we will write to you when the review is finished.\n";
    assert_eq!(mail.text, format!("{says}{END}"));

    decide(false).await;
    let mail = newest(&app, &admin.user_name).await;
    assert_eq!(mail.subject, "Please send your photo ID again");
    let says = "Hello Priya,\n\nWe could not verify your identity for larkfield practice with the photo ID that you \
                sent. Please sign in and upload a scan on which your photo, your name and the expiry date are \
                readable.\n\nSign in: http://127.0.0.1:8080/account/login\n";
    assert_eq!(mail.text, format!("{says}{END}"));

    upload().await;
    decide(true).await;
    let mail = newest(&app, &admin.user_name).await;
    assert_eq!(mail.subject, "Your identity is verified");
    let says = format!(
        "Hello Priya,\n\nThank you for verifying your identity. The Direct domain of larkfield practice, {}, is on \
         the list that your operator submits to the national provider address book. This takes 2-3 business days. We \
         will write to you as soon as your organization is activated.\n",
        app.config.direct_domain("larkfield")
    );
    assert_eq!(mail.text, format!("{says}{END}"));
    app.finish().await;
}

#[tokio::test]
async fn a_wish_for_a_larger_plan_reaches_who_can_fulfil_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (admin, operator) =
        (app.user(Role::Admin, &larkfield).await, app.user(Role::SysAdmin, &larkfield).await);
    let request = "/api/subscriptionplans/upgraderequest";
    app.signed_in(Role::User, &larkfield).await.post(request, &json!({})).await.ok();
    let mail = newest(&app, &admin.user_name).await;
    assert_eq!(mail.subject, "larkfield practice requests a larger plan");
    assert!(mail.text.starts_with(
        "Hello Priya,\n\nPriya Nandakumar needs a function that the plan of larkfield practice, "
    ));
    assert!(
        mail.text
            .contains(", does not include. You can change the plan in the settings of your organization.")
    );
    app.browser_of(&admin).await.post(request, &json!({})).await.ok();
    let mail = newest(&app, &operator.user_name).await;
    assert_eq!(mail.subject, "larkfield practice requests a larger plan");
    let begins = "Hello Priya,\n\nPriya Nandakumar, an administrator of larkfield practice, would like a plan with more \
                  functions. The current plan is ";
    assert!(mail.text.starts_with(begins) && mail.text.contains(". Please get in touch."), "{}", mail.text);
    app.finish().await;
}

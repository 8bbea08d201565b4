//! What the e-mails about an account, to the network and about an activation say, word for word.

use crate::inbox::{Mail, newest};
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use store::entities::{app_user, organization};
use testkit::{Db, PASSWORD, TestApp, User};

testkit::on_both_databases! {
    every_e_mail_about_an_account_says_what_it_is_for_and_what_to_do,
    an_invitation_to_the_network_says_who_invites_and_what_to_do,
    administrators_are_told_that_their_organization_is_activated,
}

const END: &str = "\n-- \nCarepost sent this e-mail from 127.0.0.1. It cannot be answered.\n";

/// The text with what differs from run to run replaced.
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

async fn every_e_mail_about_an_account_says_what_it_is_for_and_what_to_do(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let admin = app.signed_in(Role::Admin, &larkfield).await;

    admin.post("/api/users/resetpassword", &json!({ "id": user.id })).await.ok();
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Set a new password");
    let says = "Hello Priya,\n\nyou can set a new password for USER. The link works once, within an hour.\n\n\
                If you did not ask for this, you need not do anything: the password stays as it is.\n\n\
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
        "Hello Priya,\n\n{code} is the code for your sign-in. It works once, within 10 minutes, in the window that \
         asks for it.\n\nWe never ask for this code by telephone or e-mail. If you are not signing in, somebody has \
         your password: please change it.\n"
    );
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));

    let row =
        app_user::ActiveModel { id: Set(user.id), password_hash: Set(String::new()), ..Default::default() };
    row.update(app.store.db()).await.expect("a user without a password");
    let invite = json!({ "id": user.id, "userName": user.user_name });
    admin.post("/api/users/resendinvitation", &invite).await.ok();
    let mail = newest(&app, &user.user_name).await;
    assert_eq!(mail.subject, "Your account at larkfield practice");
    let says = "Hello Priya,\n\nan account was opened for you at larkfield practice. Your user name is USER. Please \
                choose a password; the link works once, within 7 days.\n\n\
                Choose a password: http://127.0.0.1:8080/account/password#TOKEN\n";
    assert_eq!(plain(&mail, &user), format!("{says}{END}"));
    app.finish().await;
}

async fn an_invitation_to_the_network_says_who_invites_and_what_to_do(db: Db) {
    let app = TestApp::start(db).await;
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
    let asks = "If you have a Direct address already, please tell it to Priya Nandakumar.";
    assert_eq!(mail.text, format!("{begins}{asks}{ends}{END}"));
    let copy = newest(&app, &larkfield.user.user_name).await;
    assert_eq!(copy.subject, "Your invitation to Rowan Aldane");
    let begins_copy = "Hello Priya Nandakumar,\n\nyour invitation to Rowan Aldane (rowan@tri-valley.example) was sent. \
                       This is what it says:\n\n    larkfield practice would like to exchange patient documents with \
                       you: signed, encrypted and confirmed, without paper and without fax.\n\n";
    let asks = "It asks them for their Direct address, and how they can register.\n";
    assert_eq!(copy.text, format!("{begins_copy}{asks}{END}"));

    let rowan = json!({
        "fullName": "Rowan Aldane", "emailAddress": "rowan@tri-valley.example", "directAddress": larkfield.address,
    });
    larkfield.client.post(path, &rowan).await.ok();
    let mail = newest(&app, "rowan@tri-valley.example").await;
    let tells = format!(
        "Their Direct address is {}. If you have one already, write to it from your own system.",
        larkfield.address
    );
    assert_eq!(mail.text, format!("{begins}{tells}{ends}{END}"));
    let copy = newest(&app, &larkfield.user.user_name).await;
    let tells = format!("It tells them your Direct address {}.\n", larkfield.address);
    assert_eq!(copy.text, format!("{begins_copy}{tells}{END}"));
    app.finish().await;
}

async fn administrators_are_told_that_their_organization_is_activated(db: Db) {
    let app = TestApp::start(db).await;
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

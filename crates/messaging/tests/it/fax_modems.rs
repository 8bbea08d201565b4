//! Fax over real modems, in real time: one modem calls another one, both of the same HylaFAX.

use crate::{
    fax::{LARKFIELD, SUMMIT, confirming, only_fax, outcomes},
    lines::{LOOK, Lines},
    support::*,
};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Client, Db, Options, Practice, Role, Source, TestApp, document};

/// A call may fail on a busy machine, and is then repeated after a minute.
const TIMEOUT: Duration = Duration::from_secs(200);

/// Polls until there is a value.
async fn until<T>(lines: &Lines, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let wait = async {
        loop {
            match look().await {
                Some(found) => return found,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    };
    tokio::time::timeout(TIMEOUT, wait)
        .await
        .unwrap_or_else(|_| panic!("{what} took too long: {}", lines.story()))
}

/// Adds a number of the modems, activates it, and lets the practice use it.
async fn number(app: &TestApp, practice: &Practice, admin: &Client, number: &str) {
    let form = json!({ "directAddressType": "fax", "fullAddress": number, "provider": "hylafax" });
    let added = admin.post("/api/admin/documentsources", &form).await.ok();
    let path = format!("/api/admin/documentsources/activate/{}", text(&added, "id"));
    let activated = admin.post(&path, &json!({})).await.ok();
    assert_eq!((&activated["status"], &activated["problem"]), (&json!(1), &Value::Null));
    let organization_id = practice.organization.id;
    app.link(&practice.user, &Source { id: id_of(&added), address: number.into(), organization_id }).await;
}

/// On one database only: it takes more than a minute, and storing calls is tested on both databases elsewhere.
#[tokio::test]
async fn a_fax_goes_over_modems_and_stands_in_the_intake_of_the_called_number() {
    let Some(mut lines) = Lines::start() else { return };
    // Any modem may call, and both may be called.
    lines.command("idle 0");
    let app = TestApp::start_with(Db::sqlite(), Options { live: true, ..Options::default() }).await;
    let practice = app.practice("larkfield").await;
    let operator = app.signed_in(Role::SysAdmin, &practice.organization).await;
    let account = json!({ "server": lines.server(), "userName": "carepost", "password": "secret" });
    let path = format!("/api/fax/accounts/hylafax?organizationId={}", practice.organization.id);
    operator.put(&path, &account).await.ok();
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let test = admin.post("/api/fax/accounts/hylafax/test", &json!({})).await.ok();
    assert_eq!(test["problems"], json!([]));
    admin.put("/api/fax/settings", &json!({ "retryMinutes": [1], "version": 0 })).await.ok();
    number(&app, &practice, &admin, LARKFIELD).await;
    number(&app, &practice, &admin, SUMMIT).await;

    let sent = practice.client.draft(document(LARKFIELD, &[SUMMIT], "Visit note")).await;
    // Few pages, because a call takes long.
    practice.client.upload(&sent, "Note.txt", b"Right knee pain since spring.".to_vec(), meta()).await;
    practice.client.post(&format!("/api/messages/{sent}/send"), &confirming(&[SUMMIT])).await.ok();
    until(&lines, "the call", async || {
        (message(&practice.client, &sent).await["status"] != "Pending").then_some(())
    })
    .await;
    let call = only_fax(&practice, &sent).await;
    assert_eq!(text(&call, "now"), "Delivered", "{call}");
    assert_eq!(outcomes(&call).last(), Some(&"Delivered"));
    assert_eq!(state(&practice.client, &sent, SUMMIT).await, "Delivered");

    let list = until(&lines, "the reception", async || {
        let list = intake(&practice.client, json!({})).await;
        (list["items"] != json!([])).then_some(list)
    })
    .await;
    assert_eq!(list["items"][0]["properties"]["faxPageCount"], call["pages"]);
    let arrived = message(&practice.client, &only(&list)).await;
    let came = &arrived["fax"];
    assert_eq!((text(came, "called"), &came["pages"]), ("740-555-0120", &call["pages"]));
    assert_eq!((&came["resolution"], &came["partial"]), (&json!("Fine"), &Value::Null));
    assert!(text(came, "caller").starts_with("312-555-010"), "{came}");
    assert_eq!(text(came, "senderId"), "+1 740 555 0110");
    let file = &arrived["attachments"][0];
    assert_eq!((&file["mimeType"], &file["pageCount"]), (&json!("application/pdf"), &call["pages"]));
    app.finish().await;
}

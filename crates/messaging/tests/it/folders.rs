//! HL7 v2 messages as files in the folder of an organization.

use messaging::interfaces::folder;
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    path::Path,
    time::{Duration, SystemTime},
};
use testkit::{Db, Options, Role, TestApp};

fn note(control_id: &str) -> String {
    format!(
        "MSH|^~\\&|EHR|North|CP|Lark|20261120083000-0500||MDM^T02|{control_id}|P|2.5\rEVN|T02|20261120083000\r\
         PID|1||77^^^&1.2&ISO||Tenney^Marisol||19610402|F\rTXA|1|CN^Consultation note\rOBX|1|TX|||Seen today\r"
    )
}

/// A file that was complete ten seconds ago.
fn put(folder: &Path, name: &str, content: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), content).expect("a file");
    let file = File::options().write(true).open(folder.join(name)).expect("a file");
    let now = SystemTime::from(store::Clock::system().now());
    file.set_modified(now - Duration::from_secs(10)).expect("a time");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_become_messages_once_and_what_is_wrong_is_set_aside_with_its_reason() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().to_owned();
    let configure = move |config: &mut platform::Config| config.integrations.folder = Some(path.clone());
    let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let home = app.organization("home").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let folder_of = |sub_domain: &str| root.path().join(sub_domain).join("in");
    let inbox = folder_of(&larkfield.organization.sub_domain);
    put(&inbox, "1.hl7", &note("N1"));
    folder::look(&app).await.expect("looked");
    assert_eq!(names(&inbox), ["1.hl7"], "there is no connection yet");

    let form = json!({
        "name": "North files", "kind": "Folder", "organizationId": larkfield.organization.id,
        "sendingFacility": "North",
    });
    operator.post("/api/admin/inboundconnections", &form).await.ok();
    put(&inbox, "2.hl7.part", &note("N2"));
    put(&inbox, "3.hl7", "no message");
    put(&inbox, "4.hl7", &note("N4"));
    put(&inbox, "4.hl7.sha256", "0000  4.hl7");
    put(&inbox, "5.hl7", &note("N5").replace("North", "South"));
    fs::write(inbox.join("6.hl7"), note("N6")).expect("a file that is still being written");
    put(&folder_of(&summit.organization.sub_domain), "7.hl7", &note("N7"));
    folder::look(&app).await.expect("looked");
    app.drain().await;
    let list = larkfield.client.post("/api/intake", &json!({})).await.ok();
    assert_eq!(list["totalCount"], 1);
    assert_eq!(list["items"][0]["subject"], "Consultation note");
    assert_eq!(summit.client.post("/api/intake", &json!({})).await.ok()["totalCount"], 0);
    assert_eq!(names(&inbox), ["2.hl7.part", "6.hl7"]);

    let refused = inbox.with_file_name("refused");
    let reasons = names(&refused).into_iter().filter(|name| name.ends_with(".reason.txt"));
    let mut reasons: Vec<String> =
        reasons.map(|name| fs::read_to_string(refused.join(name)).expect("a reason")).collect();
    reasons.sort();
    let expected = ["The file does not match", "The message cannot be read", "The sender is not known"];
    assert_eq!(reasons.len(), expected.len());
    assert!(reasons.iter().zip(expected).all(|(reason, words)| reason.starts_with(words)), "{reasons:?}");
    let told = operator.get("/api/admin/interfacerefusals").await.ok();
    let kinds: Vec<&Value> =
        told["items"].as_array().expect("items").iter().map(|item| &item["kind"]).collect();
    assert_eq!(kinds, [&json!("Folder"); 3]);

    // The same message again is known already.
    put(&inbox, "8.hl7", &note("N1"));
    folder::look(&app).await.expect("looked");
    app.drain().await;
    assert_eq!(larkfield.client.post("/api/intake", &json!({})).await.ok()["totalCount"], 1);
    app.finish().await;
}

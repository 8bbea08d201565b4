//! Search for text in documents, old and new.

use crate::support::*;
use messaging::{
    handling::reindex::{SETTING, reindex_some},
    indexes::text::read_due,
    sealed::Summary,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, PaginatorTrait, sea_query::Expr,
};
use serde_json::{Value, json};
use store::entities::{attachment_text, installation, message, search_posting};
use testkit::{Client, Db, Practice, TestApp, document};
use uuid::Uuid;

/// A C-CDA with a word in its narrative that no other document has.
fn musical(confidentiality: &str) -> Vec<u8> {
    let document = String::from_utf8(ccd()).expect("a text");
    let document = document.replace("<text><paragraph>", "<text><paragraph>Plays the glockenspiel. ");
    let code = format!("<confidentialityCode code=\"{confidentiality}\"");
    document.replace("<confidentialityCode code=\"N\"", &code).into_bytes()
}

async fn send(from: &Practice, to: &Practice, subject: &str, (name, content): (&str, Vec<u8>)) {
    let draft = from.client.draft(document(&from.address, &[&to.address], subject)).await;
    let said = if name.ends_with("xml") { json!({}) } else { meta() };
    from.client.upload(&draft, name, content, said).await;
    from.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
}

/// Subjects of the found messages, and where the words were found.
fn found(list: &Value) -> Vec<Value> {
    let items = list["items"].as_array().expect("items");
    items.iter().map(|item| json!([item["subject"], item["foundIn"]])).collect()
}

async fn arrived(client: &Client, words: &str) -> Vec<Value> {
    found(&intake(client, json!({ "filter": words })).await)
}

async fn released(client: &Client, words: &str) -> Vec<Value> {
    found(&client.get(&format!("/api/messages?filter={words}")).await.ok())
}

async fn postings(app: &TestApp) -> u64 {
    search_posting::Entity::find().count(app.store.db()).await.expect("a count")
}

#[tokio::test]
async fn a_message_is_found_by_the_text_of_its_documents_until_it_is_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let stranger = app.practice("bayline").await;
    send(&larkfield, &summit, "By PDF", ("Visit note.pdf", note_pdf())).await;
    send(&larkfield, &summit, "By C-CDA", ("Summary of care.xml", musical("N"))).await;
    app.drain().await;
    assert_eq!(arrived(&summit.client, "clinician").await, Vec::<Value>::new(), "nobody has read it yet");
    read_due(&app).await.expect("a round");

    for (words, subject) in [("Clinician", "By PDF"), ("GLOCKENSPIEL", "By C-CDA")] {
        let expected = [json!([subject, ["document"]])];
        assert_eq!(arrived(&summit.client, words).await, expected, "{words}");
        assert_eq!(released(&larkfield.client, words).await, expected, "{words}");
        assert_eq!(arrived(&stranger.client, words).await, Vec::<Value>::new(), "{words}");
    }
    let both = [json!(["By C-CDA", ["subject", "document"]])];
    assert_eq!(arrived(&summit.client, "cda glockenspiel").await, both);

    let before = postings(&app).await;
    let again = attachment_text::Entity::update_many()
        .col_expr(attachment_text::Column::DueAt, Expr::value(app.clock.now()));
    again.exec(app.store.db()).await.expect("all are due");
    read_due(&app).await.expect("a round");
    assert_eq!(postings(&app).await, before, "to read a text again changes nothing");

    let id = only(&intake(&summit.client, json!({ "filter": "glockenspiel" })).await);
    summit.client.delete(&format!("/api/messages/{id}")).await.ok();
    assert_eq!(arrived(&summit.client, "glockenspiel").await, Vec::<Value>::new());
    app.finish().await;
}

#[tokio::test]
async fn a_confidential_document_is_not_searched() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    let draft = client.draft(json!({ "subject": "Guarded" })).await;
    client.upload(&draft, "Summary of care.xml", musical("R"), json!({})).await;
    let secret = json!({ "confidentiality": "VeryRestricted" });
    client.upload(&draft, "Note.txt", b"Learns the glockenspiel.".to_vec(), secret).await;
    read_due(&app).await.expect("a round");
    assert_eq!(released(client, "glockenspiel").await, Vec::<Value>::new());

    let open = client.upload(&draft, "Open.txt", b"Tunes the glockenspiel.".to_vec(), json!({})).await;
    read_due(&app).await.expect("a round");
    assert_eq!(released(client, "glockenspiel").await, [json!(["Guarded", ["document"]])]);
    client.delete(&file_path(&draft, &open)).await.ok();
    assert_eq!(released(client, "glockenspiel").await, Vec::<Value>::new(), "its file is gone");
    app.finish().await;
}

#[tokio::test]
async fn messages_that_were_indexed_long_ago_are_found_by_what_the_index_holds_now() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let sent = client.send_document(&larkfield.address, &[&summit.address], "Old").await;
    app.drain().await;
    let db = app.store.db();
    let id: Uuid = sent.parse().expect("an id");
    let key = app.keys.data_key(larkfield.organization.id).await.expect("a key");
    let row = message::Entity::find_by_id(id).one(db).await.expect("a row").expect("the message");
    let version = row.version;
    let old = Summary { patient_keys: Vec::new(), ..Summary::open(&key, &row).expect("a summary") };
    let mut row = row.into_active_model();
    row.sealed_summary = Set(old.seal(&key, id).expect("a summary"));
    row.update(db).await.expect("a row of old");
    search_posting::Entity::delete_many().exec(db).await.expect("no words");
    attachment_text::Entity::delete_many().exec(db).await.expect("no texts");
    assert_eq!(released(client, "3/14/1961").await, Vec::<Value>::new());

    let progress =
        async || installation::Entity::find_by_id(SETTING.to_owned()).one(db).await.expect("the progress");
    let begun = progress().await.expect("the migration asks for it");
    let mut other = begun.into_active_model();
    let until = app.clock.now() + chrono::Duration::minutes(1);
    other.value = Set(json!({ "behind": null, "until": until }).to_string());
    other.update(db).await.expect("another node is at it");
    reindex_some(&app).await.expect("a round");
    assert_eq!(released(client, "3/14/1961").await, Vec::<Value>::new(), "the work is that of another node");
    app.advance(chrono::Duration::minutes(2));

    reindex_some(&app).await.expect("a round");
    for words in ["3/14/1961", "Mar%2014%2C%201961"] {
        assert_eq!(released(client, words).await, [json!(["Old", ["patient ID or birth date"]])], "{words}");
    }
    assert_eq!(released(client, "marysol").await, [json!(["Old", ["patient"]])], "by its sound");
    let row = message::Entity::find_by_id(id).one(db).await.expect("a row").expect("the message");
    assert_eq!(row.version, version, "nobody who edits it is disturbed");
    assert!(progress().await.is_some_and(|kept| kept.value.contains(&sent)));
    read_due(&app).await.expect("a round");
    assert_eq!(released(client, "short").await, [json!(["Old", ["document"]])]);
    reindex_some(&app).await.expect("a round");
    assert_eq!(progress().await, None, "it is done");
    app.finish().await;
}

//! Helpers of the tests: reading messages and mail, and moving the clock.

use chrono::{Duration, NaiveDate};
use documents::samples;
use reqwest::{Method, header::ACCEPT};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::entities::{audit_entry, document_source, document_source_reader, inbound_mail, message_event};
use testkit::{Answer, Client, Practice, TestApp};
use uuid::Uuid;

pub fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 19).expect("a day")
}

/// A visit note as PDF.
pub fn note_pdf() -> Vec<u8> {
    samples::visit_note_pdf(&samples::patients()[0], &samples::practices()[0], day())
}

/// A continuity of care document.
pub fn ccd() -> Vec<u8> {
    samples::ccd_xml(&samples::patients()[0], &samples::practices()[0], day()).into_bytes()
}

/// Required metadata of an unstructured file.
pub fn meta() -> Value {
    json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" })
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

pub fn strings(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|v| v.as_str().expect("a text")).collect()
}

pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} is a text in {value}"))
}

pub fn id_of(value: &Value) -> Uuid {
    text(value, "id").parse().expect("an id")
}

/// Gets a path in the given format.
pub async fn get_as(client: &Client, path: &str, accept: &str) -> Answer {
    client.send(client.request(Method::GET, path).header(ACCEPT, accept)).await
}

/// The Intake's answer to a request.
pub async fn intake(client: &Client, request: Value) -> Value {
    client.post("/api/intake", &request).await.ok()
}

/// The subjects in the Intake, newest first.
pub async fn subjects(client: &Client, request: Value) -> Vec<String> {
    let list = intake(client, request).await;
    list["items"].as_array().expect("items").iter().map(|i| text(i, "subject").to_owned()).collect()
}

/// The id of the only message in the Intake.
#[track_caller]
pub fn only(list: &Value) -> String {
    let items = list["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "the Intake holds one message: {list}");
    text(&items[0], "id").to_owned()
}

pub async fn only_message(client: &Client) -> Value {
    let id = only(&intake(client, json!({})).await);
    message(client, &id).await
}

pub async fn message(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/messages/{id}")).await.ok()
}

/// A file's path.
pub fn file_path(message: &str, file: &str) -> String {
    format!("/api/messages/{message}/attachments/{file}")
}

/// The delivery to one address, as shown to the sender.
pub async fn delivery(client: &Client, message_id: &str, address: &str) -> Value {
    let view = message(client, message_id).await;
    let all = view["deliveries"].as_array().expect("deliveries");
    all.iter().find(|d| d["address"] == address).unwrap_or_else(|| panic!("no delivery to {address}")).clone()
}

pub async fn state(client: &Client, message_id: &str, address: &str) -> String {
    text(&delivery(client, message_id, address).await, "state").to_owned()
}

/// Names of the events of a message, in order.
pub async fn events(app: &TestApp, message: Uuid) -> Vec<String> {
    let rows = message_event::Entity::find()
        .filter(message_event::Column::MessageId.eq(message))
        .order_by_asc(message_event::Column::Id)
        .all(app.store.db())
        .await
        .expect("events");
    rows.into_iter().map(|e| e.event_type.to_string()).collect()
}

/// Audit entries about an object.
pub async fn audit_of(app: &TestApp, object: Uuid) -> Vec<audit_entry::Model> {
    audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectId.eq(object.to_string()))
        .all(app.store.db())
        .await
        .expect("audit entries")
}

/// Why mails of an organization were rejected, oldest first.
pub async fn rejections(app: &TestApp, practice: &Practice) -> Vec<String> {
    let rows = audit_entry::Entity::find()
        .filter(audit_entry::Column::OrganizationId.eq(practice.organization.id))
        .filter(audit_entry::Column::ObjectType.eq("inboundmail"))
        .order_by_asc(audit_entry::Column::At)
        .all(app.store.db())
        .await
        .expect("audit entries");
    rows.into_iter().map(|e| e.detail.to_string()).collect()
}

/// Mails received for an organization, oldest first.
pub async fn mails(app: &TestApp, practice: &Practice) -> Vec<inbound_mail::Model> {
    inbound_mail::Entity::find()
        .filter(inbound_mail::Column::OrganizationId.eq(practice.organization.id))
        .order_by_asc(inbound_mail::Column::Id)
        .all(app.store.db())
        .await
        .expect("mails")
}

/// The bytes of a mail, as received over SMTP.
pub async fn raw(app: &TestApp, mail: &inbound_mail::Model) -> Vec<u8> {
    messaging::direct::inbound::read(app, mail).await.expect("the bytes of the mail").into()
}

/// The inner message of a mail, decrypted with the keys of its organization.
pub async fn inner(app: &TestApp, mail: &inbound_mail::Model) -> String {
    let identities = app.node.direct.identities.of(app, mail.organization_id).await.expect("identities");
    let opened = direct::smime::open(&raw(app, mail).await, &identities).expect("it opens");
    String::from_utf8_lossy(&opened.message).into_owned()
}

/// Moves the clock and runs all steps that become due. Browsers must sign in again after a long time.
pub async fn pass(app: &TestApp, time: Duration) {
    let end = app.clock.now() + time;
    app.node.runner.drain_until(end).await.expect("steps run");
}

/// A zip archive: a file without pages.
pub fn archive() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("letter.txt", zip::write::SimpleFileOptions::default()).expect("a zip");
    std::io::Write::write_all(&mut zip, b"Dear colleague").expect("a zip");
    zip.finish().expect("a zip").into_inner()
}

/// Limits the readers of a practice's address to one person.
pub async fn limit_readers(app: &TestApp, practice: &Practice, reader: Uuid) {
    let db = app.store.db();
    let of_practice = document_source::Column::AddressKey.eq(&practice.address);
    let source = document_source::Entity::find().filter(of_practice).one(db).await;
    let source = source.expect("rows").expect("an address");
    let limited =
        document_source::ActiveModel { id: Set(source.id), limits_readers: Set(true), ..Default::default() };
    limited.update(db).await.expect("the address");
    let chosen = document_source_reader::ActiveModel {
        document_source_id: Set(source.id),
        user_id: Set(reader),
        organization_id: Set(source.organization_id),
    };
    document_source_reader::Entity::insert(chosen).exec_without_returning(db).await.expect("a reader");
}

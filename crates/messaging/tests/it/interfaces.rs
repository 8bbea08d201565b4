//! Documents from other systems: HL7 v2 over MLLP, ITI-41 and XDR. The peers are our own sending side, python-hl7 and
//! plain sockets.

use crate::support::*;
use bytes::Bytes;
use exchange::{
    Confidentiality, Delivery, Document, Facility, Outcome, Person,
    hl7::{self, Shape},
    link::{Certificates, Link, Target},
    mllp::{self, Frames},
    networks,
    saml::Signer,
    xdr::{self, Profile},
};
use openssl::{
    asn1::Asn1Time,
    hash::MessageDigest,
    pkey::PKey,
    rsa::Rsa,
    x509::{X509, X509Name},
};
use platform::{Role, config::Config};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use store::entities::used_assertion;
use testkit::{Client, Db, Options, Practice, TestApp, self_signed};
use tokio::{io::AsyncWriteExt, net::TcpStream};
use uuid::Uuid;

const CONNECTIONS: &str = "/api/admin/inboundconnections";
const REFUSALS: &str = "/api/admin/interfacerefusals";
/// Larger than any acknowledgement.
const ACK: usize = 1 << 16;

testkit::on_both_databases! {
    a_document_that_comes_by_hl7_is_a_message_of_its_organization_once,
    each_patient_of_a_message_has_a_message_of_their_own,
    messages_that_come_at_once_are_kept_together_and_none_twice,
    documents_that_come_by_xdr_are_for_those_whose_addresses_they_name,
    what_a_stranger_sends_is_refused_and_shown_to_operators,
    an_assertion_for_one_use_lets_one_request_in_whichever_node_it_comes_to,
}

/// The application with its listener, an operator and a practice.
pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) operator: Client,
    pub(crate) larkfield: Practice,
}

pub(crate) async fn world(db: Db) -> World {
    world_with(db, |_| {}).await
}

async fn world_with(db: Db, configure: impl Fn(&mut Config) + Send + 'static) -> World {
    let configure = move |config: &mut Config| {
        config.interfaces.mllp_listen = Some(([127, 0, 0, 1], 0).into());
        configure(config);
    };
    let app =
        TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await;
    let home = app.organization("home").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let larkfield = app.practice("larkfield").await;
    World { app, operator, larkfield }
}

impl World {
    /// A connection from this machine, with changes.
    pub(crate) async fn connection(&self, kind: &str, changes: Value) -> Value {
        let mut form = json!({
            "name": format!("North {}", Uuid::new_v4().simple()), "kind": kind, "networks": ["127.0.0.0/8"],
            "organizationId": self.larkfield.organization.id,
        });
        form.as_object_mut().expect("fields").extend(changes.as_object().expect("fields").clone());
        self.operator.post(CONNECTIONS, &form).await.ok()
    }

    pub(crate) async fn read(&self, connection: &Value) -> Value {
        self.operator.get(&format!("{CONNECTIONS}/{}", text(connection, "id"))).await.ok()
    }

    async fn refusals(&self) -> Vec<Value> {
        self.operator.get(REFUSALS).await.ok()["items"].as_array().expect("items").clone()
    }

    pub(crate) fn mllp(&self) -> Target {
        at(self.app.node.mllp_addr.expect("MLLP is spoken").port(), "")
    }

    async fn dial(&self) -> TcpStream {
        TcpStream::connect(self.app.node.mllp_addr.expect("MLLP is spoken")).await.expect("a connection")
    }

    /// Sends a message unchanged, and reads the acknowledgement.
    pub(crate) async fn say(&self, message: &str) -> String {
        said(&mut self.dial().await, message).await
    }
}

async fn said(stream: &mut TcpStream, message: &str) -> String {
    mllp::write(stream, message.as_bytes()).await.expect("sent");
    let answer = Frames::default().read(stream, ACK).await.expect("an acknowledgement");
    String::from_utf8(answer).expect("UTF-8")
}

fn at(port: u16, path: &str) -> Target {
    Target { host: "127.0.0.1".into(), port, path: path.into() }
}

fn plain() -> Link {
    Link::plain(networks::guard(false, [], true), Duration::from_secs(20))
}

/// A document in transit from Northgate.
fn delivery(to: &str) -> Delivery {
    let at = chrono::DateTime::from_timestamp(1_763_629_867, 0).expect("a time");
    Delivery {
        id: Uuid::new_v4(),
        at,
        from: Facility { name: "Northgate".into(), oid: "1.2.840.7".into(), kind: None },
        to: Facility { name: "Larkfield".into(), oid: "1.2.840.9".into(), kind: None },
        from_address: "results@northgate.example".into(),
        to_address: to.into(),
        location: String::new(),
        patient: Person {
            ids: vec![("4711".into(), "1.2.840.7.1".into())],
            family: "Núñez".into(),
            given: "Marisol".into(),
            born: chrono::NaiveDate::from_ymd_opt(1961, 4, 2),
            sex: "F".into(),
            city: "Fairview".into(),
            ..Person::default()
        },
        documents: vec![Document {
            id: Uuid::new_v4(),
            title: "Discharge summary".into(),
            kind: Some(exchange::Code {
                code: "18842-5".into(),
                name: "Discharge summary".into(),
                scheme: "2.16.840.1.113883.6.1".into(),
            }),
            media_type: "application/pdf".into(),
            file_name: "summary.pdf".into(),
            created_at: at,
            confidentiality: Confidentiality::VeryRestricted,
            content: Bytes::from(note_pdf()),
        }],
        is_test: false,
    }
}

fn note(control_id: &str, facility: &str, words: &str) -> String {
    format!(
        "MSH|^~\\&|LAB|{facility}|CAREPOST|LARK|20261120083000||MDM^T02^MDM_T02|{control_id}|P|2.5.1\r\
         EVN|T02|20261120083000\rPID|1||4711^^^&1.2.840.7.1&ISO||Tenney^Marisol||19610402|F\r\
         TXA|1|CN^Consultation note|TX|20261119\rOBX|1|TX|||{words}||||||F\r"
    )
}

async fn a_document_that_comes_by_hl7_is_a_message_of_its_organization_once(db: Db) {
    let world = world(db).await;
    let World { app, larkfield, .. } = &world;
    let dana = app.user(Role::User, &larkfield.organization).await;
    let changes =
        json!({ "sendingFacility": "1.2.840.7", "assignedTo": dana.user_name, "name": "Northgate hospital" });
    let connection = world.connection("Mllp", changes).await;
    let sent = delivery("");
    let send = async |shape: Shape| {
        let message = hl7::message(&sent, &sent.documents[0], shape);
        let id = hl7::control_id(&sent, &sent.documents[0]);
        let dialogue = plain().send_hl7(&world.mllp(), &message, &id).await;
        assert_eq!(dialogue.outcome, Outcome::Accepted, "{}", String::from_utf8_lossy(&dialogue.received));
        app.drain().await;
        app.advance(chrono::Duration::minutes(1));
    };
    for shape in [Shape::Mdm, Shape::Mdm, Shape::Oru] {
        send(shape).await;
    }
    let list = intake(&larkfield.client, json!({ "sourceTypes": ["Interface"] })).await;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "what came twice is there once: {list}");
    let view = message(&larkfield.client, text(&list["items"][1], "id")).await;
    assert_eq!((text(&view, "subject"), text(&view, "sourceType")), ("Discharge summary", "Interface"));
    assert_eq!(text(&view, "fromName"), "Northgate hospital");
    assert_eq!(view["patient"]["lastName"], "Núñez");
    assert_eq!(view["patient"]["birthDate"], "1961-04-02");
    assert_eq!(view["patient"]["patientIds"][0], json!({ "root": "1.2.840.7.1", "id": "4711" }));
    assert_eq!(view["assignedTo"]["id"], json!(dana.id));
    let file = &view["attachments"][0];
    assert_eq!(
        (text(file, "fileName"), &file["attachmentMeta"]["documentType"]),
        ("summary.pdf", &json!("Discharge summary"))
    );
    assert_eq!(file["attachmentMeta"]["confidentiality"], "VeryRestricted");
    let path = file_path(text(&view, "id"), text(file, "id"));
    assert_eq!(larkfield.client.get(&path).await.body, sent.documents[0].content.to_vec());
    assert_eq!(events(app, id_of(&view)).await, ["Received"]);
    let id = hl7::control_id(&sent, &sent.documents[0]);
    let named = world.operator.get(&format!("/api/utilities?id={id}")).await.ok();
    assert_eq!(named["items"].as_array().map(Vec::len), Some(2), "found by the partner's id");
    let seen = world.read(&connection).await;
    assert_eq!((&seen["receivedCount"], &seen["refusedCount"]), (&json!(2), &json!(0)));
    assert!(seen["lastReceivedAt"].is_string());
    world.app.finish().await;
}

async fn messages_that_come_at_once_are_kept_together_and_none_twice(db: Db) {
    let world = world(db).await;
    world.connection("Mllp", json!({})).await;
    let senders = (0..8).map(|sender| {
        let world = &world;
        async move {
            let mut stream = world.dial().await;
            for number in 0..5 {
                // Two of them send the same message.
                let id = format!("{}-{number}", sender / 2);
                let ack = said(&mut stream, &note(&id, "NORTH", "Seen today")).await;
                assert!(ack.contains(&format!("MSA|AA|{id}")), "{ack}");
            }
        }
    });
    futures::future::join_all(senders).await;
    world.app.drain().await;
    assert_eq!(subjects(&world.larkfield.client, json!({ "pageSize": 100 })).await.len(), 20);
    // A restarted id with different content is a new message.
    let ack = world.say(&note("0-0", "NORTH", "Something else")).await;
    assert!(ack.contains("MSA|AA|0-0"), "{ack}");
    world.app.drain().await;
    assert_eq!(subjects(&world.larkfield.client, json!({ "pageSize": 100 })).await.len(), 21);
    world.app.finish().await;
}

async fn what_a_stranger_sends_is_refused_and_shown_to_operators(db: Db) {
    let world = world(db).await;
    let connection = world.connection("Mllp", json!({ "sendingFacility": "NORTH" })).await;
    for _ in 0..2 {
        let ack = world.say(&note("1", "SOUTH", "Tenney")).await;
        assert!(ack.contains("MSA|AR|1\rERR||MSH^1^3|204^"), "{ack}");
    }
    let ack = world.say(&note("2", "NORTH", "x").replace("MDM^T02^MDM_T02", "DFT^P03")).await;
    assert!(ack.contains("MSA|AR|2") && ack.contains("|200^"), "{ack}");
    let ack = world.say(&note("3", "NORTH", "")).await;
    assert!(ack.contains("MSA|AE|3") && ack.contains("|101^"), "{ack}");
    assert!(world.say("hello").await.contains("MSA|AR|"));
    let mut form = world.read(&connection).await;
    form["isEnabled"] = json!(false);
    let path = format!("{CONNECTIONS}/{}", text(&connection, "id"));
    world.operator.put(&path, &form).await.ok();
    assert!(world.say(&note("4", "NORTH", "x")).await.contains("MSA|AR|4"), "it holds at once");
    world.app.drain().await;
    assert!(subjects(&world.larkfield.client, json!({})).await.is_empty());
    let refusals = world.refusals().await;
    let of = |facility: &str, kind: &str| {
        let found = refusals.iter().find(|r| r["sendingFacility"] == facility && r["messageType"] == kind);
        found.unwrap_or_else(|| panic!("{facility} {kind} is not in {refusals:?}"))
    };
    let stranger = of("SOUTH", "MDM^T02");
    assert_eq!((&stranger["times"], &stranger["sourceIp"]), (&json!(2), &json!("127.0.0.1")));
    assert_eq!(stranger["reason"], "The sender is not known here");
    assert_eq!(of("NORTH", "DFT^P03")["connectionName"], connection["name"]);
    assert!(!json!(refusals).to_string().contains("Tenney"), "nothing of patients");
    assert_eq!(world.read(&connection).await["refusedCount"], 2);
    world.app.finish().await;
}

#[tokio::test]
async fn a_result_is_read_by_people_and_systems_and_goes_through_the_intake_rules() {
    let world = world(Db::sqlite()).await;
    let World { app, larkfield, .. } = &world;
    world.connection("Mllp", json!({ "documentType": "Lab report" })).await;
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let rule = json!({
        "name": "Results", "isEnabled": true, "sources": ["Interface"], "senders": ["north"], "tags": ["lab"],
    });
    admin.post("/api/settings/intakerules", &rule).await.ok();
    let settings = "/api/settings/interoperability";
    let mut own = admin.get(settings).await.ok();
    own["recordNumberAuthorities"] = json!(["9.9"]);
    admin.put(settings, &own).await.ok();
    let result = "MSH|^~\\&|LAB|NORTH|||20261120083000-0500||ORU^R01|R1|T|2.5.1||||||8859/1\r\
        PID|1||7^^^&1.2&ISO||Nu\u{f1}ez^Rosa\rOBR|1|||718-7^Hemoglobin^LN|||20261119\r\
        OBX|1|NM|718-7^Hemoglobin^LN||13.2|g/dL|12.0-16.0||||F\r";
    let latin: Vec<u8> = result.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin 1")).collect();
    let mut stream = world.dial().await;
    mllp::write(&mut stream, &latin).await.expect("sent");
    let ack = Frames::default().read(&mut stream, ACK).await.expect("an acknowledgement");
    assert!(String::from_utf8_lossy(&ack).contains("MSA|AA|R1"));
    app.drain().await;
    let list = intake(&larkfield.client, json!({})).await;
    assert_eq!(list["items"][0]["tags"], json!(["lab"]));
    let view = only_message(&larkfield.client).await;
    assert_eq!(text(&view, "subject"), "Test: Hemoglobin");
    assert_eq!(view["patient"]["lastName"], "Nuñez");
    assert!(view["patient"]["patientId"].is_null(), "a number of another house is no record number here");
    assert_eq!(view["patient"]["patientIds"][0]["id"], "7");
    let names: Vec<_> =
        view["attachments"].as_array().expect("files").iter().map(|f| text(f, "fileName")).collect();
    assert_eq!(names, ["Hemoglobin.txt", "Result.hl7"]);
    let file = |number: usize| file_path(text(&view, "id"), text(&view["attachments"][number], "id"));
    let read = larkfield.client.get(&file(0)).await.text();
    assert!(read.contains("Hemoglobin  13.2    g/dL"), "{read}");
    assert_eq!(larkfield.client.get(&file(1)).await.body, latin, "as it came");
    world.app.finish().await;
}

#[tokio::test]
async fn in_enhanced_mode_a_message_is_taken_over_before_it_is_answered() {
    let world = world(Db::sqlite()).await;
    world.connection("Mllp", json!({})).await;
    let mut stream = world.dial().await;
    let enhanced = note("E1", "NORTH", "Seen").replace("|P|2.5.1", "|P|2.5.1|||AL|AL");
    mllp::write(&mut stream, enhanced.as_bytes()).await.expect("sent");
    let mut frames = Frames::default();
    for code in ["CA", "AA"] {
        let ack = frames.read(&mut stream, ACK).await.expect("an acknowledgement");
        assert!(String::from_utf8_lossy(&ack).contains(&format!("MSA|{code}|E1")));
    }
    // Its answer is durable: a restarted node has it.
    let World { app, larkfield, .. } = world;
    let app = app.restart().await;
    app.drain().await;
    let client = app.client();
    client.enter(&larkfield.user).await;
    assert_eq!(subjects(&client, json!({})).await, ["Consultation note"]);
    app.finish().await;
}

#[tokio::test]
async fn messages_that_are_too_large_or_break_off_are_not_taken() {
    let world = world_with(Db::sqlite(), |config| config.interfaces.max_message_bytes = 2000).await;
    world.connection("Mllp", json!({})).await;
    let mut stream = world.dial().await;
    mllp::write(&mut stream, note("L", "NORTH", &"x".repeat(3000)).as_bytes()).await.expect("sent");
    assert!(Frames::default().read(&mut stream, ACK).await.is_err(), "the connection ends");
    let mut stream = world.dial().await;
    stream.write_all(b"\x0bMSH|^~\\&|LAB|NORTH").await.expect("sent");
    drop(stream);
    while world.refusals().await.len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(subjects(&world.larkfield.client, json!({})).await.is_empty());
    world.app.finish().await;
}

/// A certificate and key created by openssl, in one file of a folder.
fn pair(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!("{name}.pem"));
    let made = self_signed(folder, name, "IP:127.0.0.1");
    let read = |path| std::fs::read(path).expect("the files");
    let both = [read(made.key), read(made.certificate)].concat();
    std::fs::write(&path, both).expect("written");
    path
}

fn with_tls(config: &mut Config) {
    let path = pair(&config.data_dir, "interface");
    config.interfaces.xdr_listen = Some(([127, 0, 0, 1], 0).into());
    (config.interfaces.tls_certificate_file, config.interfaces.tls_key_file) =
        (Some(path.clone()), Some(path));
}

#[tokio::test]
async fn over_tls_a_system_is_known_by_its_certificate() {
    let world = world_with(Db::sqlite(), with_tls).await;
    let folder = world.app.db.folder().to_owned();
    let trusted = std::fs::read(folder.join("interface.pem")).expect("the certificate");
    let link = |own: Option<&Path>| {
        let own = own.map(|path| std::fs::read(path).expect("our certificate"));
        let certificates = Certificates { trusted: Some(trusted.clone()), own };
        Link::encrypted(networks::guard(false, [], true), Duration::from_secs(20), &certificates)
            .expect("a link")
    };
    let (north, south) = (pair(&folder, "north"), pair(&folder, "south"));
    let certificate = std::fs::read_to_string(folder.join("north.crt")).expect("the certificate");
    for kind in ["Mllp", "Xdr"] {
        let made = world.connection(kind, json!({ "certificate": certificate, "networks": [] })).await;
        assert_eq!(text(&made, "certificate").len(), 64);
    }
    let sent = delivery(&world.larkfield.address);
    let (message, id) =
        (hl7::message(&sent, &sent.documents[0], Shape::Mdm), hl7::control_id(&sent, &sent.documents[0]));
    let services = at(world.app.node.xdr_addr.expect("a listener").port(), "/services/provide");
    let profile = Profile::Direct { is_minimal: false };
    for (own, is_known) in [(None, false), (Some(south.as_path()), false), (Some(north.as_path()), true)] {
        let link = link(own);
        let by_hl7 = link.send_hl7(&world.mllp(), &message, &id).await.outcome;
        let by_xdr = xdr::provide(&link, &services, &sent, &profile, None).await.outcome;
        for outcome in [by_hl7, by_xdr] {
            assert_eq!(outcome == Outcome::Accepted, is_known, "{own:?}: {outcome:?}");
        }
    }
    world.app.drain().await;
    assert_eq!(subjects(&world.larkfield.client, json!({})).await.len(), 2);
    let shown = world.refusals().await.iter().filter(|r| text(r, "certificate").len() == 64).count();
    assert_eq!(shown, 2, "operators see which certificate was shown");
    world.app.finish().await;
}

async fn documents_that_come_by_xdr_are_for_those_whose_addresses_they_name(db: Db) {
    let world = world(db).await;
    let World { app, larkfield, .. } = &world;
    let summit = app.practice("summit").await;
    let services = at(app.http_addr().port(), "/services/provide");
    let provide = async |sent: &Delivery| {
        let profile = Profile::Direct { is_minimal: false };
        xdr::provide(&plain(), &services, sent, &profile, None).await.outcome
    };
    let sent = delivery(&summit.address);
    assert!(matches!(provide(&sent).await, Outcome::Refused(_)), "nobody is known yet");
    let only = world.connection("Xdr", json!({})).await;
    assert!(matches!(provide(&sent).await, Outcome::Refused(why) if why.contains("UnknownRecipient")));
    world.operator.delete(&format!("{CONNECTIONS}/{}", text(&only, "id"))).await.ok();
    world.connection("Xdr", json!({ "organizationId": null })).await;
    for _ in 0..2 {
        assert_eq!(provide(&sent).await, Outcome::Accepted);
    }
    let mut other = sent.clone();
    other.documents[0].content = Bytes::from(ccd());
    let code = provide(&other).await;
    assert_eq!(code, Outcome::Accepted, "our own side takes a duplicate for delivered, and nothing is kept");
    app.drain().await;
    let view = only_message(&summit.client).await;
    assert_eq!(
        (text(&view, "sourceType"), text(&view, "fromAddress")),
        ("Interface", "results@northgate.example")
    );
    assert_eq!(strings(&view["toAddresses"]), [summit.address.as_str()]);
    assert_eq!(view["patient"]["lastName"], "Núñez");
    assert_eq!(view["attachments"].as_array().map(Vec::len), Some(1));
    assert!(subjects(&larkfield.client, json!({})).await.is_empty());
    let http = reqwest::Client::new();
    let url = app.url("/services/provide");
    let answer = http
        .post(url)
        .header("content-type", "application/soap+xml")
        .body("<x/>")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 400);
    assert!(answer.text().await.expect("a fault").contains("soap:Sender"));
    world.app.finish().await;
}

#[tokio::test]
async fn where_an_assertion_is_asked_for_nothing_comes_in_without_one() {
    let world = world(Db::sqlite()).await;
    let services = at(world.app.http_addr().port(), "/services/provide");
    let made = world
        .connection("Xdr", json!({ "assertionCertificate": "AB".repeat(32), "looseAssertions": true }))
        .await;
    assert_eq!(text(&made, "assertionCertificate"), "ab".repeat(32));
    assert_eq!(made["looseAssertions"], true);
    // It could only be bound to a client with a certificate.
    let unbound = json!({
        "name": "Unbound", "kind": "Xdr", "networks": ["10.0.0.0/8"], "assertionCertificate": "AB".repeat(32),
    });
    let refused = world.operator.post("/api/admin/inboundconnections", &unbound).await;
    assert!(!refused.texts("certificate").is_empty(), "{}", refused.text());
    let profile = Profile::Direct { is_minimal: false };
    let sent = delivery(&world.larkfield.address);
    let outcome = xdr::provide(&plain(), &services, &sent, &profile, None).await.outcome;
    assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
    assert_eq!(world.refusals().await.len(), 1);
    world.app.drain().await;
    assert!(subjects(&world.larkfield.client, json!({})).await.is_empty());
    world.app.finish().await;
}

/// The certificate of a signer of assertions, and the same with its key, valid on the test's clock.
fn signatory(app: &TestApp) -> (String, Vec<u8>) {
    let key = PKey::from_rsa(Rsa::generate(2048).expect("a key")).expect("a key");
    let mut name = X509Name::builder().expect("a name");
    name.append_entry_by_text("CN", "north.example").expect("a name");
    let name = name.build();
    let at = |days: i64| {
        let moment = app.clock.now() + chrono::Duration::days(days);
        Asn1Time::from_unix(moment.timestamp()).expect("a time")
    };
    let mut builder = X509::builder().expect("a certificate");
    builder.set_subject_name(&name).expect("a certificate");
    builder.set_pubkey(&key).expect("a certificate");
    builder.set_not_before(&at(-1)).expect("a certificate");
    builder.set_not_after(&at(1)).expect("a certificate");
    builder.sign(&key, MessageDigest::sha256()).expect("a certificate");
    let certificate = builder.build().to_pem().expect("PEM");
    let pem = [certificate.clone(), key.private_key_to_pem_pkcs8().expect("PEM")].concat();
    (String::from_utf8(certificate).expect("PEM"), pem)
}

/// Sends different documents each time with the same assertion, and returns the answer.
async fn provide_with(assertion: &str, app: &TestApp, to: &str) -> (u16, String) {
    let url = app.url("/services/provide");
    let mut request = xdr::request(&delivery(to), &Profile::Direct { is_minimal: false });
    request.headers += &format!(
        "<wsse:Security xmlns:wsse=\"http://docs.oasis-open.org/wss/2004/01/\
         oasis-200401-wss-wssecurity-secext-1.0.xsd\">{assertion}</wsse:Security>"
    );
    let (kind, body) = request.written(&url);
    let sent = reqwest::Client::new().post(&url).header("content-type", kind).body(body).send();
    let answer = sent.await.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("an envelope"))
}

async fn an_assertion_for_one_use_lets_one_request_in_whichever_node_it_comes_to(db: Db) {
    const OVER: &str = "The assertion is not valid at present.";
    let world = world(db).await;
    let World { app, larkfield, .. } = &world;
    let (certificate, pem) = signatory(app);
    let takes = json!({ "assertionCertificate": certificate, "looseAssertions": true });
    world.connection("Xdr", takes).await;
    let to = &larkfield.address;
    let new = || {
        let signer = Signer::from_pem(&pem, app.clock.now()).expect("a signer");
        signer.assertion(&delivery(to).claims(), "127.0.0.1").expect("an assertion")
    };
    let (used, other) = (new(), app.another_node().await);
    let (one, two) =
        futures::future::join(provide_with(&used, app, to), provide_with(&used, &other, to)).await;
    let (taken, refused) = if one.0 == 200 { (one, two) } else { (two, one) };
    assert!(taken.0 == 200 && taken.1.contains("ResponseStatusType:Success"), "{taken:?}");
    assert!(refused.0 == 400 && refused.1.contains(OVER), "{refused:?}");
    let refusals = world.refusals().await;
    assert_eq!(
        refusals.iter().map(|r| text(r, "reason")).collect::<Vec<_>>(),
        ["The assertion was used before"]
    );
    let late = new();
    assert_eq!(provide_with(&new(), app, to).await.0, 200, "another assertion");
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await.len(), 2);

    let kept = async || used_assertion::Entity::find().count(app.store.db()).await.expect("a count");
    messaging::storage_sweep::sweep(app).await.expect("swept");
    assert_eq!(kept().await, 2, "they hold still");
    app.advance(chrono::Duration::hours(2));
    let expired = provide_with(&late, app, to).await;
    assert!(expired.0 == 400 && expired.1.contains(OVER), "the same answer: {expired:?}");
    messaging::storage_sweep::sweep(app).await.expect("swept");
    assert_eq!(kept().await, 0);
    other.node.stop().await;
    world.app.finish().await;
}

/// The peer is an established client in another language.
#[tokio::test]
async fn python_hl7_is_understood_and_understands() {
    let world = world(Db::sqlite()).await;
    let Some(python) = python() else {
        testkit::skipped("python3 with the package hl7 is not there");
        return world.app.finish().await;
    };
    world.connection("Mllp", json!({})).await;
    let script = "import sys, hl7, hl7.client\n\
        with hl7.client.MLLPClient('127.0.0.1', int(sys.argv[1])) as client:\n\
        \x20   for id in ('P1', 'P1', 'P2'):\n\
        \x20       ack = client.send_message(sys.argv[2].replace('@', id))\n\
        \x20       read = hl7.parse(ack.decode().strip('\\x0b\\x1c\\r') + '\\r')\n\
        \x20       print(str(read.segment('MSA')[1]), str(read.segment('MSA')[2]))\n";
    let message = note("@", "NORTH", "Núñez was seen").replace("|P|2.5.1", "|P|2.5.1||||||UNICODE UTF-8");
    let port = world.mllp().port.to_string();
    let ran = tokio::task::spawn_blocking(move || {
        Command::new(python).args(["-c", script, &port, &message]).output().expect("python runs")
    });
    let ran = ran.await.expect("python ends");
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "AA P1\nAA P1\nAA P2\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    world.app.drain().await;
    assert_eq!(subjects(&world.larkfield.client, json!({})).await.len(), 2);
    world.app.finish().await;
}

/// The interpreter with python-hl7: the system's, or the one that `script/test` creates.
pub(crate) fn python() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let own = target.join("peers/bin/python3");
    [PathBuf::from("python3"), own].into_iter().find(|python| {
        let tried = Command::new(python).args(["-c", "import hl7"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    })
}

#[tokio::test]
async fn what_came_is_known_for_as_long_as_it_is_kept() {
    let world = world(Db::sqlite()).await;
    world.connection("Mllp", json!({})).await;
    let message = note("K", "NORTH", "Seen");
    let repeat = async || {
        assert!(world.say(&message).await.contains("MSA|AA|K"));
        world.app.drain().await;
        messaging::storage_sweep::sweep(&world.app).await.expect("swept");
    };
    repeat().await;
    world.app.advance(chrono::Duration::days(29));
    repeat().await;
    world.larkfield.client.enter(&world.larkfield.user).await;
    assert_eq!(
        subjects(&world.larkfield.client, json!({ "startDate": "2026-11-01T00:00:00Z" })).await.len(),
        1
    );
    world.app.advance(chrono::Duration::days(2));
    messaging::storage_sweep::sweep(&world.app).await.expect("swept");
    repeat().await;
    world.larkfield.client.enter(&world.larkfield.user).await;
    assert_eq!(
        subjects(&world.larkfield.client, json!({ "startDate": "2026-11-01T00:00:00Z" })).await.len(),
        2
    );
    world.app.finish().await;
}

/// The last names of the patients that a message names in doubt.
fn doubtful(view: &Value) -> Vec<&str> {
    view["namedPatients"].as_array().expect("patients").iter().map(|one| text(one, "lastName")).collect()
}

async fn each_patient_of_a_message_has_a_message_of_their_own(db: Db) {
    let world = world(db).await;
    let World { app, larkfield, .. } = &world;
    world.connection("Mllp", json!({})).await;
    let group = |name: &str, id: u32, value: u32| {
        format!(
            "PID|1||{id}^^^&1.2&ISO||{name}|||F\rOBR|1|||x^Potassium\rOBX|1|NM|x^Potassium||{value}|mmol/L\r"
        )
    };
    let head = "MSH|^~\\&|LAB|NORTH|||20261120083000||ORU^R01|S1|P|2.5.1\r";
    let both = [head, &group("Brindlecombe^Odalys", 7, 41), &group("Tamsin^Ravi", 8, 62)].concat();
    for _ in 0..2 {
        assert!(world.say(&both).await.contains("MSA|AA|S1"));
    }
    app.drain().await;
    let list = intake(&larkfield.client, json!({})).await;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "each once: {list}");
    for item in list["items"].as_array().expect("items") {
        let view = message(&larkfield.client, text(item, "id")).await;
        let (own, other) = match text(&view["patient"], "lastName") {
            "Tamsin" => ("62", "41"),
            _ => ("41", "62"),
        };
        for file in view["attachments"].as_array().expect("files") {
            let read = larkfield.client.get(&file_path(text(&view, "id"), text(file, "id"))).await.text();
            assert!(read.contains(own) && !read.contains(other), "{read}");
        }
    }
    // All or nothing.
    let without = format!("{both}PID|1||9||Okafor^Ama\r");
    for (message, words) in [
        (without, "no document and no result"),
        ([&both, head, &group("Okafor^Ama", 9, 5)].concat(), "one message"),
    ] {
        let ack = world.say(&message).await;
        assert!(ack.contains("MSA|AE|S1") && ack.contains(words), "{ack}");
    }
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await.len(), 2);
    world.app.finish().await;
}

#[tokio::test]
async fn where_documents_name_another_patient_or_several_nobody_is_taken() {
    let world = world(Db::sqlite()).await;
    let World { app, larkfield, .. } = &world;
    world.connection("Xdr", json!({})).await;
    let services = at(app.http_addr().port(), "/services/provide");
    let own = documents::samples::patients()[0].clone();
    let of_other = String::from_utf8(ccd()).expect("UTF-8").replace(own.last.as_str(), "Tamsin").into_bytes();
    let bring = async |patient: Person, documents: &[Vec<u8>]| {
        let mut sent = delivery(&larkfield.address);
        sent.patient = patient;
        let entry = sent.documents[0].clone();
        let with = |content: &Vec<u8>| Document {
            id: Uuid::new_v4(),
            media_type: "text/xml".into(),
            content: content.clone().into(),
            ..entry.clone()
        };
        sent.documents = documents.iter().map(with).collect();
        let profile = Profile::Direct { is_minimal: false };
        assert_eq!(xdr::provide(&plain(), &services, &sent, &profile, None).await.outcome, Outcome::Accepted);
        app.drain().await;
        app.advance(chrono::Duration::minutes(1));
        let list = intake(&larkfield.client, json!({})).await;
        let row = list["items"][0].clone();
        (message(&larkfield.client, text(&row, "id")).await, row)
    };
    let (view, row) = bring(delivery("").patient, &[ccd()]).await;
    assert_eq!(
        (&row["patientDoubt"], &view["patientDoubt"]),
        (&json!("DocumentsDiffer"), &json!("DocumentsDiffer"))
    );
    assert_eq!(doubtful(&view), ["Núñez", own.last.as_str()]);
    assert!(view["patient"].is_null() && text(&row, "patientName").is_empty(), "{view}");
    let (view, row) = bring(Person::default(), &[ccd(), of_other]).await;
    assert_eq!(row["patientDoubt"], "SeveralPatients");
    assert_eq!(doubtful(&view), [own.last.as_str(), "Tamsin"]);
    assert!(view["patient"].is_null());
    let found = intake(&larkfield.client, json!({ "filter": "tamsin" })).await;
    assert_eq!(found["items"].as_array().map(Vec::len), Some(1), "found by each of them");
    let (view, row) = bring(Person::default(), &[ccd()]).await;
    assert_eq!((&row["patientDoubt"], doubtful(&view).len()), (&Value::Null, 0));
    assert_eq!(view["patient"]["lastName"], own.last.as_str());
    world.app.finish().await;
}

/// MSG-R-296
#[tokio::test]
async fn what_comes_from_a_prescription_network_may_name_no_visit_that_lies_ahead() {
    let world = world(Db::sqlite()).await;
    let World { app, larkfield, .. } = &world;
    let made = world.connection("Mllp", json!({ "isPrescriptionNetwork": true })).await;
    assert_eq!(made["isPrescriptionNetwork"], true);
    world.say(&note("P1", "NORTH", "Refill")).await;
    app.drain().await;
    let view = only_message(&larkfield.client).await;
    assert_eq!(view["origin"], "PrescriptionNetwork");
    let path = format!("/api/messages/{}/patient", text(&view, "id"));
    let day = |ahead| (app.clock.now() + chrono::Duration::days(ahead)).date_naive().to_string();
    let patient = |ahead: i64| json!({ "lastName": "Tenney", "visitDate": day(ahead), "version": view["patientVersion"] });
    let refused = larkfield.client.put(&path, &patient(2)).await.problem(422);
    assert!(refused["modelState"]["patient.visitDate"].is_array(), "{refused}");
    larkfield.client.put(&path, &patient(0)).await.ok();
    world.app.finish().await;
}

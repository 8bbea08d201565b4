//! Routing of messages to an interface of the recipient: HL7 over MLLP, XDR, and endpoints in order.

use crate::support::*;
use chrono::TimeDelta;
use platform::Role;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use testkit::{Client, Db, Options, Practice, TestApp};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const RULES: &str = "/api/admin/routingrules";

/// The interface's answer to the next message.
#[derive(Clone, Copy)]
enum Answer {
    /// This code, for the received message.
    Code(&'static str),
    /// Only an acknowledgement of another message.
    Late,
    Nothing,
}

/// An interface engine that records what it receives, and accepts it by default. It shares no code with the tested
/// side.
struct Engine {
    port: u16,
    messages: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
}

impl Engine {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let engine = Self { port, messages: Arc::default(), answers: Arc::default() };
        let (messages, answers) = (engine.messages.clone(), engine.answers.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, messages.clone(), answers.clone()));
            }
        });
        engine
    }

    fn answer(&self, answers: &[Answer]) {
        self.answers.lock().unwrap().extend(answers);
    }

    fn messages(&self) -> Vec<String> {
        self.messages.lock().unwrap().clone()
    }

    /// A field in the segments of each message.
    fn fields(&self, segment: &str, number: usize) -> Vec<String> {
        let offset = usize::from(segment == "MSH");
        let field = |line: &str| line.split('|').nth(number - offset).unwrap_or_default().to_owned();
        let lines = |message: String| {
            let of_segment = message.split('\r').filter(|line| line.starts_with(segment)).map(field);
            of_segment.collect::<Vec<_>>()
        };
        self.messages().into_iter().flat_map(lines).collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    messages: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
) {
    let mut read = Vec::new();
    let mut byte = [0];
    while stream.read_exact(&mut byte).await.is_ok() {
        match byte[0] {
            0x0B => read.clear(),
            0x1C => {
                let message = String::from_utf8(std::mem::take(&mut read)).expect("UTF-8");
                let id = message.split('|').nth(9).unwrap_or_default().to_owned();
                messages.lock().unwrap().push(message);
                let next = answers.lock().unwrap().pop_front().unwrap_or(Answer::Code("AA"));
                let (code, id) = match next {
                    Answer::Code(code) => (code, id),
                    Answer::Late => ("AA", "OLD".into()),
                    Answer::Nothing => continue,
                };
                let ack = format!(
                    "\x0bMSH|^~\\&|E|N|CAREPOST|L|20261120||ACK|1|P|2.5.1\rMSA|{code}|{id}|Tenney\r\x1c\r"
                );
                if stream.write_all(ack.as_bytes()).await.is_err() {
                    return;
                }
            }
            other => read.push(other),
        }
    }
}

/// The application with an operator, a sending practice, and one that is reached by a rule.
struct World {
    app: TestApp,
    operator: Client,
    larkfield: Practice,
    northgate: Practice,
}

async fn world(db: Db) -> World {
    let configure = |config: &mut platform::config::Config| config.routing.answer_seconds = 1;
    let app =
        TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await;
    let home = app.organization("home").await;
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let (larkfield, northgate) = (app.practice("larkfield").await, app.practice("northgate").await);
    World { app, operator, larkfield, northgate }
}

impl World {
    /// A rule for Northgate's address with endpoints on this machine, for messages from Larkfield. Returns its path.
    async fn rule(&self, changes: Value, ports: &[u16]) -> String {
        let mut form = json!({
            "address": self.northgate.address, "stepType": "SendAsHL7OverVpnStep", "securityType": "None",
            "convertToFormat": "MDM", "locationCode": "rrh", "facilityOid": "1.2.840.9",
        });
        form.as_object_mut().expect("fields").extend(changes.as_object().expect("fields").clone());
        let rule = self.operator.post(RULES, &form).await.ok();
        for port in ports {
            let endpoint =
                json!({ "routingRuleId": rule["id"], "ipAddress": "127.0.0.1", "port": port.to_string() });
            self.operator.post(&format!("{RULES}/endpoints"), &endpoint).await.ok();
        }
        let sender = json!({
            "routingRuleId": rule["id"], "organizationId": self.larkfield.organization.id,
            "organizationOid": "1.2.840.7", "facilityType": "Hospital", "facilityTypeCodeId": "HOSP",
            "facilityTypeCodeScheme": "2.16.840.1.113883.5.111",
        });
        self.operator.post(&format!("{RULES}/senders"), &sender).await.ok();
        format!("{RULES}/{}", text(&rule, "id"))
    }

    async fn send(&self, subject: &str) -> String {
        let to = [self.northgate.address.as_str()];
        self.larkfield.client.send_document(&self.larkfield.address, &to, subject).await
    }

    async fn state(&self, message: &str) -> String {
        state(&self.larkfield.client, message, &self.northgate.address).await
    }
}

testkit::on_both_databases! {
    a_message_to_a_routed_address_goes_to_the_interface_with_the_senders_facility,
    messages_to_an_interface_keep_their_order,
}

/// ADB-R-095
async fn a_message_to_a_routed_address_goes_to_the_interface_with_the_senders_facility(db: Db) {
    let world = world(db).await;
    let engine = Engine::start().await;
    world.rule(json!({}), &[engine.port]).await;
    let sent = world.send("Results").await;
    world.app.drain().await;

    assert_eq!(world.state(&sent).await, "Delivered");
    assert_eq!(subjects(&world.northgate.client, json!({})).await, [""; 0], "nothing came by Direct");
    assert_eq!(engine.fields("MSH", 9), ["MDM^T02^MDM_T02"; 2], "the file and the text");
    assert!(engine.fields("MSH", 4)[0].ends_with("^1.2.840.7^ISO"));
    assert_eq!(engine.fields("MSH", 6)[0], "^1.2.840.9^ISO");
    assert_eq!(engine.fields("MSH", 11)[0], "P");
    assert_eq!(engine.fields("PV1", 3)[0], "^^^rrh");
    assert_eq!(engine.fields("OBX", 5)[0], "A short note.");
    let id = sent.parse().expect("an id");
    assert_eq!(events(&world.app, id).await, ["Processed", "Delivered"]);
    world.app.finish().await;
}

#[tokio::test]
async fn organizations_that_may_not_send_through_a_rule_send_by_direct() {
    let world = world(Db::sqlite()).await;
    let engine = Engine::start().await;
    world.rule(json!({}), &[engine.port]).await;
    let summit = world.app.practice("summit").await;
    summit.client.send_document(&summit.address, &[&world.northgate.address], "By Direct").await;
    world.app.drain().await;
    assert_eq!(subjects(&world.northgate.client, json!({})).await, ["By Direct"]);
    assert!(engine.messages().is_empty());
    world.app.finish().await;
}

async fn messages_to_an_interface_keep_their_order(db: Db) {
    let world = world(db).await;
    let engine = Engine::start().await;
    world.rule(json!({}), &[engine.port]).await;
    engine.answer(&[Answer::Late]);
    let first = world.send("First").await;
    let second = world.send("Second").await;
    world.app.drain().await;
    assert_eq!(world.state(&first).await, "Queued", "an acknowledgement of another message settles nothing");
    assert_eq!(
        (world.state(&second).await.as_str(), engine.messages().len()),
        ("Queued", 1),
        "the second waits"
    );

    world.app.advance(TimeDelta::minutes(5));
    world.app.drain().await;
    assert_eq!(
        (world.state(&first).await.as_str(), world.state(&second).await.as_str()),
        ("Delivered", "Delivered")
    );
    let ids = engine.fields("MSH", 10);
    assert_eq!(ids.len(), 5, "the first document twice, then each once");
    assert_eq!(ids[0], ids[1], "MSH-10 stays on the second attempt");
    world.app.finish().await;
}

#[tokio::test]
async fn a_refused_message_fails_at_once_and_is_not_quoted() {
    let world = world(Db::sqlite()).await;
    let engine = Engine::start().await;
    world.rule(json!({ "convertToFormat": "ORU" }), &[engine.port]).await;
    engine.answer(&[Answer::Code("AR")]);
    let refused = world.send("Refused").await;
    let next = world.send("Next").await;
    world.app.drain().await;
    let delivery = delivery(&world.larkfield.client, &refused, &world.northgate.address).await;
    assert_eq!(delivery["state"], "Failed");
    assert_eq!(delivery["reason"], "The endpoint answered AR: it does not take such messages.");
    assert_eq!(world.state(&next).await, "Delivered", "it holds nobody up");
    assert_eq!(engine.fields("MSH", 9)[0], "ORU^R01^ORU_R01");
    assert_eq!(engine.messages().len(), 3, "what was refused is not offered again");
    world.app.finish().await;
}

#[tokio::test]
async fn endpoints_are_tried_in_their_order_until_one_accepts() {
    let world = world(Db::sqlite()).await;
    let gone = testports::free_port();
    let (strict, open) = (Engine::start().await, Engine::start().await);
    strict.answer(&[Answer::Code("AE")]);
    world.rule(json!({}), &[gone, strict.port, open.port]).await;
    let sent = world.send("Results").await;
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Delivered");
    assert_eq!((strict.messages().len(), open.messages().len()), (1, 2));

    // An endpoint that may have the message is asked again before another one gets it.
    strict.answer(&[Answer::Nothing]);
    let sent = world.send("Again").await;
    world.app.drain().await;
    assert_eq!((world.state(&sent).await.as_str(), open.messages().len()), ("Queued", 2));
    world.app.advance(TimeDelta::minutes(5));
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Delivered");
    assert_eq!((strict.messages().len(), open.messages().len()), (4, 2));
    world.app.finish().await;
}

#[tokio::test]
async fn what_an_endpoint_accepted_is_sent_to_no_other_and_not_again() {
    let world = world(Db::sqlite()).await;
    let (first, second) = (Engine::start().await, Engine::start().await);
    world.rule(json!({}), &[first.port, second.port]).await;
    first.answer(&[Answer::Code("AA"), Answer::Code("AE")]);
    let sent = world.send("Results").await;
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Delivered");
    assert_eq!(second.fields("MSH", 10), first.fields("MSH", 10)[1..], "only what was refused");

    first.answer(&[Answer::Code("AA"), Answer::Nothing]);
    let sent = world.send("Again").await;
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Queued");
    world.app.advance(TimeDelta::minutes(5));
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Delivered");
    let ids = first.fields("MSH", 10);
    assert_eq!(ids.len(), 5, "each file once, and that without an answer twice");
    assert_eq!(ids[3], ids[4]);
    world.app.finish().await;
}

/// Answers every HTTP request with a registry response, and records the requests.
async fn repository(status: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = requests.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = Vec::new();
            let mut piece = [0; 4096];
            // The closing boundary ends the request.
            while !String::from_utf8_lossy(&read).trim_end().ends_with("--") {
                match stream.read(&mut piece).await {
                    Ok(some @ 1..) => read.extend_from_slice(&piece[..some]),
                    _ => break,
                }
            }
            kept.lock().unwrap().push(String::from_utf8_lossy(&read).into_owned());
            let body = format!(
                "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><r:RegistryResponse \
                 xmlns:r=\"urn:oasis:names:tc:ebxml-regrep:xsd:rs:3.0\" \
                 status=\"urn:oasis:names:tc:ebxml-regrep:ResponseStatusType:{status}\"/></e:Body></e:Envelope>"
            );
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/soap+xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
    });
    (port, requests)
}

#[tokio::test]
async fn documents_are_provided_by_xdr_with_the_address_block_of_direct() {
    let world = world(Db::sqlite()).await;
    let (port, requests) = repository("Success").await;
    world.rule(json!({ "stepType": "SendAsXdrOverVpnStep", "convertToFormat": "CDA" }), &[port]).await;
    let sent = world.send("Results").await;
    world.app.drain().await;
    assert_eq!(world.state(&sent).await, "Delivered");
    let request = requests.lock().unwrap()[0].clone();
    for part in [
        "application/xop+xml",
        "urn:ihe:iti:2007:ProvideAndRegisterDocumentSet-b",
        &format!("<direct:to>mailto:{}</direct:to>", world.northgate.address),
        "nodeRepresentation=\"HOSP\"",
        &format!("<wsa:To soap:mustUnderstand=\"true\">http://127.0.0.1:{port}/</wsa:To>"),
        "&amp;1.2.840.9&amp;ISO^^^^1.2.840.9||^^Internet^",
        "1.2.840.7",
        "<ClinicalDocument",
    ] {
        assert!(request.contains(part), "{part}");
    }
    world.app.finish().await;
}

#[tokio::test]
async fn a_test_message_is_marked_and_its_dialogue_shown_and_a_dry_run_sends_nothing() {
    let world = world(Db::sqlite()).await;
    let engine = Engine::start().await;
    let before = world.send("Before the rule").await;
    world.app.drain().await;
    let path = world.rule(json!({}), &[engine.port]).await;
    let rule = world.operator.get(&path).await.ok();
    let form = json!({ "endpointId": rule["endpoints"][0]["id"] });
    let test = world.operator.post(&format!("{path}/test"), &form).await.ok();
    assert_eq!((&test["outcome"], &test["reason"]), (&json!("Accepted"), &Value::Null));
    assert!(text(&test, "sent").contains("TEST^ROUTING") && text(&test, "received").contains("MSA|AA|"));
    assert_eq!(engine.fields("MSH", 11), ["T"]);
    engine.answer(&[Answer::Code("AE")]);
    let test = world.operator.post(&format!("{path}/test"), &form).await.ok();
    assert_eq!(test["outcome"], "Refused");
    let other = json!({ "endpointId": uuid::Uuid::now_v7() });
    assert!(
        world.operator.post(&format!("{path}/test"), &other).await.problem(422)["modelState"]["endpointId"]
            .is_array()
    );

    let summit = world.app.practice("summit").await;
    summit
        .client
        .send_document(&summit.address, &[&world.northgate.address, &world.larkfield.address], "Both")
        .await;
    let run = world.operator.get(&format!("{path}/dryrun")).await.ok();
    assert_eq!(
        (&run["scannedCount"], &run["matchedCount"], &run["almostCount"]),
        (&json!(3), &json!(1), &json!(1)),
        "{run}"
    );
    assert_eq!(run["isWhole"], true);
    assert_eq!(run["items"][0]["verdict"], "NotASender");
    assert_eq!(
        (&run["items"][1]["verdict"], &run["items"][1]["messageId"]),
        (&json!("Matched"), &json!(before))
    );
    assert_eq!(engine.messages().len(), 2, "a dry run sends nothing");
    world.operator.get(&format!("{RULES}/{}/dryrun", uuid::Uuid::now_v7())).await.problem(404);
    world.app.finish().await;
}

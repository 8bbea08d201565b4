//! EHRs with HL7 v2: what they report, and documents as messages.

use crate::world::{World, text};
use exchange::mllp::{self, Frames};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU8, Ordering::Relaxed},
};
use testkit::{Db, Options, Role};
use tokio::net::{TcpListener, TcpStream};

/// How an EHR answers.
const ACCEPTS: u8 = 0;
const REFUSES: u8 = 1;
const HANGS_UP: u8 = 2;

/// An EHR that takes messages over MLLP.
#[derive(Clone, Default)]
struct Hospital {
    got: Arc<Mutex<Vec<String>>>,
    answer: Arc<AtomicU8>,
}

impl Hospital {
    async fn start() -> (Self, String) {
        let hospital = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("mllp://{}", listener.local_addr().expect("an address"));
        let own = hospital.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(own.clone().talk(stream));
            }
        });
        (hospital, url)
    }

    async fn talk(self, mut stream: TcpStream) {
        let mut frames = Frames::default();
        while let Ok(frame) = frames.read(&mut stream, 1 << 20).await {
            let message = String::from_utf8(frame).expect("UTF-8");
            let id = field(&message, "MSH", 9);
            self.got.lock().expect("a list").push(message);
            let code = match self.answer.load(Relaxed) {
                ACCEPTS => "AA",
                REFUSES => "AE",
                _ => return,
            };
            let ack = format!("MSH|^~\\&|EHR|North|||20261120||ACK|1|P|2.5\rMSA|{code}|{id}\r");
            mllp::write(&mut stream, ack.as_bytes()).await.expect("an answer");
        }
    }

    fn got(&self) -> Vec<String> {
        self.got.lock().expect("a list").clone()
    }
}

/// A field of the first segment with a name, by its position among the separators.
fn field(message: &str, segment: &str, number: usize) -> String {
    let line = message.split('\r').find(|line| line.starts_with(segment)).unwrap_or_default();
    line.split('|').nth(number).unwrap_or_default().to_owned()
}

fn admission(control_id: &str, event: &str, at: &str) -> String {
    let mut visit = vec![""; 45];
    for (number, value) in
        [(0, "PV1"), (1, "1"), (2, "O"), (3, "CLINIC"), (7, "1234^Osei^Ama"), (19, "V-881^^^NORTH"), (44, at)]
    {
        visit[number] = value;
    }
    format!(
        "MSH|^~\\&|EHR|North|CP|Lark|{at}||ADT^{event}|{control_id}|P|2.5.1\rEVN|{event}|{at}\r\
         PID|1||LFM-20417^^^NORTH^MR||Tenney^Marisol^J||19610314|F|||12 Elm St^^Larkfield^CA^95403||7075550142\r\
         {}\r",
        visit.join("|")
    )
}

impl World {
    /// An organization to which an EHR reports its patients over MLLP.
    async fn reported() -> Self {
        let configure =
            |config: &mut platform::Config| config.interfaces.mllp_listen = Some(([127, 0, 0, 1], 0).into());
        let options = Options { configure: Some(Box::new(configure)), ..Options::default() };
        let world = Self::with(Db::sqlite(), options, |ehr| ehr).await;
        let operator = world.app.signed_in(Role::SysAdmin, &world.larkfield.organization).await;
        let form = json!({
            "name": "North ADT", "kind": "Mllp", "networks": ["127.0.0.0/8"],
            "organizationId": world.larkfield.organization.id,
        });
        operator.post("/api/admin/inboundconnections", &form).await.ok();
        world
    }

    async fn report(&self, message: &str) {
        let address = self.app.node.mllp_addr.expect("MLLP is spoken");
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        mllp::write(&mut stream, message.as_bytes()).await.expect("sent");
        let ack = Frames::default().read(&mut stream, 1 << 16).await.expect("an acknowledgement");
        let ack = String::from_utf8(ack).expect("UTF-8");
        assert!(ack.contains("MSA|AA"), "{ack}");
        self.app.drain().await;
    }
}

fn form(url: &str) -> Value {
    json!({
        "integrationType": "Hl7", "name": "North", "isActive": true, "baseUrl": url, "authentication": "Open",
        "messages": { "receivingApplication": "CHART" },
    })
}

#[tokio::test]
async fn what_an_ehr_reports_is_looked_up_and_documents_go_to_it_as_messages() {
    let world = World::reported().await;
    let (hospital, url) = Hospital::start().await;
    for (address, words) in [
        ("https://ehr.example", "mllps://"),
        ("mllp://93.184.216.34:2575", "unencrypted"),
        ("folder:", "no folder"),
    ] {
        let said = world.admin.put("/api/integrations", &form(address)).await.texts("baseUrl");
        assert!(said[0].contains(words), "{address}: {said:?}");
    }
    let id = world.connect(&form(&url)).await;
    let path = format!("/api/integrations/{id}");
    let before = world.admin.get(&format!("{path}/connectivity")).await.ok();
    assert_eq!(before["offered"], json!(["documentUpload"]), "nobody was reported yet");
    world.report(&admission("A1", "A04", "20261119083000")).await;
    let report = world.admin.get(&format!("{path}/connectivity")).await.ok();
    assert_eq!(report["isConnected"], true, "{report}");
    assert!(report["offered"].as_array().expect("capabilities").contains(&json!("visitLookup")));
    assert!(world.admin.get(&path).await.ok()["toldAt"].is_string());

    let staff = &world.larkfield.client;
    let found = staff.post("/api/integrations/patients", &json!({ "lastName": "Tenney" })).await.ok();
    let patient = found["items"][0].clone();
    assert_eq!(patient["medicalRecordNumber"], "LFM-20417");
    let chart = text(&patient, "id").to_owned();
    let visits = staff.post("/api/integrations/visits", &json!({ "patientId": chart })).await.ok();
    let visit = visits["items"][0].clone();
    assert_eq!(visit["date"], "2026-11-19");

    let letter = world.letter().await;
    let message = world.choose(&letter, &chart).await;
    let mut details = message["patient"].clone();
    details["integrationMeta"]["visitId"] = visit["id"].clone();
    details["version"] = message["patientVersion"].clone();
    staff.put(&format!("/api/messages/{}/patient", text(&message, "id")), &details).await.ok();
    let filings = format!("/api/messages/{}/chart", text(&message, "id"));
    let body = json!({ "acceptsGaps": true, "integrationId": id, "chartPatientId": chart });

    // The answer is lost: the same message again.
    hospital.answer.store(HANGS_UP, Relaxed);
    staff.post(&filings, &body).await.ok();
    world.app.drain().await;
    assert_eq!(staff.get(&filings).await.ok()["items"][0]["state"], "Waiting");
    hospital.answer.store(ACCEPTS, Relaxed);
    world.later(chrono::Duration::minutes(2)).await;
    let filing = staff.get(&filings).await.ok()["items"][0].clone();
    assert_eq!(filing["state"], "Filed", "{filing}");
    let got = hospital.got();
    assert!(got.len() >= 2 && got.iter().all(|one| field(one, "MSH", 9) == field(&got[0], "MSH", 9)));
    let sent = got.last().expect("a message");
    assert!(field(sent, "MSH", 8).starts_with("MDM^T02"));
    assert_eq!(field(sent, "MSH", 4), "CHART");
    assert!(field(sent, "PID", 3).starts_with("LFM-20417^^^NORTH"), "{}", field(sent, "PID", 3));
    assert!(field(sent, "PV1", 19).starts_with("V-881"));

    staff.post(&format!("{filings}/{}/undo", text(&filing, "id")), &json!({})).await.ok();
    world.app.drain().await;
    assert_eq!(staff.get(&filings).await.ok()["items"][0]["state"], "Withdrawn");
    let got = hospital.got();
    let cancelled = got.last().expect("a message");
    assert!(field(cancelled, "MSH", 8).starts_with("MDM^T11"));
    assert_eq!(field(cancelled, "TXA", 12), field(sent, "TXA", 12));

    // A refusal is final, and says no word of the EHR.
    hospital.answer.store(REFUSES, Relaxed);
    staff.post(&filings, &body).await.ok();
    world.app.drain().await;
    let failed = staff.get(&filings).await.ok()["items"][0].clone();
    assert_eq!(failed["state"], "Failed");
    assert!(text(&failed, "problem").starts_with("The endpoint answered AE"));
    world.app.finish().await;
}

/// The chart that a person chose was merged into another one meanwhile.
#[tokio::test]
async fn nothing_is_sent_for_a_patient_who_was_merged_into_another() {
    let world = World::reported().await;
    let (hospital, url) = Hospital::start().await;
    let id = world.connect(&form(&url)).await;
    world.report(&admission("A1", "A04", "20261119083000")).await;
    let other = admission("A2", "A04", "20261119084000").replace("LFM-20417", "LFM-90000");
    world.report(&other).await;
    world.admin.get(&format!("/api/integrations/{id}/connectivity")).await.ok();
    let staff = &world.larkfield.client;
    let found = staff.post("/api/integrations/patients", &json!({ "mrn": "LFM-90000" })).await.ok();
    let chart = text(&found["items"][0], "id").to_owned();
    let letter = world.letter().await;
    let message = world.choose(&letter, &chart).await;
    let merge = admission("A3", "A40", "20261119090000").replace("PV1|", "MRG|LFM-90000^^^NORTH^MR\rPV1|");
    world.report(&merge).await;
    let filings = format!("/api/messages/{}/chart", text(&message, "id"));
    let body = json!({ "acceptsGaps": true, "integrationId": id, "chartPatientId": chart });
    staff.post(&filings, &body).await.ok();
    world.app.drain().await;
    let failed = staff.get(&filings).await.ok()["items"][0].clone();
    assert_eq!(
        (&failed["state"], &failed["problem"]),
        (&json!("Failed"), &json!("This chart was merged into another one. Please find the patient again."))
    );
    assert!(hospital.got().is_empty());
    world.app.finish().await;
}

//! Patients, visits and orders that an EHR tells by HL7 v2 over MLLP: what is known after them, in whatever order they
//! come.

use crate::{
    interfaces::{World, python, world},
    support::*,
};
use chrono::NaiveDate;
use fhir::model::{Gender, Patient, PatientQuery, Visit};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use std::process::Command;
use store::entities::{feed_order, feed_patient, feed_visit, message as message_row};
use testkit::{Db, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    an_admission_is_looked_up_and_makes_no_message,
    what_comes_late_never_overwrites_what_is_newer,
    records_that_were_merged_are_one_in_whatever_order_it_is_told,
    a_merge_that_a_person_undid_stays_undone,
    people_who_were_told_apart_are_not_merged_but_asked_about_again,
    the_same_number_of_two_authorities_is_two_people,
    a_number_that_was_given_to_somebody_else_never_mixes_two_people,
    a_record_number_that_changes_leads_to_the_same_record,
    visits_ahead_and_orders_say_when_they_are_cancelled,
    many_events_about_one_patient_at_once_leave_one_record,
    an_organization_that_is_deleted_is_told_nothing_more,
}

/// A header of the first of December, with a control id of its own.
fn header(kind: &str, minute: u32) -> String {
    let id = Uuid::new_v4().simple().to_string();
    let at = format!("202611200{}{:02}00+0000", 1 + minute / 60, minute % 60);
    format!("MSH|^~\\&|EHR|NORTH|CAREPOST|LARK|{at}||{kind}|{}|P|2.5.1", &id[..20])
}

/// A patient: record number with its authority, name, and birth date.
fn pid(number: &str, name: &str, born: &str) -> String {
    format!("PID|1||{number}||{name}||{born}|F")
}

fn marisol(number: &str) -> String {
    pid(number, "Tenney^Marisol", "19610314")
}

fn pv1(number: &str, more: &str) -> String {
    format!("PV1|1|O|CLINIC||||^Osei^Ama{}{number}{more}", "|".repeat(12))
}

impl World {
    /// Says a message that is accepted, and applies it.
    async fn tells(&self, lines: &[&str]) {
        let answer = self.say(&(lines.join("\r") + "\r")).await;
        assert!(answer.contains("MSA|AA|"), "{answer}");
        self.app.drain().await;
    }

    fn organization_id(&self) -> Uuid {
        self.larkfield.organization.id
    }

    async fn asked(&self, query: PatientQuery) -> Vec<Patient> {
        feeds::find_patients(&self.app, self.organization_id(), &query).await.expect("found").items
    }

    async fn of_number(&self, number: &str) -> Vec<Patient> {
        self.asked(PatientQuery {
            record_number: Some(number.into()),
            include_inactive: true,
            ..PatientQuery::default()
        })
        .await
    }

    /// The record with this number.
    async fn record(&self, number: &str) -> Patient {
        let mut found = self.of_number(number).await;
        assert_eq!(found.len(), 1, "{number}");
        found.remove(0)
    }

    async fn visits(&self, patient: &Patient) -> Vec<Visit> {
        feeds::visits(&self.app, self.organization_id(), &patient.id).await.expect("found").items
    }

    /// What the finder shows for a typed text.
    async fn found(&self, text: &str) -> Vec<Value> {
        let found = self.larkfield.client.post("/api/patients/_search", &json!({ "text": text })).await.ok();
        found["items"].as_array().expect("items").clone()
    }

    async fn duplicates(&self) -> usize {
        let found = self.larkfield.client.get("/api/patients/duplicates").await.ok();
        found["items"].as_array().expect("items").len()
    }

    async fn history(&self, id: &str) -> Vec<Value> {
        let path = format!("/api/patients/{id}/history");
        self.larkfield.client.get(&path).await.ok()["items"].as_array().expect("items").clone()
    }
}

async fn fed(db: Db) -> World {
    let world = world(db).await;
    world.connection("Mllp", json!({})).await;
    world
}

async fn count<E: EntityTrait>(app: &TestApp) -> u64
where
    E::Model: Sync,
{
    E::find().count(app.store.db()).await.expect("counted")
}

fn by_name(name: &str) -> PatientQuery {
    PatientQuery { name: Some(name.into()), ..PatientQuery::default() }
}

async fn an_admission_is_looked_up_and_makes_no_message(db: Db) {
    let world = fed(db).await;
    assert!(!feeds::is_fed(&world.app, world.organization_id()).await.expect("known"));
    let lines = [
        header("ADT^A01^ADT_A01", 0),
        "EVN||20261120010000+0000".to_owned(),
        "PID|1||70412^^^HAW^MR~901441234^^^SSA^SS||Tenney^Marisol^J~Reyes^Marisol^^^^^M||19610314|F|||27 Orchard Row^^Larkfield^OH^44601||555-010-0142"
            .to_owned(),
        pv1("V1^^^HAW", &format!("{}20261120005500+0000", "|".repeat(25))),
        "PV2|||^Chest pain".to_owned(),
    ];
    let lines = lines.each_ref().map(String::as_str);
    for _ in 0..2 {
        world.tells(&lines).await;
    }
    assert_eq!(count::<message_row::Entity>(&world.app).await, 0);
    let record = world.record("70412").await;
    assert_eq!((record.family.as_str(), record.given.as_str()), ("Tenney", "Marisol"));
    assert_eq!(record.former_names, ["Reyes"]);
    assert_eq!((record.gender, record.is_active, record.is_deceased), (Gender::Female, true, false));
    assert_eq!(record.identifiers.len(), 1, "no social security number");
    let born = NaiveDate::from_ymd_opt(1961, 3, 14);
    for query in [
        by_name("ten mar"),
        by_name("Teney"),
        by_name("Reyes"),
        PatientQuery { family: Some("tenn".into()), given: Some("mari".into()), ..PatientQuery::default() },
        PatientQuery { born, ..PatientQuery::default() },
        PatientQuery { born, gender: Some(Gender::Female), ..by_name("tenney") },
        PatientQuery { id: Some(record.id.clone()), ..PatientQuery::default() },
    ] {
        let found = world.asked(query).await;
        assert_eq!(found.iter().map(|patient| &patient.id).collect::<Vec<_>>(), [&record.id]);
    }
    assert!(world.asked(PatientQuery { gender: Some(Gender::Male), ..by_name("tenney") }).await.is_empty());
    assert!(world.asked(by_name("okafor")).await.is_empty());
    assert!(world.asked(PatientQuery::default()).await.is_empty());
    let visits = world.visits(&record).await;
    assert_eq!(visits.len(), 1);
    assert_eq!((visits[0].status.as_str(), visits[0].provider.as_str()), ("in-progress", "Ama Osei"));
    assert_eq!(visits[0].description, "Chest pain");
    let found = world.found("tenney").await;
    assert_eq!(found.len(), 1, "of the index, too");
    assert_eq!(found[0]["patient"]["patientId"], "70412");
    let orders = [Uuid::nil().to_string()];
    let addressee =
        feeds::addressee(&world.app, world.organization_id(), &record.id, Some(&visits[0].id), &orders);
    let addressee = addressee.await.expect("known").expect("a patient");
    assert_eq!(addressee.patient.identifiers[0].authority, "HAW");
    assert_eq!(addressee.visit.expect("a visit").number.number, "V1");
    assert_eq!(addressee.missing, [feeds::Missing::Order]);
    assert!(feeds::last_told(&world.app, world.organization_id()).await.expect("known").is_some());
    let elsewhere = world.app.organization("summit").await.id;
    assert!(feeds::patient(&world.app, elsewhere, &record.id).await.expect("known").is_none());
    assert!(!feeds::is_fed(&world.app, elsewhere).await.expect("known"));
    let test = lines.join("\r").replace("|P|2.5.1", "|T|2.5.1").replace("70412", "70499");
    assert!(world.say(&test).await.contains("MSA|AA|"));
    world.app.drain().await;
    assert!(world.of_number("70499").await.is_empty(), "a test changes nothing");
    let nobody = [header("ADT^A04", 0), pid("999-99-9999^^^HAW", "Unknown^Unknown", "19000101")];
    world.tells(&nobody.each_ref().map(String::as_str)).await;
    assert!(world.of_number("999-99-9999").await.is_empty(), "placeholders are nobody");
    world.app.finish().await;
}

async fn what_comes_late_never_overwrites_what_is_newer(db: Db) {
    let world = fed(db).await;
    let married = pid("70412^^^HAW", "Reyes^Marisol", "19610314");
    world.tells(&[&header("ADT^A03", 20), &married, &pv1("V1", "")]).await;
    world.tells(&[&header("ADT^A08", 10), &marisol("70412^^^HAW"), &pv1("V1", "")]).await;
    let record = world.record("70412").await;
    assert_eq!(record.family, "Reyes");
    assert_eq!(world.visits(&record).await[0].status, "finished");
    world.tells(&[&header("ADT^A13", 30), &married, &pv1("V1", "")]).await;
    let visits = world.visits(&record).await;
    assert_eq!((visits[0].status.as_str(), visits[0].ends), ("in-progress", None));
    // A state that is told late still holds, unless a newer one was told.
    world.tells(&[&header("ADT^A08", 33), &married, &pv1("V2", "")]).await;
    for (kind, minute) in [("ADT^A11", 32), ("ADT^A04", 31)] {
        world.tells(&[&header(kind, minute), &married, &pv1("V2", "")]).await;
    }
    let visits = world.visits(&record).await;
    let cancelled: Vec<bool> = visits.iter().map(|visit| visit.is_cancelled).collect();
    assert_eq!(cancelled.iter().filter(|is_cancelled| **is_cancelled).count(), 1, "{cancelled:?}");
    // What is empty stays, what is deleted goes.
    world.tells(&[&header("ADT^A31", 40), "PID|1||70412^^^HAW||Reyes^Marisol^Ana||||||||5550100142"]).await;
    let record = world.record("70412").await;
    assert_eq!((record.middle.as_str(), record.phone.as_str()), ("Ana", "5550100142"));
    assert_eq!(record.born, NaiveDate::from_ymd_opt(1961, 3, 14));
    world.tells(&[&header("ADT^A31", 50), "PID|1||70412^^^HAW||||||||||\"\"|||||||||||||||||Y"]).await;
    let record = world.record("70412").await;
    assert_eq!((record.phone.as_str(), record.is_deceased), ("", true));
    assert_eq!(world.found("reyes").await.len(), 1);
    world.app.finish().await;
}

async fn records_that_were_merged_are_one_in_whatever_order_it_is_told(db: Db) {
    let world = fed(db).await;
    let said = |number: u32| {
        let [one, other] = [number * 10, number * 10 + 1].map(|id| format!("{id}^^^HAW"));
        let name =
            format!("Merge{}^Ana", ["one", "two", "three", "four", "five", "six"][number as usize - 101]);
        let [stays, goes] = [&one, &other].map(|id| pid(id, &name, "19700105"));
        [
            vec![header("ADT^A28", 0), stays.clone()],
            vec![header("ADT^A04", 1), goes, pv1(&format!("V{number}"), "")],
            vec![header("ADT^A40^ADT_A39", 2), stays, format!("MRG|{other}")],
        ]
    };
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, number) in orders.into_iter().zip(101..) {
        let events = said(number);
        for at in order.into_iter().chain([2]) {
            let lines: Vec<&str> = events[at].iter().map(String::as_str).collect();
            world.tells(&lines).await;
        }
        let stays = world.record(&format!("{number}0")).await;
        let goes = world.record(&format!("{number}1")).await;
        assert_eq!((goes.replaced_by.as_ref(), goes.is_active), (Some(&stays.id), false), "{order:?}");
        assert_eq!((stays.replaced_by.as_ref(), stays.is_active), (None, true), "{order:?}");
        assert_eq!(world.visits(&stays).await.len(), 1, "{order:?}");
        assert_eq!(world.visits(&goes).await.len(), 1, "{order:?}: it leads to the other");
        assert_eq!(world.found(&format!("{number}1")).await.len(), 1, "{order:?}: one person of the index");
        let index = world.found(&format!("{number}0")).await;
        let history = world.history(text(&index[0], "id")).await;
        assert_eq!(history.len(), 1, "{order:?}: {history:?}");
        assert_eq!((&history[0]["kind"], &history[0]["by"]["name"]), (&json!("Merged"), &json!("System")));
    }
    // A chain, told from its end.
    let one = |kind: &str, minute: u32, id: &str, rest: &[&str]| {
        let lines = [header(kind, minute), pid(&format!("{id}^^^HAW"), "Chain^Ruth", "19550909")];
        lines.into_iter().chain(rest.iter().map(|line| (*line).to_owned())).collect::<Vec<_>>()
    };
    for lines in [
        one("ADT^A40", 12, "9003", &["MRG|9002^^^HAW"]),
        one("ADT^A40", 11, "9002", &["MRG|9001^^^HAW"]),
        one("ADT^A04", 5, "9001", &[&pv1("V9", "")]),
    ] {
        world.tells(&lines.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    let end = world.record("9003").await;
    assert_eq!(world.record("9001").await.replaced_by.as_ref(), Some(&end.id));
    assert_eq!(world.visits(&end).await.len(), 1);
    let itself = [header("ADT^A40", 20), marisol("9003^^^HAW"), "MRG|9003^^^HAW".into()].join("\r");
    let answer = world.say(&itself).await;
    assert!(answer.contains("MSA|AE|") && answer.contains("|205^"), "{answer}");
    world.app.finish().await;
}

/// Two records of the index: of the same name, with different record numbers.
async fn two_records(world: &World) -> [String; 2] {
    world.tells(&[&header("ADT^A28", 0), &marisol("70412^^^HAW")]).await;
    world.tells(&[&header("ADT^A28", 1), &marisol("80113^^^HAW")]).await;
    assert_eq!(world.duplicates().await, 1);
    let mut ids = Vec::new();
    for number in ["70412", "80113"] {
        let found = world.found(number).await;
        assert_eq!(found.len(), 1);
        ids.push(text(&found[0], "id").to_owned());
    }
    ids.try_into().expect("two")
}

async fn a_merge_that_a_person_undid_stays_undone(db: Db) {
    let world = fed(db).await;
    let [stays, goes] = two_records(&world).await;
    let merge = [header("ADT^A40", 5), marisol("70412^^^HAW"), "MRG|80113^^^HAW".into()];
    world.tells(&merge.each_ref().map(String::as_str)).await;
    assert_eq!(world.found("tenney").await.len(), 1);
    let history = world.history(&stays).await;
    let undo = format!("/api/patients/events/{}/undo", text(&history[0], "id"));
    assert_eq!(world.larkfield.client.post(&undo, &json!({})).await.status.as_u16(), 204);
    assert_eq!(world.found("tenney").await.len(), 2);
    let again = [header("ADT^A40", 6), marisol("70412^^^HAW"), "MRG|80113^^^HAW".into()];
    world.tells(&again.each_ref().map(String::as_str)).await;
    world.tells(&[&header("ADT^A08", 7), "PID|1||70412^^^HAW||Tenney^Marisol^J||19610314|F"]).await;
    world.tells(&[&header("ADT^A08", 8), "PID|1||80113^^^HAW||Tenney^Marisol^K||19610314|F"]).await;
    let found = world.found("tenney").await;
    let mut ids: Vec<&str> = found.iter().map(|patient| text(patient, "id")).collect();
    ids.sort_unstable();
    let mut wanted = [stays.as_str(), goes.as_str()];
    wanted.sort_unstable();
    assert_eq!(ids, wanted);
    world.app.finish().await;
}

async fn people_who_were_told_apart_are_not_merged_but_asked_about_again(db: Db) {
    let world = fed(db).await;
    let [stays, goes] = two_records(&world).await;
    let path = format!("/api/patients/{stays}/distinct");
    world.larkfield.client.post(&path, &json!({ "otherId": goes })).await.ok();
    assert_eq!(world.duplicates().await, 0);
    for minute in [5, 6] {
        let merge = [header("ADT^A40", minute), marisol("70412^^^HAW"), "MRG|80113^^^HAW".into()];
        world.tells(&merge.each_ref().map(String::as_str)).await;
    }
    assert_eq!(world.found("tenney").await.len(), 2, "a person decided");
    assert_eq!(world.duplicates().await, 1);
    assert!(!world.record("80113").await.is_active, "what the EHR says of its own records holds");
    let reversed = [header("ADT^A40", 7), marisol("80113^^^HAW"), "MRG|70412^^^HAW".into()];
    world.tells(&reversed.each_ref().map(String::as_str)).await;
    assert!(!world.record("70412").await.is_active);
    assert_eq!(world.found("tenney").await.len(), 2, "being asked about again decides nothing");
    world.app.finish().await;
}

async fn the_same_number_of_two_authorities_is_two_people(db: Db) {
    let world = fed(db).await;
    world.tells(&[&header("ADT^A28", 0), &marisol("70412^^^HAW")]).await;
    world.tells(&[&header("ADT^A28", 1), &pid("70412^^^ELM", "Okafor^Bridget", "19840722")]).await;
    let found = world.of_number("70412").await;
    assert_eq!(found.len(), 2);
    assert_eq!(world.found("70412").await.len(), 2);
    assert!(found.iter().all(|patient| patient.is_active));
    // A merge is about the numbers of its authority.
    let merge = [header("ADT^A40", 2), pid("5551^^^ELM", "Okafor^Bridget", "19840722"), "MRG|70412".into()];
    world.tells(&merge.each_ref().map(String::as_str)).await;
    let found = world.of_number("70412").await;
    let gone: Vec<&str> = found.iter().filter(|p| !p.is_active).map(|p| p.family.as_str()).collect();
    assert_eq!(gone, ["Okafor"]);
    world.app.finish().await;
}

async fn a_number_that_was_given_to_somebody_else_never_mixes_two_people(db: Db) {
    let world = fed(db).await;
    world.tells(&[&header("ADT^A04", 0), &marisol("70412^^^HAW"), &pv1("V1", "")]).await;
    let before = text(&world.found("tenney").await[0], "id").to_owned();
    // One of both may be a correction.
    world.tells(&[&header("ADT^A08", 1), &pid("70412^^^HAW", "Reyes^Marisol", "19610314")]).await;
    assert_eq!(text(&world.found("reyes").await[0], "id"), before);
    world
        .tells(&[&header("ADT^A40", 2), &pid("70412^^^HAW", "Reyes^Marisol", "19610314"), "MRG|60001"])
        .await;
    assert_eq!(world.record("60001").await.replaced_by.as_ref(), Some(&world.record("70412").await.id));
    let other = pid("70412^^^HAW", "Okafor^Desmond", "19991231");
    world.tells(&[&header("ADT^A04", 10), &other, &pv1("V2", "")]).await;
    let record = world.record("70412").await;
    assert_eq!((record.family.as_str(), record.former_names.len()), ("Okafor", 0));
    assert_eq!(
        world.record("60001").await.replaced_by,
        None,
        "what was merged into the other person is not his"
    );
    assert_eq!(world.visits(&record).await.len(), 1, "not those of the other person");
    let now = world.found("okafor").await;
    assert_eq!(now.len(), 1);
    assert_ne!(text(&now[0], "id"), before);
    assert!(world.found("reyes").await.is_empty(), "nobody says this name any more");
    world.tells(&[&header("ADT^A03", 5), &marisol("70412^^^HAW"), &pv1("V1", "")]).await;
    assert_eq!(world.visits(&record).await.len(), 1, "what comes late is about the other person");
    for (kind, stays, goes) in
        [("ADT^A40", "80113", "70412"), ("ADT^A40", "70412", "80114"), ("ADT^A47", "80115", "70412")]
    {
        let late = [header(kind, 5), marisol(&format!("{stays}^^^HAW")), format!("MRG|{goes}^^^HAW")];
        world.tells(&late.each_ref().map(String::as_str)).await;
    }
    let record = world.record("70412").await;
    assert_eq!((record.family.as_str(), record.is_active), ("Okafor", true), "and so does a merge");
    for number in ["80113", "80114", "80115"] {
        assert_eq!(
            world.of_number(number).await.iter().filter(|found| !found.is_active).count(),
            0,
            "{number}"
        );
    }
    assert_eq!(world.found("okafor").await.len(), 1);
    // Twins, and father and son: doubt makes two.
    for (number, name) in [("7101^^^HAW", "Lind^Ada"), ("7102^^^HAW", "Lind^Adam")] {
        world.tells(&[&header("ADT^A28", 20), &pid(number, name, "20150601")]).await;
    }
    for (number, name) in [("8101^^^HAW", "Pruitt^Carl^^SR"), ("8102^^^HAW", "Pruitt^Carl^^JR")] {
        world.tells(&[&header("ADT^A28", 21), &pid(number, name, "19500101")]).await;
    }
    assert_eq!(world.found("lind").await.len(), 2);
    assert_eq!(world.found("pruitt").await.len(), 2);
    world.app.finish().await;
}

async fn a_record_number_that_changes_leads_to_the_same_record(db: Db) {
    let world = fed(db).await;
    world.tells(&[&header("ADT^A04", 0), &marisol("70412^^^HAW"), &pv1("V1", "")]).await;
    let before = world.record("70412").await;
    for minute in [5, 6] {
        let changed = [header("ADT^A47", minute), marisol("90007^^^HAW"), "MRG|70412^^^HAW".into()];
        world.tells(&changed.each_ref().map(String::as_str)).await;
    }
    let after = world.record("90007").await;
    assert_eq!(after.id, before.id);
    assert_eq!(after.record_number.as_deref(), Some("90007"));
    world.tells(&[&header("ADT^A04", 7), &marisol("70412^^^HAW"), &pv1("V2", "")]).await;
    assert_eq!(world.visits(&after).await.len(), 2, "the old number leads to the record");
    assert_eq!(world.found("tenney").await.len(), 1);
    world.app.finish().await;
}

async fn visits_ahead_and_orders_say_when_they_are_cancelled(db: Db) {
    let world = fed(db).await;
    let patient = marisol("70412^^^HAW");
    let sch = |id: &str, begin: &str| format!("SCH||{id}|||||^Check-up||||^^^{begin}");
    let tells = async |kind: &str, minute: u32, first: &str, rest: &[&str]| {
        let head = header(kind, minute);
        world.tells(&[&[head.as_str(), first, patient.as_str()], rest].concat()).await;
    };
    // The visit before its patient is known otherwise.
    tells("SIU^S15", 9, &sch("F1", "20261201090000"), &[]).await;
    tells("SIU^S12", 1, &sch("F1", "20261201090000"), &[]).await;
    tells("SIU^S12", 2, &sch("F2", "20261202090000"), &[]).await;
    tells("SIU^S26", 3, &sch("F2", "20261202090000"), &[]).await;
    tells("SIU^S12", 4, &sch("F3", "20261203090000"), &[&pv1("V3", "")]).await;
    world.tells(&[&header("ADT^A04", 5), &patient, &pv1("V3", "")]).await;
    let record = world.record("70412").await;
    let visits = world.visits(&record).await;
    let states: Vec<(&str, bool)> = visits.iter().map(|v| (v.status.as_str(), v.is_cancelled)).collect();
    assert_eq!(states, [("in-progress", false), ("noshow", false), ("cancelled", true)]);
    let orders = async |visit: Option<&str>| {
        let found = feeds::orders(&world.app, world.organization_id(), &record.id, visit).await;
        found.expect("found").items
    };
    let order = |control: &str, id: &str| format!("ORC|{control}|{id}^EHR|||||||20261120");
    let tells = async |minute: u32, orc: &str, visit: &str| {
        let lines = [header("OMG^O19", minute), patient.clone(), pv1(visit, ""), orc.to_owned()];
        let lines = lines.each_ref().map(String::as_str);
        world.tells(&[&lines[..], &["OBR|1|||58410-2^Complete blood count^LN"]].concat()).await;
    };
    tells(20, &order("CA", "O1"), "V3").await;
    tells(10, &order("NW", "O1"), "V3").await;
    tells(11, &order("NW", "O2"), "V4").await;
    tells(23, &order("XO", "O3"), "V5").await;
    tells(22, &order("CA", "O3"), "V5").await;
    let all = orders(None).await;
    assert_eq!(all.len(), 3);
    assert_eq!(all.iter().filter(|order| order.is_revoked).count(), 2, "also what was cancelled late");
    let of_visit = orders(Some(&visits[0].id)).await;
    assert_eq!(of_visit.len(), 1);
    assert_eq!((of_visit[0].status.as_str(), of_visit[0].is_revoked), ("revoked", true));
    assert_eq!(of_visit[0].visit_id.as_ref(), Some(&visits[0].id));
    assert_eq!(of_visit[0].description, "Complete blood count");
    let later = all.iter().find(|order| !order.is_revoked).expect("another");
    assert_eq!((later.visit_id.as_ref(), later.is_revoked), (None, false), "its visit is not told yet");
    for number in ["V4", "V5"] {
        world.tells(&[&header("ADT^A04", 30), &patient, &pv1(number, "")]).await;
    }
    assert!(orders(None).await.iter().all(|order| order.visit_id.is_some()));
    world.app.finish().await;
}

async fn many_events_about_one_patient_at_once_leave_one_record(db: Db) {
    let world = fed(db).await;
    let said = (0..20).map(|number| {
        let (world, minute) = (&world, number % 10);
        async move {
            let lines = match number % 5 {
                0 => vec![header("ADT^A40", minute), marisol("70412^^^HAW"), "MRG|80113^^^HAW".into()],
                1 => vec![header("ADT^A04", minute), marisol("80113^^^HAW"), pv1("V1", "")],
                _ => vec![header("ADT^A04", minute), marisol("70412^^^HAW"), pv1("V1", "")],
            };
            let answer = world.say(&(lines.join("\r") + "\r")).await;
            assert!(answer.contains("MSA|AA|"), "{answer}");
        }
    });
    futures::future::join_all(said).await;
    world.app.drain().await;
    assert_eq!(count::<feed_patient::Entity>(&world.app).await, 2);
    assert_eq!(count::<feed_visit::Entity>(&world.app).await, 1);
    assert_eq!(world.found("tenney").await.len(), 1);
    world.app.finish().await;
}

async fn an_organization_that_is_deleted_is_told_nothing_more(db: Db) {
    let world = fed(db).await;
    let id = world.organization_id();
    let order = "ORC|NW|O1^EHR\rOBR|1|||x^Chest x-ray";
    world.tells(&[&header("ADT^A04", 0), &marisol("70412^^^HAW"), &pv1("V1", "")]).await;
    world.tells(&[&header("ORM^O01", 1), &marisol("70412^^^HAW"), order]).await;
    assert_eq!(count::<feed_order::Entity>(&world.app).await, 1);
    world.operator.delete(&format!("/api/organizations/{id}")).await.ok();
    let late = [header("ADT^A08", 2), pid("70413^^^HAW", "Okafor^Bridget", "19840722")].join("\r");
    let answer = world.say(&late).await;
    assert!(answer.contains("MSA|AE|"), "{answer}");
    world.app.drain().await;
    assert_eq!(count::<feed_patient::Entity>(&world.app).await, 1);
    world.app.finish().await;
}

#[tokio::test]
async fn python_hl7_writes_events_that_are_understood() {
    let Some(python) = python() else {
        eprintln!("python3 with the package hl7 is not there: skipped");
        return;
    };
    let world = fed(Db::sqlite()).await;
    let script = "import sys, hl7, hl7.client\n\
        def build(kind, id, segments):\n\
        \x20   head = hl7.parse('MSH|^~\\\\&|EHR|NORTH|CAREPOST|LARK|20261120080000-0500||' + kind + '|' + id + '|P|2.5.1\\r')\n\
        \x20   for fields in segments:\n\
        \x20       head.append(head.create_segment([head.create_field([field]) for field in fields]))\n\
        \x20   return str(head)\n\
        pid = lambda number: ['PID', '1', '', number + '^^^HAW^MR', '', 'O' + chr(92) + 'S' + chr(92) + 'Rourke^Zo\u{eb}', '', '19840722', 'F']\n\
        with hl7.client.MLLPClient('127.0.0.1', int(sys.argv[1])) as client:\n\
        \x20   for kind, id, segments in (\n\
        \x20       ('ADT^A04', 'A1', [pid('4711'), ['PV1', '1', 'E'] + [''] * 16 + ['V77']]),\n\
        \x20       ('ADT^A40', 'A2', [pid('4712'), ['MRG', '4711^^^HAW']]),\n\
        \x20   ):\n\
        \x20       read = hl7.parse(client.send_message(build(kind, id, segments)).decode().strip('\\x0b\\x1c\\r') + '\\r')\n\
        \x20       print(str(read.segment('MSA')[1]), str(read.segment('MSA')[2]))\n";
    let port = world.mllp().port.to_string();
    let ran = tokio::task::spawn_blocking(move || Command::new(python).args(["-c", script, &port]).output());
    let ran = ran.await.expect("python ends").expect("python runs");
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "AA A1\nAA A2\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    world.app.drain().await;
    let record = world.record("4712").await;
    assert_eq!((record.family.as_str(), record.given.as_str()), ("O^Rourke", "Zo\u{eb}"));
    assert_eq!(world.visits(&record).await.len(), 1);
    assert_eq!(world.record("4711").await.replaced_by, Some(record.id));
    world.app.finish().await;
}

//! Messages and packages of referrals, written here and by others.

use chrono::{DateTime, NaiveDate, Utc};
use clinical::referral::{self, Action, Document, Message, Package, ReferralError, ReferredPatient};
use std::io::{Cursor, Read, Write};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn message(action: Action) -> Message {
    Message {
        action,
        referral_id: "R-7|1".into(),
        assigner: "2.25.7".into(),
        sender: "2.25.7".into(),
        receiver: "2.25.8".into(),
        control_id: "C-1".into(),
        at: at("2026-11-20T10:00:00Z"),
        patient: ReferredPatient {
            id: "LFM-1".into(),
            realm: "2.25.7".into(),
            last_name: "O'Tenney & Sons".into(),
            first_name: "Marisol".into(),
            middle_name: "J".into(),
            birth_date: NaiveDate::from_ymd_opt(1957, 11, 8),
            gender: "F".into(),
        },
        due: None,
        reason: "Chest pain ^ at rest".into(),
        provider: String::new(),
        appointment: None,
        note: String::new(),
    }
}

#[test]
fn every_message_of_a_referral_is_read_as_it_was_written() {
    let request = Message {
        due: NaiveDate::from_ymd_opt(2026, 12, 1),
        provider: "Dana Whitfield".into(),
        ..message(Action::Request)
    };
    let appointment = Some(at("2026-11-24T14:30:00Z"));
    for written in [
        request,
        message(Action::Accept),
        Message { note: "No cardiologist\nuntil May".into(), ..message(Action::Decline) },
        message(Action::Cancel),
        message(Action::Interim),
        message(Action::Outcome),
        Message { appointment, ..message(Action::Appointment) },
        Message { appointment, ..message(Action::NoShow) },
    ] {
        let text = written.write();
        assert_eq!(Message::parse(text.as_bytes()), Ok(written), "{text}");
    }
}

#[test]
fn a_request_has_its_fields_where_the_profile_wants_them() {
    let text = message(Action::Request).write();
    assert!(text.starts_with("MSH|^~\\&||2.25.7^ISO||2.25.8^ISO|20261120100000+0000||OMG^O19^OMG_O19|C-1|P|2.5.1|||NE|NE|||||360X\r"));
    assert!(text.contains("\rORC|NW|R-7\\F\\1^^2.25.7^ISO|||"));
}

#[test]
fn messages_of_others_are_read_leniently_and_what_is_none_is_refused() {
    let foreign = "\u{b}MSH|^~\\&|EHR|1.2.3^ISO||4.5.6^ISO|202611201000-0500||OSU^O51|9|P|2.5.1\nPID|||901441234^^^SSA^SS~9~8^^^&1.2&ISO^MR||Redcloud^Aiyana\nORC|SC|77^^1.2.3^ISO|||CM\n";
    let read = Message::parse(foreign.as_bytes()).expect("a message");
    assert_eq!((read.action, read.referral_id.as_str()), (Action::Outcome, "77"));
    assert_eq!(read.at, at("2026-11-20T15:00:00Z"));
    assert_eq!((read.patient.id.as_str(), read.patient.realm.as_str()), ("8", "1.2"), "the record number");
    for (text, error) in [
        ("", ReferralError::NotHl7),
        ("MSH|^~\\&|||||||ADT^A01|1|P|2.5.1\r", ReferralError::NotAReferral),
        ("MSH|^~\\&|||||||OSU^O51|1|P|2.5.1\rORC|SC||||IP\r", ReferralError::NoReferral),
        ("MSH|^~\\&", ReferralError::NotAReferral),
    ] {
        assert_eq!(Message::parse(text.as_bytes()), Err(error), "{text}");
    }
    assert_eq!(Message::parse(&vec![b'a'; 2 << 20]), Err(ReferralError::TooLong));
}

#[test]
fn names_in_utf_8_are_read_whatever_character_set_the_header_names() {
    for charset in ["", "8859/1", "8859/15", "UNICODE UTF-8", "KOI8"] {
        let header = format!("MSH|^~\\&|||||||OSU^O51|9|P|2.5.1{}{charset}", "|".repeat(6));
        let text = format!("{header}\rPID|||8||Núñez^Zoë\rORC|SC|77|||CM\r");
        let patient = Message::parse(text.as_bytes()).expect("a message").patient;
        assert_eq!((&*patient.last_name, &*patient.first_name), ("Núñez", "Zoë"), "{charset}");
    }
    let western = b"MSH|^~\\&|||||||OSU^O51|9|P|2.5.1||||||8859/1\rPID|||8||N\xfa\xf1ez\rORC|SC|77|||CM\r";
    assert_eq!(Message::parse(western).expect("a message").patient.last_name, "Núñez");
}

fn package(documents: &[Document]) -> Vec<u8> {
    referral::write(&Package {
        from: "desk@larkfield.direct.example",
        to: "desk@summit.direct.example",
        institution: "Larkfield <Family>",
        source: "2.25.7",
        number: "42",
        at: at("2026-11-20T10:00:00Z"),
        patient: "LFM-1^^^&2.25.7&ISO",
        referral: "R-7^^^&2.25.7&ISO",
        documents,
    })
    .expect("a package")
}

fn documents() -> [Document; 2] {
    let document = |name: &str, mime: &str, content: &[u8]| Document {
        name: name.into(),
        mime_type: mime.into(),
        title: "Referral & note".into(),
        content: content.into(),
        is_intact: true,
    };
    [
        document("DOC0001.HL7", "x-application/hl7-v2+er7", b"MSH|"),
        document("DOC0002.XML", "text/xml", b"<a/>"),
    ]
}

/// The same package with a changed document and unchanged metadata. Its names are in lower case.
fn with_another_note(package: &[u8]) -> Vec<u8> {
    let mut old = ZipArchive::new(Cursor::new(package)).expect("an archive");
    let mut new = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..old.len() {
        let mut entry = old.by_index(at).expect("an entry");
        let (name, mut content) = (entry.name().replace("METADATA.XML", "METADATA.xml"), Vec::new());
        entry.read_to_end(&mut content).expect("content");
        let content = if name.ends_with("DOC0002.XML") { b"<b/>".to_vec() } else { content };
        new.start_file(name, SimpleFileOptions::default()).expect("a file");
        new.write_all(&content).expect("content");
    }
    new.finish().expect("an archive").into_inner()
}

#[test]
fn a_package_is_read_as_it_was_written_and_what_was_changed_is_told() {
    let zip = package(&documents());
    assert_eq!(referral::read(&zip), Some(documents().into()));
    let read = referral::read(&with_another_note(&zip)).expect("a package");
    assert_eq!(read.iter().map(|d| d.is_intact).collect::<Vec<_>>(), [true, false]);
    for other in [&b"PK"[..], b"", &zip[..zip.len() / 2]] {
        assert_eq!(referral::read(other), None);
    }
}

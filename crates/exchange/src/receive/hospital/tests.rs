use super::*;
use chrono::NaiveDate;
use proptest::prelude::*;

fn told(lines: &[&str]) -> Result<Told, Problem> {
    Told::read(&Message::read(lines.join("\r").as_bytes()).unwrap())
}

fn header(kind: &str) -> String {
    format!("MSH|^~\\&|EHR|HAW|CAREPOST|LARK|20261120083000-0500||{kind}|1|P|2.5.1")
}

const MARISOL: &str = "PID|1||70412^^^HAW&1.2.840.9&ISO^MR~901441234^^^SSA^SS||Tenney^Marisol^J^^^^L~Reyes^Marisol^^^^^M||19610314|F|\
    Ortiz^Mari||27 Orchard Row^Apt 2^Larkfield^OH^44601^USA||^PRN^PH^^^555^0100142|||||A77||||||||||||N";

fn visit(event: &str, pv1: &str) -> Visit {
    let told = told(&[&header(&format!("ADT^{event}")), "EVN||20261120081500-0500", MARISOL, pv1]).unwrap();
    let What::Visit(visit) = told.what else { panic!("a visit: {:?}", told.what) };
    *visit
}

#[test]
fn an_admission_tells_the_patient_and_the_visit() {
    let [to_number, to_time] = [12, 25].map(|fields| "|".repeat(fields));
    let pv1 =
        format!("PV1|1|I|4W^12^B^HAW||||^Osei^Ama{to_number}V-901^^^HAW^VN{to_time}20261120080000-0500");
    let told = told(&[
        &header("ADT^A01^ADT_A01"),
        "EVN|A01|20261120081500-0500",
        MARISOL,
        &pv1,
        "PV2|||^Chest pain",
    ]);
    let Told { at, patient, what } = told.unwrap();
    assert_eq!(at.unwrap().to_rfc3339(), "2026-11-20T13:15:00+00:00");
    let number = Identifier {
        number: "70412".into(),
        authority: "HAW".into(),
        oid: "1.2.840.9".into(),
        kind: "MR".into(),
    };
    assert_eq!(patient.identifiers, [number], "no social security number");
    let Said::Value(name) = &patient.name else { panic!("a name") };
    assert_eq!([&name.family, &name.given, &name.middle], ["Tenney", "Marisol", "J"]);
    let Said::Value(others) = &patient.other_names else { panic!("names") };
    assert_eq!(others.iter().map(|name| name.family.as_str()).collect::<Vec<_>>(), ["Reyes", "Ortiz"]);
    assert_eq!(patient.born, Said::Value(NaiveDate::from_ymd_opt(1961, 3, 14).unwrap()));
    assert_eq!(patient.phone, Said::Value("5550100142".into()));
    assert_eq!(patient.is_deceased, Said::Value(false));
    let Said::Value(address) = patient.address else { panic!("an address") };
    assert_eq!((address.street2.as_str(), address.postal_code.as_str()), ("Apt 2", "44601"));
    let What::Visit(visit) = what else { panic!("a visit") };
    assert_eq!(visit.number.unwrap().number, "V-901");
    assert_eq!(visit.class, Said::Value("I".into()));
    assert_eq!(visit.provider, Said::Value("Ama Osei".into()));
    assert_eq!(visit.location, Said::Value("4W 12 B".into()));
    assert_eq!(visit.reason, Said::Value("Chest pain".into()));
    assert_eq!(visit.ends, Said::Nothing);
}

#[test]
fn each_event_says_what_becomes_of_the_visit() {
    let pv1 = format!("PV1|1|O{}V1", "|".repeat(17));
    for (event, becomes) in [
        ("A01", VisitEvent::Begun),
        ("A02", VisitEvent::Changed),
        ("A03", VisitEvent::Ended),
        ("A04", VisitEvent::Begun),
        ("A05", VisitEvent::Planned),
        ("A06", VisitEvent::Begun),
        ("A07", VisitEvent::Begun),
        ("A08", VisitEvent::Changed),
        ("A11", VisitEvent::Cancelled),
        ("A12", VisitEvent::Changed),
        ("A13", VisitEvent::Resumed),
        ("A14", VisitEvent::Planned),
        ("A27", VisitEvent::Cancelled),
        ("A38", VisitEvent::Cancelled),
    ] {
        assert_eq!(visit(event, &pv1).event, becomes, "{event}");
    }
    assert_eq!(visit("A13", &pv1).ends, Said::Deleted);
    let alone = told(&[&header("ADT^A08"), MARISOL, "PV1|1|O"]).unwrap();
    assert_eq!(alone.what, What::Patient, "a visit without a number cannot be found again");
    assert_eq!(alone.at.unwrap().to_rfc3339(), "2026-11-20T13:30:00+00:00", "of MSH-7 without EVN");
    let recorded = told(&[&header("ADT^A08"), "EVN||20261120081500", MARISOL]).unwrap();
    assert_eq!(recorded.at.unwrap().to_rfc3339(), "2026-11-20T13:15:00+00:00", "with the offset of MSH-7");
    assert_eq!(told(&[&header("ADT^A60"), MARISOL, "IAM|1"]).unwrap().what, What::Nothing);
}

#[test]
fn an_empty_field_says_nothing_and_two_quotes_delete() {
    let pid = |rest: &str| told(&[&header("ADT^A31"), &format!("PID|1||7^^^HAW{rest}")]).unwrap().patient;
    let nothing = pid("");
    assert_eq!((&nothing.name, &nothing.phone), (&Said::Nothing, &Said::Nothing));
    let deleted = pid("||\"\"||\"\"||||\"\"||\"\"");
    assert_eq!(deleted.name, Said::Deleted);
    assert_eq!((deleted.born, deleted.address, deleted.phone), (Said::Deleted, Said::Deleted, Said::Deleted));
    let mut known = Some("x".to_owned());
    Said::Nothing.put(&mut known);
    assert_eq!(known.as_deref(), Some("x"));
    Said::Deleted.put(&mut known);
    assert_eq!(known, None);
    let died = pid(&format!("{}20261119", "|".repeat(26)));
    assert_eq!(died.is_deceased, Said::Value(true), "whoever has a time of death is dead");
}

#[test]
fn a_merge_names_the_record_that_goes_and_none_goes_into_itself() {
    let merge = |kind: &str, lines: &[&str]| {
        let header = header(kind);
        told(&[&[header.as_str(), MARISOL], lines].concat())
    };
    for kind in ["ADT^A40^ADT_A39", "ADT^A18", "ADT^A30", "ADT^A34", "ADT^A36"] {
        let What::Merge { gone } = merge(kind, &["MRG|80113"]).unwrap().what else { panic!("{kind}") };
        assert_eq!((gone[0].number.as_str(), gone[0].oid.as_str()), ("80113", "1.2.840.9"), "{kind}");
    }
    let many = merge("ADT^A40", &["MRG|5^^^X~80113^^^HAW&1.2.840.9&ISO", MARISOL, "MRG|80114"]).unwrap();
    let What::Merge { gone } = many.what else { panic!("a merge") };
    assert_eq!(gone.iter().map(|id| id.number.as_str()).collect::<Vec<_>>(), ["80113", "80114"]);
    let refused = |lines: &[&str]| {
        let problem = merge("ADT^A40", lines).unwrap_err();
        (problem.is_rejected, problem.number)
    };
    assert_eq!(refused(&["MRG|70412"]), (false, 205));
    assert_eq!(refused(&["MRG|70412^^^HAW&1.2.840.9&ISO^MR"]), (false, 205));
    assert_eq!(refused(&["MRG|70412^^^haw"]), (false, 205), "the authority without its OID");
    let What::Merge { gone } = merge("ADT^A40", &["MRG|5^^^X~80113^^^haw"]).unwrap().what else {
        panic!("a merge")
    };
    assert_eq!((gone[0].number.as_str(), gone[0].oid.as_str()), ("80113", "1.2.840.9"));
    assert_eq!(refused(&[]), (false, 101));
    assert_eq!(refused(&["MRG|"]), (false, 101));
    assert!(merge("ADT^A40", &["MRG|70412^^^OTHER"]).is_ok(), "the same number of another authority");
    let What::Renumber { old } = merge("ADT^A47", &["MRG|60001"]).unwrap().what else { panic!("a number") };
    assert_eq!(old.number, "60001");
}

#[test]
fn a_visit_ahead_has_the_number_of_its_appointment() {
    let lines = |kind: &str, sch: &str| {
        told(&[&header(kind), sch, MARISOL, "AIS|1||^Follow-up|20261201090000", "AIP|1||12^Osei^Ama"])
    };
    let sch = "SCH|P1|F1|||||^Check-up||||^^^20261201093000-0500^20261201100000-0500";
    for (event, becomes) in [
        ("S12", VisitEvent::Planned),
        ("S13", VisitEvent::Planned),
        ("S14", VisitEvent::Changed),
        ("S15", VisitEvent::Cancelled),
        ("S17", VisitEvent::Cancelled),
        ("S26", VisitEvent::NoShow),
    ] {
        let What::Visit(visit) = lines(&format!("SIU^{event}^SIU_S12"), sch).unwrap().what else {
            panic!("{event}")
        };
        assert_eq!((visit.event, visit.number.as_ref()), (becomes, None));
        assert_eq!(visit.appointment.unwrap().number, "F1");
        assert_eq!(visit.provider, Said::Value("Ama Osei".into()));
        assert_eq!(visit.reason, Said::Value("Check-up".into()));
        let Said::Value(begins) = visit.begins else { panic!("a time") };
        assert_eq!(begins.local.format("%H:%M").to_string(), "09:30");
    }
    let What::Visit(visit) = lines("SIU^S12", "SCH|P1").unwrap().what else { panic!("a visit") };
    assert_eq!(visit.appointment.unwrap().number, "P1");
    let Said::Value(begins) = visit.begins else { panic!("a time") };
    assert_eq!(begins.local.format("%H:%M").to_string(), "09:00", "of its service");
    assert_eq!(lines("SIU^S12", "SCH|").unwrap_err().number, 101);
    assert_eq!(lines("SIU^S18", sch).unwrap_err(), UNKNOWN_EVENT);
}

#[test]
fn orders_have_the_state_that_the_last_code_gives_them() {
    let orders = |kind: &str, lines: &[&str]| {
        let header = header(kind);
        let what = told(&[&[header.as_str(), MARISOL, "PV1|1|O|||||||||||||||||V7"], lines].concat())?.what;
        let What::Orders { visit, orders } = what else { panic!("orders") };
        assert_eq!(visit.unwrap().number, "V7");
        Ok::<_, Problem>(orders)
    };
    let both = orders(
        "OMG^O19^OMG_O19",
        &[
            "ORC|NW|O1^EHR|||||||20261120",
            "OBR|1|O1^EHR||58410-2^Complete blood count^LN",
            "ORC|DC|O2^EHR|F2^LAB||CM",
            "OBR|2|||x^Chest x-ray|||20261118",
        ],
    );
    let both = both.unwrap();
    assert_eq!(both[0].name.as_deref(), Some("Complete blood count"));
    assert_eq!(both[0].date, NaiveDate::from_ymd_opt(2026, 11, 20));
    assert_eq!((both[0].state, both[1].state), (Some(OrderState::Active), Some(OrderState::Discontinued)));
    assert_eq!(both[1].filler.as_ref().unwrap().authority, "LAB");
    for (control, status, state) in [
        ("CA", "", Some(OrderState::Cancelled)),
        ("OC", "", Some(OrderState::Cancelled)),
        ("HD", "", Some(OrderState::Held)),
        ("XO", "", None),
        ("SC", "CM", Some(OrderState::Completed)),
        ("NW", "SC", Some(OrderState::Active)),
    ] {
        let read = orders("ORM^O01", &[&format!("ORC|{control}|O1|||{status}"), "OBR|1||O9"]).unwrap();
        assert_eq!(read[0].state, state, "{control} {status}");
    }
    assert_eq!(orders("ORM^O01", &[]).unwrap_err().number, 101);
    assert_eq!(orders("ORM^O01", &["ORC|NW", "OBR|1|||x^CBC"]).unwrap_err().number, 101);
    assert_eq!(orders("ORM^O01", &["ORC|ZZ|1"]).unwrap_err().number, 103);
}

#[test]
fn a_patient_without_a_record_number_is_nobody() {
    let refused = |pid: &str| told(&[&header("ADT^A04"), pid]).unwrap_err().number;
    assert_eq!(refused("PID|1||||Tenney^Marisol"), 101);
    assert_eq!(refused("PID|1||901441234^^^SSA^SS||Tenney^Marisol"), 101);
    assert_eq!(refused("PV1|1"), 101, "no patient");
    assert_eq!(told(&[&header("ADT^A99"), MARISOL]).unwrap_err(), UNKNOWN_EVENT);
}

fn kinds() -> impl Strategy<Value = String> {
    "(ADT\\^A(0[1-8]|1[1-48]|27|28|3[01468]|40|47|60)|SIU\\^S(12|15|26)|ORM\\^O01|OMG\\^O19)"
}

proptest! {
    #[test]
    fn nothing_breaks_the_reader(
        kind in kinds(),
        lines in prop::collection::vec("(EVN|PID|PV1|PV2|MRG|SCH|TQ1|AIS|AIP|ORC|OBR)[|]{0,5}[ -~é]{0,60}", 0..10),
    ) {
        let all: Vec<&str> = lines.iter().map(String::as_str).collect();
        if let Ok(told) = told(&[&[header(&kind).as_str()], all.as_slice()].concat()) {
            prop_assert!(!told.patient.record_number().number.is_empty());
            if let What::Merge { gone } = &told.what {
                prop_assert!(!gone.is_empty());
            }
        }
    }

    #[test]
    fn what_a_writer_escapes_is_read_as_it_was(
        number in "[A-Z0-9][A-Z0-9 ^&|~\\\\-]{0,20}[A-Z0-9]", family in "[A-Za-zé][A-Za-zé'^&|~\\\\-]{0,30}",
        given in "[A-Za-z]{1,20}", day in 1u32..28, visit in "[A-Z0-9]{1,12}",
    ) {
        // The fields as python-hl7 writes them: each component escaped, joined by the separators.
        let escaped = clinical::hl7::escape;
        let pid = format!(
            "PID|1||{}^^^HAW^MR||{}^{given}||196103{day:02}|F", escaped(&number), escaped(&family),
        );
        let pv1 = format!("PV1|1|O{}{visit}^^^HAW", "|".repeat(17));
        let read = told(&[&header("ADT^A04"), &pid, &pv1]).unwrap();
        let one_space = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(&read.patient.record_number().number, &one_space(&number));
        let Said::Value(name) = &read.patient.name else { panic!("a name") };
        prop_assert_eq!((&name.family, &name.given), (&family, &given));
        prop_assert_eq!(read.patient.born, Said::Value(NaiveDate::from_ymd_opt(1961, 3, day).unwrap()));
        let What::Visit(told) = read.what else { panic!("a visit") };
        prop_assert_eq!(told.number.unwrap().number, visit);
    }
}

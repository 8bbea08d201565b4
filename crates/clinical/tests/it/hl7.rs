//! The reader of HL7 v2 messages, and what is written for them.

use chrono::NaiveDate;
use clinical::hl7::{
    Message, Separators, Time, Unreadable, escape, escape::hex, escape::unescape, patient_ids,
    time::Precision,
};
use encoding_rs::{UTF_8, WINDOWS_1250};
use proptest::prelude::*;

fn message(text: &str) -> Message {
    Message::read(text.as_bytes()).unwrap()
}

#[test]
fn segments_end_in_any_way_and_go_on_over_lines_that_begin_none() {
    let read = message("MSH|^~\\&|LAB\r\nPID|1||7\nOBX|1|ED|||^a^b^Base64^QUJD\r\nREVG\rNTE|1");
    let names: Vec<_> = read.segments().map(|segment| segment.name()).collect();
    assert_eq!(names, ["MSH", "PID", "OBX", "NTE"]);
    assert_eq!(read.segment("OBX").unwrap().field(5).component(5).raw, "QUJD\r\nREVG");
}

#[test]
fn fields_are_counted_as_the_standard_does() {
    let read = message("MSH|^~\\&|LAB^1.2.3^ISO|NORTH|||||MDM^T02|17\rPID|1||a^^^&9.8&ISO~b");
    assert_eq!(read.header().field(3).component(2).raw, "1.2.3");
    assert_eq!(read.header().field(10).text(), "17");
    let ids: Vec<_> =
        read.segment("PID").unwrap().field(3).repetitions().map(|v| v.component(1).text()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(read.segment("PID").unwrap().field(3).component(4).subcomponent(2).raw, "9.8");
}

#[test]
fn the_character_set_of_the_header_decides() {
    let with = |charset: &str, name: &[u8]| {
        let head = format!("MSH|^~\\&{}{charset}\rPID|1||||", "|".repeat(16));
        let read = Message::read(&[head.as_bytes(), name].concat()).unwrap();
        (read.segment("PID").unwrap().field(5).text(), read.knows_charset())
    };
    assert_eq!(with("UNICODE UTF-8", "Núñez".as_bytes()), ("Núñez".into(), true));
    assert_eq!(with("8859/1", b"N\xfa\xf1ez"), ("Núñez".into(), true));
    assert_eq!(with("windows-1252", b"N\xfa\xf1ez \x80"), ("Núñez €".into(), true));
    assert_eq!(with("8859/2", b"\xa3ukasz"), ("Łukasz".into(), true));
    assert_eq!(with("", b"N\xfa\xf1ez"), ("Núñez".into(), true), "nothing is said and it is no UTF-8");
    for name in
        ["8859-1", "ISO8859/1", "ISO_8859-1", "latin1", "Latin-1", "ISO IR100", "cp1252", "WINDOWS_1252"]
    {
        assert_eq!(with(name, b"N\xfa\xf1ez"), ("Núñez".into(), true), "{name}");
    }
    for name in ["UTF_8", "utf8", "Unicode UTF-8", "ISO-IR 192"] {
        assert_eq!(with(name, "Núñez".as_bytes()), ("Núñez".into(), true), "{name}");
    }
    assert_eq!(with("ISO-8859-15", b"\xa4"), ("€".into(), true));
    assert_eq!(with("GB 18030-2000", b"Tenney"), ("Tenney".into(), true), "ASCII is the same in all of them");
    for (name, bytes) in
        [("GB 18030-2000", &b"\xb9\xfa"[..]), ("ISO IR149", b"\xb1"), ("ISO IR87", b"\x1b$B"), ("X", b"\xe9")]
    {
        assert!(!with(name, bytes).1, "{name}");
    }
}

#[test]
fn text_in_utf_8_is_read_as_such_whatever_single_byte_set_the_header_names() {
    let with = |charset: &str, name: &str| {
        let read = message(&format!("MSH|^~\\&{}{charset}\rPID|1||||{name}", "|".repeat(16)));
        (read.segment("PID").unwrap().field(5).text(), read.knows_charset())
    };
    for charset in ["8859/1", "8859/2", "8859/15", "ANSI", "KOI8", "GB 18030-2000"] {
        assert_eq!(with(charset, "Núñez").0, "Núñez", "{charset}");
    }
    assert!(with("8859/1", "Núñez").1);
    assert!(!with("KOI8", "Núñez").1, "the name stays unknown");
    assert_eq!(with("8859/2", r"\XA3\ukasz").0, "Łukasz", "escapes are in the set that is named");
    assert_eq!(with("8859/1", r"Núñez Zo\XEB\").0, "Núñez Zoë");
}

#[test]
fn the_headers_of_a_batch_are_passed_over() {
    let read = message("FHS|^~\\&|LAB\r\nBHS|^~\\&|LAB\rMSH|^~\\&|LAB\rPID|1\rBTS|1\rFTS|1");
    assert_eq!(read.header().field(3).text(), "LAB");
    assert_eq!(Message::read(b"FHS|^~\\&|LAB\rBHS|1").unwrap_err(), Unreadable::NoHeader);
}

#[test]
fn hexadecimal_escapes_are_line_breaks_and_letters_of_the_character_set() {
    let said = |charset: &str, field: &str| {
        let text = format!("MSH|^~\\&{}{charset}\rPID|{field}", "|".repeat(16));
        message(&text).segment("PID").unwrap().field(1).text()
    };
    for field in [
        r"One\X0D\Two",
        r"One\X0A\Two",
        r"One\X0D0A\Two",
        r"One\X0D\\X0A\Two",
        r"One\x0d\Two",
        r"One\.BR\Two",
    ] {
        assert_eq!(said("", field), "One\nTwo", "{field}");
    }
    assert_eq!(said("", r"One\X0D0A0D0A\Two\X09\x"), "One\n\nTwo\tx");
    assert_eq!(said("8859/1", r"Zo\XEB\"), "Zoë");
    assert_eq!(said("UNICODE UTF-8", r"Zo\XC3\\XAB\ and Zo\XC3AB\"), "Zoë and Zoë");
    assert_eq!(said("UNICODE UTF-8", r"Zo\XEB\"), "Zoë", "what is no UTF-8 is that of Windows");
    assert_eq!(said("", r"a\X00\b\X0\c"), r"ab\X0\c");
}

#[test]
fn escapes_are_resolved_and_other_text_stays() {
    let read = message(r"MSH|^~\&|A\T\B\F\C\S\D\R\E\E\F|C:\temp\x|\X41\\.br\\Xzz\");
    assert_eq!(read.header().field(3).text(), r"A&B|C^D~E\F");
    assert_eq!(read.header().field(4).text(), r"C:\temp\x");
    assert_eq!(read.header().field(5).text(), "A\n\\Xzz\\");
}

proptest! {
    #[test]
    fn nothing_breaks_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut frame = b"MSH|^~\\&|".to_vec();
        frame.extend(bytes);
        if let Ok(read) = Message::read(&frame) {
            for segment in read.segments() {
                for number in 0..8 {
                    for repetition in segment.field(number).repetitions() {
                        let _ = repetition.component(2).subcomponent(2).text();
                    }
                }
            }
        }
    }

    #[test]
    fn no_byte_of_a_message_is_lost(lines in prop::collection::vec("[A-Z|^a-z0-9]{0,12}", 0..8)) {
        let text = format!("MSH|^~\\&|X\r{}", lines.join("\r"));
        let read = Message::read(text.as_bytes()).unwrap();
        let kept: String = read.segments().map(|s| s.raw().replace('\r', "")).collect();
        prop_assert_eq!(kept, text.replace('\r', ""));
    }
}

fn identifiers(pid: &str) -> Vec<String> {
    let message = Message::read(format!("MSH|^~\\&|A|B|||||ORU^R01|1|P|2.5.1\r{pid}").as_bytes()).unwrap();
    patient_ids(message.segment("PID").unwrap()).into_iter().map(|id| id.id).collect()
}

#[test]
fn the_record_number_comes_first_and_what_is_none_does_not_come() {
    assert_eq!(
        identifiers("PID|1||901441234^^^SSA^SS~8^^^X^DL~5^^^P^MB~70411^^^HAW^PI~70412^^^HAW^MR"),
        ["70412", "70411"]
    );
    assert_eq!(identifiers("PID|1||901441234^^^&2.16.840.1.113883.4.1&ISO"), [""; 0]);
}

#[test]
fn older_fields_count_where_the_present_one_has_none() {
    assert_eq!(identifiers("PID|1|5^^^OLD"), ["5"]);
    assert_eq!(identifiers(&format!("PID|1{}6", "|".repeat(17))), ["6"]);
    let social = format!("PID|1||901-44-1234^^^HAW{}901441234", "|".repeat(16));
    assert_eq!(identifiers(&social), [""; 0], "it is that of PID-19");
}

#[test]
fn formatting_is_that_of_plain_text() {
    let plain = |text: &str| unescape(text, Separators::default());
    assert_eq!(plain(r"a\.br\b\.sp2\c\.sk3\d\.SP\e"), "a\nb\n\nc   d\ne");
    assert_eq!(plain(r"a\.in+5\b\.br\\.ti-2\c\H\d\N\"), "a\nb\ncd", "indentation begins a line");
    assert_eq!(plain(r"a\.sp999999999\b").len(), 22);
    assert_eq!(plain("Müller \\S\\ Söhne\\.br\\2\\X41\\ \\E\\ 5\\"), "Müller ^ Söhne\n2A \\ 5\\");
    assert_eq!(plain(r"a\b\T\c"), r"a\b&c", "an escape may begin where another text ends");
}

#[test]
fn short_text_has_no_control_characters_and_deleted_text_is_empty() {
    let read = message("MSH|^~\\&|A\u{1}B\u{7f} | \"\" |a\tb");
    let header = read.header();
    assert_eq!(header.field(3).text(), "AB");
    assert!(header.field(4).is_deleted() && header.field(4).is_empty());
    assert_eq!((header.field(4).text(), header.field(5).text()), (String::new(), "a\tb".into()));
    assert_eq!(header.field(3).unescaped(), "A\u{1}B\u{7f} ", "data stays as it is");
}

#[test]
fn separators_that_are_left_out_cannot_occur_and_without_any_the_usual_ones_hold() {
    let ids = |header: &str| {
        let read = message(&format!("{header}\rPID|1||a^b&c~d"));
        let id = read.segment("PID").unwrap().field(3);
        (id.repetitions().count(), id.component(2).subcomponent(2).text())
    };
    assert_eq!(ids("MSH|^~|LAB"), (2, String::new()));
    assert_eq!(ids("MSH||LAB"), (2, "c".into()));
    let escaped = message(r"MSH|^~\|Smith \T\ Sons \R\ a&b");
    assert_eq!(escaped.header().field(3).unescaped(), "Smith & Sons ~ a&b");
    let other = message("MSH#*!\\&#LAB\rPID#1##7*8|9!d");
    assert_eq!(other.segment("PID").unwrap().field(3).component(2).text(), "8|9");
}

#[test]
fn only_a_message_is_read_strictly_and_what_is_around_it_does_not_matter() {
    for text in ["", "MSH", "MSHX", "PID|1", "hello", "FHS|^~\\&"] {
        assert_eq!(Message::read(text.as_bytes()).err(), Some(Unreadable::NoHeader), "{text}");
    }
    for text in
        ["\u{feff}\u{b}MSH|^~\\&|LAB", "\r\n\u{b}MSH|^~\\&|LAB", "FHS|^~\\&|X\rBHS|^~\\&\r\nMSH|^~\\&|LAB"]
    {
        assert_eq!(message(text).header().field(3).text(), "LAB", "{text:?}");
    }
    let long = format!("MSH|^~\\&\r{}", "NTE|1\r".repeat(20_000));
    assert_eq!(Message::read(long.as_bytes()).err(), Some(Unreadable::TooLong));
}

#[test]
fn a_lenient_message_is_any_text_and_each_header_declares_its_separators() {
    let read = Message::lenient("one\nMSH#*~\\&#LAB\n PID#1##7*8\n\u{b}MSH|^~\\&|X\rPID|2||9^8\r\x1c", UTF_8);
    let names: Vec<_> = read.segments().map(|segment| segment.name()).collect();
    assert_eq!(names, ["", "MSH", "PID", "MSH", "PID"]);
    let ids: Vec<_> = read.segments().map(|segment| segment.field(3).component(2).text()).collect();
    assert_eq!(ids, ["", "", "8", "", "8"]);
    assert_eq!(read.segments().next().unwrap().whole().text(), "one");
    let numbers: Vec<_> =
        read.header().fields().collect::<Vec<_>>().iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0; 0], "it has no fields");
    let header = read.segments().nth(1).unwrap();
    let fields: Vec<_> = header.fields().map(|(number, value)| (number, value.raw)).collect();
    assert_eq!(fields, [(2, "*~\\&"), (3, "LAB")]);
    assert!(!read.is_cut());
    let cut = Message::lenient("NTE|1\r".repeat(20_001), UTF_8);
    assert!(cut.is_cut() && cut.segments().count() == 20_000);
    let bytes = Message::lenient(r"MSH|^~\&|\XA3\ukasz", WINDOWS_1250);
    assert_eq!(bytes.header().field(3).text(), "Łukasz");
}

#[test]
fn times_have_a_precision_and_an_offset() {
    let read = |text: &str| Time::parse(text).map(|time| (time.precision, time.local.to_string()));
    assert_eq!(read("2026"), Some((Precision::Year, "2026-01-01 00:00:00".into())));
    assert_eq!(read("202611"), Some((Precision::Month, "2026-11-01 00:00:00".into())));
    assert_eq!(read("20261117"), Some((Precision::Day, "2026-11-17 00:00:00".into())));
    assert_eq!(read("2026111709"), Some((Precision::Hour, "2026-11-17 09:00:00".into())));
    assert_eq!(read("202611170930"), Some((Precision::Minute, "2026-11-17 09:30:00".into())));
    assert_eq!(read("20261117093011.1234+0100"), Some((Precision::Second, "2026-11-17 09:30:11".into())));
    for none in ["", "soon", "202", "2026111", "20261340", "20261117990000", "2026-11-17", "é026"] {
        assert!(Time::parse(none).is_none_or(|time| time.day().is_none()), "{none}");
    }
    let utc = |text: &str| Time::parse(text)?.utc().map(|at| at.to_rfc3339());
    assert_eq!(utc("20261117093011-0530").as_deref(), Some("2026-11-17T15:00:11+00:00"));
    assert_eq!(utc("202611170930+01:00").as_deref(), Some("2026-11-17T08:30:00+00:00"));
    assert_eq!(utc("2026111709-05").as_deref(), Some("2026-11-17T14:00:00+00:00"));
    for local in ["20261117093011", "20261117093011+x", "20261117093011+9999", "202611+0100"] {
        assert_eq!(utc(local), None, "{local}");
    }
    let day = clinical::hl7::time::day;
    assert_eq!(day("20261117 or so"), NaiveDate::from_ymd_opt(2026, 11, 17));
    assert_eq!((day("202611"), day("2026111é")), (None, None));
}

proptest! {
    #[test]
    fn times_are_read_or_not(text in "[0-9+.:é-]{0,20}") {
        let _ = Time::parse(&text).map(|time| (time.utc(), time.or_utc(), time.day()));
        let _ = clinical::hl7::time::day(&text);
    }

    #[test]
    fn escaped_text_is_read_as_it_was(text in "[ -~é\n]{0,40}") {
        let escaped = escape(&text);
        prop_assert!(!escaped.contains(['|', '^', '&', '~', '\n', '\r']));
        prop_assert_eq!(unescape(&escaped, Separators::default()), text);
    }

    #[test]
    fn every_text_is_a_lenient_message(text in "(MSH|PID|OBX|FHS)?[|^~\\\\&\r\n -é]{0,80}") {
        let read = Message::lenient(text, UTF_8);
        for segment in read.segments() {
            prop_assert!(!segment.raw().is_empty());
            for (number, field) in segment.fields() {
                prop_assert_eq!(field.raw, segment.field(number).raw);
                let _ = (field.text(), field.from_component(3).unescaped(), field.lines().count());
            }
        }
    }

    #[test]
    fn hexadecimal_digits_are_bytes(bytes in prop::collection::vec(any::<u8>(), 1..20)) {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X} ")).collect();
        prop_assert_eq!(hex(&digits), Some(bytes));
    }
}

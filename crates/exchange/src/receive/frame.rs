//! The contents of one frame: a message with the groups of one or several patients.

use super::ack::Problem;
use bytes::Bytes;
use clinical::hl7::frame::{begins_segment, is_line_end, without_batch};

/// Most patients of a message.
const PATIENTS: usize = 100;
/// Segments before the first patient that apply to all patients.
const OF_ALL: [&[u8]; 4] = [b"MSH", b"SFT", b"UAC", b"EVN"];
/// The fields of PID that identify a repeated patient: identifiers, name, birth date and sex.
const WHO: [usize; 7] = [2, 3, 4, 5, 7, 8, 18];

const SEVERAL: Problem =
    Problem::error(100, "MSH", "A frame holds one message: send the messages of a batch one by one");
const MIXED: Problem = Problem::error(100, "PID", "The content cannot be assigned to one of the patients");
const TOO_MANY: Problem = Problem::error(102, "PID", "The message has too many patients");

/// Splits a message into one for each patient: its header, and the segments from that patient's PID to the next
/// patient's. A message about one patient is returned unchanged, byte for byte.
///
/// Fails for several messages in one frame, and for content before the first of several patients.
pub fn by_patient(frame: &Bytes) -> Result<Vec<Bytes>, Problem> {
    let content = without_batch(frame);
    let lines: Vec<&[u8]> = content.split(|byte| is_line_end(*byte)).collect();
    if lines.iter().filter(|line| is_header(line)).count() > 1 {
        return Err(SEVERAL);
    }
    let field = content.get(3).map_or('|', |byte| char::from(*byte));
    let (before, patients) = grouped(&lines, field)?;
    if patients.len() < 2 {
        return Ok(vec![frame.clone()]);
    }
    let is_of_all = |line: &&[u8]| !begins_segment(line, field) || OF_ALL.contains(&&line[..3]);
    if !before.iter().all(is_of_all) {
        return Err(MIXED);
    }
    Ok(patients.iter().map(|patient| written(&before, &patient.lines)).collect())
}

/// Whether a line is a header, even one with unusual separators.
fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"MSH") && line.get(3).is_some_and(u8::is_ascii_punctuation)
}

/// A patient of a message, with its lines.
struct Group<'a> {
    who: [&'a [u8]; WHO.len()],
    lines: Vec<&'a [u8]>,
}

/// The lines before the first patient, and those of each.
fn grouped<'a>(lines: &[&'a [u8]], field: char) -> Result<(Vec<&'a [u8]>, Vec<Group<'a>>), Problem> {
    let (mut before, mut groups) = (Vec::new(), Vec::<Group>::new());
    let mut current = None;
    for line in lines.iter().copied().filter(|line| !line.is_empty()) {
        if begins_segment(line, field) && line.starts_with(b"PID") {
            let fields: Vec<&[u8]> = line.split(|byte| char::from(*byte) == field).collect();
            let who = WHO.map(|number| fields.get(number).copied().unwrap_or_default().trim_ascii());
            let known = groups.iter().position(|group| group.who == who);
            current = Some(known.unwrap_or(groups.len()));
            if known.is_none() {
                groups.push(Group { who, lines: Vec::new() });
            }
            if groups.len() > PATIENTS {
                return Err(TOO_MANY);
            }
        }
        current.map_or(&mut before, |current| &mut groups[current].lines).push(line);
    }
    Ok((before, groups))
}

fn written(before: &[&[u8]], own: &[&[u8]]) -> Bytes {
    [before, own].concat().iter().flat_map(|line| line.iter().copied().chain([b'\r'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "MSH|^~\\&|LAB|N|||1||ORU^R01|1|P|2.5.1";
    const ODALYS: &str = "PID|1||70412^^^HAW^MR||Brindlecombe^Odalys||19670309|F";
    const RAVI: &str = "PID|2||80113^^^HAW^MR||Tamsin^Ravi||19810722|M";

    fn parts(lines: &[&str]) -> Result<Vec<String>, &'static str> {
        let parts = by_patient(&Bytes::from(lines.join("\r")));
        let texts =
            parts.map(|parts| parts.iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect());
        texts.map_err(|problem| problem.words)
    }

    #[test]
    fn each_patient_of_a_message_has_their_own_results_and_nobody_else_s() {
        let (a, b, c) = ("OBX|1|NM|a||1", "OBX|1|NM|b||2", "OBX|1|NM|c||3");
        let found =
            parts(&[HEAD, ODALYS, "OBR|1", a, RAVI, "OBR|1", b, "goes on", ODALYS, "OBR|2", c]).unwrap();
        let wanted = [
            [HEAD, ODALYS, "OBR|1", a, ODALYS, "OBR|2", c, ""].join("\r"),
            [HEAD, RAVI, "OBR|1", b, "goes on", ""].join("\r"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_message_about_one_patient_stays_as_it_came() {
        let again = [HEAD, ODALYS, "", "OBX|1|NM|a||1\n", &ODALYS.replacen('1', "2", 1), "OBX|2|NM|b||2"];
        assert_eq!(parts(&again).unwrap(), [again.join("\r")]);
        assert_eq!(parts(&[HEAD, "OBX|1|NM|a||1", ODALYS]).unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused_whole() {
        assert_eq!(parts(&[HEAD, ODALYS, "OBX|1", HEAD, RAVI, "OBX|1"]), Err(SEVERAL.words));
        assert_eq!(parts(&[HEAD, ODALYS, "OBX|1", "MSH#*~\\&#LAB", "PID#1"]), Err(SEVERAL.words));
        assert_eq!(parts(&["FHS|^~\\&", "BHS|^~\\&", HEAD, ODALYS, HEAD, RAVI]), Err(SEVERAL.words));
        assert_eq!(parts(&[HEAD, "OBX|1|NM|a||1", ODALYS, "OBX|1", RAVI]), Err(MIXED.words));
        let many: Vec<String> = (0..=PATIENTS).map(|number| format!("PID|1||{number}")).collect();
        let all: Vec<&str> = [HEAD].into_iter().chain(many.iter().map(String::as_str)).collect();
        assert_eq!(parts(&all), Err(TOO_MANY.words));
    }

    proptest! {
        #[test]
        fn no_line_is_lost_and_none_changes_its_patient(owners in prop::collection::vec(0usize..4, 1..12)) {
            let mut lines = vec![HEAD.to_owned()];
            for (number, owner) in owners.iter().enumerate() {
                lines.extend([format!("PID|{number}||{owner}||Name{owner}"), format!("OBX|{number}|NM|of{owner}||{number}")]);
            }
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let found = parts(&lines).unwrap();
            let owners: std::collections::BTreeSet<_> = owners.into_iter().collect();
            prop_assert_eq!(found.len(), owners.len());
            for part in &found {
                let owner = part.split("Name").nth(1).unwrap().get(..1).unwrap();
                let is_own = |line: &&str| line.contains(&format!("|of{owner}|")) || line.contains(&format!("Name{owner}"));
                let of_part: Vec<&str> = part.split('\r').filter(|line| !line.is_empty()).collect();
                let wanted: Vec<&str> = lines.iter().copied().filter(|line| *line == HEAD || is_own(line)).collect();
                prop_assert_eq!(of_part, wanted);
            }
        }

        #[test]
        fn nothing_breaks_it(lines in prop::collection::vec("(MSH|PID|OBX|FHS)?[|^~ -é]{0,20}", 0..8)) {
            let _ = by_patient(&Bytes::from([HEAD, &lines.join("\r")].join("\r")));
            let _ = by_patient(&Bytes::from(lines.join("\n")));
        }
    }
}

//! The identifiers of a patient in a PID segment.

use super::text::{Segment, Value};
use clinical::record_number::{Identifier, Kind, best_first};

/// Most identifiers of one patient.
const MOST: usize = 20;

/// Candidates for the record number, each with the OID or name of its authority, best first, in the order of
/// [`clinical::record_number`]. They are in PID-3, or in PID-2, PID-4 or PID-18 of old systems if PID-3 has none.
pub(super) fn identifiers(pid: Segment) -> Vec<(String, String)> {
    let digits = |text: &str| text.replace('-', "");
    let social = digits(&pid.field(19).component(1).text());
    let of_field = |number: usize| {
        let all = pid.field(number).repetitions().filter_map(read);
        let all = all.filter(|read| social.is_empty() || digits(&read.id) != social);
        let best = best_first(all.take(MOST), |read| read.kind);
        Some(best).filter(|best| !best.is_empty())
    };
    let best = [3, 2, 4, 18].into_iter().find_map(of_field).unwrap_or_default();
    best.into_iter().map(|read| (read.id, read.realm)).collect()
}

struct Read {
    id: String,
    realm: String,
    kind: Kind,
}

fn read(value: Value) -> Option<Read> {
    let (id, authority) = (value.component(1).text(), value.component(4));
    let [name, root] = [1, 2].map(|number| authority.subcomponent(number).text());
    let kind = value.component(5).text();
    let kind = Identifier { id: &id, authorities: [&name, &root], kind: &kind, is_own: false }.kind();
    let realm = if root.is_empty() { name } else { root };
    (!id.is_empty()).then_some(Read { id, realm, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receive::text::Message;

    fn of(pid: &str) -> Vec<String> {
        let message =
            Message::read(format!("MSH|^~\\&|A|B|||||ORU^R01|1|P|2.5.1\r{pid}").as_bytes()).unwrap();
        identifiers(message.segment("PID").unwrap()).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn the_record_number_comes_first_and_what_is_none_does_not_come() {
        assert_eq!(
            of("PID|1||901441234^^^SSA^SS~8^^^X^DL~5^^^P^MB~70411^^^HAW^PI~70412^^^HAW^MR"),
            ["70412", "70411"]
        );
        assert_eq!(of("PID|1||901441234^^^&2.16.840.1.113883.4.1&ISO"), [""; 0]);
    }

    #[test]
    fn older_fields_count_where_the_present_one_has_none() {
        assert_eq!(of("PID|1|5^^^OLD"), ["5"]);
        assert_eq!(of(&format!("PID|1{}6", "|".repeat(17))), ["6"]);
        let social = format!("PID|1||901-44-1234^^^HAW{}901441234", "|".repeat(16));
        assert_eq!(of(&social), [""; 0], "it is that of PID-19");
    }
}

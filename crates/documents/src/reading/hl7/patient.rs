//! Who a message is about, by its first PID.

use chrono::NaiveDate;
use clinical::cda::{Gender, us_number};
use clinical::record_number::{Identifier, best_first};

use super::{Segment, segments, unescaped};
use crate::extract::ExtractedPatient;

/// Takes the patient of a message.
pub(crate) fn patient(text: &str) -> ExtractedPatient {
    let segments = segments(text);
    let Some(pid) = segments.iter().find(|segment| segment.name == "PID") else {
        return ExtractedPatient::default();
    };
    let written = |field, component| pid.component(field, component).trim().to_owned();
    let said = |field, component| Some(written(field, component)).filter(|text| !text.is_empty());
    let born = pid.component(7, 1);
    let gender = match written(8, 1).as_str() {
        "F" => Some(Gender::Female),
        "M" => Some(Gender::Male),
        _ => None,
    };
    // The number in one piece, or in the younger form its area and the rest.
    let telephone = said(13, 1).unwrap_or_else(|| written(13, 6) + &written(13, 7));
    ExtractedPatient {
        first_name: said(5, 2),
        middle_name: said(5, 3),
        last_name: said(5, 1),
        birth_date: born.get(..8).and_then(|day| NaiveDate::parse_from_str(day, "%Y%m%d").ok()),
        gender,
        identifier: Some(record_number(pid)).filter(|number| !number.is_empty()),
        street: said(11, 1),
        city: said(11, 3),
        state: said(11, 4),
        postal_code: said(11, 5),
        telephone: us_number(&telephone),
        ..ExtractedPatient::default()
    }
}

/// The record number among the identifiers of a PID: PID-3, or else the older fields PID-2 and PID-18.
fn record_number(pid: &Segment<'_>) -> String {
    let social = pid.component(19, 1).replace('-', "");
    let best = |field: usize| {
        let all: Vec<[String; 4]> = pid
            .field(field)
            .split(pid.signs.repetition)
            .map(|one| {
                let part = |number: usize| one.split(pid.signs.component).nth(number - 1).unwrap_or_default();
                let mut authority = part(4).split(pid.signs.part).map(|name| unescaped(name, pid.signs));
                let (name, root) =
                    (authority.next().unwrap_or_default(), authority.next().unwrap_or_default());
                [unescaped(part(1), pid.signs).trim().to_owned(), name, root, part(5).to_owned()]
            })
            .filter(|[id, ..]| !id.is_empty() && (social.is_empty() || id.replace('-', "") != social))
            .collect();
        let kind = |[id, name, root, kind]: &[String; 4]| {
            Identifier { id, authorities: [name, root], kind, is_own: false }.kind()
        };
        best_first(all, kind).into_iter().next().map(|[id, ..]| id)
    };
    [3, 2, 18].into_iter().find_map(best).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_birth_is_read() {
        assert_eq!(
            patient("MSH|^~\\&|\rPID|1||7||Roe^Ines^Q||19700102|F").birth_date,
            NaiveDate::from_ymd_opt(1970, 1, 2)
        );
    }

    #[test]
    fn the_record_number_is_chosen_by_its_type_and_is_never_the_social_security_number() {
        let number = |pid: &str| patient(&format!("MSH|^~\\&|\r{pid}")).identifier.unwrap_or_default();
        assert_eq!(number("PID|1||901441234^^^SSA^SS~70412^^^HAW^MR"), "70412");
        assert_eq!(number("PID|1||901441234^^^&2.16.840.1.113883.4.1&ISO~8^^^X^DL~9^^^X^PI"), "9");
        assert_eq!(number("PID|1|5^^^OLD|||||||||||||||||901441234"), "5", "PID-2 where PID-3 is empty");
        assert_eq!(number("PID|1||901-44-1234||||||||||||||||901441234"), "");
        assert_eq!(number("PID|1|||||||||||||||||6"), "6", "PID-18 last");
    }

    #[test]
    fn a_message_tells_where_its_patient_lives() {
        let found = patient(
            "MSH|^~\\&|\rPID|1||8842^^^Larkfield^MR||Pruitt^Desmond||19571108|M|||27 Orchard Row^^Larkfield^OH^43999||\
             ^PRN^PH^^1^555^0100164",
        );
        let said =
            [found.identifier, found.telephone, found.street, found.city, found.state, found.postal_code];
        let said = said.map(Option::unwrap_or_default);
        assert_eq!(said, ["8842", "5550100164", "27 Orchard Row", "Larkfield", "OH", "43999"]);
    }
}

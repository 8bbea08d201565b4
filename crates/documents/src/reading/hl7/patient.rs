//! Who a message is about, by its first PID.

use clinical::cda::{Gender, us_number};
use clinical::hl7::{patient_ids, time::day};

use super::{component, message};
use crate::extract::ExtractedPatient;

/// Takes the patient of a message.
pub(crate) fn patient(content: &[u8]) -> ExtractedPatient {
    let message = message(content);
    let Some(pid) = message.segment("PID") else {
        return ExtractedPatient::default();
    };
    let written = |field, number| component(&pid, field, number);
    let said = |field, number| Some(written(field, number)).filter(|text| !text.is_empty());
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
        birth_date: day(&written(7, 1)),
        gender,
        identifier: patient_ids(pid).into_iter().next().map(|id| id.id),
        street: said(11, 1),
        city: said(11, 3),
        state: said(11, 4),
        postal_code: said(11, 5),
        telephone: us_number(&telephone),
        ..ExtractedPatient::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    #[test]
    fn the_day_of_birth_is_read() {
        assert_eq!(
            patient(b"MSH|^~\\&|\rPID|1||7||Roe^Ines^Q||19700102|F").birth_date,
            NaiveDate::from_ymd_opt(1970, 1, 2)
        );
    }

    #[test]
    fn the_record_number_is_chosen_by_its_type_and_is_never_the_social_security_number() {
        let number =
            |pid: &str| patient(format!("MSH|^~\\&|\r{pid}").as_bytes()).identifier.unwrap_or_default();
        assert_eq!(number("PID|1||901441234^^^SSA^SS~70412^^^HAW^MR"), "70412");
        assert_eq!(number("PID|1||901441234^^^&2.16.840.1.113883.4.1&ISO~8^^^X^DL~9^^^X^PI"), "9");
        assert_eq!(number("PID|1|5^^^OLD|||||||||||||||||901441234"), "5", "PID-2 where PID-3 is empty");
        assert_eq!(number("PID|1||901-44-1234||||||||||||||||901441234"), "");
        assert_eq!(number("PID|1|||||||||||||||||6"), "6", "PID-18 last");
    }

    #[test]
    fn a_message_tells_where_its_patient_lives() {
        let found = patient(
            b"MSH|^~\\&|\rPID|1||8842^^^Larkfield^MR||Pruitt^Desmond||19571108|M|||27 Orchard Row^^Larkfield^OH^43999||\
             ^PRN^PH^^1^555^0100164",
        );
        let said =
            [found.identifier, found.telephone, found.street, found.city, found.state, found.postal_code];
        let said = said.map(Option::unwrap_or_default);
        assert_eq!(said, ["8842", "5550100164", "27 Orchard Row", "Larkfield", "OH", "43999"]);
    }
}

//! Choice of the record number.

use clinical::record_number::{Identifier, best_first};

fn best(ids: &[(&'static str, &'static str, &'static str)]) -> Vec<&'static str> {
    let read = |(id, authority, kind): &(&str, &str, &str)| {
        Identifier { id, authorities: [*authority, ""], kind, is_own: *authority == "OWN" }.kind()
    };
    best_first(ids.iter().copied(), read).into_iter().map(|(id, ..)| id).collect()
}

#[test]
fn the_record_number_is_chosen_by_type_and_authority() {
    let all = [
        ("901441234", "SSA", "SS"),
        ("5", "PAYER", "MB"),
        ("4", "", ""),
        ("3", "HAW", "PI"),
        ("2", "HAW", "MR"),
        ("1", "OWN", "MR"),
        ("9", "OWN", "AN"),
        ("OH123", "2.16.840.1.113883.4.3.39", ""),
    ];
    assert_eq!(best(&all), ["1", "2", "3", "4"]);
    assert_eq!(best(&[("2", "1.9", ""), ("1", "OWN", "")]), ["1", "2"], "C-CDA has no types");
}

#[test]
fn a_social_security_number_is_none_however_it_is_written() {
    for id in [
        ("901441234", "", "SS"),
        ("901441234", "2.16.840.1.113883.4.1", ""),
        ("901441234", "urn:oid:2.16.840.1.113883.4.1", "MR"),
        ("901441234", "http://hl7.org/fhir/sid/us-ssn", ""),
        ("901-44-1234", "", ""),
    ] {
        assert_eq!(best(&[id]), [""; 0], "{id:?}");
    }
    assert_eq!(best(&[("901-44-1234", "HAW", "MR")]), ["901-44-1234"], "a record may be numbered so");
}

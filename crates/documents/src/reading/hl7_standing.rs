//! Remarks about segments of HL7 v2 messages that are cancelled, withdrawn, replaced or uncertain. All codes for it are here.
//!
//! | Field | Table | Codes |
//! |---|---|---|
//! | OBX-11 | 0085 | D, W withdrawn; C corrected; X no result; N not asked for; R not verified |
//! | OBR-25 | 0123 | X cancelled; C corrected; Y, Z no such order or patient |
//! | ORC-1, ORC-5 | 0119, 0038 | cancelled, discontinued, on hold, replaced, refused |
//! | RXA-20, RXA-18, RXA-21 | 0322, 0323 | refused, not given, in part; a reason of refusal; deleted |
//! | TXA-19 | 0273 | deleted, obsolete, not available |
//! | DG1-21, PR1-20, IAM-6, AL1, PRB-1 | 0206, 0287 | deleted |
//! | SCH-25 | 0278 | cancelled, deleted, did not come |
//! | MSH-9.2 | 0003 | events that cancel an earlier message |

/// The remark in front of a segment; `field` returns the first component of a field.
pub(super) fn standing(segment: &str, field: impl Fn(usize) -> String) -> Option<&'static str> {
    let code = |number| field(number).trim().to_ascii_uppercase();
    match segment {
        "OBX" => match &*code(11) {
            "D" | "W" => Some("Withdrawn"),
            "C" => Some("Corrected"),
            "X" => Some("No result"),
            "N" => Some("Not asked for"),
            "R" => Some("Not verified"),
            _ => None,
        },
        "OBR" => match &*code(25) {
            "X" => Some("Cancelled"),
            "C" => Some("Corrected"),
            "Y" => Some("No such order"),
            "Z" => Some("No such patient"),
            _ => None,
        },
        "ORC" => control(&code(1)).or_else(|| order_status(&code(5))),
        "RXA" => match (&*code(21), &*code(20)) {
            ("D", _) => Some("Withdrawn"),
            (_, "RE") => Some("Refused, not given"),
            (_, "NA") => Some("Not given"),
            (_, "PA") => Some("Given in part"),
            _ => (!code(18).is_empty()).then_some("Refused, not given"),
        },
        "TXA" => match &*code(19) {
            "CA" => Some("Withdrawn"),
            "OB" => Some("Replaced"),
            "UN" => Some("Not available"),
            _ => None,
        },
        "DG1" => deleted(&code(21)),
        "PR1" => deleted(&code(20)),
        "IAM" => deleted(&code(6)),
        "PRB" => deleted(&code(1)),
        "SCH" => match &*code(25) {
            "CANCELLED" | "CANCELED" => Some("Cancelled"),
            "DELETED" => Some("Withdrawn"),
            "DC" => Some("Stopped"),
            "NOSHOW" => Some("Did not come"),
            _ => None,
        },
        _ => None,
    }
}

fn deleted(action: &str) -> Option<&'static str> {
    matches!(action, "D" | "DE" | "X").then_some("Withdrawn")
}

/// The remark for an order control code. A requested cancellation counts like one that took place; a refused one has no
/// remark.
fn control(code: &str) -> Option<&'static str> {
    Some(match code {
        "CA" | "OC" | "CR" => "Cancelled",
        "DC" | "OD" | "DR" => "Stopped",
        "HD" | "OH" | "HR" => "On hold",
        "RO" | "RP" | "RQ" => "Replaced",
        "UA" => "Not accepted",
        "DE" => "In error",
        _ => return None,
    })
}

fn order_status(code: &str) -> Option<&'static str> {
    Some(match code {
        "CA" => "Cancelled",
        "DC" => "Stopped",
        "HD" => "On hold",
        "RP" => "Replaced",
        "ER" => "In error",
        _ => return None,
    })
}

/// The field with the subject of a segment, such as the service of an order. The remark is repeated in front of it.
pub(super) fn subject(segment: &str) -> Option<usize> {
    Some(match segment {
        "OBR" => 4,
        "RXA" => 5,
        "DG1" | "PR1" | "AL1" | "IAM" | "PRB" | "OBX" => 3,
        "TXA" => 2,
        _ => return None,
    })
}

/// The sentence for an event that cancels or deletes something.
pub(super) fn event(code: &str) -> Option<&'static str> {
    Some(match code.trim().to_ascii_uppercase().as_str() {
        "A11" => "This message cancels an admission or visit.",
        "A12" => "This message cancels a transfer.",
        "A13" => "This message cancels a discharge.",
        "A23" => "This message deletes a visit.",
        "A25" => "This message cancels a planned discharge.",
        "A26" => "This message cancels a planned transfer.",
        "A27" => "This message cancels a planned admission.",
        "A29" => "This message deletes what is known of a person.",
        "A32" | "A33" => "This message cancels an arrival or departure.",
        "A38" => "This message cancels a pre-admission.",
        "I14" => "This message cancels a referral.",
        "S15" => "This message cancels an appointment.",
        "S16" => "This message ends an appointment early.",
        "S17" => "This message deletes an appointment.",
        "S26" => "The patient did not come to this appointment.",
        "T11" => "This message withdraws a document.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_cancelled_or_withdrawn_segments_have_remarks() {
        type Case<'a> = (&'a str, &'a [(usize, &'a str)], Option<&'a str>);
        let cases: &[Case] = &[
            ("OBX", &[(11, "D")], Some("Withdrawn")),
            ("OBX", &[(11, " w")], Some("Withdrawn")),
            ("OBX", &[(11, "X")], Some("No result")),
            ("OBX", &[(11, "C")], Some("Corrected")),
            ("OBX", &[(11, "F")], None),
            ("OBR", &[(25, "X")], Some("Cancelled")),
            ("ORC", &[(1, "OC")], Some("Cancelled")),
            ("ORC", &[(1, "SC"), (5, "DC")], Some("Stopped")),
            ("ORC", &[(1, "UC")], None),
            ("RXA", &[(20, "RE")], Some("Refused, not given")),
            ("RXA", &[(20, "CP"), (18, "00")], Some("Refused, not given")),
            ("RXA", &[(20, "NA"), (21, "D")], Some("Withdrawn")),
            ("TXA", &[(19, "OB")], Some("Replaced")),
            ("DG1", &[(21, "D")], Some("Withdrawn")),
            ("SCH", &[(25, "Noshow")], Some("Did not come")),
        ];
        for (segment, fields, said) in cases {
            let field = |number| fields.iter().find(|(n, _)| *n == number).map_or("", |(_, v)| v).to_owned();
            assert_eq!(standing(segment, field), *said, "{segment} {fields:?}");
        }
    }
}

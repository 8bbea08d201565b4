//! The identifiers of a patient in a PID segment (HL7 v2.5.1, 3.4.2), which are of type CX.

use super::read::{Segment, Value};
use crate::record_number::{Identifier, Kind, best_first};

/// Most identifiers of one patient.
const MOST: usize = 20;

/// An identifier of a patient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatientId {
    pub id: String,
    /// Name of its assigning authority; may be empty.
    pub authority: String,
    /// OID of its assigning authority; may be empty.
    pub oid: String,
    /// Its type (table 0203); may be empty.
    pub code: String,
    kind: Kind,
}

impl PatientId {
    fn read(value: Value) -> Option<Self> {
        let (id, assigner) = (value.component(1).text(), value.component(4));
        let [authority, oid] = [1, 2].map(|number| assigner.subcomponent(number).text());
        let code = value.component(5).text();
        let kind = Identifier { id: &id, authorities: [&authority, &oid], kind: &code, is_own: false }.kind();
        (!id.is_empty()).then_some(Self { id, authority, oid, code, kind })
    }
}

/// Candidates for the record number, best first, in the order of [`crate::record_number`]. They are in PID-3, or in
/// PID-2, PID-4 or PID-18 of old systems if PID-3 has none.
pub fn patient_ids(pid: Segment) -> Vec<PatientId> {
    let digits = |text: &str| text.replace('-', "");
    let social = digits(&pid.field(19).component(1).text());
    let of_field = |number: usize| {
        let all = pid.field(number).repetitions().filter_map(PatientId::read);
        let all = all.filter(|read| social.is_empty() || digits(&read.id) != social);
        let best = best_first(all.take(MOST), |read| read.kind);
        Some(best).filter(|best| !best.is_empty())
    };
    [3, 2, 4, 18].into_iter().find_map(of_field).unwrap_or_default()
}

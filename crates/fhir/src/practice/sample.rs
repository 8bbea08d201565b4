//! The sample data: the patients of the demonstration, some who resemble them, and what surrounds them.

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde_json::{Value, json};

const RECORD_NUMBERS: &str = "urn:oid:2.16.840.1.113883.19.5.50";
const KINDS: &str = "http://terminology.hl7.org/CodeSystem/v2-0203";
const ACT: &str = "http://terminology.hl7.org/CodeSystem/v3-ActCode";
const NPI: &str = "http://hl7.org/fhir/sid/us-npi";
const LOINC: &str = "http://loinc.org";

/// Id, given names, last name, birth date, gender, record number, street.
type PatientRow = [&'static str; 7];

/// The first twelve are the patients of the demonstration (`documents::samples`), with their record numbers.
const PATIENTS: [PatientRow; 24] = [
    ["tenney", "Marisol J", "Tenney", "1961-03-14", "female", "LFM-20417", "118 Millrace Lane"],
    ["pruitt", "Desmond A", "Pruitt", "1957-11-08", "male", "LFM-08842", "27 Orchard Row"],
    ["whitcomb", "Aiyana", "Whitcomb", "1989-07-22", "female", "LFM-31180", "402 Quarry Street, Apt 3"],
    ["halvorsen", "Teodor M", "Halvorsen", "1944-01-30", "male", "LFM-00973", "9 Larkspur Court"],
    ["adeyemi", "Ngozi C", "Adeyemi", "1975-05-02", "female", "LFM-14226", "731 Cedar Hollow Road"],
    ["stroud", "Caleb R", "Stroud", "2009-09-17", "male", "LFM-40055", "56 Ferry Landing"],
    [
        "cardenas-roy",
        "Beatriz L",
        "Cardenas-Roy",
        "1968-12-05",
        "female",
        "LFM-22791",
        "1440 North Mill Avenue",
    ],
    ["lindqvist", "Oskar", "Lindqvist", "1982-02-28", "male", "LFM-27314", "83 Tannery Street"],
    ["ashby", "Rowan E", "Ashby", "1996-10-11", "other", "LFM-35608", "215 Weaver Street, Unit B"],
    ["paek", "Hye-jin", "Paek", "1953-06-19", "female", "LFM-06150", "12 Bellflower Way"],
    ["orourke", "Samuel T", "O'Rourke", "1979-04-25", "male", "LFM-19932", "640 Station Road"],
    ["vandermolen", "Prisca N", "Vandermolen", "2017-08-03", "female", "LFM-44871", "30 Hayfield Terrace"],
    // The same name, and another year.
    ["tenney-1964", "Marisol K", "Tenney", "1964-03-14", "female", "SP-10130", "44 Chandler Street"],
    // Father and son.
    ["pruitt-son", "Desmond A", "Pruitt", "1984-11-18", "male", "SP-10147", "27 Orchard Row"],
    // Only the year is known.
    ["adeyemi-1975", "Ngozi", "Adeyemi", "1975", "female", "SP-10154", ""],
    // Twins.
    ["stroud-twin", "Connor R", "Stroud", "2009-09-17", "male", "SP-10161", "56 Ferry Landing"],
    ["halvorsen-twin", "Teodora M", "Halvorsen", "1944-01-30", "female", "SP-10178", "9 Larkspur Court"],
    // Registered twice; the other one is used.
    ["whitcomb-old", "Aiyana", "Whitcomb", "1989-07-22", "female", "SP-09031", "402 Quarry Street, Apt 3"],
    ["roy", "Beatriz", "Roy", "1968-12-15", "female", "SP-10185", "3 Linden Place"],
    // No longer a patient here.
    ["lindquist", "Oscar", "Lindquist", "1982-02-26", "male", "SP-08442", "19 Harbor Street"],
    ["ashby-sibling", "Robin E", "Ashby", "1998-10-11", "female", "SP-10192", "215 Weaver Street, Unit B"],
    ["park", "Hye-jin", "Park", "1953-06-29", "female", "SP-10208", "77 Juniper Road"],
    ["orourke-father", "Samuel P", "O'Rourke", "1950-04-25", "male", "SP-10215", "640 Station Road"],
    // Deceased.
    ["vandermolen-elder", "Prisca", "Vandermolen", "1931-05-09", "female", "SP-07716", "30 Hayfield Terrace"],
];

/// Telephone numbers of the patients of the demonstration.
const PHONES: [&str; 12] = [
    "(555) 010-0151",
    "(555) 010-0164",
    "(555) 010-0172",
    "(555) 010-0108",
    "(555) 010-0119",
    "(555) 010-0133",
    "(555) 010-0185",
    "(555) 010-0127",
    "(555) 010-0190",
    "(555) 010-0143",
    "(555) 010-0156",
    "(555) 010-0178",
];

fn phone(number: usize) -> String {
    PHONES.get(number).map_or_else(|| format!("(555) 010-02{:02}", 10 + number), |known| (*known).to_owned())
}

/// Id, first name, last name, NPI.
const PRACTITIONERS: [[&str; 4]; 6] = [
    ["okafor", "Chidi", "Okafor", "1999999911"],
    ["marchetti", "Ines", "Marchetti", "1999999901"],
    ["brandvold", "Signe", "Brandvold", "1999999912"],
    ["iyer", "Kavya", "Iyer", "1999999913"],
    ["delacroix", "Andre", "Delacroix", "1999999914"],
    ["munroe", "Tess", "Munroe", "1999999915"],
];

const FACILITIES: [[&str; 2]; 2] =
    [["main-street", "Larkfield, Main Street"], ["north-mill", "Larkfield, North Mill"]];

const DOCUMENT_TYPES: [[&str; 2]; 12] = [
    ["11488-4", "Consult note"],
    ["18842-5", "Discharge summary"],
    ["34111-5", "Emergency department Note"],
    ["34117-2", "History and physical note"],
    ["11502-2", "Laboratory report"],
    ["18748-4", "Diagnostic imaging study"],
    ["11504-8", "Surgical operation note"],
    ["28570-0", "Procedure note"],
    ["11506-3", "Progress note"],
    ["57133-1", "Referral note"],
    ["34133-9", "Summary of episode note"],
    ["51851-4", "Administrative note"],
];

/// Class, kind, status, and the age in days of a visit.
type VisitRow = (&'static str, &'static str, &'static str, i64);

const VISITS: [VisitRow; 6] = [
    ("AMB", "Office visit", "finished", 19),
    ("VR", "Video visit", "finished", 47),
    ("EMER", "Emergency department visit", "finished", 120),
    ("AMB", "Annual physical", "cancelled", 8),
    ("AMB", "Follow-up", "planned", -6),
    ("IMP", "Hospital stay", "finished", 210),
];

/// Order, status, whether it must not be performed, and the age in days.
type OrderRow = (&'static str, &'static str, bool, i64);

const ORDERS: [OrderRow; 5] = [
    ("Comprehensive metabolic panel", "active", false, 19),
    ("Cardiology consultation", "active", false, 18),
    ("Chest X-ray, 2 views", "completed", false, 46),
    ("MRI of the lumbar spine", "revoked", false, 30),
    ("CT with contrast", "active", true, 19),
];

/// All resources. Visits and orders are as old as they would be at this time.
pub(super) fn resources(now: DateTime<Utc>) -> Vec<Value> {
    let today = now.date_naive();
    let mut all = Vec::new();
    all.extend(FACILITIES.iter().flat_map(facility));
    all.extend(PRACTITIONERS.iter().map(practitioner));
    all.extend(groups());
    all.push(document_types());
    for (number, row) in PATIENTS.iter().enumerate() {
        all.push(patient(number, row));
        all.extend(visits(number, row[0], today));
        all.extend(orders(number, row[0], today));
    }
    for resource in &mut all {
        resource["meta"] =
            json!({"versionId": "1", "lastUpdated": now.format("%Y-%m-%dT%H:%M:%SZ").to_string()});
    }
    all
}

fn patient(number: usize, row: &PatientRow) -> Value {
    let [id, given, family, born, gender, record_number, street] = *row;
    let given: Vec<&str> = given.split(' ').collect();
    let [facility, _] = FACILITIES[number % FACILITIES.len()];
    let mut patient = json!({
        "resourceType": "Patient",
        "id": id,
        "active": !matches!(id, "whitcomb-old" | "lindquist"),
        "identifier": [{
            "type": {"coding": [{"system": KINDS, "code": "MR"}]},
            "system": RECORD_NUMBERS, "value": record_number,
        }],
        "name": [{"use": "official", "family": family, "given": given}],
        "birthDate": born,
        "gender": gender,
        "telecom": [{"system": "phone", "use": "home", "value": phone(number)}],
        "managingOrganization": {"reference": format!("Organization/{facility}")},
    });
    if !street.is_empty() {
        patient["address"] = json!([{
            "use": "home", "line": [street], "city": "Larkfield", "state": "OH", "postalCode": "43999",
        }]);
    }
    match id {
        "whitcomb-old" => {
            patient["link"] = json!([{"other": {"reference": "Patient/whitcomb"}, "type": "replaced-by"}]);
        }
        "cardenas-roy" => {
            let former = json!({"use": "maiden", "family": "Cardenas", "given": given});
            patient["name"] = json!([former, patient["name"][0]]);
        }
        "vandermolen-elder" => patient["deceasedDateTime"] = "2019-02-11".into(),
        _ => {}
    }
    patient
}

fn visits(number: usize, patient_id: &str, today: NaiveDate) -> Vec<Value> {
    let chosen = (0..2 + number % 2).map(|n| (n, VISITS[(number + 2 * n) % VISITS.len()]));
    chosen
        .map(|(n, (class, kind, status, days))| {
            let [by, first, last, _] = PRACTITIONERS[(number + n) % PRACTITIONERS.len()];
            let [facility, _] = FACILITIES[number % FACILITIES.len()];
            let day = before(today, days);
            let mut visit = json!({
                "resourceType": "Encounter",
                "id": format!("{patient_id}-visit-{}", n + 1),
                "status": status,
                "class": {"system": ACT, "code": class},
                "type": [{"text": kind}],
                "subject": {"reference": format!("Patient/{patient_id}")},
                "participant": [{
                    "individual": {"reference": format!("Practitioner/{by}"), "display": format!("{first} {last}")},
                }],
                "period": {"start": format!("{day}T09:{:02}:00-05:00", 10 + number)},
                "serviceProvider": {"reference": format!("Organization/{facility}")},
            });
            if status == "finished" {
                visit["period"]["end"] = format!("{day}T09:{:02}:00-05:00", 30 + number).into();
            }
            visit
        })
        .collect()
}

fn orders(number: usize, patient_id: &str, today: NaiveDate) -> Vec<Value> {
    let chosen = (0..1 + number % 3).map(|n| (n, ORDERS[(number + n) % ORDERS.len()]));
    chosen
        .map(|(n, (ordered, status, is_negated, days))| {
            let mut order = json!({
                "resourceType": "ServiceRequest",
                "id": format!("{patient_id}-order-{}", n + 1),
                "status": status,
                "intent": "order",
                "code": {"text": ordered},
                "subject": {"reference": format!("Patient/{patient_id}")},
                "encounter": {"reference": format!("Encounter/{patient_id}-visit-1")},
                "authoredOn": before(today, days).to_string(),
            });
            if is_negated {
                order["doNotPerform"] = true.into();
            }
            order
        })
        .collect()
}

fn before(today: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let day = if days < 0 { today.checked_add_days(by) } else { today.checked_sub_days(by) };
    day.unwrap_or(today)
}

fn facility(row: &[&str; 2]) -> [Value; 2] {
    let [id, name] = row;
    let organization = json!({"resourceType": "Organization", "id": id, "active": true, "name": name});
    let location = json!({
        "resourceType": "Location", "id": id, "status": "active", "name": name,
        "managingOrganization": {"reference": format!("Organization/{id}")},
    });
    [organization, location]
}

fn practitioner(row: &[&str; 4]) -> Value {
    let [id, first, last, npi] = row;
    json!({
        "resourceType": "Practitioner",
        "id": id,
        "active": *id != "munroe",
        "identifier": [{"system": NPI, "value": npi}],
        "name": [{"use": "official", "family": last, "given": [first], "prefix": ["Dr."]}],
    })
}

fn groups() -> Vec<Value> {
    let group = |id: &str, name: &str, members: &[&str]| {
        let members: Vec<Value> = members
            .iter()
            .map(|member| json!({"entity": {"reference": format!("Practitioner/{member}")}}))
            .collect();
        json!({
            "resourceType": "Group", "id": id, "active": true, "type": "practitioner", "actual": true,
            "name": name, "member": members,
        })
    };
    let team = json!({
        "resourceType": "CareTeam", "id": "diabetes", "status": "active", "name": "Diabetes care team",
        "participant": [
            {"member": {"reference": "Practitioner/okafor"}}, {"member": {"reference": "Practitioner/iyer"}},
        ],
    });
    vec![
        group("results", "Results review", &["okafor", "marchetti", "brandvold"]),
        group("referrals", "Referral coordinators", &["iyer", "delacroix"]),
        team,
    ]
}

fn document_types() -> Value {
    let concepts: Vec<Value> =
        DOCUMENT_TYPES.iter().map(|[code, display]| json!({"code": code, "display": display})).collect();
    json!({
        "resourceType": "ValueSet",
        "id": "document-types",
        "url": "http://hl7.org/fhir/us/core/ValueSet/us-core-documentreference-type",
        "status": "active",
        "compose": {"include": [{"system": LOINC, "concept": concepts}]},
    })
}

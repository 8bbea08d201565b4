//! Properties of answers of every shape.

use fhir::bundle::{ENTRIES_MAX, PAGES_MAX, next_below};
use fhir::problem::Problem;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

const FIELDS: [&str; 36] = [
    "resourceType",
    "id",
    "name",
    "family",
    "given",
    "use",
    "period",
    "start",
    "end",
    "birthDate",
    "identifier",
    "type",
    "coding",
    "code",
    "system",
    "value",
    "text",
    "link",
    "other",
    "reference",
    "subject",
    "status",
    "class",
    "participant",
    "individual",
    "display",
    "entry",
    "resource",
    "search",
    "mode",
    "url",
    "expansion",
    "contains",
    "compose",
    "include",
    "rest",
];

const TEXTS: [&str; 30] = [
    "Patient",
    "Encounter",
    "ServiceRequest",
    "Practitioner",
    "Group",
    "CareTeam",
    "Location",
    "ValueSet",
    "DocumentReference",
    "Bundle",
    "CapabilityStatement",
    "OperationOutcome",
    "1961",
    "1961-03",
    "1961-03-14",
    "1961-03-14T25:00:00Z",
    "0000",
    "99999-12-31",
    "262142-12",
    "-262143",
    "Größe",
    "𝒳é-03-14",
    "Patient/1",
    "Patient/..",
    "official",
    "replaced-by",
    "urn:uuid:",
    ", ",
    "next",
    "",
];

/// JSON with the names and values of FHIR in any place.
fn answers() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(&TEXTS[..]).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 80, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(select(&FIELDS[..]).prop_map(str::to_owned), inner, 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn anything_is_read(mut answer in answers(), kind in select(&TEXTS[..12])) {
        crate::targets::fhir_answer(answer.to_string().as_bytes());
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("resourceType".into(), kind.into());
            fields.insert("id".into(), "1".into());
            crate::targets::fhir_answer(answer.to_string().as_bytes());
        }
    }

    #[test]
    fn a_next_page_is_never_outside(
        begin in select(&["", "Patient", "/", "//", "..", "/fhir/r4", "https://ehr.example", "https://ehr.example/fhir/r4"][..]),
        next in "[a-z./@:?#%\\\\0-9]{0,12}",
    ) {
        let base = "https://ehr.example/fhir/r4/".parse().unwrap();
        if let Some(url) = next_below(&base, &format!("{begin}{next}")) {
            let rest = url.as_str().strip_prefix("https://ehr.example/fhir/r4").map(|rest| rest.chars().next());
            prop_assert!(matches!(rest, Some(None | Some('/' | '?' | '#'))), "{}", url);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pages that lead to each other, or end, in any way.
    #[test]
    fn every_list_ends(pages in vec((0usize..14, 0usize..200), 1..14)) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let (client, asked) = crate::hostile::linked(pages).await;
            let found = client.reviewers("").await;
            assert!(asked.load(std::sync::atomic::Ordering::Relaxed) <= PAGES_MAX);
            match found {
                Ok(found) => assert!(found.items.len() <= ENTRIES_MAX),
                Err(problem) => assert_eq!(problem, Problem::TooManyPages),
            }
        });
    }
}

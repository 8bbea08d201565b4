//! Finding in the sample practice.

use crate::{client, open_practice, serve_practice};
use axum::response::IntoResponse;
use fhir::model::{GroupKind, Patient, PatientQuery};
use fhir::practice::{self, Practice};
use fhir::problem::Problem;

fn born(day: &str) -> PatientQuery {
    PatientQuery { born: day.parse().ok(), ..PatientQuery::default() }
}

fn ids(patients: &[Patient]) -> Vec<&str> {
    let mut ids: Vec<_> = patients.iter().map(|patient| patient.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn patients_are_found_by_what_is_known_of_them() {
    let (_, client) = open_practice().await;
    let cases: [(PatientQuery, &[&str]); 8] = [
        (born("2009-09-17"), &["stroud", "stroud-twin"]),
        (PatientQuery { given: Some("Connor".into()), ..born("2009-09-17") }, &["stroud-twin"]),
        (
            PatientQuery { name: Some("TENNEY, Marisol".into()), ..PatientQuery::default() },
            &["tenney", "tenney-1964"],
        ),
        (PatientQuery { family: Some("orourke".into()), ..born("1979-04-25") }, &["orourke"]),
        (PatientQuery { family: Some("Cardenas".into()), ..PatientQuery::default() }, &["cardenas-roy"]),
        (PatientQuery { record_number: Some("SP-10147".into()), ..PatientQuery::default() }, &["pruitt-son"]),
        // The number of the father, and the birth date of the son.
        (PatientQuery { record_number: Some("LFM-08842".into()), ..born("1984-11-18") }, &[]),
        (PatientQuery::default(), &[]),
    ];
    for (query, expected) in cases {
        let found = client.find_patients(&query).await.unwrap();
        assert_eq!(ids(&found.items), expected);
    }
}

/// Documents of the demonstration have somewhere to go.
#[tokio::test]
async fn the_patients_of_the_demonstration_are_here_with_their_record_numbers() {
    let (_, client) = open_practice().await;
    for sample in documents::samples::patients() {
        let query = PatientQuery { name: Some(sample.chart_name()), ..born(&sample.birth_date.to_string()) };
        let found = client.find_patients(&query).await.unwrap().items;
        let is_it = |patient: &&Patient| patient.given == sample.first && patient.street1 == sample.street;
        let same = found.iter().find(is_it).unwrap_or_else(|| panic!("{}", sample.last));
        assert_eq!(same.record_number.as_deref(), Some(&*sample.mrn));
        assert_eq!(same.phone, sample.phone);
    }
}

#[tokio::test]
async fn a_replaced_record_names_its_successor_and_is_found_only_by_its_number() {
    let (_, client) = open_practice().await;
    let query = PatientQuery { family: Some("Whitcomb".into()), ..PatientQuery::default() };
    assert_eq!(ids(&client.find_patients(&query).await.unwrap().items), ["whitcomb"]);
    let all = PatientQuery { include_inactive: true, ..query };
    assert_eq!(ids(&client.find_patients(&all).await.unwrap().items), ["whitcomb", "whitcomb-old"]);
    let number = PatientQuery { record_number: Some("SP-09031".into()), ..PatientQuery::default() };
    let found = client.find_patients(&number).await.unwrap().items;
    assert_eq!(found[0].replaced_by.as_deref(), Some("whitcomb"));
    assert!(!found[0].is_active);
}

#[tokio::test]
async fn lists_are_read_to_their_end_and_without_a_patient_in_an_address() {
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = asked.clone();
    let (_, base) = serve_practice(Practice::open_to_all, |routes| {
        routes.layer(axum::middleware::map_request(move |mut request: axum::extract::Request| {
            noted.lock().unwrap().push(request.uri().to_string());
            // Pages of five, whatever is asked for.
            if request.uri().path().ends_with("_search") {
                *request.body_mut() = "gender=female&_count=5".into();
            }
            async { request }
        }))
    })
    .await;
    let query = PatientQuery { gender: Some(fhir::model::Gender::Female), ..PatientQuery::default() };
    let found = client(&base).find_patients(&query).await.unwrap();
    assert_eq!(
        (found.items.len() as u64 + 1, found.is_cut),
        (found.total.unwrap(), false),
        "one is inactive"
    );
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked.iter().all(|url| !url.contains("female")), "{asked:?}");
}

#[tokio::test]
async fn visits_orders_people_and_lists_are_there() {
    let (_, client) = open_practice().await;
    let visits = client.visits("pruitt").await.unwrap().items;
    assert!(
        visits.len() >= 2
            && visits.windows(2).all(|two| two[0].begins.map(|b| b.day()) >= two[1].begins.map(|b| b.day()))
    );
    assert!(!visits[0].provider.is_empty() && visits[0].facility.is_some());
    let orders = client.orders("adeyemi", Some("adeyemi-visit-1")).await.unwrap().items;
    assert!(orders.iter().any(|order| order.description == "Not to be performed: CT with contrast"));
    assert!(client.orders("adeyemi", Some("other")).await.unwrap().items.is_empty());
    let mut revoked = 0;
    for patient in ["tenney", "pruitt", "whitcomb", "halvorsen"] {
        revoked += client.orders(patient, None).await.unwrap().items.iter().filter(|o| o.is_revoked).count();
    }
    assert!(revoked > 0);

    let reviewers = client.reviewers("oka").await.unwrap().items;
    assert_eq!((reviewers.len(), reviewers[0].user_name.as_str()), (1, "1999999911"));
    assert_eq!(client.reviewers("").await.unwrap().items.len(), 6);
    let groups = client.reviewer_groups().await.unwrap().items;
    assert_eq!(groups.iter().filter(|group| group.kind == GroupKind::CareTeam).count(), 1);
    assert_eq!(groups.len(), 3);
    let types = client.document_types().await.unwrap();
    assert_eq!((types.items.len(), types.is_cut), (12, false));
    assert_eq!(client.facilities("").await.unwrap().items.len(), 2);

    let offers = client.offers().await.unwrap();
    assert!(offers.conditional_create && offers.update_documents && offers.document_types);
    assert!(!offers.patient_match);
    assert_eq!((offers.software.as_str(), offers.fhir_version.as_str()), ("Sample practice 1", "4.0.1"));
}

#[tokio::test]
async fn a_server_that_takes_no_search_by_post_is_asked_by_get() {
    let posts = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = posts.clone();
    let (_, base) = serve_practice(Practice::open_to_all, |routes| {
        routes.layer(axum::middleware::from_fn(
            move |request: axum::extract::Request, next: axum::middleware::Next| {
                let is_post = request.method() == "POST";
                if is_post {
                    counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                async move {
                    match is_post {
                        true => axum::http::StatusCode::METHOD_NOT_ALLOWED.into_response(),
                        false => next.run(request).await,
                    }
                }
            },
        ))
    })
    .await;
    let client = client(&base);
    for _ in 0..2 {
        assert_eq!(client.find_patients(&born("1961-03-14")).await.unwrap().items.len(), 1);
    }
    assert_eq!(posts.load(std::sync::atomic::Ordering::Relaxed), 1, "remembered");
}

#[tokio::test]
async fn a_patient_is_added_once() {
    let (practice, client) = open_practice().await;
    let new = Patient {
        family: "Quillfeather".into(),
        given: "Ada".into(),
        born: "1990-02-03".parse().ok(),
        phone: "(555) 010-0999".into(),
        identifiers: vec![fhir::model::Identifier {
            system: "urn:oid:2.16.840.1.113883.19.5.1".into(),
            value: "LFM-1".into(),
            kind: Some("MR".into()),
        }],
        ..Patient::default()
    };
    let before = practice.count("Patient");
    let added = client.add_patient(&new).await.unwrap();
    assert_eq!(client.add_patient(&new).await.unwrap().id, added.id);
    assert_eq!(practice.count("Patient"), before + 1);
    assert_eq!((added.record_number.as_deref(), added.phone.as_str()), (Some("LFM-1"), "(555) 010-0999"));
    let other = Patient { born: "1991-02-03".parse().ok(), ..new };
    assert_eq!(client.add_patient(&other).await, Err(Problem::WrongPatient), "the number of somebody else");
}

#[tokio::test]
async fn what_is_written_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("practice.json");
    let open = || Practice::open(Some(&file), "http://127.0.0.1/fhir".into()).unwrap().open_to_all();
    let base = crate::serve(practice::router(open())).await;
    let filed = client(&base).file(&crate::letter()).await.unwrap();
    let again = open();
    assert_eq!(again.resource("DocumentReference", &filed.id).unwrap()["status"], "current");
    assert_eq!((again.count("Patient"), std::fs::read_dir(folder.path()).unwrap().count()), (24, 1));
}

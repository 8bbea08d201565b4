//! Plain web services: documents by HTTP POST.

use crate::{
    Delivery, Dialogue, Document, Outcome,
    link::{Link, Target},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Sends one document as the body of a request. Its id is the `Idempotency-Key`, the same on every attempt.
pub async fn post_document(
    link: &Link,
    target: &Target,
    delivery: &Delivery,
    document: &Document,
    media_type: &str,
    body: Vec<u8>,
) -> Dialogue {
    let headers = [
        ("content-type", media_type.to_owned()),
        ("idempotency-key", format!("{}-{}", delivery.id, document.id)),
        ("x-direct-from", delivery.from_address.clone()),
        ("x-direct-to", delivery.to_address.clone()),
        ("x-facility-oid", delivery.from.oid.clone()),
        ("x-confidentiality", document.confidentiality.code().to_owned()),
        ("x-test", delivery.is_test.to_string()),
    ];
    post(link, target, &headers, body).await
}

/// Sends all documents with their details in one JSON object.
pub async fn post_json(link: &Link, target: &Target, delivery: &Delivery) -> Dialogue {
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("idempotency-key", delivery.id.to_string()),
        ("x-test", delivery.is_test.to_string()),
    ];
    post(link, target, &headers, described(delivery).to_string().into_bytes()).await
}

/// The JSON object of [`post_json`].
fn described(delivery: &Delivery) -> Value {
    let patient = &delivery.patient;
    let ids = patient.ids.iter().map(|(id, oid)| json!({ "id": id, "authority": oid })).collect::<Vec<_>>();
    let documents = delivery.documents.iter().map(|document| {
        json!({
            "id": document.id,
            "title": document.title,
            "code": document.kind.as_ref().map(|kind| &kind.code),
            "mediaType": document.media_type,
            "fileName": document.file_name,
            "createdAt": document.created_at,
            "confidentiality": document.confidentiality.code(),
            "content": STANDARD.encode(&document.content),
        })
    });
    json!({
        "id": delivery.id,
        "sentAt": delivery.at,
        "test": delivery.is_test,
        "from": { "address": delivery.from_address, "name": delivery.from.name, "oid": delivery.from.oid },
        "to": { "address": delivery.to_address, "oid": delivery.to.oid, "location": delivery.location },
        "patient": {
            "ids": ids, "familyName": patient.family, "givenName": patient.given, "middleName": patient.middle,
            "birthDate": patient.born, "sex": patient.sex,
        },
        "documents": documents.collect::<Vec<_>>(),
    })
}

async fn post(link: &Link, target: &Target, headers: &[(&str, String)], body: Vec<u8>) -> Dialogue {
    let said = Dialogue::new(Outcome::Accepted, &body, &[]);
    match link.post(target, headers, body).await {
        Ok(answer) => Dialogue::new(judged(answer.status().as_u16()), &said.sent, answer.body()),
        Err(outcome) => Dialogue { outcome, ..said },
    }
}

/// Outcome of an HTTP status.
pub(crate) fn judged(status: u16) -> Outcome {
    let words = format!("The endpoint answered with status {status}.");
    match status {
        200..300 => Outcome::Accepted,
        // It was reached and accepted nothing.
        429 | 503 => Outcome::NotReached(words),
        408 | 500.. => Outcome::NoAnswer(words),
        _ => Outcome::Refused(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_whether_to_try_again_and_where() {
        assert_eq!(judged(204), Outcome::Accepted);
        assert!(matches!(judged(503), Outcome::NotReached(_)));
        assert!(matches!(judged(500), Outcome::NoAnswer(_)));
        assert!(matches!(judged(302), Outcome::Refused(_)));
        assert!(matches!(judged(400), Outcome::Refused(_)));
    }

    #[test]
    fn json_holds_each_document_under_the_id_that_stays() {
        let delivery = crate::samples::delivery();
        let value = described(&delivery);
        assert_eq!(value["documents"][0]["id"], delivery.documents[0].id.to_string());
        assert_eq!(value["documents"][0]["confidentiality"], "R");
        assert_eq!(value["to"]["location"], "rrh");
    }
}

use super::*;
use crate::{
    Outcome,
    samples::delivery,
    soap,
    xdr::{self, Profile},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;

fn sent(profile: &Profile) -> (String, Bytes) {
    let (kind, body) = xdr::request(&delivery(), profile).written("https://xdr.example/provide");
    (kind, body.into())
}

fn direct() -> (String, Bytes) {
    sent(&Profile::Direct { is_minimal: false })
}

/// A request with an inline document, changed.
fn inline(change: impl Fn(String) -> String) -> Result<Provided, Refusal> {
    let (kind, body) = direct();
    let root = String::from_utf8(multipart::package(&kind, &body).unwrap().root.to_vec()).unwrap();
    let begin = root.find("<xop:Include").unwrap();
    let end = begin + root[begin..].find("/>").unwrap() + 2;
    let content = STANDARD.encode(&delivery().documents[0].content);
    let root = change(format!("{}{content}{}", &root[..begin], &root[end..]));
    read("application/soap+xml; charset=UTF-8", &root.into()).1
}

#[test]
fn what_our_own_side_sends_is_read_as_it_was() {
    let (kind, body) = direct();
    let (asked, provided) = read(&kind, &body);
    let (provided, sent) = (provided.unwrap(), delivery());
    assert_eq!(asked.message_id, Some(format!("urn:uuid:{}", sent.id)));
    assert_eq!(provided.from.as_deref(), Some("dana@larkfield.direct.example"));
    assert_eq!(provided.to, ["results@northgate.direct.example"]);
    assert_eq!(provided.id, Some(crate::oid_of(sent.id)));
    assert_eq!(provided.author, "Larkfield Sons", "without what separates components");
    let patient = &provided.patients[0];
    assert_eq!((patient.family.as_str(), patient.given.as_str()), ("Tenney", "Marisol"));
    assert_eq!((patient.born, patient.sex.as_str()), (sent.patient.born, "F"));
    assert_eq!(provided.files.len(), 1);
    assert_eq!(provided.files[0].content, sent.documents[0].content);
    assert_eq!(provided.files[0].title, "Discharge summary");
    assert_eq!(provided.files[0].media_type, "application/pdf");
    assert_eq!(provided.files[0].confidentiality, Some(Confidentiality::Restricted));
    let answer = asked.responded(&[]);
    let outcome = |answer: &Answer| {
        let judge = |found: soap::Answer| xdr::judged(found.content).into_result();
        soap::answered(&soap::package(&answer.content_type, answer.body.as_bytes()), sent.id, judge).unwrap()
    };
    assert_eq!(outcome(&answer), Ok(()));
    let failed = asked.responded(&[RegistryError::error("XDSRepositoryBusy", "Later")]);
    assert!(matches!(outcome(&failed), Err(Outcome::NotReached(_))));
}

#[test]
fn without_an_address_block_the_recipient_stands_in_the_metadata() {
    let recipient = "results@northgate.direct.example";
    let (kind, body) = sent(&Profile::Repository { recipient: Some(recipient.into()) });
    let provided = read(&kind, &body).1.unwrap();
    assert_eq!(provided.to, ["results@northgate.direct.example"]);
    assert_eq!(provided.from.as_deref(), Some("dana@larkfield.direct.example"));
}

#[test]
fn a_document_within_the_envelope_is_read_too() {
    assert_eq!(inline(|xml| xml).unwrap().files[0].content, delivery().documents[0].content);
}

#[test]
fn what_does_not_fit_together_is_refused_by_its_code() {
    let code = |change: &dyn Fn(String) -> String| match inline(change) {
        Err(Refusal::Registry(error)) => error.code,
        Err(Refusal::Fault(_)) => "fault",
        Ok(_) => "taken",
    };
    let replaced = |from: &'static str, to: &'static str| move |xml: String| xml.replacen(from, to, 1);
    assert_eq!(
        code(&replaced(
            "name=\"hash\"><rim:ValueList><rim:Value>",
            "name=\"hash\"><rim:ValueList><rim:Value>0"
        )),
        "XDSRepositoryMetadataError"
    );
    assert_eq!(code(&replaced("<xds:Document id=\"", "<xds:Document id=\"x")), "XDSMissingDocument");
    let more = "<xds:Document id=\"more\">UERG</xds:Document></xds:ProvideAndRegisterDocumentSetRequest>";
    assert_eq!(
        code(&replaced("</xds:ProvideAndRegisterDocumentSetRequest>", more)),
        "XDSMissingDocumentMetadata"
    );
    assert_eq!(code(&|xml| xml.replace("RegistryPackage", "RegistryBox")), "XDSRepositoryMetadataError");
    // None of them is decoded, so invalid Base64 is not even noticed.
    let many = format!("{}{}", "<xds:Document id=\"a\">*</xds:Document>".repeat(100), &more[43..]);
    let many = |xml: String| xml.replacen("</xds:ProvideAndRegisterDocumentSetRequest>", &many, 1);
    assert_eq!(code(&many), "XDSRepositoryMetadataError");
    assert_eq!(code(&|xml| xml.replace("direct:to>", "direct:through>")), "fault");
}

#[test]
fn faults_say_what_is_wrong_with_the_envelope() {
    let fault = |change: &dyn Fn(String) -> String| match inline(change) {
        Err(Refusal::Fault(fault)) => Some(fault.code),
        _ => None,
    };
    let old = "http://schemas.xmlsoap.org/soap/envelope/";
    assert_eq!(fault(&|xml| xml.replace(SOAP, old)), Some(FaultCode::VersionMismatch));
    let header = "<x:Lock xmlns:x=\"urn:x\" soap:mustUnderstand=\"true\"/></soap:Header>";
    assert_eq!(fault(&|xml| xml.replace("</soap:Header>", header)), Some(FaultCode::MustUnderstand));
    assert_eq!(fault(&|xml| xml.replace("DocumentSet-b<", "Something<")), Some(FaultCode::Sender));
    assert_eq!(fault(&|xml| format!("<!DOCTYPE x>{}", &xml[39..])), Some(FaultCode::Sender));
    assert_eq!(fault(&|_| "hello".into()), Some(FaultCode::Sender));
    let answer = Asked::default().faulted(&Fault::sender("No <header>"));
    assert_eq!(answer.status, 400);
    assert!(
        answer.body.contains("<soap:Value>soap:Sender</soap:Value>")
            && answer.body.contains("No &lt;header&gt;")
    );
}

#[test]
fn content_ids_are_escaped_in_addresses() {
    assert_eq!(decoded("a%40b%2"), "a@b%2");
    assert_eq!(decoded("é%4"), "é%4");
}

proptest! {
    #[test]
    fn nothing_breaks_the_reader(cut in 0usize..4000, byte in any::<u8>()) {
        let (kind, body) = direct();
        let mut broken = body.to_vec();
        let at = cut % broken.len();
        broken[at] = byte;
        let _ = read(&kind, &broken.clone().into());
        broken.truncate(at);
        let _ = read(&kind, &broken.into());
    }
}

/// The sender would have disconnected long before a plain parser finished.
#[test]
fn an_envelope_that_costs_more_than_its_length_is_refused_at_once() {
    let attributes: String = (0..150_000).map(|n| format!(" a{n}=''")).collect();
    let (kind, _) = direct();
    let kind = kind.replace("multipart/related", "application/soap+xml");
    let body = Bytes::from(format!("<e:Envelope xmlns:e=\"{SOAP}\"><e:Body{attributes}/></e:Envelope>"));
    let since = std::time::Instant::now();
    assert!(matches!(read(&kind, &body), (_, Err(Refusal::Fault(_)))));
    assert!(since.elapsed().as_secs() < 5, "no quadratic work, on a machine however busy");
}

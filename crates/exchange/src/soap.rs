//! SOAP 1.2 with WS-Addressing and MTOM/XOP: a request with its files as parts, and the envelope of an answer.

use crate::{
    Dialogue, Outcome,
    link::{Link, Target},
    multipart::{self, Package, Part},
    web::judged,
};
use bytes::Bytes;
use roxmltree::Node;
use uuid::Uuid;
use xml::escaped;

pub const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
const ADDRESSING: &str = "http://www.w3.org/2005/08/addressing";
/// Most elements, attributes and texts of an answer.
const NODES: u32 = 20_000;

/// A request before it is written.
pub struct Request {
    /// The same on every attempt.
    pub message_id: Uuid,
    pub action: &'static str,
    /// XML headers in addition to those of WS-Addressing.
    pub headers: String,
    pub body: String,
    /// Parts: Content-ID (referenced by `xop:Include`), media type and bytes.
    pub parts: Vec<(String, String, Bytes)>,
}

impl Request {
    /// The content type and the bytes of the multipart/related body (XOP, RFC 2387).
    pub fn written(&self, to: &str) -> (String, Vec<u8>) {
        let boundary = format!("carepost-{}", self.message_id.simple());
        let root = format!("root-{}@carepost", self.message_id.simple());
        let content_type = format!(
            "multipart/related; type=\"application/xop+xml\"; boundary=\"{boundary}\"; start=\"<{root}>\"; \
             start-info=\"application/soap+xml\"; action=\"{}\"",
            self.action
        );
        let mut body = Vec::new();
        let head = format!(
            "--{boundary}\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"application/soap+xml\"\r\n\
             Content-Transfer-Encoding: binary\r\nContent-ID: <{root}>\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(self.envelope(to).as_bytes());
        for (id, media_type, bytes) in &self.parts {
            let head = format!(
                "\r\n--{boundary}\r\nContent-Type: {media_type}\r\nContent-Transfer-Encoding: binary\r\n\
                 Content-ID: <{id}>\r\n\r\n"
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(bytes);
        }
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        (content_type, body)
    }

    fn envelope(&self, to: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"{SOAP}\" \
             xmlns:wsa=\"{ADDRESSING}\"><soap:Header><wsa:Action soap:mustUnderstand=\"true\">{}</wsa:Action>\
             <wsa:MessageID>urn:uuid:{}</wsa:MessageID><wsa:ReplyTo><wsa:Address>\
             http://www.w3.org/2005/08/addressing/anonymous</wsa:Address></wsa:ReplyTo>\
             <wsa:To soap:mustUnderstand=\"true\">{}</wsa:To>{}</soap:Header><soap:Body>{}</soap:Body></soap:Envelope>",
            self.action,
            self.message_id,
            escaped(to),
            self.headers,
            self.body
        )
    }

    /// Sends the request and reads the answer with `read`. Returns the exchange, and what was read if the other side accepted it.
    pub async fn send<T>(
        &self,
        link: &Link,
        target: &Target,
        read: impl FnOnce(Answer) -> Result<T, Outcome>,
    ) -> (Dialogue, Option<T>) {
        let (content_type, body) = self.written(&link.url(target));
        let said = Dialogue::new(Outcome::Accepted, &body, &[]);
        let headers =
            [("content-type", content_type), ("accept", "multipart/related, application/soap+xml".into())];
        let answer = match link.post(target, &headers, body).await {
            Err(outcome) => return (Dialogue { outcome, ..said }, None),
            Ok(answer) => answer,
        };
        let kind = answer.headers().get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default();
        let package = package(kind, answer.body());
        let result = answered(&package, self.message_id, read)
            .unwrap_or_else(|| Err(unreadable(answer.status().as_u16())));
        match result {
            Ok(content) => (Dialogue::new(Outcome::Accepted, &said.sent, package.root), Some(content)),
            Err(outcome) => (Dialogue::new(outcome, &said.sent, package.root), None),
        }
    }
}

/// An answer that is no fault: the content of its body, and its parts, in which documents are referenced by `xop:Include`.
pub struct Answer<'a, 'i> {
    pub content: Node<'a, 'i>,
    pub parts: &'a [Part<'i>],
}

/// An answer with its parts. If these cannot be separated, what follows the first boundary is the envelope: documents that the other
/// side has accepted must not be sent again because its multipart is loose.
pub fn package<'a>(content_type: &str, body: &'a [u8]) -> Package<'a> {
    let first = || Package { root: multipart::first_part(content_type, body), parts: Vec::new() };
    multipart::package(content_type, body).unwrap_or_else(|_| first())
}

/// The outcome of an answer whose envelope cannot be read.
fn unreadable(status: u16) -> Outcome {
    match judged(status) {
        Outcome::Accepted => Outcome::NoAnswer("The answer of the endpoint cannot be read.".into()),
        other => other,
    }
}

/// Reads an answer; `None` if it has no envelope, or answers another message. A fault is an outcome.
pub fn answered<T>(
    package: &Package,
    message_id: Uuid,
    read: impl FnOnce(Answer) -> Result<T, Outcome>,
) -> Option<Result<T, Outcome>> {
    let document = xml::parse(std::str::from_utf8(package.root).ok()?.trim(), NODES).ok()?;
    let envelope = document.root_element();
    if !envelope.has_tag_name((SOAP, "Envelope")) {
        return None;
    }
    let child = |name: &'static str| envelope.children().find(|child| child.has_tag_name((SOAP, name)));
    let is_relation = |node: &Node| node.has_tag_name((ADDRESSING, "RelatesTo"));
    let answers = child("Header").and_then(|header| header.children().find(is_relation));
    if let Some(answers) = answers
        && answers.text().map(str::trim) != Some(&format!("urn:uuid:{message_id}"))
    {
        return None;
    }
    let content = child("Body")?.children().find(Node::is_element)?;
    if content.has_tag_name((SOAP, "Fault")) {
        return Some(Err(fault(content)));
    }
    Some(read(Answer { content, parts: &package.parts }))
}

/// A sender fault is final, a receiver fault may be temporary. Its text may quote the request and is not repeated.
fn fault(fault: Node) -> Outcome {
    let value = fault.descendants().find(|n| n.has_tag_name((SOAP, "Value"))).and_then(|n| n.text());
    match value.unwrap_or_default().trim().rsplit(':').next() {
        Some("Receiver") => Outcome::NoAnswer("The endpoint reported a problem of its own.".into()),
        _ => Outcome::Refused("The endpoint answered that it cannot take the request.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn envelope(header: &str, body: &str) -> String {
        format!(
            "<s:Envelope xmlns:s=\"{SOAP}\" xmlns:a=\"{ADDRESSING}\"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
        )
    }

    fn outcome(xml: &str) -> Option<Outcome> {
        answered(&package("application/soap+xml", xml.as_bytes()), Uuid::from_u128(7), |_| Ok(()))
            .map(|result| result.err().unwrap_or(Outcome::Accepted))
    }

    #[test]
    fn an_answer_to_another_request_is_none() {
        let relates = |id: u128| format!("<a:RelatesTo>urn:uuid:{}</a:RelatesTo>", Uuid::from_u128(id));
        assert_eq!(outcome(&envelope(&relates(7), "<x/>")), Some(Outcome::Accepted));
        assert_eq!(outcome(&envelope(&relates(8), "<x/>")), None);
    }

    #[test]
    fn faults_tell_whose_they_are() {
        let fault = |code: &str| {
            envelope(
                "",
                &format!(
                    "<s:Fault><s:Code><s:Value>s:{code}</s:Value></s:Code><s:Reason>Tenney</s:Reason></s:Fault>"
                ),
            )
        };
        assert!(matches!(outcome(&fault("Receiver")), Some(Outcome::NoAnswer(_))));
        assert!(matches!(outcome(&fault("Sender")), Some(Outcome::Refused(why)) if !why.contains("Tenney")));
    }

    #[test]
    fn entities_and_documents_with_a_dtd_are_not_read() {
        let bomb = format!("<!DOCTYPE x [<!ENTITY a \"aa\">]>{}", envelope("", "<x>&a;</x>"));
        assert_eq!(outcome(&bomb), None);
    }

    #[test]
    fn an_answer_in_parts_has_its_documents_beside_its_content() {
        let body = format!(
            "--b\r\nContent-Type: application/xop+xml\r\n\r\n{}\r\n--b\r\nContent-ID: <d>\r\n\r\nPDF\r\n--b--\r\n",
            envelope("", "<x/>")
        );
        let read = |answer: Answer| {
            let names = answer.parts.iter().map(|part| (part.id.clone(), part.content.to_vec())).collect();
            Ok((answer.content.tag_name().name().to_owned(), names))
        };
        let found =
            answered(&package("multipart/related; boundary=\"b\"", body.as_bytes()), Uuid::nil(), read);
        let (name, parts): (String, Vec<(String, Vec<u8>)>) = found.unwrap().unwrap();
        assert_eq!(name, "x");
        assert_eq!(parts[1], ("d".to_owned(), b"PDF".to_vec()));
    }

    #[test]
    fn an_answer_in_loose_parts_is_read_nevertheless() {
        let xml = envelope("", "<x/>");
        let read = |kind: &str, body: &str| {
            answered(&package(kind, body.as_bytes()), Uuid::nil(), |answer| {
                Ok(answer.content.has_tag_name("x"))
            })
        };
        let head = "--b\r\nContent-Type: application/xop+xml\r\n\r\n";
        let kind = "multipart/related; boundary=\"b\"; start=\"<root>\"";
        for body in
            [format!("{head}{xml}"), format!("{head}{xml}\n--b--"), format!("{head}{xml}\r\n--b--\r\n")]
        {
            assert_eq!(read(kind, &body), Some(Ok(true)), "{body}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_breaks_the_reader(kind in "[ -~]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = answered(&package(&kind, &bytes), Uuid::nil(), |_| Ok(()));
        }
    }
}

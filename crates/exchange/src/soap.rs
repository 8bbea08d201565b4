//! SOAP 1.2 with WS-Addressing and MTOM/XOP: a request with its files as parts, and the envelope of an answer.

use crate::{
    Dialogue, Outcome,
    link::{Link, Target},
    web::judged,
};
use bytes::Bytes;
use roxmltree::Node;
use uuid::Uuid;

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

/// Escapes text for an element or a double-quoted attribute. Characters that are invalid in XML 1.0 are removed.
pub fn escaped(text: impl AsRef<str>) -> String {
    let kept: String =
        text.as_ref().chars().filter(|c| matches!(c, '\t' | '\n') || !c.is_control()).collect();
    quick_xml::escape::escape(&kept).into_owned()
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

    /// Sends the request. `judge` reads the body of the answer.
    pub async fn send(&self, link: &Link, target: &Target, judge: fn(Node) -> Outcome) -> Dialogue {
        let (content_type, body) = self.written(&link.url(target));
        let said = Dialogue::new(Outcome::Accepted, &body, &[]);
        let headers =
            [("content-type", content_type), ("accept", "multipart/related, application/soap+xml".into())];
        match link.post(target, &headers, body).await {
            Err(outcome) => Dialogue { outcome, ..said },
            Ok(answer) => {
                let kind =
                    answer.headers().get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default();
                let root = root_part(kind, answer.body()).to_vec();
                let outcome = read(&root, self.message_id, judge).unwrap_or_else(|| {
                    match judged(answer.status().as_u16()) {
                        Outcome::Accepted => {
                            Outcome::NoAnswer("The answer of the endpoint cannot be read.".into())
                        }
                        other => other,
                    }
                });
                Dialogue::new(outcome, &said.sent, &root)
            }
        }
    }
}

/// The envelope of an answer: its root part if it has several, which is the first.
pub fn root_part<'a>(content_type: &str, body: &'a [u8]) -> &'a [u8] {
    let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|window| window == what);
    let boundary = content_type
        .split(';')
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))
        .map(|(_, value)| format!("--{}", value.trim().trim_matches('"')));
    let Some(boundary) = boundary.filter(|boundary| boundary.len() > 2) else { return body };
    let Some(start) = find(body, boundary.as_bytes()) else { return body };
    let part = &body[start + boundary.len()..];
    let part = &part[..find(part, boundary.as_bytes()).unwrap_or(part.len())];
    find(part, b"\r\n\r\n").map_or(part, |head| &part[head + 4..])
}

/// Reads an envelope; `None` if it is not one, or answers another message.
pub fn read(xml: &[u8], message_id: Uuid, judge: fn(Node) -> Outcome) -> Option<Outcome> {
    let text = std::str::from_utf8(xml).ok()?;
    let document = xml::parse(text.trim(), NODES).ok()?;
    let envelope = document.root_element();
    if !envelope.has_tag_name((SOAP, "Envelope")) {
        return None;
    }
    let child = |node: Node<'_, '_>, name: &'static str| {
        node.children().find(|child| child.has_tag_name((SOAP, name))).map(|found| found.id())
    };
    let header = child(envelope, "Header").and_then(|id| document.get_node(id));
    let answers = header.and_then(|h| h.children().find(|n| n.has_tag_name((ADDRESSING, "RelatesTo"))));
    if let Some(answers) = answers
        && answers.text().map(str::trim) != Some(&format!("urn:uuid:{message_id}"))
    {
        return None;
    }
    let body = document.get_node(child(envelope, "Body")?)?;
    let content = body.children().find(Node::is_element)?;
    Some(if content.has_tag_name((SOAP, "Fault")) { fault(content) } else { judge(content) })
}

/// A sender fault is final, a receiver fault may be temporary. Its text may quote the request and is not repeated.
fn fault(fault: Node) -> Outcome {
    let value = fault.descendants().find(|n| n.has_tag_name((SOAP, "Value"))).and_then(|n| n.text());
    match value.unwrap_or_default().trim().rsplit(':').next() {
        Some("Receiver") => Outcome::NoAnswer("The endpoint answered with a receiver fault.".into()),
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
        read(xml.as_bytes(), Uuid::from_u128(7), |_| Outcome::Accepted)
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
    fn the_root_of_an_answer_in_parts_is_its_first_part() {
        let body = b"--b\r\nContent-Type: application/xop+xml\r\n\r\n<x/>\r\n--b--\r\n";
        assert_eq!(root_part("multipart/related; boundary=\"b\"", body), b"<x/>\r\n");
        assert_eq!(root_part("application/soap+xml", b"<x/>"), b"<x/>");
    }

    proptest! {
        #[test]
        fn no_answer_breaks_the_reader(kind in "[ -~]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(root_part(&kind, &bytes), Uuid::nil(), |_| Outcome::Accepted);
        }
    }
}

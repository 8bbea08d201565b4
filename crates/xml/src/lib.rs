//! Reading of untrusted XML in linear time, and escaping of text for XML.
//!
//! `roxmltree` compares each attribute with the others of its element and each namespace with those in scope, and
//! allocates memory for possible nodes and attributes in advance. [`parse`] counts all of these in one pass before a
//! tree is built. Every crate reads XML through it; clippy refuses the parsers of `roxmltree` elsewhere.

use memchr::memchr_iter;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
pub use roxmltree::{Document, Node};
use roxmltree::{ParsingOptions, TextPos};
use std::collections::HashSet;

/// Most attributes of one element, including namespaces.
const ATTRIBUTES_OF_ELEMENT: usize = 100;
/// Most attributes of a document per allowed node.
const ATTRIBUTES_OF_NODE: usize = 2;
/// Most different namespace declarations of a document.
const NAMESPACES: usize = 64;
/// Longest namespace name, in bytes.
const NAMESPACE_LENGTH: usize = 500;
/// Deepest nesting of elements.
const DEPTH: usize = 1_000;

/// Escapes text for an element or a double-quoted attribute. Characters that are invalid in XML 1.0 are removed.
pub fn escaped(text: impl AsRef<str>) -> String {
    let is_valid =
        |c: &char| matches!(c, '\t' | '\n') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let kept: String = text.as_ref().chars().filter(is_valid).collect();
    quick_xml::escape::escape(&kept).into_owned()
}

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not well-formed XML, or has a document type.
    #[error("no well-formed XML at line {line}, column {column}")]
    NotXml { line: u32, column: u32 },
    /// An undeclared prefix.
    #[error("a prefix that nothing declares")]
    UnknownPrefix(String),
    /// Elements are nested too deeply.
    #[error("the elements of the XML are nested too deep")]
    TooDeep,
    /// Another limit is exceeded.
    #[error("the XML is too large")]
    TooLarge,
}

impl From<roxmltree::Error> for Error {
    fn from(error: roxmltree::Error) -> Self {
        match error {
            roxmltree::Error::UnknownNamespace(prefix, _) => Self::UnknownPrefix(prefix),
            roxmltree::Error::NodesLimitReached
            | roxmltree::Error::AttributesLimitReached
            | roxmltree::Error::NamespacesLimitReached => Self::TooLarge,
            other => Self::at(other.pos()),
        }
    }
}

impl Error {
    fn at(position: TextPos) -> Self {
        Self::NotXml { line: position.row, column: position.col }
    }
}

/// Parses XML with at most `nodes` nodes (elements, texts, comments and instructions), without document types.
pub fn parse(text: &str, nodes: u32) -> Result<Document<'_>, Error> {
    count(text, nodes)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: nodes, ..ParsingOptions::default() };
    #[expect(clippy::disallowed_methods, reason = "the one place where it was counted before")]
    Ok(Document::parse_with_options(text, options)?)
}

/// Refuses text whose parsing would not be linear.
fn count(text: &str, nodes: u32) -> Result<(), Error> {
    let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
    let attributes = nodes.saturating_mul(ATTRIBUTES_OF_NODE);
    let bytes = text.as_bytes();
    // Each node has at most two tags; the parser allocates a node and an attribute for each of these.
    if memchr_iter(b'<', bytes).count() > nodes.saturating_mul(2)
        || memchr_iter(b'=', bytes).count() > attributes.saturating_mul(2)
    {
        return Err(Error::TooLarge);
    }
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    (config.check_end_names, config.allow_unmatched_ends) = (false, true);
    let (mut depth, mut seen) = (0_usize, Seen::default());
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                depth += 1;
                seen.tag(&tag)?;
            }
            Ok(Event::Empty(tag)) => seen.tag(&tag)?,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(_) => return Err(broken(text, reader.error_position())),
        }
        if depth > DEPTH {
            return Err(Error::TooDeep);
        }
        if seen.attributes > attributes {
            return Err(Error::TooLarge);
        }
    }
}

fn broken(text: &str, at: u64) -> Error {
    let before = text.get(..usize::try_from(at).unwrap_or(usize::MAX)).unwrap_or(text);
    let line = memchr_iter(b'\n', before.as_bytes()).count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Error::NotXml { line: number(line), column: number(column) }
}

#[derive(Default)]
struct Seen {
    attributes: usize,
    namespaces: HashSet<(String, String)>,
}

impl Seen {
    fn tag(&mut self, tag: &BytesStart) -> Result<(), Error> {
        let mut of_tag = 0;
        // The check for repeated names compares each with all others. Malformed text ends the count; the stricter
        // parser stops there too.
        for attribute in tag.attributes().with_checks(false).map_while(Result::ok) {
            of_tag += 1;
            if of_tag > ATTRIBUTES_OF_ELEMENT {
                return Err(Error::TooLarge);
            }
            if attribute.key.as_namespace_binding().is_some() {
                self.namespace(attribute.key.as_ref(), &attribute.value)?;
            }
        }
        self.attributes += of_tag;
        Ok(())
    }

    fn namespace(&mut self, prefix: &str, name: &str) -> Result<(), Error> {
        if name.len() > NAMESPACE_LENGTH || prefix.len() > NAMESPACE_LENGTH {
            return Err(Error::TooLarge);
        }
        self.namespaces.insert((prefix.to_owned(), name.to_owned()));
        if self.namespaces.len() > NAMESPACES { Err(Error::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{fmt::Write, time::Instant};

    const NODES: u32 = 200_000;

    fn read(text: &str) -> Result<(), Error> {
        parse(text, NODES).map(drop)
    }

    #[test]
    fn ordinary_xml_is_read_whole() {
        let text = "<?xml version=\"1.0\"?><a xmlns=\"urn:a\" xmlns:b='urn:b'><!-- <b> --><b:c d=\"1 > 2\" e='\"'/>\
            <![CDATA[<f>]]> g &amp; h</a>";
        let document = parse(text, NODES).expect("XML");
        let inner =
            document.descendants().find(|node| node.has_tag_name(("urn:b", "c"))).expect("an element");
        assert_eq!((inner.attribute("d"), inner.attribute("e")), (Some("1 > 2"), Some("\"")));
        assert_eq!(document.root_element().text(), None);
    }

    #[test]
    fn what_is_no_xml_is_told_with_its_place() {
        assert_eq!(read("<a>\n <b></a>"), Err(Error::NotXml { line: 2, column: 5 }));
        assert_eq!(read("<a>\n <!-- "), Err(Error::NotXml { line: 2, column: 2 }));
        assert_eq!(read("<a><b:c/></a>"), Err(Error::UnknownPrefix("b".into())));
        assert!(matches!(read("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), Err(Error::NotXml { .. })));
        assert!(matches!(read(""), Err(Error::NotXml { .. })));
    }

    /// Each would take the plain parser seconds to hours.
    #[test]
    fn what_costs_more_than_its_length_is_refused_at_once() {
        let attributes = |count: usize| {
            (0..count).fold(String::from("<a "), |mut text, at| {
                let _ = write!(text, "b{at}='' ");
                text
            }) + "/>"
        };
        let declared = |count: usize| {
            (0..count).fold(String::from("<a>"), |mut text, at| {
                let _ = write!(text, "<b xmlns:n{at}='urn:{at}'/>");
                text
            }) + "</a>"
        };
        let long = format!("<a xmlns:b='{}'/>", "u".repeat(100_000));
        let many = format!("<a>{}</a>", "<b c='' d='' e=''/>".repeat(150_000));
        let reserved = format!("<a>{}</a>", "=".repeat(1_000_000));
        let since = Instant::now();
        for text in [attributes(200_000), declared(20_000), long, many, reserved] {
            assert_eq!(read(&text), Err(Error::TooLarge), "{}", &text[..30]);
        }
        assert!(since.elapsed().as_secs() < 20, "no quadratic work, on a machine however busy");
        assert_eq!(read(&attributes(ATTRIBUTES_OF_ELEMENT)), Ok(()));
        assert_eq!(read(&declared(NAMESPACES)), Ok(()));
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
        assert_eq!(read(&nested(DEPTH)), Ok(()));
        assert_eq!(read(&nested(100_000)), Err(Error::TooDeep));
    }

    #[test]
    fn one_declaration_may_stand_on_every_element() {
        let text = format!("<a>{}</a>", "<b xmlns:xsi='urn:xsi' xsi:type='CD'/>".repeat(50_000));
        assert_eq!(read(&text), Ok(()));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(text in "[<>/!\\[\\]\\-?='\"a:x &;\\n]{0,200}") {
            let _ = read(&text);
        }

        /// The counting pass refuses nothing that the parser accepts, apart from exceeded limits.
        #[test]
        fn what_the_parser_takes_is_taken(name in "[a-z]{1,8}", value in "[^<&\"]{0,40}", text in "[^<&>]{0,40}") {
            let xml = format!("<{name} a=\"{value}\"><!--{name}--><b>{text}</b><c d='e'/></{name}>");
            #[expect(clippy::disallowed_methods, reason = "what is compared with")]
            let taken = Document::parse(&xml).is_ok();
            prop_assert_eq!(read(&xml).is_ok(), taken);
        }
    }
}

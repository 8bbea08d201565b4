//! Properties of documents of every shape.

use clinical::cda::{Body, Section, narrative, parse, parse_or_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::narrative as with_narrative;

/// Elements of narrative, in valid and invalid places, and an unknown one.
const ELEMENTS: [&str; 17] = [
    "paragraph",
    "content",
    "list",
    "item",
    "caption",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "sub",
    "linkHtml",
    "renderMultiMedia",
    "br",
    "unknown",
];

/// Unescaped and unclosed markup of senders, and additions of gateways.
const JUNK: [&str; 10] =
    ["&", "< ", "<", "&nbsp;", "&none;", "\u{b}", "<br>", "</content>", "<!-- ", "</unknown>"];

/// Well-formed narrative of any shape.
fn narratives() -> impl Strategy<Value = String> {
    let text = "[a-zA-Z0-9äλ漢 \\n]{0,12}";
    text.prop_recursive(6, 60, 6, |inner| {
        let element = (select(&ELEMENTS[..]), vec(inner.clone(), 0..6))
            .prop_map(|(name, content)| format!("<{name}>{}</{name}>", content.concat()));
        prop_oneof![element, vec(inner, 0..4).prop_map(|parts| parts.concat())]
    })
}

/// The characters of a text but its white space, sorted.
fn characters(text: &str) -> Vec<char> {
    let mut characters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    characters.sort_unstable();
    characters
}

/// Text outside tags.
fn content(xml: &str) -> String {
    xml.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect()
}

fn shown(sections: &[Section]) -> String {
    let text = |section: &Section| {
        format!(
            "{}\n{}\n{}",
            section.title,
            narrative::plain_text(&section.narrative),
            shown(&section.sections)
        )
    };
    sections.iter().map(text).collect()
}

proptest! {
    #[test]
    fn no_character_of_a_narrative_is_lost_or_added(xml in narratives()) {
        let document = parse(with_narrative(&xml).as_bytes()).unwrap();
        let Body::Structured(sections) = &document.body else { panic!("no sections") };
        prop_assert_eq!(characters(&narrative::plain_text(&sections[0].narrative)), characters(&content(&xml)));
    }

    #[test]
    fn repairs_never_lose_a_word(
        count in 1usize..12,
        junk in vec((any::<prop::sample::Index>(), select(&JUNK[..])), 1..4),
    ) {
        let words: Vec<_> = (0..count).map(|number| format!("word{number}.")).collect();
        let cells: Vec<_> = words.iter().map(|word| format!("<td><content>{word}</content></td>")).collect();
        let mut xml = with_narrative(&format!("<table><tr>{}</tr></table>", cells.concat()));
        for (at, junk) in junk {
            let mut at = at.index(xml.len());
            // Not inside a word, which it would split.
            let starts = words.iter().filter_map(|word| Some(xml.find(word)?..xml.find(word)? + word.len()));
            at = starts.into_iter().find(|word| word.contains(&at)).map_or(at, |word| word.start);
            while !xml.is_char_boundary(at) {
                at -= 1;
            }
            xml.insert_str(at, junk);
        }
        let document = parse_or_text(xml.as_bytes()).unwrap();
        let Body::Structured(sections) = &document.body else { panic!("no sections") };
        let text = shown(sections);
        for word in words {
            prop_assert!(text.contains(&word), "{} is not in {:?}: {}", word, text, xml);
        }
    }

    #[test]
    fn bytes_of_any_kind_are_read(data in vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
        crate::targets::cda(&data);
        let mut document = with_narrative("<table><tr><td>Größe &amp; 5&#160;mg</td></tr></table>").into_bytes();
        let at = cut.index(document.len());
        document.splice(at..(at + data.len() / 10).min(document.len()), data);
        crate::targets::cda(&document);
    }
}

//! Files that are not well-formed XML.

use clinical::cda::{Body, CdaError, ClinicalDocument, narrative, outline, parse, parse_or_text, render};

use crate::{document, narrative as with_narrative};

fn text_of(document: &ClinicalDocument) -> String {
    let Body::Structured(sections) = &document.body else { panic!("no sections") };
    sections.iter().map(|section| narrative::plain_text(&section.narrative)).collect::<Vec<_>>().join("\n")
}

/// Text and notice of a document that is not well-formed.
fn repaired(bytes: &[u8]) -> (String, String) {
    let document = parse(bytes).unwrap();
    (text_of(&document), document.notice.expect("a notice"))
}

fn assert_repaired(bytes: &[u8], text: &str, reason: &str) {
    let (found, notice) = repaired(bytes);
    assert_eq!(found, text);
    assert!(
        notice.starts_with("This document was repaired to be shown: ") && notice.contains(reason),
        "{notice}"
    );
}

#[test]
fn a_well_formed_document_has_no_notice() {
    assert_eq!(parse(with_narrative("Größe").as_bytes()).unwrap().notice, None);
}

#[test]
fn latin_1_under_a_utf_8_declaration_is_read() {
    let xml = with_narrative("Größe 1½ – m²").replace('–', "\u{96}");
    let latin: Vec<u8> = xml.chars().map(|c| c as u8).collect();
    assert_repaired(&latin, "Größe 1½ – m²", "not in the encoding");
    let mixed = [with_narrative("Größe und Gr").replace("</text>", "").split("<title>").next().unwrap().as_bytes(), b"<title>x</title><text>Gr\xc3\xb6\xc3\x9fe, Gr\xf6\xdfe</text></section></component></structuredBody></component></ClinicalDocument>"].concat();
    assert_repaired(&mixed, "Größe, Größe", "not in the encoding");
}

#[test]
fn an_unknown_encoding_is_read_as_what_it_looks_like() {
    let xml = with_narrative("Größe").replace("UTF-8", "klingon");
    assert_repaired(xml.as_bytes(), "Größe", "not in the encoding");
}

#[test]
fn utf_16_is_read_with_and_without_mark() {
    let units: Vec<u16> = with_narrative("Größe").replace("UTF-8", "UTF-16").encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    assert_repaired(&little, "Größe", "not in the encoding");
    assert_repaired(&big, "Größe", "not in the encoding");
    for marked in [[b"\xff\xfe", &little[..]].concat(), [b"\xfe\xff", &big[..]].concat()] {
        let document = parse(&marked).unwrap();
        assert_eq!((text_of(&document).as_str(), document.notice), ("Größe", None));
    }
}

#[test]
fn what_stands_before_the_declaration_is_left_out() {
    for before in ["\n", "\u{feff}\r\n", " \u{feff}", "Content-Type: text/xml\n\n"] {
        let xml = format!("{before}{}", with_narrative("Text"));
        assert_repaired(xml.as_bytes(), "Text", "before its first line");
    }
    let marked = format!("\u{feff}{}", with_narrative("Text"));
    assert_eq!(parse(marked.as_bytes()).unwrap().notice, None);
}

#[test]
fn a_document_type_is_ignored() {
    for doctype in [
        "<!DOCTYPE ClinicalDocument>",
        "<!DOCTYPE ClinicalDocument SYSTEM \"http://127.0.0.1/cda.dtd\">",
        "<!DOCTYPE ClinicalDocument [<!-- don't ]> --><!ENTITY x \"]>\"><!ELEMENT a (b)>]>",
    ] {
        let xml = with_narrative("Text").replacen("?>", &format!("?>{doctype}"), 1);
        assert_repaired(xml.as_bytes(), "Text", "document type declaration was ignored");
    }
}

#[test]
fn what_follows_the_end_is_left_out() {
    for behind in ["\0\0\0", "\x1a", "</ClinicalDocument>", "<more/>", "-- footer of a gateway --"] {
        let xml = format!("{}{behind}", with_narrative("Text"));
        assert_repaired(xml.as_bytes(), "Text", "what follows its end");
    }
}

#[test]
fn named_characters_of_html_are_read() {
    assert_repaired(
        with_narrative("5&nbsp;mg &ge; 3 &eacute;").as_bytes(),
        "5\u{a0}mg ≥ 3 é",
        "HTML names of characters",
    );
}

#[test]
fn forbidden_characters_and_unescaped_markup_are_read() {
    assert_repaired(with_narrative("a\u{b}b&#1;c").as_bytes(), "abc", "not allowed");
    let text = "Smith & Sons, pain < 5, <3, &unknown; <j.roe@clinic.example>";
    assert_repaired(with_narrative(text).as_bytes(), text, "markup is not valid");
    let attributes = "<content styleCode=Bold ID='a' ID='b' checked>Bold</content>";
    assert_repaired(with_narrative(attributes).as_bytes(), "Bold", "markup is not valid");
    assert_repaired(
        with_narrative("<![CDATA[a < b]]>&nbsp;c").as_bytes(),
        "a < b\u{a0}c",
        "HTML names of characters",
    );
}

#[test]
fn elements_that_are_not_closed_are_closed() {
    let text = "<paragraph>one<br>two</paragraph><paragraph>three <content>four</paragraph>five</b>";
    assert_repaired(with_narrative(text).as_bytes(), "one\ntwo\nthree four\nfive", "not closed properly");
}

#[test]
fn a_document_that_is_cut_off_shows_what_there_is() {
    let whole = with_narrative("<table><tr><td>first</td><td>second</td></tr></table>");
    for end in ["second", "second</t", "second</td></tr>"] {
        let cut = &whole[..whole.find(end).unwrap() + end.len()];
        assert_repaired(cut.as_bytes(), "first\tsecond", "it is cut off");
    }
}

#[test]
fn text_is_never_lost_to_a_repair() {
    // The narrative is closed too early, so that a reader of sections would miss the rest.
    let xml = document(
        "<title>Visit</title>",
        "<component><section><title>Plan</title><text>one</text>two</text></section></component>",
    );
    assert_eq!(parse(xml.as_bytes()), Err(CdaError::Damaged));
    let shown = parse_or_text(xml.as_bytes()).unwrap();
    assert_eq!(text_of(&shown), "Visit\nPlan\none\ntwo");
    assert!(shown.notice.as_ref().unwrap().contains("damaged"));
    for (bytes, text) in [
        (&b"<html><p>a &amp; b</p></html>"[..], "a & b"),
        (b"no markup", "no markup"),
        (b"<ClinicalDocument", "<ClinicalDocument"),
    ] {
        assert_eq!(text_of(&parse_or_text(bytes).unwrap()), text);
    }
}

#[test]
fn the_notice_reaches_page_and_outline() {
    let parsed = parse(with_narrative("5&nbsp;mg").as_bytes()).unwrap();
    let notice = parsed.notice.clone().unwrap();
    assert_eq!(outline::outline(&parsed).notice.as_deref(), Some(notice.as_str()));
    assert!(render::html(&parsed).contains(&format!("<p class=\"warning\" role=\"note\">{notice}</p>")));
}

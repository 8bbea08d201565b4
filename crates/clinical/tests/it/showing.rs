//! Rendering of narrative.

use clinical::cda::{parse, render};

use crate::narrative;

/// HTML of the narrative of a document's only section.
fn shown(text: &str) -> String {
    let document = parse(narrative(text).as_bytes()).unwrap();
    let clinical::cda::Body::Structured(sections) = &document.body else { panic!("no sections") };
    render::section_html(&sections[0], &document.media)
}

#[test]
fn paragraphs_and_loose_text_become_paragraphs() {
    assert_eq!(
        shown("Loose <paragraph>One\n  two</paragraph> rest<br/>line"),
        "<p>Loose</p><p>One two</p><p>rest<br>line</p>"
    );
    assert_eq!(shown("  "), "");
}

#[test]
fn styles_nest() {
    let text = "<content styleCode='Bold Italics'>a<content styleCode='Underline'>b</content></content> H<sub>2</sub>O \
                <content revised='delete'>old</content> m<sup>2</sup>";
    let html = "<p><b><i>a</i></b><b><i><u>b</u></i></b> H<sub>2</sub>O <s>old</s> m<sup>2</sup></p>";
    assert_eq!(shown(text), html);
}

#[test]
fn lists_keep_their_markers_captions_and_nesting() {
    let text = "<list listType='ordered' styleCode='LittleAlpha'><caption>Plan</caption><item>First</item>\
                <item><caption>Then</caption>second<list><item>inner</item></list></item></list>";
    let html = "<p class=\"caption\">Plan</p><ol style=\"list-style-type:lower-alpha\"><li>First</li><li><p><b>Then</b></p>\
                <p>second</p><ul style=\"list-style-type:disc\"><li>inner</li></ul></li></ol>";
    assert_eq!(shown(text), html);
}

#[test]
fn tables_keep_heads_spans_and_alignment() {
    let text = "<table><caption>Labs</caption><thead><tr><th>Test</th><th align='right'>Value</th></tr></thead>\
                <tfoot><tr><td colspan='2'>Foot</td></tr></tfoot><tbody><tr><td rowspan='2'>A1c</td><td>7.9</td></tr>\
                <tr><td><paragraph>one</paragraph><paragraph>two</paragraph></td></tr></tbody></table>";
    let html = "<div class=\"scroll\"><table><caption>Labs</caption><thead><tr><th>Test</th><th style=\"text-align:right\">\
                Value</th></tr></thead><tbody><tr><td rowspan=\"2\">A1c</td><td>7.9</td></tr><tr><td><p>one</p><p>two</p></td>\
                </tr><tr><td colspan=\"2\">Foot</td></tr></tbody></table></div>";
    assert_eq!(shown(text), html);
}

#[test]
fn the_page_has_a_header_contents_and_anchors() {
    let header = "<title>Visit</title><recordTarget><patientRole><id root='1' extension='A-1'/><patient><name><given>Ada</given>\
                  <family>Roe</family></name><birthTime value='19800229'/></patient></patientRole></recordTarget>";
    let body = "<component><section><title>Plan</title><text>Rest</text></section></component>";
    let page = render::html(&parse(crate::document(header, body).as_bytes()).unwrap());
    for part in [
        "<th scope=\"row\">Patient</th><td>Ada Roe</td>",
        "02/29/1980",
        "<a href=\"#s1\">Plan</a>",
        "<section id=\"s1\"><h2>Plan</h2><p>Rest</p></section>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("embedded-file"));
}

#[test]
fn the_page_of_a_document_that_carries_a_file_says_so() {
    let xml = crate::document("", "").replace(
        "<structuredBody></structuredBody>",
        "<nonXMLBody><text mediaType='application/pdf' representation='B64'>JVBERi0=</text></nonXMLBody>",
    );
    let page = render::html(&parse(xml.as_bytes()).unwrap());
    assert!(page.contains("<meta name=\"embedded-file\" content=\"application/pdf\">"), "{page}");
}

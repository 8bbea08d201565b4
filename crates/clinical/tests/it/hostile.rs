//! Malicious documents.

use clinical::cda::{CdaError, MAX_BYTES, MAX_DEPTH, parse, render};

use crate::{document, narrative};

fn page(xml: &str) -> String {
    render::html(&parse(xml.as_bytes()).unwrap())
}

#[test]
fn declared_entities_are_neither_expanded_nor_fetched() {
    let bomb = "<!DOCTYPE l [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;]>'>]><ClinicalDocument><title>&b;</title></ClinicalDocument>";
    let external = "<!DOCTYPE l [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><ClinicalDocument><title>&b;</title></ClinicalDocument>";
    for xml in [bomb, external] {
        let document = parse(xml.as_bytes()).unwrap();
        assert_eq!(document.title.as_deref(), Some("&b;"));
        assert!(document.notice.unwrap().contains("document type declaration was ignored"));
    }
}

#[test]
fn deep_nesting_is_refused_before_it_can_exhaust_the_stack() {
    let nested =
        |depth: usize| narrative(&format!("{}x{}", "<content>".repeat(depth), "</content>".repeat(depth)));
    assert!(parse(nested(MAX_DEPTH - 20).as_bytes()).is_ok());
    assert_eq!(parse(nested(MAX_DEPTH).as_bytes()), Err(CdaError::TooDeep));
    assert_eq!(parse(nested(300_000).as_bytes()), Err(CdaError::TooDeep));
}

#[test]
fn huge_files_are_refused() {
    assert_eq!(parse(&vec![b' '; MAX_BYTES + 1]), Err(CdaError::TooLarge));
    let many = narrative(&"<br/>".repeat(2_000_001));
    assert_eq!(parse(many.as_bytes()), Err(CdaError::TooLarge));
}

#[test]
fn files_that_are_not_documents_are_refused_with_the_reason() {
    assert_eq!(parse(b"<html/>"), Err(CdaError::NotCda { root: "html".to_owned() }));
    assert!(matches!(parse(b""), Err(CdaError::NotXml { .. })));
    assert!(matches!(parse(b"no markup"), Err(CdaError::NotXml { .. })));
}

#[test]
fn markup_and_scripts_of_the_sender_never_reach_the_page() {
    let evil = "&lt;script&gt;alert(1)&lt;/script&gt;\"'&gt;&lt;img src=x onerror=alert(1)&gt;";
    let header = format!(
        "<title>{evil}</title><languageCode code='en\"&gt;&lt;script&gt;'/><recordTarget><patientRole><id root='1' extension=\"{0}\" \
         assigningAuthorityName=\"{0}\"/><telecom value=\"tel:{0}\"/><patient><name><given>{evil}</given></name></patient></patientRole></recordTarget>",
        evil.replace('"', "&quot;")
    );
    let body = format!(
        "<component><section><title>{evil}</title><text onclick='x()'><script>alert(2)</script><style>*{{}}</style>\
         <iframe src='http://evil.example'/><content styleCode='Bold\" onload=\"x' onclick='alert(3)'>{evil}</content>\
         <table onmouseover='x' border='1' style='background:url(http://evil.example)'><tr><td colspan='2\" x=\"'>{evil}</td></tr></table>\
         <renderMultiMedia referencedObject='a\"&gt;&lt;script&gt;'/></text></section></component>"
    );
    let page = page(&document(&header, &body));
    for forbidden in [
        "<script",
        "<img",
        "<iframe",
        "onclick=",
        "onload=",
        "onerror=alert(1)>",
        "evil.example",
        "alert(2)",
        "alert(3)",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}: {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"), "the text itself is shown");
}

#[test]
fn only_web_and_mail_links_can_be_followed() {
    let link = |href: &str| page(&narrative(&format!("<linkHtml href='{href}'>there</linkHtml>")));
    for href in ["https://example.org/a?b=c&amp;d", "HTTP://example.org", "mailto:office@larkfield.example"] {
        let page = link(href);
        assert!(page.contains(&format!("href=\"{href}\"")) && page.contains("noopener"), "{href}");
    }
    for href in [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java&#10;script:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "//evil.example",
        "#s1",
        "scan.pdf",
        "https://a b",
        "",
    ] {
        let page = link(href);
        assert!(!page.contains("target=\"_blank\"") && page.contains("there"), "{href}");
    }
}

#[test]
fn only_real_images_are_shown() {
    let with = |content: &str, kind: &str| {
        document(
            "",
            &format!(
                "<component><section><text><renderMultiMedia referencedObject='MM1'/></text><entry><observationMedia ID='MM1'>\
             <value mediaType='{kind}' representation='B64'>{content}</value></observationMedia></entry></section></component>"
            ),
        )
    };
    let gif = page(&with("R0lGODlhAQABAAAAACw=", "image/svg+xml"));
    assert!(gif.contains("src=\"data:image/gif;base64,R0lGODlh"), "by content, not by declaration: {gif}");
    // <svg onload=alert(1)/>
    let svg = page(&with("PHN2ZyBvbmxvYWQ9YWxlcnQoMSkvPg==", "image/png"));
    assert!(!svg.contains("<img") && svg.contains("cannot be shown"));
}

#[test]
fn the_page_needs_nothing_from_outside() {
    let page = page(&narrative("<paragraph>Hello</paragraph>"));
    for outside in ["<link", "@import", "url(", "src=\"http", "<base", "<form", "<object", "http-equiv"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn forged_spans_are_limited() {
    let page = page(&narrative(
        "<table><tr><td colspan='4000000000' rowspan='-1'>x</td><td colspan='9999'>y</td></tr></table>",
    ));
    assert!(page.contains("<td>x</td><td colspan=\"100\">y</td>"), "{page}");
}

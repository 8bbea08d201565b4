use crate::{
    support::{
        FACES, KEYS, book, book_in_streams, collection, identity, paper, peer, signed, signing, validity,
    },
    targets,
};
use pades::{Mark, Prepared, Problem, Signing};
use proptest::prelude::*;

#[test]
fn two_people_sign_and_both_signatures_are_valid_until_a_byte_changes() {
    // Classical cross references, and cross references and objects in streams.
    for (options, before) in [("table", book("")), ("streams", book_in_streams())] {
        let one = signed(&before, &signing("one", "Dana Reyes"));
        assert!(one.starts_with(&before));
        assert_eq!(validity(&one), (1, 1), "{options}");
        let two = signed(&one, &signing("two", "Zoë Łuczak"));
        assert!(two.starts_with(&one));
        assert_eq!(validity(&two), (2, 2), "{options}");
        let said = peer("pdfsig", &["-nocert", "{}"], &two);
        assert!(said.contains("ETSI.CAdES.detached") && said.contains("SHA-256"), "{said}");
        assert!(said.contains("Total document signed"), "{said}");
        let mut changed = two.clone();
        let place = before.windows(10).position(|window| window == b"Visit note").unwrap();
        changed[place] = b'v';
        assert_eq!(validity(&changed).0, 0, "{options}");
        let shown = peer("mutool", &["draw", "-q", "-F", "text", "{}"], &two);
        for words in ["Visit note", "Electronic signatures", "Dana Reyes", "Zoë Łuczak", "10:04 AM EST"] {
            assert!(shown.contains(words), "{words} in {shown}");
        }
        assert!(!shown.contains("error"), "{shown}");
        assert_eq!(shown.matches("Electronic signatures").count(), 1);
    }
}

#[test]
fn no_page_is_added_after_a_signature() {
    let mut pdf = paper("");
    let added = |pdf: &[u8], pages: &str, shown: usize| {
        let info = peer("mutool", &["info", "{}"], pdf);
        assert!(info.contains(&format!("Pages: {pages}\n")), "{info}");
        let text = peer("mutool", &["draw", "-q", "-F", "text", "{}"], pdf);
        assert_eq!(text.matches("Signed electronically").count(), shown);
    };
    for number in 0..7 {
        pdf = signed(&pdf, &signing(&format!("field {number}"), "Dana Reyes"));
    }
    assert_eq!(validity(&pdf), (7, 7));
    // The seventh has no place and is not shown.
    added(&pdf, "3", 6);
    assert_eq!(pdf.windows(14).filter(|window| window == b"/Rect[0 0 0 0]").count(), 1);
    // Nor is one in a file that somebody else signed.
    let foreign = signed(&book(FOREIGN), &signing("one", "Dana Reyes"));
    added(&foreign, "1", 0);
    assert_eq!(validity(&foreign).0, 1);
    let unsigned = FOREIGN.replace("/V<</Type/Sig>>", "");
    added(&signed(&book(&unsigned), &signing("one", "Dana Reyes")), "2", 1);
}

/// A form with a signature.
const FOREIGN: &str =
    "/AcroForm<</NeedAppearances true/Fields[<</T(Group)/FT/Sig/Kids[<</T(Own)/V<</Type/Sig>>>>]>>]>>";

#[test]
fn a_signature_that_locks_all_fields_is_respected() {
    let refused = |form: &str| pades::prepare(&book(form), &signing("one", "Dana Reyes"), &FACES).err();
    assert_eq!(refused(FOREIGN), None);
    for (lock, expected) in [
        ("/Lock<</Action/All>>/V<</Type/Sig>>", Some(Problem::Certified)),
        ("/Lock<</Action/Include/Fields[(Name)]>>/V<</Type/Sig>>", None),
        ("/V<</Reference[<</TransformMethod/DocMDP>>]>>", Some(Problem::Certified)),
        (
            "/V<</Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/All>>>>]>>",
            Some(Problem::Certified),
        ),
        ("/Lock<</Action/All>>", None),
    ] {
        assert_eq!(refused(&FOREIGN.replace("/V<</Type/Sig>>", lock)), expected, "{lock}");
    }
}

#[test]
fn appearances_are_not_made_anew_unless_an_earlier_signature_says_so() {
    let form = |pdf: &[u8]| peer("mutool", &["show", "{}", "trailer/Root/AcroForm"], pdf);
    let unsigned = "/AcroForm<</NeedAppearances true/Fields[]>>";
    assert!(!form(&signed(&book(unsigned), &signing("one", "Dana Reyes"))).contains("NeedAppearances"));
    assert!(form(&signed(&book(FOREIGN), &signing("one", "Dana Reyes"))).contains("/NeedAppearances true"));
}

#[test]
fn a_page_that_is_not_as_ours_gets_no_signature() {
    let one = signed(&book(""), &signing("one", "Dana Reyes"));
    let is_shown = |pdf: &[u8]| {
        let (two, _) = pades::prepare(pdf, &signing("two", "Ola Ng"), &FACES).unwrap().into_parts();
        !two[pdf.len()..].windows(14).any(|window| window == b"/Rect[0 0 0 0]")
    };
    assert!(is_shown(&one));
    // Of the same length, so that the cross references stay right.
    for (from, to) in [
        ("/MediaBox[0 0 612 792]", "/MediaBox[0 0 612 791]"),
        ("/CropBox[0 0 612 792]", "/CropBox[0 0 312 792]"),
        ("/Rotate 0/Contents", "/Rotate 90/Content"),
        ("/Rect[54 566 558 664]", "/Rect[54 565 558 664]"),
        ("/FT/Sig/F 132/T<feff0053", "/FT/Sig/F 132/T<feff0054"),
        ("/PieceInfo<</Carepost", "/PieceInfo<</Carepast"),
    ] {
        let at = one.windows(from.len()).position(|window| window == from.as_bytes()).expect(from);
        let mut other = one.clone();
        other[at..at + from.len()].copy_from_slice(to.as_bytes());
        assert!(!is_shown(&other), "{to}");
    }
}

#[test]
fn the_signature_verifies_with_the_authority_and_has_the_attributes_of_pades() {
    let made = pades::prepare(&paper(""), &signing("one", "Dana Reyes"), &FACES).unwrap();
    let der = pades::Unstamped::sign(&made.digest(), &identity()).unwrap().to_der().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, KEYS.authority.to_pem().unwrap()).unwrap();
    let content = folder.path().join("content");
    let (pdf, hole) = made.into_parts();
    std::fs::write(&content, [&pdf[..hole.start], &pdf[hole.end..]].concat()).unwrap();
    let arguments = [
        "cms",
        "-verify",
        "-cades",
        "-binary",
        "-purpose",
        "any",
        "-inform",
        "DER",
        "-in",
        "{}",
        "-out",
        "/dev/null",
        "-CAfile",
        authority.to_str().unwrap(),
        "-content",
        content.to_str().unwrap(),
    ];
    let said = peer("openssl", &arguments, &der);
    assert!(said.contains("CAdES Verification successful"), "{said}");
    let printed = peer("openssl", &["asn1parse", "-inform", "DER", "-in", "{}"], &der);
    for attribute in ["contentType", "messageDigest", "id-smime-aa-signingCertificateV2"] {
        assert!(printed.contains(attribute), "{attribute} in {printed}");
    }
    assert!(!printed.contains("signingTime"), "{printed}");
}

#[test]
fn certificates_for_readers_are_in_one_file() {
    let both = [&KEYS.certificate, &KEYS.authority].map(|certificate| certificate.to_der().unwrap());
    let file = pades::bundle(&both).unwrap();
    let said = peer("openssl", &["pkcs7", "-inform", "DER", "-print_certs", "-noout", "-in", "{}"], &file);
    assert!(said.contains("CN = Riverside Clinic") && said.contains("CN = Test Authority"), "{said}");
    assert_eq!(pades::bundle(&[b"no certificate".to_vec()]), Err(Problem::Identity));
}

#[test]
fn a_drawn_signature_and_long_words_are_shown() {
    let strokes = vec![vec![[100, 300], [400, 100], [700, 300]], vec![[900, 200]]];
    let what = Signing {
        mark: Mark::Drawn(strokes),
        name: "Dana 🧬 Reyes-".repeat(9),
        role: String::new(),
        ..signing("one", "")
    };
    let pdf = signed(&paper(""), &what);
    assert_eq!(validity(&pdf), (1, 1));
    let shown = peer("mutool", &["draw", "-q", "-F", "text", "{}"], &pdf);
    assert!(shown.contains("Dana [U+1F9EC] Reyes-") && shown.contains('…'), "{shown}");
}

#[test]
fn files_that_cannot_be_signed_are_refused_with_a_reason() {
    let refused = |pdf: &[u8]| pades::prepare(pdf, &signing("one", "Dana Reyes"), &FACES).unwrap_err();
    assert_eq!(refused(b""), Problem::Broken);
    assert_eq!(refused(b"%PDF-1.7\nnothing"), Problem::Broken);
    assert_eq!(refused(&paper("-E aes-256 -U secret -O owner")), Problem::Encrypted);
    assert_eq!(refused(&paper("-E aes-128 -O owner")), Problem::Encrypted);
    assert_eq!(refused(&book("/Perms<</DocMDP 7 0 R>>")), Problem::Certified);
    assert_eq!(refused(&book("/AcroForm<</Fields[]/XFA[]>>")), Problem::Xfa);
    let mut cut = book("");
    cut.truncate(cut.len() - 40);
    assert_eq!(refused(&cut), Problem::Broken);
}

#[test]
fn a_file_whose_cross_references_are_wrong_somewhere_is_refused() {
    let refused = |pdf: &[u8]| pades::prepare(pdf, &signing("one", "Dana Reyes"), &FACES).err();
    let text = |pdf: Vec<u8>| String::from_utf8(pdf).unwrap();
    let right = text(book(""));
    assert_eq!(refused(right.as_bytes()), None);
    // The catalog, the page tree and the page are elsewhere, and a font, which is not replaced.
    for (number, expected) in
        [(1, Some(Problem::Broken)), (2, Some(Problem::Broken)), (4, Some(Problem::Broken)), (6, None)]
    {
        let at = right.find(&format!("\n{number} 0 obj")).unwrap() + 1;
        let wrong = right.replace(&format!("{at:010} 00000"), &format!("{:010} 00000", at + 3));
        assert_eq!(refused(wrong.as_bytes()), expected, "object {number}");
    }
    // An earlier part of the chain is missing, or leads in a circle.
    let at = right.find("\nxref").unwrap() + 1;
    for before in [3, at, right.len() * 9] {
        let wrong = right.replace("/Root 1 0 R", &format!("/Root 1 0 R/Prev {before}"));
        assert_eq!(refused(wrong.as_bytes()), Some(Problem::Broken), "{before}");
    }
    assert_eq!(refused(&book_in_streams()), None);
}

#[test]
fn forms_and_nested_page_trees_keep_what_they_have() {
    for form in ["", "/AcroForm 8 0 R", "/AcroForm<</Fields 7 0 R/DA(/F 9 Tf)>>"] {
        let one = signed(&book(form), &signing("one", "Dana Reyes"));
        let two = signed(&one, &signing("two", "Ola Ng"));
        assert_eq!(validity(&two), (2, 2), "{form}");
        let catalog = peer("mutool", &["show", "{}", "trailer/Root/AcroForm"], &two);
        assert!(catalog.contains("/SigFlags 3"), "{catalog}");
        assert_eq!(catalog.contains("/F 9 Tf"), form.len() > 20, "{catalog}");
        let fields = peer("mutool", &["show", "{}", "trailer/Root/AcroForm/Fields"], &two);
        assert_eq!(fields.matches(" R").count(), if form.is_empty() { 2 } else { 3 }, "{form}: {fields}");
        let shown = peer("mutool", &["draw", "-q", "-F", "text", "{}"], &two);
        assert!(shown.contains("Visit note") && shown.contains("Ola Ng"), "{shown}");
    }
}

#[test]
fn a_prepared_file_that_is_another_one_is_refused() {
    let before = paper("");
    let (pdf, hole) = pades::prepare(&before, &signing("one", "Dana Reyes"), &FACES).unwrap().into_parts();
    assert!(Prepared::of_parts(&before, pdf.clone(), hole.clone()).is_some());
    let mut other = pdf.clone();
    other[20] ^= 1;
    assert!(Prepared::of_parts(&before, other, hole.clone()).is_none());
    assert!(Prepared::of_parts(&before, pdf.clone(), 0..hole.len()).is_none());
    assert!(Prepared::of_parts(&before, pdf, hole.start..usize::MAX).is_none());
}

#[test]
fn files_of_public_collections_are_signed_twice_or_refused_with_a_reason() {
    let (mut done, mut refused) = (0, Vec::new());
    for path in collection() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        // Signatures in the collection that are broken already.
        let before = validity(&bytes);
        match pades::sign(&bytes, &signing("one", "Dana Reyes"), &FACES, &identity(), |_| Ok(None)) {
            Ok(one) => {
                let two = signed(&one, &signing("two", "Ola Ng"));
                assert_eq!(validity(&two), (before.0 + 2, before.1 + 2), "{name}");
                done += 1;
            }
            Err(problem) => refused.push(format!("{name}: {problem}")),
        }
    }
    eprintln!("{done} files signed, refused:\n{}", refused.join("\n"));
    assert!(refused.len() <= done / 2, "{refused:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damage anywhere in a file is never a crash.
    #[test]
    fn a_damaged_file_is_refused_or_still_signed(
        places in proptest::collection::vec((0usize..2_000, any::<u8>()), 1..6), cut in 0usize..400,
    ) {
        static PAPER: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| paper(""));
        let mut pdf = PAPER.clone();
        pdf.truncate(pdf.len() - cut.min(pdf.len()) / 4);
        for (place, byte) in places {
            let place = place % pdf.len();
            pdf[place] = byte;
        }
        _ = targets::prepare(&pdf);
    }
}

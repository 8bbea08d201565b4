//! A fax shows what other programs show of the same file.

use documents::Kind;
use documents::fax::{Resolution, Sheet};
use documents::worker::{ConvertError, Input};
use image::GrayImage;

use crate::support::{Pdf, converter, grey, peer_bytes};

/// Pixels per inch for comparing pages.
const DPI: u32 = 72;

/// The first page of a document as faxed, converted back to a picture.
async fn faxed(kind: Kind, content: &[u8]) -> GrayImage {
    let converter = converter();
    let (tiff, _) = converter.fax(Input::bytes(kind, content.to_vec()), Resolution::Fine).await.unwrap();
    let pdf = documents::fax::pdf(&tiff).unwrap();
    grey(&converter.render_page(Input::bytes(Kind::Pdf, pdf), 1, DPI).await.unwrap().png)
}

fn by_mutool(pdf: &[u8]) -> GrayImage {
    let dpi = DPI.to_string();
    grey(&peer_bytes(
        "mutool",
        &["draw", "-q", "-F", "png", "-c", "gray", "-r", &dpi, "-o", "-", "{}", "1"],
        pdf,
    ))
}

fn by_poppler(pdf: &[u8]) -> GrayImage {
    let dpi = DPI.to_string();
    grey(&peer_bytes("pdftoppm", &["-png", "-gray", "-f", "1", "-l", "1", "-r", &dpi, "{}"], pdf))
}

/// Squares of the page with ink, as (column, row). `shift` corrects the position and size of fax pages, which
/// are slightly lower and smaller.
fn inked(page: &GrayImage, shift: impl Fn(f64, f64) -> (f64, f64)) -> Vec<(i64, i64)> {
    const SIDE: f64 = 6.0;
    let dark = page.enumerate_pixels().filter(|(_, _, pixel)| pixel.0[0] < 140);
    let mut squares: Vec<_> = dark
        .map(|(x, y, _)| shift(x.into(), y.into()))
        .map(|(x, y)| ((x / SIDE) as i64, (y / SIDE) as i64))
        .collect();
    squares.sort_unstable();
    squares.dedup();
    squares
}

/// Share of the squares of one page without ink nearby on the other page, in percent.
fn lacking(page: &[(i64, i64)], other: &[(i64, i64)]) -> usize {
    let near = |(x, y): (i64, i64)| {
        (-1..=1).any(|dx| (-1..=1).any(|dy| other.binary_search(&(x + dx, y + dy)).is_ok()))
    };
    page.iter().filter(|square| !near(**square)).count() * 100 / page.len().max(1)
}

async fn assert_faxed_as(pdf: &[u8], reference: &GrayImage) {
    let fax = faxed(Kind::Pdf, pdf).await;
    // 792 points minus the header of 38 of 2156 lines.
    let (scale, top) = (1.0 - 38.0 / 2156.0, 792.0 * 38.0 / 2156.0);
    let left = 612.0 * (1.0 - scale) / 2.0;
    let fax = inked(&fax, |x, y| ((x - left) / scale, (y - top) / scale));
    let reference = inked(reference, |x, y| (x, y));
    assert!(reference.len() > 20, "the reference is blank");
    let (lost, added) = (lacking(&reference, &fax), lacking(&fax, &reference));
    assert!(lost <= 5 && added <= 5, "{lost} % of the ink is lost, {added} % is too much");
}

#[tokio::test]
async fn words_below_a_highlighter_stay_readable() {
    let text = "BT /F 20 Tf 72 700 Td (Allergic to penicillin) Tj ET /High Do";
    let highlight = "q /Mul gs 1 1 0 rg 60 690 300 30 re f Q";
    for group in ["/Group << /S /Transparency >>", "/Group<</S/Transparency/CS/DeviceRGB/I false>>"] {
        let mut pdf = Pdf::page("/XObject << /High 6 0 R >>", text);
        pdf.stream(
            6,
            &format!(
                "/Type /XObject /Subtype /Form /BBox [0 0 612 792] {group} \
                 /Resources << /ExtGState << /Mul << /BM /Multiply >> >> >>"
            ),
            highlight,
        );
        let pdf = pdf.finish();
        let reference = by_mutool(&pdf);
        assert_faxed_as(&pdf, &reference).await;
    }
}

const FORM: &str = "/AcroForm << /NeedAppearances true /Fields [7 0 R 8 0 R 9 0 R 10 0 R] /DA (/F 12 Tf 0 g) \
                    /DR << /Font << /F 4 0 R >> >> >>";

fn filled_form(appearance: &str) -> Vec<u8> {
    let mut pdf = Pdf::page("", "BT /F 12 Tf 72 742 Td (Patient name) Tj ET").with_catalog(FORM);
    pdf.with_page("/Annots [7 0 R 8 0 R 9 0 R 10 0 R]");
    let field = "/Type /Annot /Subtype /Widget /F 4";
    pdf.object(
        7,
        &format!("<< {field} /FT /Tx /T (name) /V (Marisol Tenney) /Rect [72 700 300 720] {appearance} >>"),
    );
    pdf.object(
        8,
        &format!(
            "<< {field} /FT /Tx /T (why) /Ff 4096 /V (Chest pain since Monday, worse at night.\\nNo fever.) \
                            /Rect [72 600 400 680] {appearance} >>"
        ),
    );
    pdf.object(
        9,
        &format!(
            "<< {field} /FT /Ch /T (sex) /V (f) /Opt [[(f) (Female)] [(m) (Male)]] /Ff 131072 \
                            /Rect [72 560 300 580] {appearance} >>"
        ),
    );
    pdf.object(10, &format!("<< {field} /FT /Tx /T (mrn) /Ff 16777216 /MaxLen 8 /V (20417731) /Rect [72 520 300 540] {appearance} >>"));
    pdf.stream(11, "/Type /XObject /Subtype /Form /BBox [0 0 10 10]", "/Tx BMC EMC");
    pdf.finish()
}

#[tokio::test]
async fn a_form_is_faxed_with_its_values_where_no_appearance_holds_them() {
    let bare = filled_form("");
    assert_faxed_as(&bare, &by_poppler(&bare)).await;
    // An appearance without content.
    assert_faxed_as(&filled_form("/AP << /N 11 0 R >>"), &by_poppler(&bare)).await;
    let text = converter().text(Input::bytes(Kind::Pdf, bare)).await.unwrap().remove(0);
    for value in ["Patient name", "Marisol Tenney", "worse at night", "No fever", "Female"] {
        assert!(text.contains(value), "{value} is missing in {text}");
    }
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    assert!(digits.contains("20417731"), "{text}");
}

#[tokio::test]
async fn a_value_is_shown_instead_of_an_outdated_appearance() {
    let mut pdf = Pdf::page("", "").with_catalog("/AcroForm << /NeedAppearances true /Fields [7 0 R] >>");
    pdf.with_page("/Annots [7 0 R]");
    pdf.object(7, "<< /Subtype /Widget /FT /Tx /V (Dose 5 mg) /DA (/F 12 Tf 0 g) /Rect [72 700 300 720] /AP << /N 11 0 R >> >>");
    pdf.stream(
        11,
        "/Subtype /Form /BBox [0 0 228 20] /Resources << /Font << /F 4 0 R >> >>",
        "/Tx BMC BT /F 12 Tf 2 5 Td (Enter the dose here, then sign) Tj ET EMC",
    );
    let outdated = faxed(Kind::Pdf, &pdf.finish()).await;
    let mut pdf = Pdf::page("", "BT /F 12 Tf 74 705 Td (Dose 5 mg) Tj ET");
    pdf.with_page("");
    let fresh = faxed(Kind::Pdf, &pdf.finish()).await;
    let (outdated, fresh) = (inked(&outdated, |x, y| (x, y)), inked(&fresh, |x, y| (x, y)));
    assert!(lacking(&outdated, &fresh) <= 5 && lacking(&fresh, &outdated) <= 5);
}

#[tokio::test]
async fn ticks_and_remarks_without_an_appearance_are_faxed() {
    let mut pdf = Pdf::page("", "BT /F 20 Tf 72 700 Td (Allergic to penicillin) Tj ET");
    pdf.with_page("/Annots [7 0 R 8 0 R 9 0 R 10 0 R 12 0 R]");
    let annotation = "/Type /Annot /F 4 /C [1 1 0]";
    pdf.object(7, &format!("<< {annotation} /Subtype /FreeText /Rect [72 600 400 640] /DA (/Helv 14 Tf 0 g) /Contents (Seen, please call) >>"));
    pdf.object(8, &format!("<< {annotation} /Subtype /Highlight /Rect [70 690 300 725] /QuadPoints [70 725 300 725 70 690 300 690] >>"));
    pdf.object(9, &format!("<< {annotation} /Subtype /Ink /C [0 0 0] /BS << /W 2 >> /Rect [70 400 300 500] /InkList [[72 410 200 490 290 410]] >>"));
    pdf.object(10, &format!("<< {annotation} /Subtype /Square /C [0 0 0] /Rect [350 400 450 500] >>"));
    pdf.object(
        12,
        "<< /Subtype /Widget /FT /Btn /V /Yes /AS /Yes /Rect [72 300 92 320] /MK << /CA (8) >> >>",
    );
    let pdf = pdf.finish();
    let fax = inked(&faxed(Kind::Pdf, &pdf).await, |x, y| (x, y));
    let within = |(left, bottom, right, top): (i64, i64, i64, i64)| {
        let (low, high) = ((792 - top) / 6, (792 - bottom) / 6 + 3);
        fax.iter().filter(|(x, y)| (left / 6..=right / 6).contains(x) && (low..=high).contains(y)).count()
    };
    for (what, area, least) in [
        ("words below the highlight", (72, 690, 300, 725), 40),
        ("remark", (72, 600, 400, 640), 15),
        ("ink", (70, 400, 300, 500), 30),
        ("square", (345, 395, 455, 505), 40),
        ("tick", (72, 300, 92, 320), 3),
    ] {
        assert!(within(area) >= least, "{what}: {} squares", within(area));
    }
    let text = converter().text(Input::bytes(Kind::Pdf, pdf)).await.unwrap().remove(0);
    assert!(text.contains("Seen, please call") && text.contains("Allergic to penicillin"), "{text}");
}

#[tokio::test]
async fn fonts_that_are_not_embedded_give_the_right_characters() {
    for font in ["Helvetica", "Times-Bold", "Courier", "ArialMT", "TimesNewRomanPS-BoldItalicMT"] {
        let page = |number: &str| {
            let mut pdf =
                Pdf::page("/Font << /G 6 0 R >>", &format!("BT /G 20 Tf 72 700 Td ({number}) Tj ET"));
            pdf.object(
                6,
                &format!("<< /Type /Font /Subtype /TrueType /BaseFont /{font} /Encoding /WinAnsiEncoding >>"),
            );
            pdf.finish()
        };
        // WinAnsiEncoding also has a hyphen at 0xad (ISO 32000-1 table D.2).
        let (odd, plain) =
            (faxed(Kind::Pdf, &page("SS\\2552541")).await, faxed(Kind::Pdf, &page("SS-2541")).await);
        assert!(odd == plain, "{font}");
        let pdf = page("SS-2541 \\(\\200 5\\) \\344\\366");
        assert_faxed_as(&pdf, &by_mutool(&pdf)).await;
    }
}

#[tokio::test]
async fn names_in_any_script_are_faxed_in_order_and_what_cannot_be_printed_is_refused() {
    let converter = converter();
    let sheet = |text: &str| Sheet::Message { subject: String::new(), text: text.to_owned() };
    let drawn = converter
        .fax_sheet(&sheet("مرحبا Łukasz 12 mg — Ολυμπία, Дарья, מרים, सीता"), Resolution::Fine)
        .await;
    assert_eq!(drawn.unwrap().1, 1);
    let error = converter.fax_sheet(&sheet("Take \u{F8FFE} twice"), Resolution::Fine).await.unwrap_err();
    assert!(matches!(&error, ConvertError::Unprintable(characters) if characters.0.len() == 1), "{error:?}");
    assert!(error.is_permanent() && error.to_string().contains("U+F8FFE"), "{error}");
    let error =
        converter.fax(Input::bytes(Kind::Text, "Take \u{F8FFE} twice"), Resolution::Fine).await.unwrap_err();
    assert!(matches!(error, ConvertError::Unprintable(_)), "{error:?}");
    // A preview shows the code point of the character.
    let pdf = converter.to_pdf(Input::bytes(Kind::Text, "Take \u{F8FFE} twice")).await.unwrap();
    let text = converter.text(Input::bytes(Kind::Pdf, pdf)).await.unwrap().remove(0);
    assert!(text.contains("[U+F8FFE]"), "{text}");
}

#[tokio::test]
async fn a_typeset_text_reads_the_same_in_other_programs() {
    let lines = ["مرحبا Łukasz 12 mg", "Dose: 5 mg", "Ολυμπία Дарья Nguyễn", "מרים כהן", "सीता"];
    let pdf = converter().to_pdf(Input::bytes(Kind::Text, lines.join("\n"))).await.unwrap();
    let own = documents::pdf::text(&pdf).unwrap().remove(0);
    let peer = String::from_utf8(peer_bytes("pdftotext", &["-layout", "{}", "-"], &pdf)).unwrap();
    let peer = peer.replace(['\u{202a}', '\u{202b}', '\u{202c}'], "");
    for line in lines {
        assert!(own.contains(line), "{line} is not in {own}");
        assert!(line.contains("مرحبا") || peer.contains(line), "{line} is not in {peer}");
    }
}

#[test]
fn the_text_of_a_field_is_its_value_and_not_an_old_appearance_of_it() {
    let form = "/AcroForm << /NeedAppearances true /Fields [7 0 R] /DA (/F 12 Tf 0 g) /DR << /Font << /F 4 0 R >> >> >>";
    let mut pdf = Pdf::page("", "BT /F 12 Tf 20 700 Td (Medication list) Tj ET").with_catalog(form);
    pdf.with_page("/Annots [7 0 R]");
    pdf.object(
        7,
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [20 60 280 84] /F 4 /DA (/F 12 Tf 0 g) \
         /V (Warfarin 5 mg daily) /AP << /N 8 0 R >> >>",
    );
    pdf.stream(
        8,
        "/Type /XObject /Subtype /Form /BBox [0 0 260 24] /Resources << /Font << /F 4 0 R >> >>",
        "/Tx BMC q BT /F 12 Tf 2 7 Td (Stale value) Tj ET Q EMC",
    );
    let text = documents::pdf::text(&pdf.finish()).unwrap().concat();
    assert!(text.contains("Warfarin 5 mg daily") && text.contains("Medication list"), "{text}");
    assert!(!text.contains("Stale"), "{text}");
}

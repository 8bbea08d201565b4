use super::*;

fn read(text: &str) -> ExtractedPatient {
    from_text(&[text.to_owned()])
}

fn patient(first: &str, middle: &str, last: &str, born: &str, gender: Option<Gender>) -> ExtractedPatient {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ExtractedPatient {
        first_name: some(first),
        middle_name: some(middle),
        last_name: some(last),
        birth_date: born.parse().ok(),
        gender,
        page: Some(1),
        ..ExtractedPatient::default()
    }
}

#[test]
fn labels_with_colons_are_read() {
    let found = read("Patient Name: Desmond A. Pruitt   DOB: 11/08/1957   Sex: M   MRN: 8842");
    let pruitt = patient("Desmond", "A", "Pruitt", "1957-11-08", Some(Gender::Male));
    assert_eq!(found, ExtractedPatient { identifier: Some("8842".into()), ..pruitt });
}

#[test]
fn table_cells_without_borders_are_read() {
    let text = "Patient TENNEY, MARISOL J Date of birth 03/14/1961\nSex Female MRN (TVC) TVC-0048213\n";
    let tenney = patient("Marisol", "J", "Tenney", "1961-03-14", Some(Gender::Female));
    assert_eq!(read(text), ExtractedPatient { identifier: Some("TVC-0048213".into()), ..tenney });
}

#[test]
fn numbers_and_addresses_are_those_of_the_patient() {
    let said = |text: &str| {
        let found = read(text);
        let values = [found.identifier, found.telephone, found.street, found.city];
        values.map(Option::unwrap_or_default).join("|")
    };
    let block = "Patient: Pruitt, Desmond  DOB: 11/08/1957\nMRN: LFM-08842  Phone: (555) 010-0164\n\
                 Address: 27 Orchard Row\nLarkfield, OH 43999\n";
    assert_eq!(said(block), "LFM-08842|5550100164|27 Orchard Row|Larkfield");
    let letterhead = "Tri-Valley Cardiology\nPhone (555) 010-0140 · Fax (555) 010-0142\n";
    assert_eq!(said(&format!("{letterhead}{block}")), said(block));
    let pruitt = "Patient: Pruitt, Desmond";
    for others in [
        "\nReferring physician: Okonkwo\nPhone: (555) 010-0140",
        "  Referring: Okonkwo\nDOB: 11/08/1957  Phone: (555) 010-0140",
        "\nThe heart is sound.\nThe lungs are clear.\nNo swelling.\nPhone: (555) 010-0140",
    ] {
        assert_eq!(said(&format!("{pruitt}{others}")), "|||", "{others}");
    }
}

#[test]
fn values_below_their_labels_are_read() {
    let text = "Patient name\nO'BRIEN-LEE, SIOBHAN\n\nDate of birth\nMarch 4, 1950\n\nGender\nFemale\n";
    assert_eq!(read(text), patient("Siobhan", "", "O'Brien-Lee", "1950-03-04", Some(Gender::Female)));
}

#[test]
fn names_in_parts_are_read() {
    let found = read("Last name: de la Cruz\nLast name: Okafor\nFirst name: Chidi\nBirth date: 1979-01-30");
    assert_eq!(found, patient("Chidi", "", "Okafor", "1979-01-30", None));
}

#[test]
fn a_row_of_labels_above_a_row_of_values_is_read() {
    let text = "First name    Last name    Date of birth\nMarisol    Cruz    03/14/1961\nGender    Phone\nF    (555) 010-0142\n";
    let cruz = patient("Marisol", "", "Cruz", "1961-03-14", Some(Gender::Female));
    assert_eq!(read(text), ExtractedPatient { telephone: Some("5550100142".into()), ..cruz });
    let text = "First name    Last name    Date of birth\nMarisol    03/14/1961\n";
    assert_eq!(read(text), ExtractedPatient::default(), "which value is missing cannot be told");
}

#[test]
fn readings_that_differ_say_nothing() {
    let one = patient("Marisol", "", "Tenney", "1961-03-14", None);
    let other = patient("MARISOL", "", "Tenny", "", Some(Gender::Female));
    let found = agreed(&[one.clone(), other.clone()], &[one.clone(), other.clone()]);
    assert_eq!(found, ExtractedPatient { page: None, ..patient("Marisol", "", "", "", None) });
    let said = |sure: &[ExtractedPatient], unsure: &[ExtractedPatient]| agreed(sure, unsure).last_name;
    let most = [one.clone(), one.clone(), other.clone()];
    assert_eq!(said(&most, &most).as_deref(), Some("Tenney"));
    let twice = [one.clone(), one.clone(), other.clone(), other.clone()];
    assert_eq!(said(&most, &twice), None, "unsure readings contradict");
    let numbers = |list: &[&str]| {
        let of = |number: &&str| ExtractedPatient { identifier: Some((*number).into()), ..one.clone() };
        let list: Vec<_> = list.iter().map(of).collect();
        agreed(&list, &list).identifier
    };
    assert_eq!(numbers(&["8842", "8842"]).as_deref(), Some("8842"));
    assert_eq!(numbers(&["8842", "8842", "8842", "8842", "8342"]), None, "a slip is as good a number");
    let date = |count| agreed(&[], &vec![one.clone(); count]).birth_date;
    assert_eq!((date(SURE_TOGETHER), date(SURE_TOGETHER - 1)), (one.birth_date, None));
}

#[test]
fn values_are_marked_where_they_stand() {
    let mut page = PlacedText::default();
    let words = ["Patient:", "TENNEY,", "MARISOL", "DOB:", "03/14/1961"];
    for (word, at) in words.into_iter().zip(0u8..) {
        let (left, gap) = (f64::from(at) * 10.0, if at == 3 { "   " } else { " " });
        page.text.push_str(if at == 0 { "" } else { gap });
        page.push(word, Area::between((left, 0.0), (left + 9.0, 5.0), (100.0, 100.0)), 0.9);
    }
    let found = from_places(&[PlacedText::default(), page]);
    let marks: Vec<_> = found.marks.iter().map(|mark| (mark.field, mark.page, mark.area.left)).collect();
    let wanted = [(Field::FirstName, 2, 0.1), (Field::LastName, 2, 0.1), (Field::BirthDate, 2, 0.4)];
    assert_eq!(marks, wanted);
    let other = ExtractedPatient { last_name: Some("Tenny".into()), ..found.clone() };
    let agreed = agreed(&[found.clone(), other.clone()], &[found, other]);
    let fields: Vec<_> = agreed.marks.iter().map(|mark| mark.field).collect();
    assert_eq!(fields, [Field::FirstName, Field::BirthDate], "what is not read is not marked");
}

#[test]
fn prose_and_headings_are_not_taken_for_names() {
    for text in [
        "Patient Information\nName and address on file.",
        "The patient reports improvement, Dr. Lee agrees.",
        "Patient is a 65-year-old woman, sex life unremarkable.",
        "Patient education, Diet and exercise",
        "Name: 12345",
    ] {
        assert!(read(text).is_empty(), "{text:?} gave {:?}", read(text));
    }
}

#[test]
fn two_digit_years_and_impossible_days_are_not_guessed() {
    assert_eq!(read("DOB: 03/14/61").birth_date, None);
    assert_eq!(read("DOB: 02/30/1961").birth_date, None);
    assert_eq!(read("DOB: 03/14/0061").birth_date, None);
}

#[test]
fn the_page_that_tells_most_wins() {
    let pages =
        ["Fax cover\nTo: Front desk", "Patient: Pruitt, Desmond\nDOB 11/08/1957", "Patient: Roe, Jane"];
    let found = from_text(&pages.map(str::to_owned));
    assert_eq!((found.page, found.last_name.as_deref()), (Some(2), Some("Pruitt")));
    assert_eq!(from_text(&[]), ExtractedPatient::default());
}

#[test]
fn text_in_any_script_does_not_break_the_reader() {
    for text in ["Patient: 山田, 太郎", "İİİ Patient name: İpek, Ayşe", "DOB: ١٢/٠٣", "ẞ sex: ", ":::"]
    {
        _ = read(text);
    }
    assert_eq!(read("İİ  Patient name: Yılmaz, Ayşe").last_name.as_deref(), Some("Yılmaz"));
}

#[test]
fn every_patient_of_the_pages_is_told_and_whether_all_were_read() {
    let of = |texts: &[&str]| {
        let pages = Pages::of_texts(texts.iter().copied());
        (pages.patients.iter().filter_map(|one| one.last_name.clone()).collect::<Vec<_>>(), pages.are_read)
    };
    let tenney = "Patient: Tenney, Marisol  DOB: 03/14/1961  Sex: F";
    let pruitt = "Patient: Pruitt, Desmond  DOB: 11/08/1957";
    let prose = "The heart is sound and the lungs are clear. ".repeat(8);
    assert_eq!(of(&[tenney, &prose, tenney]), (vec!["Tenney".into()], true));
    assert_eq!(of(&[tenney, pruitt]), (vec!["Tenney".into(), "Pruitt".into()], true));
    assert_eq!(of(&[tenney, "Page 2 of 2"]), (vec!["Tenney".into()], false), "the rest may be a picture");
    assert_eq!(of(&[tenney, ""]), (vec!["Tenney".into()], false));
    assert_eq!(of(&[]), (Vec::new(), false));
    let crowd: Vec<String> =
        (0..=PATIENTS_MAX).map(|n| format!("Patient: Tenney, M  DOB: 03/14/{}", 1940 + n)).collect();
    assert!(!Pages::of_texts(crowd.iter().map(String::as_str)).are_read, "not all of them are kept");
    assert!(ExtractedPatient { pages: Pages::of_one(), ..ExtractedPatient::default() }.is_empty());
}

//! Dates in the forms that people write.

use chrono::{Datelike, NaiveDate};

/// A numeric date as one word: `7/2/1979`, `07-02-79` and `1979-07-02`.
fn date(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| !c.is_ascii_digit());
    let parts: Vec<&str> = text.split(['/', '-', '.']).collect();
    let &[first, second, third] = parts.as_slice() else { return None };
    let in_year = |month: &str, day: &str| {
        let is = |text: &str, last: u32| text.parse::<u32>().is_ok_and(|number| (1..=last).contains(&number));
        is(month, 12) && is(day, 31)
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    if !parts.iter().all(|part| is_number(part)) {
        return None;
    }
    match (first.len(), second.len(), third.len()) {
        (1..=2, 1..=2, 2..=4) if in_year(first, second) => Some(format!("{first:0>2}{second:0>2}{third}")),
        // A number above 12 is the day.
        (1..=2, 1..=2, 2 | 4) if in_year(second, first) => Some(format!("{second:0>2}{first:0>2}{third}")),
        (4, 1..=2, 1..=2) if in_year(second, third) => Some(format!("{first}{second:0>2}{third:0>2}")),
        _ => None,
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The month of a name such as `Jul`, `Sept.` or `July`.
fn month(name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let is_meant = |month: &&str| name.len() >= 3 && month.starts_with(&name);
    (1..).zip(MONTHS.iter()).find(|(_, month)| is_meant(month)).map(|(number, _)| number)
}

/// The day of `2`, `02` or `2nd`.
fn day(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    ["", "st", "nd", "rd", "th"].contains(&rest.to_lowercase().as_str()).then(|| number.parse().ok())?
}

/// A date with the name of its month, as one word: `Jul 2, 1979`, `2 July 1979` and `02-Jul-1979`.
fn named_date(parts: &[&str]) -> Option<String> {
    let &[first, second, year] = parts else { return None };
    let plain = |text: &&str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let [first, second, year] = [&first, &second, &year].map(plain);
    let is_year = year.len() == 4 && year.bytes().all(|c| c.is_ascii_digit());
    let (month, day) = match (month(&first), month(&second)) {
        (Some(month), _) => (month, day(&second)?),
        (None, Some(month)) => (month, day(&first)?),
        (None, None) => return None,
    };
    (is_year && (1..=31).contains(&day)).then(|| format!("{month:02}{day:02}{year}"))
}

/// The words of a text, unchanged; dates in any form as the word under which they are indexed.
pub fn parts(text: &str) -> Vec<Result<String, &str>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut parts = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let [word, behind @ ..] = rest {
        let within = || named_date(&word.split(['-', '/', '.']).collect::<Vec<_>>());
        rest = behind;
        if let Some(date) = date(word).or_else(within) {
            parts.push(Ok(date));
        } else if let [second, third, behind @ ..] = behind
            && let Some(date) = named_date(&[*word, *second, *third])
        {
            parts.push(Ok(date));
            rest = behind;
        } else {
            parts.push(Err(*word));
        }
    }
    parts
}

/// Possible birth dates of a date from [`parts`], relative to today: a two-digit year means this century or the last
/// one, if that is in the past.
pub fn births(date: &str, today: NaiveDate) -> Vec<NaiveDate> {
    let number = |from: usize, to: usize| date.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    let on = |year: u32, month: u32, day: u32| NaiveDate::from_ymd_opt(year as i32, month, day);
    let (Some(first), Some(second)) = (number(0, 2), number(2, 4)) else { return Vec::new() };
    let in_year = |year: u32| on(year, first, second).or_else(|| on(year, second, first));
    let found = match date.len() {
        8 => {
            let american = number(4, 8).and_then(in_year);
            let sorted = || on(number(0, 4)?, number(4, 6)?, number(6, 8)?);
            vec![american.filter(is_in_reach).or_else(sorted)]
        }
        6 => {
            let year = number(4, 6).unwrap_or_default();
            let century = today.year() as u32 / 100 * 100;
            vec![in_year(century + year), in_year(century - 100 + year)]
        }
        _ => Vec::new(),
    };
    found.into_iter().flatten().filter(|born| *born <= today && is_in_reach(born)).collect()
}

fn is_in_reach(born: &NaiveDate) -> bool {
    (1880..=2200).contains(&born.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_birth_date_is_read_in_any_usual_form_and_two_digits_mean_either_century() {
        let today = NaiveDate::from_ymd_opt(2026, 11, 28).expect("a date");
        let read = |typed: &str| {
            let word = parts(typed).into_iter().find_map(Result::ok).unwrap_or_else(|| typed.to_owned());
            births(&word, today).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for typed in
            ["3/14/1961", "1961-03-14", "14.3.1961", "Mar 14, 1961", "03141961", "19610314", "031461"]
        {
            assert_eq!(read(typed), ["1961-03-14"], "{typed}");
        }
        assert_eq!(read("3/14/21"), ["2021-03-14", "1921-03-14"]);
        assert!(read("13131961").is_empty() && read("3/14/2027").is_empty() && read("20417").is_empty());
    }
}

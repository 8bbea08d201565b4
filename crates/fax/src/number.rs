//! Fax numbers: as people write them, as E.164, and as a line dials them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An E.164 fax number with an optional extension, which is dialled after the call is answered. Written as
/// `+13125550123` or `+13125550123;ext=89` (RFC 3966 without its scheme), which parses anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FaxNumber {
    /// Country code and national number, 7 to 15 digits.
    digits: String,
    /// 1 to 6 digits.
    extension: Option<String>,
}

/// How numbers without a country code are completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// Country calling code, digits only.
    pub country: String,
    /// Area code for 7-digit numbers; without one they are refused.
    pub area: Option<String>,
    /// Prefix dialled before a country code, digits only.
    pub international_prefix: String,
    /// Prefix dialled before an area code, digits only; may be empty.
    pub national_prefix: String,
}

impl Default for Home {
    /// The United States, without an area code.
    fn default() -> Self {
        Self {
            country: "1".to_owned(),
            area: None,
            international_prefix: "011".to_owned(),
            national_prefix: "1".to_owned(),
        }
    }
}

/// Dialling rules of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DialRules {
    /// Where the line is.
    pub home: Home,
    /// Prefix for an outside line, such as `9,`: digits, `*`, `#` and commas (pauses).
    pub outside_line: String,
}

/// Why a number cannot be faxed to. The text can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Empty, or without digits.
    #[error("Enter a fax number.")]
    Empty,
    /// Letters or other characters that do not belong in a number.
    #[error("A fax number has digits only.")]
    NotDigits,
    /// Emergency services.
    #[error("Emergency numbers cannot be faxed to.")]
    Emergency,
    /// Service codes such as 411.
    #[error("Short codes and service numbers cannot be faxed to.")]
    ShortCode,
    /// Seven digits, and no area code is known.
    #[error("Enter the fax number with its area code.")]
    NoAreaCode,
    /// Premium-rate numbers.
    #[error("Premium-rate numbers cannot be faxed to.")]
    PremiumRate,
    /// Not a valid number.
    #[error("This is not a valid fax number.")]
    Invalid,
}

/// Most characters of an input.
const MAX_INPUT: usize = 60;
/// Fewest and most digits of an E.164 number.
const MIN_DIGITS: usize = 7;
const MAX_DIGITS: usize = 15;
/// Codes that reach emergency services or a crisis line somewhere, and 933, which tests 911.
const EMERGENCY: [&str; 10] = ["911", "112", "999", "000", "110", "118", "119", "108", "988", "933"];
/// Satellite networks, networks without a country, and the international premium-rate service (ITU-T E.164, list of
/// assigned country codes): a call costs many times the price.
const EXPENSIVE_CODES: [&str; 6] = ["870", "878", "881", "882", "883", "979"];
/// Country codes of two digits; those of one digit are 1 and 7, all others have three.
const TWO_DIGIT_CODES: [&str; 43] = [
    "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
    "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81",
    "82", "84", "86", "90", "91", "92", "93", "94", "95",
];
/// First two digits of the country codes with three digits; 98 stands alone.
const THREE_DIGIT_ZONES: [&str; 22] = [
    "21", "22", "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69", "80",
    "85", "87", "88", "96", "97",
];

impl FaxNumber {
    /// Parses what a person wrote: digits with the usual separators, a country code after `+` or the international
    /// prefix, an extension after `x`, `ext` or `#`.
    pub fn parse(input: &str, home: &Home) -> Result<Self, NumberError> {
        let input = input.trim();
        if input.is_empty() {
            return Err(NumberError::Empty);
        }
        if input.len() > MAX_INPUT {
            return Err(NumberError::Invalid);
        }
        let (number, extension) = split_extension(input)?;
        let international = number.starts_with('+');
        let number = if international { number[1..].replace("(0)", "") } else { number.to_owned() };
        let written = digits(&number)?;
        let digits = if international { written } else { with_country_code(&written, home)? };
        check(&digits)?;
        Ok(Self { digits, extension })
    }

    /// Parses a stored number, or one that another system wrote with its country code.
    pub fn from_e164(text: &str) -> Result<Self, NumberError> {
        let text = text.trim();
        let plus = if text.starts_with('+') { "" } else { "+" };
        Self::parse(&format!("{plus}{text}"), &Home::default())
    }

    /// Country code and number, digits only.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// Country calling code.
    pub fn country_code(&self) -> &str {
        &self.digits[..country_code_length(&self.digits)]
    }

    /// The number without its country code.
    pub fn national(&self) -> &str {
        &self.digits[country_code_length(&self.digits)..]
    }

    /// Extension, dialled after the call is answered.
    pub fn extension(&self) -> Option<&str> {
        self.extension.as_deref()
    }

    /// The same number without its extension.
    pub fn without_extension(&self) -> Self {
        Self { digits: self.digits.clone(), extension: None }
    }

    /// The dial string of a line with these rules. An extension follows after two pauses.
    pub fn dial_string(&self, rules: &DialRules) -> String {
        let home = &rules.home;
        let mut out: String =
            rules.outside_line.chars().filter(|c| c.is_ascii_digit() || "*#,".contains(*c)).collect();
        if self.country_code() == home.country {
            out.push_str(&home.national_prefix);
            out.push_str(self.national());
        } else {
            out.push_str(&home.international_prefix);
            out.push_str(&self.digits);
        }
        if let Some(extension) = &self.extension {
            out.push_str(",,");
            out.push_str(extension);
        }
        out
    }

    /// The number to show: with dashes, North American numbers without their country code.
    pub fn display(&self) -> String {
        let number = if self.country_code() == "1" { self.national() } else { &self.digits };
        let dashed = dashed(number);
        match &self.extension {
            Some(extension) => format!("{dashed} x{extension}"),
            None => dashed,
        }
    }

    /// Station id for our machine (T.30 TSI): at most 20 digits, spaces and a plus.
    pub fn station_id(&self) -> String {
        let national = self.national();
        match (self.country_code(), national.len()) {
            ("1", 10) => format!("+1 {} {} {}", &national[..3], &national[3..6], &national[6..]),
            (code, _) => format!("+{code} {national}"),
        }
    }
}

/// Adds dashes to 10 to 13 digits; anything else stays as it is.
pub fn dashed(digits: &str) -> String {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || !(10..=13).contains(&digits.len()) {
        return digits.to_owned();
    }
    let (country, rest) = digits.split_at(digits.len() - 10);
    let dash = if country.is_empty() { "" } else { "-" };
    format!("{country}{dash}{}-{}-{}", &rest[..3], &rest[3..6], &rest[6..])
}

/// Splits an input into number and extension.
fn split_extension(input: &str) -> Result<(&str, Option<String>), NumberError> {
    let lower = input.to_ascii_lowercase();
    let marked = [";ext=", "ext.", "ext", "x", "#"].into_iter().find_map(|mark| {
        let at = lower.find(mark)?;
        Some((at, at + mark.len()))
    });
    let Some((end, start)) = marked else { return Ok((input, None)) };
    let extension = digits(&input[start..])?;
    if !(1..=6).contains(&extension.len()) {
        return Err(NumberError::Invalid);
    }
    Ok((input[..end].trim_end_matches([',', ' ']), Some(extension)))
}

/// The digits of an input with the usual separators. Characters that a modem would take for commands are refused, not
/// dropped.
fn digits(text: &str) -> Result<String, NumberError> {
    let separators = [' ', '-', '.', '(', ')', '/', '\u{a0}', '\u{2010}', '\u{2011}', '\u{2013}'];
    let rest: String = text.chars().filter(|c| !separators.contains(c)).collect();
    if rest.is_empty() {
        return Err(NumberError::Empty);
    }
    if rest.bytes().all(|byte| byte.is_ascii_digit()) { Ok(rest) } else { Err(NumberError::NotDigits) }
}

fn with_country_code(written: &str, home: &Home) -> Result<String, NumberError> {
    let prefix = &home.international_prefix;
    if !prefix.is_empty()
        && written.len() >= prefix.len() + MIN_DIGITS
        && written.starts_with(prefix.as_str())
    {
        return Ok(written[prefix.len()..].to_owned());
    }
    let after_prefix = written.strip_prefix(home.national_prefix.as_str()).unwrap_or(written);
    if EMERGENCY.contains(&written) || EMERGENCY.contains(&after_prefix) {
        return Err(NumberError::Emergency);
    }
    if written.len() < MIN_DIGITS {
        return Err(NumberError::ShortCode);
    }
    if home.country != "1" {
        return Ok(format!("{}{after_prefix}", home.country));
    }
    match (written.len(), &home.area) {
        (7, Some(area)) => Ok(format!("1{area}{written}")),
        (7, None) => Err(NumberError::NoAreaCode),
        (10, _) => Ok(format!("1{written}")),
        (11.., _) => Ok(written.to_owned()),
        _ => Err(NumberError::Invalid),
    }
}

fn check(digits: &str) -> Result<(), NumberError> {
    let national = &digits[country_code_length(digits)..];
    if EMERGENCY.contains(&national) || EMERGENCY.contains(&digits) {
        return Err(NumberError::Emergency);
    }
    if national.len() < 4 {
        return Err(NumberError::ShortCode);
    }
    if !(MIN_DIGITS..=MAX_DIGITS).contains(&digits.len()) || country_code_length(digits) == 0 {
        return Err(NumberError::Invalid);
    }
    if EXPENSIVE_CODES.iter().any(|code| digits.starts_with(code)) {
        return Err(NumberError::PremiumRate);
    }
    if digits.starts_with('1') { check_north_american(national) } else { Ok(()) }
}

/// The North American numbering plan: NPA-NXX-XXXX, where N is 2 to 9 and no N11 is an area or an exchange.
fn check_north_american(national: &str) -> Result<(), NumberError> {
    if national.starts_with("911") {
        return Err(NumberError::Emergency);
    }
    if national.len() != 10 {
        return Err(NumberError::Invalid);
    }
    let (area, exchange) = (&national[..3], &national[3..6]);
    let begins_well = |code: &str| code.as_bytes()[0] >= b'2';
    let is_service = |code: &str| code.ends_with("11");
    if !begins_well(area) || is_service(area) || !begins_well(exchange) {
        return Err(NumberError::Invalid);
    }
    if area == "900" || exchange == "976" {
        return Err(NumberError::PremiumRate);
    }
    // Toll-free numbers may have any exchange.
    let toll_free = ["800", "833", "844", "855", "866", "877", "888"].contains(&area);
    if is_service(exchange) && !toll_free { Err(NumberError::Invalid) } else { Ok(()) }
}

/// Digits of the country code; 0 when no country has it.
fn country_code_length(digits: &str) -> usize {
    let starts = |codes: &[&str]| codes.iter().any(|code| digits.starts_with(code));
    if starts(&["1", "7"]) {
        1
    } else if starts(&TWO_DIGIT_CODES) || digits.starts_with("98") {
        2
    } else if starts(&THREE_DIGIT_ZONES) || digits.starts_with("99") {
        3
    } else {
        0
    }
}

impl fmt::Display for FaxNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.digits)?;
        match &self.extension {
            Some(extension) => write!(f, ";ext={extension}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for FaxNumber {
    type Error = NumberError;

    fn try_from(text: String) -> Result<Self, NumberError> {
        Self::from_e164(&text)
    }
}

impl From<FaxNumber> for String {
    fn from(number: FaxNumber) -> Self {
        number.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(input: &str) -> Result<String, NumberError> {
        FaxNumber::parse(input, &Home::default()).map(|number| number.to_string())
    }

    fn number(input: &str) -> FaxNumber {
        FaxNumber::parse(input, &Home::default()).unwrap()
    }

    #[test]
    fn the_usual_ways_to_write_a_number_are_read() {
        for input in [
            "3125550123",
            "(312) 555-0123",
            "312.555.0123",
            "312/555 0123",
            "1-312-555-0123",
            "+1 312 555 0123",
            " 011 1 312 555 0123 ",
            "+1\u{a0}312\u{2011}555\u{2011}0123",
        ] {
            assert_eq!(parse(input).as_deref(), Ok("+13125550123"), "{input}");
        }
    }

    #[test]
    fn numbers_of_other_countries_are_read_with_their_code() {
        for (input, expected) in [
            ("+44 (0)20 7946 0018", "+442079460018"),
            ("011 49 30 901820", "+4930901820"),
            ("442079460018", "+442079460018"),
            ("3531234567890", "+3531234567890"),
            ("+376 800 123", "+376800123"),
        ] {
            assert_eq!(parse(input).as_deref(), Ok(expected), "{input}");
        }
        let london = Home {
            country: "44".to_owned(),
            area: None,
            international_prefix: "00".to_owned(),
            national_prefix: "0".to_owned(),
        };
        assert_eq!(FaxNumber::parse("020 7946 0018", &london).unwrap().to_string(), "+442079460018");
        assert_eq!(FaxNumber::parse("00 1 312 555 0123", &london).unwrap().to_string(), "+13125550123");
        assert_eq!(FaxNumber::parse("999", &london), Err(NumberError::Emergency));
    }

    #[test]
    fn emergency_and_short_codes_are_refused() {
        for emergency in
            ["911", "9-1-1", "112", "1911", "+1 911", "+911", "988", "933", "911 555 0123", "1 911 555 0123"]
        {
            assert_eq!(parse(emergency), Err(NumberError::Emergency), "{emergency}");
        }
        for short in ["411", "211", "0", "12345", "555012", "+1 411"] {
            assert_eq!(parse(short), Err(NumberError::ShortCode), "{short}");
        }
    }

    #[test]
    fn premium_rate_numbers_are_refused() {
        for premium in ["900 555 0123", "1-312-976-0123", "+881 6 1234 5678", "+979 1 2345 6789"] {
            assert_eq!(parse(premium), Err(NumberError::PremiumRate), "{premium}");
        }
    }

    #[test]
    fn invalid_numbers_are_refused_with_a_reason() {
        for (input, expected) in [
            ("", NumberError::Empty),
            ("  ", NumberError::Empty),
            ("---", NumberError::Empty),
            ("+", NumberError::Empty),
            ("fax@example.com", NumberError::NotDigits),
            ("312555012w", NumberError::NotDigits),
            ("3125550123;ATH", NumberError::NotDigits),
            ("3125550123,,9", NumberError::NotDigits),
            ("3125550123\r\nJKILL 1", NumberError::NotDigits),
            ("٣١٢٥٥٥٠١٢٣", NumberError::NotDigits),
            ("++13125550123", NumberError::NotDigits),
            ("5550123", NumberError::NoAreaCode),
            ("31255501", NumberError::Invalid),
            ("012 555 0123", NumberError::Invalid),
            ("312 155 0123", NumberError::Invalid),
            ("211 555 0123", NumberError::Invalid),
            ("312 411 0123", NumberError::Invalid),
            ("+1 312 555 01234", NumberError::Invalid),
            ("+999 1234 5678 9012 3456", NumberError::Invalid),
            ("+280 1234567", NumberError::Invalid),
            ("3125550123 x", NumberError::Empty),
            ("3125550123 x1234567", NumberError::Invalid),
        ] {
            assert_eq!(parse(input), Err(expected), "{input}");
        }
        assert_eq!(parse(&"1".repeat(1_000_000)), Err(NumberError::Invalid));
        assert_eq!(parse("800 411 0123").as_deref(), Ok("+18004110123"));
    }

    #[test]
    fn seven_digit_numbers_take_the_home_area_code() {
        let home = Home { area: Some("312".to_owned()), ..Home::default() };
        assert_eq!(FaxNumber::parse("555-0123", &home).unwrap().to_string(), "+13125550123");
    }

    #[test]
    fn an_extension_is_kept_and_dialled_after_a_pause() {
        for input in ["312-555-0123 x89", "3125550123 ext. 89", "3125550123, ext 89", "3125550123#89"] {
            let number = number(input);
            assert_eq!(number.to_string(), "+13125550123;ext=89", "{input}");
            assert_eq!(number.dial_string(&DialRules::default()), "13125550123,,89");
            assert_eq!(number.display(), "312-555-0123 x89");
            assert_eq!(FaxNumber::from_e164(&number.to_string()), Ok(number));
        }
    }

    #[test]
    fn a_line_dials_by_its_rules() {
        let behind_a_switchboard = DialRules { outside_line: "9,\r\nATZ".to_owned(), ..DialRules::default() };
        assert_eq!(number("3125550123").dial_string(&behind_a_switchboard), "9,13125550123");
        assert_eq!(number("+442079460018").dial_string(&DialRules::default()), "011442079460018");
    }

    #[test]
    fn numbers_are_shown_with_dashes() {
        assert_eq!(dashed("3125550123"), "312-555-0123");
        assert_eq!(dashed("13125550123"), "1-312-555-0123");
        assert_eq!(dashed("442079460018"), "44-207-946-0018");
        assert_eq!(dashed("3531234567890"), "353-123-456-7890");
        assert_eq!(dashed("5550123"), "5550123");
        assert_eq!(number("1 312 555 0123").display(), "312-555-0123");
        assert_eq!(number("+442079460018").display(), "44-207-946-0018");
        assert_eq!(number("1 312 555 0123").station_id(), "+1 312 555 0123");
    }

    #[test]
    fn stored_numbers_are_read_back_and_invalid_ones_refused() {
        assert_eq!(FaxNumber::from_e164("13125550123").unwrap().digits(), "13125550123");
        assert!(FaxNumber::try_from("911".to_owned()).is_err());
    }
}

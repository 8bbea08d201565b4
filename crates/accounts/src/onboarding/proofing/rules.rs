//! Rules for a person's description.

use super::{
    port::{Address, Identity},
    types::{AddressForm, IdentityForm},
};
use chrono::{Datelike, NaiveDate};
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors, is_po_box, phone_digits};
use zeroize::Zeroizing;

/// Maximum length of names and address texts, in characters.
const TEXT_MAX: usize = 255;
const ZIP_MAX: usize = 10;
const DATE_MAX: usize = 10;
const OLDEST: i32 = 120;

const SSN_FORMATS: &str = "Please enter your SSN in one of the following formats: xxx-xx-xxxx or xxxxxxxxx";
const PO_BOX: &str = "Street address cannot be a P.O. Box";

/// States and territories of the US, with the codes of the armed forces.
const STATES: &str = "AL AK AS AZ AR AA AE AP CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO \
                      MT NE NV NH NJ NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY";

/// Checks and parses a description. `today` is for checks of the date of birth.
pub fn identity(form: IdentityForm, today: NaiveDate) -> Result<Identity, FieldErrors> {
    let mut errors = FieldErrors::default();
    name(&form.first_name, "firstName", "First Name", &mut errors);
    name(&form.last_name, "lastName", "Last Name", &mut errors);
    let date_of_birth = check_date(&form.date_of_birth, today, &mut errors);
    let ssn = check_ssn(&form.ssn.0, &mut errors);
    let phone = check_phone(&form.phone_number, &mut errors);
    let current_address = address(form.current_address, "currentAddress", &mut errors);
    // Checked only if any of it is filled in.
    let former = form.former_address.filter(|a| !a.is_empty());
    let former_address = former.map(|a| address(a, "formerAddress", &mut errors));
    match date_of_birth {
        Some(date_of_birth) if errors.is_empty() => Ok(Identity {
            first_name: form.first_name,
            last_name: form.last_name,
            date_of_birth,
            ssn,
            phone,
            current_address,
            former_address,
        }),
        _ => Err(errors),
    }
}

/// One error per field: missing, too long or invalid.
fn text(
    value: &str,
    max: usize,
    field: &str,
    label: &str,
    is_valid: impl FnOnce(&str) -> bool,
    errors: &mut FieldErrors,
) {
    if value.is_empty() {
        errors.add(field, format!("{label} is required."));
    } else if value.chars().count() > max {
        errors.add(field, DEFAULT_FIELD_ERROR);
    } else if value.chars().any(char::is_control) || !is_valid(value) {
        errors.add(field, format!("{label} is invalid"));
    }
}

fn name(value: &str, field: &str, label: &str, errors: &mut FieldErrors) {
    let is_valid = |v: &str| {
        v.chars().any(char::is_alphabetic) && v.chars().all(|c| c.is_alphabetic() || " '’.,-".contains(c))
    };
    text(value, TEXT_MAX, field, label, is_valid, errors);
}

fn check_date(value: &str, today: NaiveDate, errors: &mut FieldErrors) -> Option<NaiveDate> {
    let date = date_of_birth(value, today);
    text(value, DATE_MAX, "dateOfBirth", "Date of Birth", |_| date.is_some(), errors);
    date
}

/// A date as `MM/DD/YYYY`, `MM/DD/YY` or `YYYY-MM-DD`, of a possible living person. A two-digit year in the future
/// belongs to the previous century.
fn date_of_birth(value: &str, today: NaiveDate) -> Option<NaiveDate> {
    let parts: Vec<&str> = value.split('/').collect();
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<i32>().ok())?;
    let date = match parts[..] {
        [month, day, year] if month.len() <= 2 && day.len() <= 2 => {
            let (month, day) = (u32::try_from(number(month)?).ok()?, u32::try_from(number(day)?).ok()?);
            let full = match year.len() {
                4 => number(year)?,
                2 => 2000 + number(year)?,
                _ => return None,
            };
            let date = NaiveDate::from_ymd_opt(full, month, day);
            let ahead = date.is_none_or(|d| d > today);
            if year.len() == 2 && ahead { NaiveDate::from_ymd_opt(full - 100, month, day) } else { date }
        }
        [iso] => NaiveDate::parse_from_str(iso, "%Y-%m-%d").ok(),
        _ => None,
    };
    date.filter(|d| *d <= today && d.year() >= today.year() - OLDEST)
}

fn check_ssn(value: &str, errors: &mut FieldErrors) -> Option<Zeroizing<String>> {
    if value.is_empty() {
        return None;
    }
    let digits = Zeroizing::new(value.chars().filter(char::is_ascii_digit).collect::<String>());
    let dashes: Vec<usize> = value.char_indices().filter(|(_, c)| *c == '-').map(|(at, _)| at).collect();
    let plain = value.len() == 9 && digits.len() == 9;
    let dashed = value.len() == 11 && digits.len() == 9 && dashes == [3, 6];
    errors.require(plain || dashed, "ssn", SSN_FORMATS);
    Some(digits)
}

fn check_phone(value: &str, errors: &mut FieldErrors) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    let digits = if value.len() <= TEXT_MAX { phone_digits(value) } else { None };
    errors.require(digits.is_some(), "phoneNumber", "Phone Number is invalid");
    digits
}

fn address(form: AddressForm, at: &str, errors: &mut FieldErrors) -> Address {
    let field = |name: &str| format!("{at}.{name}");
    let any = |_: &str| true;
    if is_po_box(&form.address_line) {
        errors.add(field("addressLine"), PO_BOX);
    } else {
        text(&form.address_line, TEXT_MAX, &field("addressLine"), "Address", any, errors);
    }
    if !form.address_unit.is_empty() {
        text(&form.address_unit, TEXT_MAX, &field("addressUnit"), "Unit", any, errors);
    }
    text(&form.city, TEXT_MAX, &field("city"), "City", |v| !v.chars().any(|c| c.is_ascii_digit()), errors);
    let known = |v: &str| v.len() == 2 && STATES.split(' ').any(|code| code == v);
    text(&form.state, TEXT_MAX, &field("state"), "State", known, errors);
    text(&form.zip, ZIP_MAX, &field("zip"), "Zip", is_zip, errors);
    Address {
        line: form.address_line,
        unit: form.address_unit,
        city: form.city,
        state: form.state,
        zip: form.zip,
    }
}

/// `43999` or `43999-0001`.
fn is_zip(value: &str) -> bool {
    let (first, rest) = value.split_once('-').unwrap_or((value, "0000"));
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    digits(first, 5) && digits(rest, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).expect("a day")
    }

    #[test]
    fn a_date_of_birth_has_a_year_of_two_or_four_digits_and_lies_behind_us() {
        let today = day(2026, 11, 20);
        let read = |text: &str| date_of_birth(text, today);
        assert_eq!(read("03/14/1975"), Some(day(1975, 3, 14)));
        assert_eq!(read("03/14/75"), Some(day(1975, 3, 14)));
        assert_eq!(read("1/2/05"), Some(day(2005, 1, 2)));
        assert_eq!(read("11/21/26"), Some(day(1926, 11, 21)));
        assert_eq!(read("1975-03-14"), Some(day(1975, 3, 14)));
        for wrong in
            ["", "13/01/1975", "02/30/1975", "11/21/2026", "01/01/1875", "03/14/175", "+3/14/75", "x"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_social_security_number_has_nine_digits_with_dashes_in_their_places_or_without() {
        let good = |text: &str| {
            let mut errors = FieldErrors::default();
            check_ssn(text, &mut errors);
            errors.is_empty()
        };
        assert!(good("") && good("123456789") && good("123-45-6789"));
        for wrong in
            ["12345678", "1234567890", "123-456789", "12-345-6789", "123 45 6789", "12345678a", "-123456789-"]
        {
            assert!(!good(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_zip_code_has_five_or_nine_digits() {
        assert!(is_zip("43999") && is_zip("43999-0001"));
        assert!(!is_zip("4399") && !is_zip("43999-1") && !is_zip("43999-") && !is_zip("abcde"));
    }
}

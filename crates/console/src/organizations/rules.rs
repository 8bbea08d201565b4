//! What may stand in an organization, without a database.

use super::http::OrganizationForm;
use crate::plans::rules::{FREE_USERS, has_room, is_licensing, is_offered_by};
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors, is_email, is_npi, is_po_box, phone_digits};
use std::collections::BTreeSet;
use store::entities::{plan, reseller};
use uuid::Uuid;

pub const SUB_DOMAIN_REFUSED: &str = "This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.";
pub const LICENSER_NEEDED: &str =
    "Can't remove Licenser because this organization exceeds the user limit for the free plan.";
pub const SPACE_REQUIRED: &str = "A space is required.";
pub const PO_BOX_REFUSED: &str = "Street address cannot be a P.O. Box";
pub const SUB_DOMAIN_IN_USE: &str =
    "The subdomain cannot be changed, because the organization has Direct addresses under it.";
pub const NO_ACTIVATION_MAIL: &str =
    "An activation e-mail cannot be sent, because this installation has no mail server for it.";
pub const NO_ADMINISTRATOR: &str =
    "The organization has no administrator with an e-mail address who could be told.";

/// Longest name of a person, line of an address and the like.
const TEXT_MAX: usize = 255;
const ZIP_MAX: usize = 10;
/// A label of a domain name (RFC 1035 section 2.3.4).
const LABEL_MAX: usize = 63;
/// Codes and feature names in a list.
const CODES_MAX: usize = 200;

/// A subdomain as it is stored: domain names know no case.
pub fn sub_domain(text: &str) -> String {
    text.trim().to_lowercase()
}

/// A label of a domain name: lower-case letters, digits and inner hyphens.
pub fn is_sub_domain(text: &str) -> bool {
    (1..=LABEL_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// A phone number as it is shown: `(999) 999-9999`; what is no phone number stays as it is.
pub fn masked_phone(text: &str) -> String {
    match phone_digits(text) {
        Some(d) => format!("({}) {}-{}", &d[..3], &d[3..6], &d[6..]),
        None => text.to_owned(),
    }
}

/// Everything that is wrong with the form itself.
pub fn check(form: &OrganizationForm) -> FieldErrors {
    let mut errors = FieldErrors::default();
    check_details(form, &mut errors);
    check_address(form, &mut errors);
    check_contact(form, &mut errors);
    check_codes(form, &mut errors);
    errors
}

fn check_details(form: &OrganizationForm, errors: &mut FieldErrors) {
    check_name(&form.name, errors);
    match form.sub_domain.as_str() {
        "" => errors.add("subDomain", DEFAULT_FIELD_ERROR),
        text => errors.require(is_sub_domain(&sub_domain(text)), "subDomain", SUB_DOMAIN_REFUSED),
    }
    for (field, value) in [
        ("brandId", form.brand_id),
        ("organizationTypeId", form.organization_type_id),
        ("organizationSpecialtyId", form.organization_specialty_id),
        ("hispProviderId", form.hisp_provider_id),
    ] {
        errors.require(value.is_some(), field, DEFAULT_FIELD_ERROR);
    }
    errors.require(form.activation_status.is_some(), "activationStatus", DEFAULT_FIELD_ERROR);
    let npi = &form.organization_npi;
    errors.require(is_ten_digit_npi(npi), "organizationNpi", DEFAULT_FIELD_ERROR);
    check_length(&form.organization_emr, 0, TEXT_MAX, "organizationEmr", errors);
    for (field, number) in [("primaryPhone", &form.primary_phone), ("phone", &form.phone)] {
        errors.require(is_phone(number), field, DEFAULT_FIELD_ERROR);
    }
    let fax = &form.primary_fax;
    errors.require(fax.is_empty() || phone_digits(fax).is_some(), "primaryFax", DEFAULT_FIELD_ERROR);
}

fn check_name(name: &str, errors: &mut FieldErrors) {
    check_length(name, 3, 50, "name", errors);
    let allowed = |c: &char| c.is_alphanumeric() || " &'.,-()/".contains(*c);
    let wrong: BTreeSet<char> = name.chars().filter(|c| !allowed(c)).collect();
    if !wrong.is_empty() {
        let wrong: Vec<String> = wrong.into_iter().map(String::from).collect();
        errors.add("name", format!("Invalid characters in field: {}", wrong.join(" ")));
    }
}

fn check_address(form: &OrganizationForm, errors: &mut FieldErrors) {
    let street = &form.street;
    check_length(street, 0, TEXT_MAX, "street", errors);
    errors.require(street.contains(' '), "street", SPACE_REQUIRED);
    errors.require(!street.split(',').any(|part| is_po_box(part.trim())), "street", PO_BOX_REFUSED);
    check_length(&form.unit, 0, TEXT_MAX, "unit", errors);
    check_length(&form.city, 1, TEXT_MAX, "city", errors);
    check_length(&form.state, 1, TEXT_MAX, "state", errors);
    check_length(&form.zip, 1, ZIP_MAX, "zip", errors);
}

fn check_contact(form: &OrganizationForm, errors: &mut FieldErrors) {
    check_length(&form.primary_contact_first_name, 2, TEXT_MAX, "primaryContactFirstName", errors);
    check_length(&form.primary_contact_last_name, 2, TEXT_MAX, "primaryContactLastName", errors);
    let email = &form.primary_contact_email;
    errors.require(
        is_email(email) && email.len() <= TEXT_MAX && is_printable(email),
        "primaryContactEmail",
        DEFAULT_FIELD_ERROR,
    );
    check_length(&form.primary_contact_title, 0, TEXT_MAX, "primaryContactTitle", errors);
    let npi = &form.primary_contact_npi;
    errors.require(is_ten_digit_npi(npi), "primaryContactNpi", DEFAULT_FIELD_ERROR);
}

fn check_codes(form: &OrganizationForm, errors: &mut FieldErrors) {
    for (field, codes) in [
        ("enabledFeatures", &form.enabled_features),
        ("allowedPurposeOfUseCodes", &form.allowed_purpose_of_use_codes),
    ] {
        let ok = codes.iter().flatten().all(|code| is_code(code));
        let few = codes.as_ref().is_none_or(|codes| codes.len() <= CODES_MAX);
        errors.require(ok && few, field, DEFAULT_FIELD_ERROR);
    }
}

fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

fn check_length(text: &str, min: usize, max: usize, field: &str, errors: &mut FieldErrors) {
    let fits = (min..=max).contains(&text.chars().count()) && is_printable(text);
    errors.require(fits, field, DEFAULT_FIELD_ERROR);
}

/// Control characters belong into no field, and PostgreSQL stores no NUL.
fn is_printable(text: &str) -> bool {
    !text.contains(char::is_control)
}

fn is_ten_digit_npi(text: &str) -> bool {
    text.len() <= 10 && is_npi(text)
}

/// Ten digits, or nothing; the toll-free area code 800 reaches no organization.
fn is_phone(text: &str) -> bool {
    text.is_empty() || phone_digits(text).is_some_and(|digits| !digits.starts_with("800"))
}

/// Reseller and plan of an organization, before or after a save. No plan is the Free plan.
#[derive(Clone, Debug, Default)]
pub struct Subscription {
    pub reseller: Option<reseller::Model>,
    pub plan: Option<plan::Model>,
}

impl Subscription {
    fn reseller_id(&self) -> Option<Uuid> {
        self.reseller.as_ref().map(|r| r.id)
    }

    /// The reseller that sets the plans, if there is one.
    fn licenser(&self) -> Option<Uuid> {
        self.reseller.as_ref().filter(|r| is_licensing(r)).map(|r| r.id)
    }

    pub fn plan_id(&self) -> Option<Uuid> {
        self.plan.as_ref().map(|p| p.id)
    }
}

/// What the organization subscribes to after the save: without its licenser it falls back to the Free plan.
pub fn subscription(
    before: &Subscription,
    wanted: Subscription,
    users: u64,
    errors: &mut FieldErrors,
) -> Subscription {
    let reseller_changes = before.reseller_id() != wanted.reseller_id();
    if reseller_changes && before.plan.is_some() && before.licenser().is_none() {
        errors.add("resellerId", DEFAULT_FIELD_ERROR);
        return wanted;
    }
    if before.licenser().is_some() && wanted.licenser().is_none() {
        errors.require(has_room(FREE_USERS, users), "resellerId", LICENSER_NEEDED);
        return Subscription { plan: None, ..wanted };
    }
    let plan_changes = before.plan_id() != wanted.plan_id();
    if plan_changes || reseller_changes {
        let (allowed, offered) = match &wanted.plan {
            Some(plan) => (plan.allowed_users, is_offered_by(plan, wanted.licenser())),
            None => (FREE_USERS, true),
        };
        let fits = offered && (!plan_changes || has_room(allowed, users));
        errors.require(fits, "planId", DEFAULT_FIELD_ERROR);
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::super::http::ActivationStatus;
    use super::*;

    fn good() -> OrganizationForm {
        OrganizationForm {
            name: "Larkfield Family Medicine".into(),
            sub_domain: "larkfield".into(),
            brand_id: Some(Uuid::now_v7()),
            organization_type_id: Some(Uuid::now_v7()),
            organization_specialty_id: Some(Uuid::now_v7()),
            hisp_provider_id: Some(Uuid::now_v7()),
            activation_status: Some(ActivationStatus::NotActivated),
            street: "418 Orchard Lane".into(),
            city: "Portland".into(),
            state: "OR".into(),
            zip: "97201".into(),
            primary_contact_first_name: "Dana".into(),
            primary_contact_last_name: "Whitlock".into(),
            primary_contact_email: "dana@larkfield.example".into(),
            ..Default::default()
        }
    }

    /// The texts under one field after a change to a good form.
    fn texts(field: &str, change: impl FnOnce(&mut OrganizationForm)) -> Vec<String> {
        let mut form = good();
        change(&mut form);
        let mut errors = check(&form);
        let texts = errors.0.remove(field).unwrap_or_default();
        assert!(errors.is_empty(), "only {field} is wrong: {errors:?}");
        texts
    }

    #[test]
    fn a_form_with_what_is_required_is_good() {
        assert!(check(&good()).is_empty());
    }

    #[test]
    fn every_required_field_is_named_under_its_json_name() {
        let errors = check(&OrganizationForm::default());
        let fields: Vec<&str> = errors.0.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "activationStatus",
                "brandId",
                "city",
                "hispProviderId",
                "name",
                "organizationSpecialtyId",
                "organizationTypeId",
                "primaryContactEmail",
                "primaryContactFirstName",
                "primaryContactLastName",
                "state",
                "street",
                "subDomain",
                "zip"
            ]
        );
        assert_eq!(errors.0["city"], [DEFAULT_FIELD_ERROR]);
    }

    #[test]
    fn a_name_has_3_to_50_characters() {
        for (length, ok) in [(2, false), (3, true), (50, true), (51, false)] {
            assert_eq!(texts("name", |f| f.name = "n".repeat(length)).is_empty(), ok, "{length}");
        }
    }

    #[test]
    fn a_name_takes_letters_digits_space_and_some_punctuation() {
        assert!(texts("name", |f| f.name = "O'Neil & Sons, Inc. (West-2) / Bäder".into()).is_empty());
        let wrong = texts("name", |f| f.name = "Best_Care! Clinic_".into());
        assert_eq!(wrong, ["Invalid characters in field: ! _"]);
    }

    #[test]
    fn a_subdomain_is_one_label_of_a_domain_name() {
        for good in ["a", "larkfield", "lark-field-2", "Larkfield", &"x".repeat(63)] {
            assert!(texts("subDomain", |f| f.sub_domain = good.into()).is_empty(), "{good}");
        }
        for bad in ["-lark", "lark-", "lark.field", "lark field", "lärk", "a_b", &"x".repeat(64)] {
            assert_eq!(texts("subDomain", |f| f.sub_domain = bad.into()), [SUB_DOMAIN_REFUSED], "{bad}");
        }
    }

    #[test]
    fn a_street_needs_a_space_and_is_no_po_box() {
        assert_eq!(texts("street", |f| f.street = "Orchard".into()), [SPACE_REQUIRED]);
        assert_eq!(texts("street", |f| f.street = "P.O. Box 12".into()), [PO_BOX_REFUSED]);
        assert_eq!(texts("street", |f| f.street = "4 Main Street, PO Box 12".into()), [PO_BOX_REFUSED]);
        assert!(texts("street", |f| f.street = "12 Poboxer Street".into()).is_empty());
    }

    #[test]
    fn a_zip_has_at_most_10_characters() {
        assert!(texts("zip", |f| f.zip = "97201-0418".into()).is_empty());
        assert_eq!(texts("zip", |f| f.zip = "97201-04181".into()), [DEFAULT_FIELD_ERROR]);
    }

    #[test]
    fn an_npi_has_10_digits_and_a_check_digit_or_is_empty() {
        for (npi, ok) in [("", true), ("1234567893", true), ("1234567890", false), ("123456789", false)] {
            assert_eq!(texts("organizationNpi", |f| f.organization_npi = npi.into()).is_empty(), ok, "{npi}");
            let of_contact = texts("primaryContactNpi", |f| f.primary_contact_npi = npi.into());
            assert_eq!(of_contact.is_empty(), ok, "{npi}");
        }
        // Valid elsewhere, but not exactly 10 digits.
        assert!(!texts("organizationNpi", |f| f.organization_npi = "808401234567893".into()).is_empty());
    }

    #[test]
    fn a_phone_has_10_digits_and_not_the_area_code_800() {
        for (phone, ok) in [
            ("", true),
            ("(503) 555-0142", true),
            ("8885550142", true),
            ("(800) 555-0142", false),
            ("555-0142", false),
        ] {
            assert_eq!(texts("phone", |f| f.phone = phone.into()).is_empty(), ok, "{phone}");
            assert_eq!(texts("primaryPhone", |f| f.primary_phone = phone.into()).is_empty(), ok, "{phone}");
        }
        assert_eq!(masked_phone("503.555.0142"), "(503) 555-0142");
    }

    #[test]
    fn a_contact_has_names_of_2_to_255_characters_and_an_email() {
        for (length, ok) in [(1, false), (2, true), (255, true), (256, false)] {
            let name = "n".repeat(length);
            let first = texts("primaryContactFirstName", |f| f.primary_contact_first_name = name.clone());
            let last = texts("primaryContactLastName", |f| f.primary_contact_last_name = name.clone());
            assert_eq!((first.is_empty(), last.is_empty()), (ok, ok), "{length}");
        }
        assert!(
            !texts("primaryContactEmail", |f| f.primary_contact_email = "dana@larkfield".into()).is_empty()
        );
    }

    #[test]
    fn no_field_takes_control_characters() {
        assert!(!texts("city", |f| f.city = "Port\0land".into()).is_empty());
    }

    fn reseller(kind: &str) -> reseller::Model {
        reseller::Model { id: Uuid::now_v7(), name: "R".into(), kind: kind.into(), bypass_tos: false }
    }

    fn plan(allowed_users: i32, reseller: Option<&reseller::Model>) -> plan::Model {
        plan::Model {
            id: Uuid::now_v7(),
            name: "P".into(),
            tier_code: "T".into(),
            allowed_users,
            restricted: serde_json::json!([]),
            reseller_id: reseller.map(|r| r.id),
            is_free: false,
        }
    }

    fn with(reseller: Option<&reseller::Model>, plan: Option<&plan::Model>) -> Subscription {
        Subscription { reseller: reseller.cloned(), plan: plan.cloned() }
    }

    /// The plan after the save, and the errors.
    fn saved(before: &Subscription, wanted: Subscription, users: u64) -> (Option<Uuid>, FieldErrors) {
        let mut errors = FieldErrors::default();
        (subscription(before, wanted, users, &mut errors).plan_id(), errors)
    }

    #[test]
    fn removing_a_licensing_reseller_falls_back_to_the_free_plan() {
        let licenser = reseller("Licensing");
        let (own, general) = (plan(50, Some(&licenser)), plan(50, None));
        let before = with(Some(&licenser), Some(&own));
        let (plan_id, errors) = saved(&before, with(None, Some(&general)), 3);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(plan_id, None);
    }

    #[test]
    fn removing_a_licensing_reseller_is_refused_above_three_users() {
        let licenser = reseller("Licensing");
        let before = with(Some(&licenser), None);
        let (_, errors) = saved(&before, with(None, None), 4);
        assert_eq!(errors.0["resellerId"], [LICENSER_NEEDED]);
        // An affiliate is no licenser either.
        let (_, errors) = saved(&before, with(Some(&reseller("Affiliate")), None), 4);
        assert_eq!(errors.0["resellerId"], [LICENSER_NEEDED]);
    }

    #[test]
    fn the_reseller_changes_only_without_a_plan_or_with_a_licensing_reseller() {
        let (affiliate, licenser) = (reseller("Affiliate"), reseller("Licensing"));
        let general = plan(50, None);
        let (_, errors) =
            saved(&with(Some(&affiliate), Some(&general)), with(Some(&licenser), Some(&general)), 1);
        assert_eq!(errors.0["resellerId"], [DEFAULT_FIELD_ERROR]);
        let (_, errors) = saved(&with(Some(&affiliate), None), with(Some(&licenser), None), 9);
        assert!(errors.is_empty(), "{errors:?}");
        let (_, errors) = saved(&with(Some(&licenser), None), with(Some(&reseller("Licensing")), None), 9);
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn a_plan_needs_room_for_the_users_unless_it_stays() {
        let (small, large) = (plan(5, None), plan(-1, None));
        let (_, errors) = saved(&with(None, Some(&large)), with(None, Some(&small)), 6);
        assert_eq!(errors.0["planId"], [DEFAULT_FIELD_ERROR]);
        let (_, errors) = saved(&with(None, Some(&large)), with(None, None), 4);
        assert_eq!(errors.0["planId"], [DEFAULT_FIELD_ERROR]);
        let (plan_id, errors) = saved(&with(None, Some(&small)), with(None, Some(&small)), 6);
        assert!(errors.is_empty() && plan_id == Some(small.id));
    }

    #[test]
    fn a_licensing_reseller_sets_the_plans() {
        let licenser = reseller("Licensing");
        let (own, general) = (plan(50, Some(&licenser)), plan(50, None));
        let (_, errors) = saved(&with(None, None), with(Some(&licenser), Some(&general)), 1);
        assert_eq!(errors.0["planId"], [DEFAULT_FIELD_ERROR]);
        let (plan_id, errors) = saved(&with(None, None), with(Some(&licenser), Some(&own)), 1);
        assert!(errors.is_empty() && plan_id == Some(own.id));
    }
}

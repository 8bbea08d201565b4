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
    "An activation e-mail cannot be sent, because this installation sends no e-mail to people yet.";
pub const STALE: &str = "Somebody else changed this organization in the meantime. Please open it again.";

/// Longest name of a person, line of an address and the like.
const TEXT_MAX: usize = 255;
const ZIP_MAX: usize = 10;
/// A label of a domain name (RFC 1035 section 2.3.4).
const LABEL_MAX: usize = 63;
/// Codes and feature names in a list.
const CODES_MAX: usize = 200;

/// Under what an organization is sorted and found.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

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
    errors.require(is_email(email) && email.len() <= TEXT_MAX, "primaryContactEmail", DEFAULT_FIELD_ERROR);
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
    errors.require((min..=max).contains(&text.chars().count()), field, DEFAULT_FIELD_ERROR);
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

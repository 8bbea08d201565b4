//! Rules for organizations, without a database.

use super::types::OrganizationForm;
use accounts::plan::{FREE_USERS, has_room, is_licensing, is_offered_by};
use platform::{
    fields::{DEFAULT_FIELD_ERROR, FieldErrors, phone_digits},
    text::{Format, Rule},
};
use store::entities::{plan, reseller};
use uuid::Uuid;

pub const SUB_DOMAIN_REFUSED: &str = "This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.";
pub const LICENSER_NEEDED: &str =
    "Can't remove Licenser because this organization exceeds the user limit for the free plan.";
pub const SPACE_REQUIRED: &str = "A space is required.";
pub const SUB_DOMAIN_IN_USE: &str =
    "The subdomain cannot be changed, because the organization has Direct addresses under it.";
pub const NO_ACTIVATION_MAIL: &str =
    "An activation e-mail cannot be sent, because this installation has no mail server configured.";
pub const NO_ADMINISTRATOR: &str =
    "The organization has no administrator with an e-mail address, so an activation e-mail cannot be sent.";

/// Codes and feature names in a list.
const CODES_MAX: usize = 200;

platform::text! {
    /// Name of an organization.
    pub OrganizationName = Rule::line(3, 50).characters(r"[\p{L}\p{M}\p{N} &'.,()/-]");
    /// A label of a domain name (RFC 1035 section 2.3.4).
    pub SubDomain = Rule::line(1, 63).pattern("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?").says(SUB_DOMAIN_REFUSED);
    /// A street with its number.
    pub Street = Rule::line(3, 255).pattern(r".* .*").format(Format::Street).says(SPACE_REQUIRED);
    /// A name of the contact person.
    pub ContactName = Rule::line(2, 255);
}

/// A subdomain in its stored form: domain names ignore case.
pub fn sub_domain(text: &str) -> String {
    text.trim().to_lowercase()
}

/// A phone number in its displayed form, `(999) 999-9999`; other texts stay as they are.
pub fn masked_phone(text: &str) -> String {
    match phone_digits(text) {
        Some(d) => format!("({}) {}-{}", &d[..3], &d[3..6], &d[6..]),
        None => text.to_owned(),
    }
}

/// Errors of the form that involve several fields.
pub fn check(form: &OrganizationForm) -> FieldErrors {
    let mut errors = FieldErrors::default();
    for (field, number) in [("primaryPhone", &form.primary_phone), ("phone", &form.phone)] {
        errors.require(!is_toll_free(number), field, DEFAULT_FIELD_ERROR);
    }
    check_codes(form, &mut errors);
    errors
}

/// The toll-free area code 800 is not a phone number of an organization.
fn is_toll_free(number: &str) -> bool {
    phone_digits(number).is_some_and(|digits| digits.starts_with("800"))
}

fn check_codes(form: &OrganizationForm, errors: &mut FieldErrors) {
    let few = |codes: &Option<Vec<String>>| codes.as_ref().is_none_or(|codes| codes.len() <= CODES_MAX);
    // The database decides whether these features exist.
    errors.require(few(&form.enabled_features), "enabledFeatures", DEFAULT_FIELD_ERROR);
    let purposes = &form.allowed_purpose_of_use_codes;
    let are_codes = purposes.iter().flatten().all(|code| is_code(code));
    errors.require(are_codes && few(purposes), "allowedPurposeOfUseCodes", DEFAULT_FIELD_ERROR);
}

fn is_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

/// Reseller and plan of an organization, before or after a save. `None` is the Free plan.
#[derive(Clone, Debug, Default)]
pub struct Subscription {
    pub reseller: Option<reseller::Model>,
    pub plan: Option<plan::Model>,
}

impl Subscription {
    fn reseller_id(&self) -> Option<Uuid> {
        self.reseller.as_ref().map(|r| r.id)
    }

    /// The reseller that sets the plans, if any.
    fn licenser(&self) -> Option<Uuid> {
        self.reseller.as_ref().filter(|r| is_licensing(r)).map(|r| r.id)
    }

    pub fn plan_id(&self) -> Option<Uuid> {
        self.plan.as_ref().map(|p| p.id)
    }
}

/// The organization's subscription after the save: without its licenser it falls back to the Free plan.
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
    use super::*;
    use platform::{checks, fields::PO_BOX_REFUSED};
    use serde_json::{Value, json};
    use store::entities::reseller::ResellerKind;

    fn good() -> Value {
        json!({
            "name": "Larkfield Family Medicine", "subDomain": "larkfield", "activationStatus": "NotActivated",
            "brandId": Uuid::now_v7(), "organizationTypeId": Uuid::now_v7(),
            "organizationSpecialtyId": Uuid::now_v7(), "hispProviderId": Uuid::now_v7(),
            "street": "418 Orchard Lane", "city": "Portland", "state": "OR", "zip": "97201",
            "primaryContactFirstName": "Dana", "primaryContactLastName": "Whitlock",
            "primaryContactEmail": "dana@larkfield.example",
        })
    }

    /// Errors of a form, as in the API.
    fn wrong(mut form: Value) -> FieldErrors {
        let mut errors = checks::check::<OrganizationForm>(&mut form);
        if errors.is_empty() {
            errors = check(&serde_json::from_value(form).expect("a form"));
        }
        errors
    }

    /// The errors of one field with another value in a valid form.
    fn texts(field: &str, value: &str) -> Vec<String> {
        let mut form = good();
        form[field] = value.into();
        let mut errors = wrong(form);
        let texts = errors.0.remove(field).unwrap_or_default();
        assert!(errors.is_empty(), "only {field} is wrong: {errors:?}");
        texts
    }

    #[test]
    fn a_form_with_what_is_required_is_good() {
        assert!(wrong(good()).is_empty());
        let empty = wrong(json!({})).0;
        let required: Vec<&str> = empty.keys().map(String::as_str).collect();
        assert_eq!(
            required,
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
    }

    #[test]
    fn a_name_takes_letters_of_any_script_digits_and_some_punctuation() {
        for (name, ok) in
            [("ab", false), ("abc", true), ("n".repeat(50).as_str(), true), (&"n".repeat(51), false)]
        {
            assert_eq!(texts("name", name).is_empty(), ok, "{name}");
        }
        assert!(texts("name", "O'Neil & Sons, Inc. (West-2) / Bäder Łódź").is_empty());
        assert_eq!(texts("name", "Best_Care! Clinic_"), ["Invalid characters in field: ! _"]);
    }

    #[test]
    fn a_subdomain_is_one_label_of_a_domain_name() {
        for good in ["a", "larkfield", "lark-field-2", "Larkfield", &"x".repeat(63)] {
            assert!(texts("subDomain", good).is_empty(), "{good}");
        }
        for bad in ["-lark", "lark-", "lark.field", "lark field", "lärk", "a_b", &"x".repeat(64)] {
            assert_eq!(texts("subDomain", bad), [SUB_DOMAIN_REFUSED], "{bad}");
        }
    }

    #[test]
    fn a_street_needs_a_space_and_is_no_po_box() {
        assert_eq!(texts("street", "Orchard"), [SPACE_REQUIRED]);
        assert_eq!(texts("street", "P.O. Box 12"), [PO_BOX_REFUSED]);
        assert_eq!(texts("street", "4 Main Street, PO Box 12"), [PO_BOX_REFUSED]);
        assert_eq!(texts("street", "418 <Orchard> Lane"), [DEFAULT_FIELD_ERROR]);
        assert!(texts("street", "12 Poboxer Street").is_empty());
    }

    /// SES-R-291
    #[test]
    fn an_npi_has_10_digits_and_a_check_digit_perhaps_behind_80840_or_is_empty() {
        for (npi, ok) in [
            ("", true),
            ("1234567893", true),
            ("1234567890", false),
            ("123456789", false),
            ("808401234567893", true),
            ("808401234567890", false),
        ] {
            assert_eq!(texts("organizationNpi", npi).is_empty(), ok, "{npi}");
            assert_eq!(texts("primaryContactNpi", npi).is_empty(), ok, "{npi}");
        }
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
            assert_eq!(texts("phone", phone).is_empty(), ok, "{phone}");
            assert_eq!(texts("primaryPhone", phone).is_empty(), ok, "{phone}");
        }
        assert_eq!(masked_phone("503.555.0142"), "(503) 555-0142");
    }

    fn reseller(kind: ResellerKind) -> reseller::Model {
        reseller::Model {
            id: Uuid::now_v7(),
            name: "R".into(),
            name_key: "r".into(),
            kind,
            bypass_tos: false,
            version: 1,
        }
    }

    fn plan(allowed_users: i32, reseller: Option<&reseller::Model>) -> plan::Model {
        plan::Model {
            id: Uuid::now_v7(),
            name: "P".into(),
            name_key: "p".into(),
            tier_code: "T".into(),
            allowed_users,
            restricted: Default::default(),
            reseller_id: reseller.map(|r| r.id),
            is_free: false,
            is_retired: false,
            version: 1,
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
        let licenser = reseller(ResellerKind::Licensing);
        let (own, general) = (plan(50, Some(&licenser)), plan(50, None));
        let before = with(Some(&licenser), Some(&own));
        let (plan_id, errors) = saved(&before, with(None, Some(&general)), 3);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(plan_id, None);
    }

    #[test]
    fn removing_a_licensing_reseller_is_refused_above_three_users() {
        let licenser = reseller(ResellerKind::Licensing);
        let before = with(Some(&licenser), None);
        let (_, errors) = saved(&before, with(None, None), 4);
        assert_eq!(errors.0["resellerId"], [LICENSER_NEEDED]);
        // An affiliate is not a licenser either.
        let (_, errors) = saved(&before, with(Some(&reseller(ResellerKind::Affiliate)), None), 4);
        assert_eq!(errors.0["resellerId"], [LICENSER_NEEDED]);
    }

    #[test]
    fn the_reseller_changes_only_without_a_plan_or_with_a_licensing_reseller() {
        let (affiliate, licenser) = (reseller(ResellerKind::Affiliate), reseller(ResellerKind::Licensing));
        let general = plan(50, None);
        let (_, errors) =
            saved(&with(Some(&affiliate), Some(&general)), with(Some(&licenser), Some(&general)), 1);
        assert_eq!(errors.0["resellerId"], [DEFAULT_FIELD_ERROR]);
        let (_, errors) = saved(&with(Some(&affiliate), None), with(Some(&licenser), None), 9);
        assert!(errors.is_empty(), "{errors:?}");
        let (_, errors) =
            saved(&with(Some(&licenser), None), with(Some(&reseller(ResellerKind::Licensing)), None), 9);
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
        let licenser = reseller(ResellerKind::Licensing);
        let (own, general) = (plan(50, Some(&licenser)), plan(50, None));
        let (_, errors) = saved(&with(None, None), with(Some(&licenser), Some(&general)), 1);
        assert_eq!(errors.0["planId"], [DEFAULT_FIELD_ERROR]);
        let (plan_id, errors) = saved(&with(None, None), with(Some(&licenser), Some(&own)), 1);
        assert!(errors.is_empty() && plan_id == Some(own.id));
    }
}

//! What may stand in a registration, without a database.

use super::http::RegistrationForm;
use crate::organizations::{
    http::{ActivationStatus, OrganizationForm},
    rules::check,
};
use accounts::passwords::rules::Owner;
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors, is_email};
use uuid::Uuid;

pub const NOT_VALID: &str = "Username is not valid";
pub const EXISTS: &str = "Username already exists";
pub const AVAILABLE: &str = "Username is available";

const USER_NAME_MAX: usize = 255;

/// A user name is an e-mail address.
pub fn is_user_name(text: &str) -> bool {
    text.len() <= USER_NAME_MAX && is_email(text)
}

/// What the installation gives to every organization that registers itself.
#[derive(Clone, Copy)]
pub struct Given {
    pub brand_id: Option<Uuid>,
    pub hisp_provider_id: Option<Uuid>,
}

/// The organization of a registration: not activated, and on the Free plan.
pub fn organization(form: &RegistrationForm, given: Given) -> OrganizationForm {
    let text = |text: &str| text.trim().to_owned();
    OrganizationForm {
        name: text(&form.name),
        sub_domain: text(&form.sub_domain),
        brand_id: given.brand_id,
        organization_type_id: form.organization_type_id,
        organization_specialty_id: form.organization_specialty_id,
        activation_status: Some(ActivationStatus::NotActivated),
        street: text(&form.street),
        unit: text(&form.unit),
        city: text(&form.city),
        state: text(&form.state),
        zip: text(&form.zip),
        primary_phone: text(&form.primary_phone),
        phone: text(&form.primary_phone),
        hisp_provider_id: given.hisp_provider_id,
        primary_contact_first_name: text(&form.primary_contact_first_name),
        primary_contact_last_name: text(&form.primary_contact_last_name),
        primary_contact_title: text(&form.primary_contact_title),
        primary_contact_email: text(&form.user_name),
        ..Default::default()
    }
}

/// What is wrong with the person; `errors` are those of the organization.
pub fn check_person(form: &RegistrationForm, errors: &mut FieldErrors) {
    // These stand under other fields of this form.
    errors.0.remove("primaryContactEmail");
    errors.0.remove("phone");
    if form.primary_phone.trim().is_empty() {
        errors.add("primaryPhone", DEFAULT_FIELD_ERROR);
    }
    errors.require(is_user_name(form.user_name.trim()), "userName", NOT_VALID);
}

/// Whose password the administrator's is.
pub fn owner(form: &RegistrationForm, needs_second_step: bool) -> Owner {
    let names = [form.primary_contact_first_name.as_str(), form.primary_contact_last_name.as_str()];
    let others = [form.name.as_str(), form.sub_domain.as_str()];
    Owner::new(&names, &form.user_name, &others, needs_second_step)
}

/// Everything that is wrong with the form itself.
pub fn errors(form: &RegistrationForm, given: Given) -> FieldErrors {
    let mut errors = check(&organization(form, given));
    check_person(form, &mut errors);
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_name_looks_like_an_e_mail_address() {
        assert!(is_user_name("dana@harbor.example"));
        for wrong in
            ["", "dana", "dana@harbor", "da na@harbor.example", &format!("{}@b.example", "a".repeat(250))]
        {
            assert!(!is_user_name(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_empty_field_is_named_under_its_own_name() {
        let given = Given { brand_id: Some(Uuid::nil()), hisp_provider_id: Some(Uuid::nil()) };
        let errors = errors(&RegistrationForm::default(), given);
        let fields: Vec<&str> = errors.0.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "city",
                "name",
                "organizationSpecialtyId",
                "organizationTypeId",
                "primaryContactFirstName",
                "primaryContactLastName",
                "primaryPhone",
                "state",
                "street",
                "subDomain",
                "userName",
                "zip"
            ]
        );
    }
}

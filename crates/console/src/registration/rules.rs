//! Rules for registrations, without a database.

use super::types::RegistrationForm;
use crate::organizations::types::{ActivationStatus, OrganizationForm};
use accounts::passwords::rules::Owner;
use platform::{
    Error, Result,
    text::{EmailAddress, Line, Npi, PhoneNumber},
};
use std::borrow::Cow;
use uuid::Uuid;

/// Values that the installation gives to every self-registered organization.
#[derive(Clone, Copy)]
pub struct Given {
    pub brand_id: Uuid,
    pub hisp_provider_id: Uuid,
}

/// The organization of a registration: not activated, and on the Free plan.
pub fn organization(form: &RegistrationForm, given: Given) -> Result<OrganizationForm> {
    let form = form.clone();
    let text = |field: &str, error: Cow<'static, str>| Error::field(field, error);
    let phone = PhoneNumber::new(&form.primary_phone).map_err(|error| text("primaryPhone", error))?;
    Ok(OrganizationForm {
        name: form.name,
        sub_domain: form.sub_domain,
        brand_id: given.brand_id,
        organization_type_id: form.organization_type_id,
        organization_specialty_id: form.organization_specialty_id,
        organization_npi: Npi::default(),
        organization_emr: Line::default(),
        preferred_group_name: Line::default(),
        reseller_id: None,
        plan_id: None,
        activation_status: ActivationStatus::NotActivated,
        street: form.street,
        unit: form.unit,
        city: form.city,
        state: form.state,
        zip: form.zip,
        primary_phone: phone.clone(),
        primary_fax: PhoneNumber::default(),
        phone,
        hisp_provider_id: given.hisp_provider_id,
        primary_contact_email: EmailAddress::new(&form.user_name).map_err(|error| text("userName", error))?,
        primary_contact_first_name: form.primary_contact_first_name,
        primary_contact_last_name: form.primary_contact_last_name,
        primary_contact_title: form.primary_contact_title,
        primary_contact_npi: Npi::default(),
        network_db_id: None,
        enabled_features: None,
        allowed_purpose_of_use_codes: None,
        version: None,
    })
}

/// The owner of the administrator's password, for the rules of passwords.
pub fn owner(form: &RegistrationForm, needs_second_step: bool) -> Owner {
    let names = [&*form.primary_contact_first_name, &*form.primary_contact_last_name];
    let others = [&*form.name, &*form.sub_domain];
    Owner::new(&names, &form.user_name, &others, needs_second_step)
}

//! Requests and answers of [`super::http`].

use crate::organizations::rules::{ContactName, OrganizationName, Street, SubDomain};
use accounts::user_name::UserName;
use platform::{
    secret::Secret,
    text::{Line, RequiredLine, RequiredPhoneNumber, RequiredPostalCode},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Serialize, ToSchema)]
pub struct Choice {
    pub id: Uuid,
    pub name: String,
}

#[derive(Serialize, ToSchema)]
pub struct RegistrationOptions {
    pub types: Vec<Choice>,
    pub specialties: Vec<Choice>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubDomainQuestion {
    #[serde(default)]
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    pub is_available: bool,
    pub message: Option<&'static str>,
}

/// A practice and its first administrator.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationForm {
    pub name: OrganizationName,
    pub sub_domain: SubDomain,
    pub organization_type_id: Uuid,
    pub organization_specialty_id: Uuid,
    pub street: Street,
    #[serde(default)]
    pub unit: Line,
    pub city: RequiredLine,
    pub state: RequiredLine,
    pub zip: RequiredPostalCode,
    pub primary_phone: RequiredPhoneNumber,
    pub primary_contact_first_name: ContactName,
    pub primary_contact_last_name: ContactName,
    #[serde(default)]
    pub primary_contact_title: Line,
    /// An e-mail address. The owner of its mailbox chooses the password.
    pub user_name: UserName,
}

#[derive(Deserialize, ToSchema)]
pub struct RegistrationLinkRequest {
    /// The token from the fragment of the link.
    #[serde(default)]
    pub token: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationLink {
    /// Name of the practice.
    pub organization: String,
    pub user_name: String,
    /// Minimum length of the password, in characters.
    pub shortest: usize,
}

#[derive(Deserialize, ToSchema)]
pub struct ConfirmRegistrationRequest {
    /// The token from the fragment of the link.
    #[serde(default)]
    pub token: Secret,
    #[serde(default)]
    pub password: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Registered {
    pub user_name: String,
}

//! Form rules and error messages.

use super::types::{AdminUserForm, AdminUserSort, ProofStatus, SystemRole};
use accounts::people::{rules::JOB_REQUIRED, types::RoleName};
use platform::{
    Error, Result,
    fields::FieldErrors,
    session::{ROLE_REPORTING, ROLE_SYSADMIN},
    text::Rule,
};

platform::text! {
    pub FirstName = Rule::line(1, 255).says("First Name is required.");
    pub LastName = Rule::line(1, 255).says("Last Name is required.");
}

pub const NOT_OWN_ROLE: &str = "You cannot change your own role. Please ask another system administrator.";
pub const OTHER_ORGANIZATION: &str = "The organization does not match the address of the request.";
pub const SYSTEM_ONLY: &str = "Change roles in an organization with the user's assignment to it.";
const ORGANIZATION_REQUIRED: &str = "Please choose an organization from the list.";
const ROLE_REQUIRED: &str = "Role is required.";
const PASSWORD_REQUIRED: &str = "Please enter a password, or send an e-mail to choose one.";
pub const NO_PROOF: &str = "Identity proofing is only for administrators of organizations.";
pub const IDENTITY_REQUIRED: &str = "Please choose how you made sure who is asking.";
pub const PROOF_REQUIRED: &str = "ID proofing status is required.";

/// Text to the previous address of an account.
pub fn change_notice(is_renamed: bool) -> &'static str {
    match is_renamed {
        true => "The user name of your account was changed by the operator",
        false => "The e-mail address of your account was changed by the operator",
    }
}

impl SystemRole {
    pub fn of(role: &str) -> Option<Self> {
        [Self::SysAdmin, Self::SysAdminReporting].into_iter().find(|known| known.name() == role)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::SysAdmin => ROLE_SYSADMIN,
            Self::SysAdminReporting => ROLE_REPORTING,
        }
    }
}

impl AdminUserSort {
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Self::default()) };
        serde_json::from_str(text)
            .map_err(|_| Error::BadRequest("The list cannot be sorted in this order.".into()))
    }
}

/// The errors of a form for a new user of an organization.
pub fn check_new(form: &AdminUserForm) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let details = &form.user_details;
    errors.require(form.organization_id.is_some(), "organizationId", ORGANIZATION_REQUIRED);
    errors.require(details.role_name.is_some(), "roleName", ROLE_REQUIRED);
    errors.require(details.job_function_id.is_some(), "jobFunctionId", JOB_REQUIRED);
    // Only administrators represent an organization.
    let is_proven = details.role_name != Some(RoleName::Administrator)
        || details.id_proof_status.is_some_and(|status| status != ProofStatus::UnderReview);
    errors.require(is_proven, "idProofStatus", PROOF_REQUIRED);
    let has_password = form.email_create_password || !form.password.is_empty();
    errors.require(has_password, "password", PASSWORD_REQUIRED);
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_by_user_name_and_nothing_else() {
        let sort = |text| AdminUserSort::parse(Some(text)).map(|sort| sort.is_descending());
        assert_eq!(sort(r#"{"by":"userName","dir":"desc"}"#).ok(), Some(true));
        assert_eq!(sort("").ok(), Some(false));
        assert!(sort(r#"{"by":"password_hash"}"#).is_err() && sort("userName").is_err());
    }
}

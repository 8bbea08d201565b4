//! The small lists that the console's forms choose from.

pub mod http;

/// Kinds of reference items, as `reference_item.kind` holds them.
pub mod kind {
    pub const ORGANIZATION_TYPE: &str = "organization_type";
    pub const ORGANIZATION_SPECIALTY: &str = "organization_specialty";
    /// Who provides an organization's Direct addresses (a health information service provider).
    pub const HISP_PROVIDER: &str = "hisp_provider";
    /// What somebody does in an organization.
    pub const JOB_FUNCTION: &str = "job_function";
    /// What a message is about, by LOINC.
    pub const CLASSIFICATION: &str = "classification";
    /// For what documents are asked for (PurposeOfUse of HL7 Version 3).
    pub const PURPOSE_OF_USE: &str = "purpose_of_use";
    /// What licences are issued for.
    pub const APPLICATION: &str = "application";
    /// What a licence can be: standard, trial.
    pub const LICENCE_TYPE: &str = "licence_type";
}

pub use platform::capture::SETTING as API_CAPTURE_SETTING;

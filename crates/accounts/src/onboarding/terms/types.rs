//! Requests and answers of [`super::http`].

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Presentation of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TermsType {
    Standard,
    /// The brand has its own terms, which are only acknowledged here.
    Brand,
    /// The agreement was made with the partner who sells the product; these terms are additional.
    Reseller,
}

#[derive(Serialize, ToSchema)]
pub struct PrivacyTerms {
    pub version: String,
    /// Sanitized.
    pub html: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    pub r#type: TermsType,
    pub version: String,
    /// Sanitized.
    pub html: String,
    /// Accepted together with the terms, if there are any.
    pub privacy: Option<PrivacyTerms>,
    /// The name of the brand.
    pub brand_name: String,
    /// Accepted for the organization.
    pub is_accepted: bool,
    /// Time at which an administrator of the organization first accepted this version.
    pub accepted_at: Option<DateTime<Utc>>,
}

/// Versions that the caller has read.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptance {
    pub r#type: TermsType,
    pub version: String,
    /// Version of the privacy terms, if there are any.
    #[serde(default)]
    pub privacy_version: Option<String>,
}

//! Patient data in forms, documents and interfaces.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Patient data in forms and documents. Documents may have longer texts than forms, see `formLimits` of `x-carepost`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Patient {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub patient_id: Option<String>,
    #[schema(max_length = 255)]
    pub first_name: Option<String>,
    #[schema(max_length = 255)]
    pub middle_name: Option<String>,
    #[schema(max_length = 255)]
    pub last_name: Option<String>,
    pub birth_date: Option<NaiveDate>,
    /// M, F or UN; male, female and undifferentiated are also accepted.
    #[schema(max_length = 20)]
    pub gender: Option<String>,
    #[schema(max_length = 255)]
    pub street_address1: Option<String>,
    #[schema(max_length = 255)]
    pub street_address2: Option<String>,
    #[schema(max_length = 255)]
    pub city: Option<String>,
    /// Two letters.
    #[schema(max_length = 50)]
    pub state: Option<String>,
    #[schema(max_length = 20)]
    pub postal_code: Option<String>,
    #[schema(max_length = 50)]
    pub telephone: Option<String>,
    #[schema(max_length = 255)]
    pub visit_id: Option<String>,
    pub visit_date: Option<NaiveDate>,
    #[schema(max_length = 100)]
    pub country: Option<String>,
    pub patient_ids: Vec<PatientIdentifier>,
    /// Id in the patient index, as chosen by a person or found by the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_patient_id: Option<Uuid>,
    /// Where the patient is in an EHR, if it was looked up there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline = false)]
    pub integration_meta: Option<IntegrationMeta>,
}

/// A patient, and a visit, in an EHR.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = PatientIntegrationMeta)]
pub struct IntegrationMeta {
    /// The connection.
    pub integration_id: Option<Uuid>,
    /// Id of the patient in the EHR.
    #[schema(max_length = 255)]
    pub patient_id: Option<String>,
    /// Id of the visit in the EHR.
    #[schema(max_length = 255)]
    pub visit_id: Option<String>,
    #[schema(max_length = 255)]
    pub medical_record_number: Option<String>,
    #[schema(max_length = 255)]
    pub facility_id: Option<String>,
}

impl Patient {
    /// The same without data of one document: the visit, and the link to the index.
    pub fn as_said(&self) -> Self {
        Self {
            visit_id: None,
            visit_date: None,
            known_patient_id: None,
            integration_meta: None,
            ..self.clone()
        }
    }

    /// `Last, First M`; empty when no name is known.
    pub fn display_name(&self) -> String {
        let given =
            [&self.first_name, &self.middle_name].map(|n| n.as_deref().unwrap_or("").trim()).join(" ");
        match (self.last_name.as_deref().unwrap_or("").trim(), given.trim()) {
            ("", given) => given.to_owned(),
            (last, "") => last.to_owned(),
            (last, given) => format!("{last}, {given}"),
        }
    }
}

/// An identifier of a patient, assigned under `root` (an OID).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PatientIdentifier {
    #[schema(max_length = 255)]
    pub root: String,
    #[schema(max_length = 255)]
    pub id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patient_is_shown_as_last_comma_first_middle() {
        let patient = Patient {
            first_name: Some("Marisol".into()),
            middle_name: Some("J".into()),
            last_name: Some("Tenney".into()),
            ..Patient::default()
        };
        assert_eq!(patient.display_name(), "Tenney, Marisol J");
        assert_eq!(Patient::default().display_name(), "");
    }
}

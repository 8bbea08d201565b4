//! Topics of sections, and the columns of their entries.

/// Number of columns of a list of entries.
pub(super) const COLUMNS: usize = 5;

/// Topic of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Problems,
    Medications,
    Immunizations,
    Allergies,
    Results,
    Vitals,
    Procedures,
    Encounters,
    Plan,
    FamilyHistory,
    Other,
}

impl Topic {
    /// Topic by the LOINC code of the section.
    pub(super) fn of(code: &str) -> Self {
        match code {
            "11450-4" | "11348-0" | "11535-2" | "46241-6" | "29299-5" | "29308-4" | "75310-3" => {
                Self::Problems
            }
            "10160-0" | "29549-3" | "10183-2" | "42346-7" | "18610-6" | "75311-1" => Self::Medications,
            "11369-6" => Self::Immunizations,
            "48765-2" => Self::Allergies,
            "30954-2" => Self::Results,
            "8716-3" => Self::Vitals,
            "47519-4" | "29554-3" => Self::Procedures,
            "46240-8" => Self::Encounters,
            "18776-5" => Self::Plan,
            "10157-6" => Self::FamilyHistory,
            _ => Self::Other,
        }
    }

    /// Headings of the columns.
    pub(super) fn heads(self) -> [&'static str; COLUMNS] {
        let (subject, value) = match self {
            Self::Problems => ("Problem", "Value"),
            Self::Medications => ("Medication", "Dose"),
            Self::Immunizations => ("Vaccine", "Dose"),
            Self::Allergies => ("Substance", "Reaction"),
            Self::Results => ("Test", "Result"),
            Self::Vitals => ("Vital sign", "Value"),
            Self::Procedures => ("Procedure", "Value"),
            Self::Encounters => ("Encounter", "Value"),
            Self::Plan => ("Planned", "Value"),
            Self::FamilyHistory => ("Condition", "Value"),
            Self::Other => ("Entry", "Value"),
        };
        [subject, value, "Details", "Status", "Date"]
    }
}

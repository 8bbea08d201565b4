//! Permissions: what a person may do in an organization beyond their role.
//!
//! All that is known of a permission is here: its field, whether new members have it, and its words. Storage, sessions, the
//! API and the screens are derived. It is required where the action happens: `caller.permissions.open_restricted`.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A permission, as screens show it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Description {
    /// Name of the field in JSON.
    pub name: &'static str,
    pub label: &'static str,
    /// What happens without it.
    pub hint: &'static str,
    /// Whether new members have it.
    pub granted: bool,
}

macro_rules! permissions {
    ($($(#[$doc:meta])* $field:ident($name:literal) = $granted:literal, $label:literal, $hint:literal;)+) => {
        // Stored as JSON: a permission that a row does not name yet has its default.
        /// The permissions of a person in an organization.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct Permissions {
            $($(#[$doc])* #[schema(required = true)] pub $field: bool,)+
        }

        /// Changed permissions. Absent ones stay the same.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct PermissionChanges {
            $($(#[$doc])* pub $field: Option<bool>,)+
        }

        /// Those of a new member.
        impl Default for Permissions {
            fn default() -> Self {
                Self { $($field: $granted),+ }
            }
        }

        impl Permissions {
            pub const DESCRIPTIONS: &'static [Description] =
                &[$(Description { name: $name, label: $label, hint: $hint, granted: $granted }),+];

            /// All of them, as services have that act for an organization.
            pub fn all() -> Self {
                Self { $($field: true),+ }
            }

            /// None of them, as callers have without an organization.
            pub fn none() -> Self {
                Self { $($field: false),+ }
            }

            /// Names of the permissions that are not as they were.
            pub fn changed_since(self, before: Self) -> Vec<&'static str> {
                let all = [$(($name, self.$field != before.$field)),+];
                all.into_iter().filter(|(_, has_changed)| *has_changed).map(|(name, _)| name).collect()
            }

            #[must_use]
            pub fn with(self, changes: PermissionChanges) -> Self {
                Self { $($field: changes.$field.unwrap_or(self.$field)),+ }
            }
        }
    };
}

permissions! {
    /// Whether they may open restricted documents of the organization.
    open_restricted("openRestricted") = true, "May open restricted documents",
        "Otherwise only the message and the names of such documents are shown.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_that_a_row_does_not_name_has_its_default() {
        let read: Permissions = serde_json::from_str("{}").unwrap();
        assert_eq!(read, Permissions::default());
        let read: Permissions = serde_json::from_str(r#"{"openRestricted":false}"#).unwrap();
        assert!(!read.open_restricted);
    }

    #[test]
    fn each_is_described_under_its_name_in_json() {
        let fields = serde_json::to_value(Permissions::default()).unwrap();
        assert_eq!(fields.as_object().unwrap().len(), Permissions::DESCRIPTIONS.len());
        for described in Permissions::DESCRIPTIONS {
            assert_eq!(fields[described.name], described.granted, "{}", described.name);
        }
    }

    #[test]
    fn a_change_leaves_what_it_does_not_name() {
        let none = Permissions::none();
        assert_eq!(none.with(PermissionChanges::default()), none);
        let changed = none.with(PermissionChanges { open_restricted: Some(true) });
        assert!(changed.open_restricted);
        assert_eq!(changed.changed_since(none), ["openRestricted"]);
        assert!(none.changed_since(none).is_empty());
    }
}

//! Features that networks switch for their organizations.

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use store::entities::{network_feature, organization};
use utoipa::ToSchema;
use uuid::Uuid;

/// A feature that a network can switch for its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = NetworkFeatureName)]
pub enum Switch {
    /// Setting up a sign-in provider.
    SingleSignOn,
    /// Sending and following referrals.
    Referrals,
}

impl Switch {
    /// Its name in the list of a network.
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleSignOn => "SingleSignOn",
            Self::Referrals => "Referrals",
        }
    }
}

/// Whether the network of an organization switches a feature on or off; `None` without a network, or if the network
/// leaves it to the installation.
pub async fn of(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    switch: Switch,
) -> Result<Option<bool>, DbErr> {
    let organization = organization::Entity::find_by_id(organization_id).one(db).await?;
    let Some(network_id) = organization.and_then(|organization| organization.network_id) else {
        return Ok(None);
    };
    let features = network_feature::Entity::find()
        .filter(network_feature::Column::NetworkId.eq(network_id))
        .all(db)
        .await?;
    Ok(is_on(&features, switch.name()))
}

/// Whether a feature is on: a child feature also needs its parent to be on.
fn is_on(features: &[network_feature::Model], name: &str) -> Option<bool> {
    let named = |name: &str| features.iter().find(|feature| feature.name == name);
    let mut feature = named(name)?;
    // The recursion ends here if rows form a cycle.
    for _ in 0..features.len() {
        match feature.parent.as_deref().and_then(named) {
            Some(parent) if feature.is_enabled => feature = parent,
            _ => return Some(feature.is_enabled),
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, parent: Option<&str>, is_enabled: bool) -> network_feature::Model {
        let parent = parent.map(Into::into);
        network_feature::Model { network_id: Uuid::nil(), name: name.into(), parent, is_enabled, position: 0 }
    }

    /// SES-R-307 SES-R-308
    #[test]
    fn what_belongs_to_a_feature_counts_and_goes_with_it() {
        let of = |outer: bool, inner: bool| {
            [feature("Referrals", None, outer), feature("Inner", Some("Referrals"), inner)]
        };
        assert_eq!(is_on(&of(true, true), "Inner"), Some(true));
        assert_eq!(is_on(&of(false, true), "Inner"), Some(false));
        assert_eq!(is_on(&of(true, false), "Inner"), Some(false));
        assert_eq!(is_on(&of(true, true), "SingleSignOn"), None, "left to the installation");
        let circle = [feature("A", Some("B"), true), feature("B", Some("A"), true)];
        assert_eq!(is_on(&circle, "A"), Some(false));
    }
}

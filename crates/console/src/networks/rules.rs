//! Rules for the names of networks and the tree of features, without a database.

use super::types::NetworkFeature;
use store::entities::network_feature;

pub const NAME_TAKEN: &str = "Another network has this name. Please enter a different one.";
pub const HAS_ORGANIZATIONS: &str =
    "This network still has organizations. Please remove them from the network before you delete it.";

pub const UNKNOWN_ORGANIZATION: &str = "Please choose an organization from the list.";
pub const IS_HERE_ALREADY: &str = "This organization is already in this network.";

pub const USER_NEEDED: &str = "Please enter a username or an e-mail address.";
pub const UNKNOWN_USER: &str = "Nobody has this username or e-mail address.";
pub const SEVERAL_USERS: &str = "Several people have this e-mail address. Please enter the username.";
pub const USER_DISABLED: &str = "This person's account is disabled.";
pub const IS_ADMIN_ALREADY: &str = "This person is already an administrator of this network.";
pub const IS_ADMIN_ELSEWHERE: &str =
    "This person already administers another network. Each person can administer only one.";

/// Features in order, each below its parent. Children of a disabled feature are disabled.
pub fn tree(rows: Vec<network_feature::Model>) -> Vec<NetworkFeature> {
    let known = |name: &String| rows.iter().any(|row| row.name == *name);
    let tops = rows.iter().filter(|row| row.parent.as_ref().is_none_or(|parent| !known(parent)));
    tops.map(|row| branch(&rows, row, true, rows.len())).collect()
}

/// `depth` limits the recursion if rows form a cycle.
fn branch(
    rows: &[network_feature::Model],
    row: &network_feature::Model,
    parent_is_enabled: bool,
    depth: usize,
) -> NetworkFeature {
    let is_enabled = row.is_enabled && parent_is_enabled;
    let children = rows.iter().filter(|child| depth > 0 && child.parent.as_ref() == Some(&row.name));
    NetworkFeature {
        name: row.name.clone(),
        is_enabled,
        child_network_features: children.map(|child| branch(rows, child, is_enabled, depth - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn row(name: &str, parent: Option<&str>, is_enabled: bool) -> network_feature::Model {
        network_feature::Model {
            network_id: Uuid::nil(),
            name: name.into(),
            parent: parent.map(Into::into),
            is_enabled,
            position: 0,
        }
    }

    fn feature(name: &str, is_enabled: bool, child_network_features: Vec<NetworkFeature>) -> NetworkFeature {
        NetworkFeature { name: name.into(), is_enabled, child_network_features }
    }

    #[test]
    fn features_stand_below_their_parents_and_are_disabled_with_them() {
        let rows = vec![
            row("A", None, true),
            row("A1", Some("A"), true),
            row("A2", Some("A"), false),
            row("B", None, false),
            row("B1", Some("B"), true),
            row("C", Some("gone"), true),
        ];
        let leaf = |name: &str, is_enabled| feature(name, is_enabled, vec![]);
        assert_eq!(
            tree(rows),
            [
                feature("A", true, vec![leaf("A1", true), leaf("A2", false)]),
                feature("B", false, vec![leaf("B1", false)]),
                leaf("C", true),
            ]
        );
    }

    #[test]
    fn a_feature_that_is_its_own_parent_hangs_nothing_up() {
        assert!(tree(vec![row("A", Some("A"), true)]).is_empty());
    }
}

//! Keys for finding an entry in another document of the same patient.

use super::model::InstanceId;

/// Most identifiers of one entry.
const MAX_IDS: usize = 8;
/// Prefix of content keys, as opposed to identifier keys.
pub(super) const CONTENT: &str = "is ";

/// Keys for finding an entry in another document: its identifiers, and its content with its time. Many senders
/// generate new identifiers for each document.
pub(super) fn known_by(ids: Vec<InstanceId>, code: &str, about: &str, when: &str) -> Vec<String> {
    let identifier = |id: InstanceId| match id.extension {
        Some(extension) => Some(format!("id {}^{extension}", id.root)),
        // A root alone identifies the instance if it is a UUID, and a whole register otherwise.
        None => (id.root.len() == 36 && id.root.contains('-')).then(|| format!("id {}", id.root)),
    };
    let mut keys: Vec<String> = ids.into_iter().filter_map(identifier).take(MAX_IDS).collect();
    keys.push(format!("{CONTENT}{code}|{}|{when}", about.to_lowercase()));
    keys
}

//! Which entries of a document are new since another one of the same patient.

use std::collections::{HashMap, HashSet};

use super::entries::Entry;
use super::model::InstanceId;
use super::outline::{Outline, OutlineSection};

/// Most identifiers of one entry that are looked at.
const MAX_IDS: usize = 8;
/// Begins what an entry is, in difference to its identifiers.
const WHAT: &str = "is ";

/// By what an entry is known again in another document: its identifiers, and what it is about with its time. Many senders
/// make up their identifiers anew with each document.
pub(super) fn known_by(ids: Vec<InstanceId>, code: &str, about: &str, when: &str) -> Vec<String> {
    let identifier = |id: InstanceId| match id.extension {
        Some(extension) => Some(format!("id {}^{extension}", id.root)),
        // A root alone is that of the instance where it is a UUID, and that of a whole register otherwise.
        None => (id.root.len() == 36 && id.root.contains('-')).then(|| format!("id {}", id.root)),
    };
    let mut names: Vec<String> = ids.into_iter().filter_map(identifier).take(MAX_IDS).collect();
    names.push(format!("{WHAT}{code}|{}|{when}", about.to_lowercase()));
    names
}

/// Says of each entry whether it is new since another document: none in the same section, by its code, has its identifier or
/// is the same at the same time. Without another document nothing is said.
pub fn compare(outline: &mut Outline, before: Option<&Outline>) {
    let known = before.map(|before| {
        let mut known = HashMap::new();
        collect(&before.sections, &mut known);
        known
    });
    mark(&mut outline.sections, known.as_ref());
}

type Known<'a> = HashMap<String, HashSet<&'a str>>;

fn collect<'a>(sections: &'a [OutlineSection], known: &mut Known<'a>) {
    for section in sections {
        let rows = section.entries.iter().flat_map(|entries| &entries.rows);
        known.entry(kind(section)).or_default().extend(telling(rows));
        collect(&section.sections, known);
    }
}

fn mark(sections: &mut [OutlineSection], known: Option<&Known<'_>>) {
    for section in sections {
        let there = known.map(|known| known.get(&kind(section)));
        if let Some(entries) = &mut section.entries {
            let news = news(&entries.rows, there);
            for (entry, is_new) in entries.rows.iter_mut().zip(news) {
                entry.is_new = is_new;
                entry.known_by.clear();
            }
        }
        mark(&mut section.sections, known);
    }
}

fn news(rows: &[Entry], there: Option<Option<&HashSet<&str>>>) -> Vec<Option<bool>> {
    let telling = telling(rows);
    let is_there = |entry: &Entry, there: &HashSet<&str>| {
        entry.known_by.iter().any(|name| telling.contains(&**name) && there.contains(&**name))
    };
    let is_new = |entry| there.map(|there| !there.is_some_and(|there| is_there(entry, there)));
    rows.iter().map(is_new).collect()
}

/// Names by which entries of a section are known again. An identifier that several of them have is that of none.
fn telling<'a>(rows: impl IntoIterator<Item = &'a Entry>) -> HashSet<&'a str> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for name in rows.into_iter().flat_map(|entry| &entry.known_by) {
        *times.entry(name.as_str()).or_default() += 1;
    }
    let is_telling = |(name, times): &(&str, usize)| *times == 1 || name.starts_with(WHAT);
    times.into_iter().filter(is_telling).map(|(name, _)| name).collect()
}

/// By what a section is known again: its code, or its title where it has none.
fn kind(section: &OutlineSection) -> String {
    section.code.as_ref().map_or_else(|| section.title.trim().to_lowercase(), |code| code.code.clone())
}

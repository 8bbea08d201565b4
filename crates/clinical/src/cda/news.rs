//! Comparison of entries with another document of the same patient.

use std::collections::{HashMap, HashSet};

use super::entry_keys::CONTENT;
use super::model::Entry;
use super::outline::{Outline, OutlineSection};

/// Marks each entry as new or known compared with another document: it is known if an entry of the same section, by
/// its code, has the same identifier, or the same content at the same time. Without another document nothing is
/// marked.
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

/// Unique keys of the entries of a section. An identifier shared by several entries identifies none.
fn telling<'a>(rows: impl IntoIterator<Item = &'a Entry>) -> HashSet<&'a str> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for name in rows.into_iter().flat_map(|entry| &entry.known_by) {
        *times.entry(name.as_str()).or_default() += 1;
    }
    let is_telling = |(name, times): &(&str, usize)| *times == 1 || name.starts_with(CONTENT);
    times.into_iter().filter(is_telling).map(|(name, _)| name).collect()
}

/// Key of a section: its code, or its title if it has none.
fn kind(section: &OutlineSection) -> String {
    section.code.as_ref().map_or_else(|| section.title.trim().to_lowercase(), |code| code.code.clone())
}

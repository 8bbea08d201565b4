//! The cross references of a file, from its last update back to its beginning.
//!
//! Readers repair damaged ones by searching for objects, each in its own way. What an update replaces must be the same
//! object for all of them.

use crate::Problem;
use hayro_syntax::object::{Array, Dict, FromBytes, ObjRef, Stream};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of updates.
const UPDATES_MAX: usize = 4_096;
/// Size of an entry of a table.
const ENTRY: usize = 20;

/// Where an object is.
#[derive(Clone, Copy)]
enum Place {
    Free,
    At {
        offset: usize,
        generation: i32,
    },
    /// In the object stream of this number.
    Inside(u32),
}

/// Where the objects of a file are.
pub struct References(BTreeMap<u32, Place>);

impl References {
    /// Reads all cross references, beginning with the newest, which are valid.
    pub fn read(bytes: &[u8], at: usize) -> Result<Self, Problem> {
        let mut all = Self(BTreeMap::new());
        let (mut next, mut seen) = (Some(at), BTreeSet::new());
        while let Some(at) = next {
            if seen.len() >= UPDATES_MAX || !seen.insert(at) {
                return Err(Problem::Broken);
            }
            let there = bytes.get(at..).ok_or(Problem::Broken)?;
            let read = if there.starts_with(b"xref") { all.table(bytes, there) } else { all.stream(there) };
            next = offset(&read.ok_or(Problem::Broken)?, "Prev")?;
        }
        Ok(all)
    }

    /// Refuses an object that is not where the cross references say.
    pub fn require(&self, bytes: &[u8], id: ObjRef) -> Result<(), Problem> {
        let is_right = match self.0.get(&id.obj_number) {
            Some(Place::At { offset, generation }) => {
                *generation == id.gen_number && stands_at(bytes, *offset, id.obj_number, *generation)
            }
            Some(Place::Inside(stream)) => match self.0.get(stream) {
                Some(Place::At { offset, generation }) => {
                    id.gen_number == 0 && stands_at(bytes, *offset, *stream, *generation)
                }
                _ => false,
            },
            Some(Place::Free) | None => false,
        };
        if is_right { Ok(()) } else { Err(Problem::Broken) }
    }

    fn table<'a>(&mut self, bytes: &'a [u8], there: &'a [u8]) -> Option<Dict<'a>> {
        let mut found = Vec::new();
        let mut rest = there.get(b"xref".len()..)?.trim_ascii_start();
        while !rest.starts_with(b"trailer") {
            let (start, behind) = number(rest)?;
            let (count, behind) = number(behind.trim_ascii_start())?;
            rest = behind.trim_ascii_start();
            let start = u32::try_from(start).ok()?;
            for index in 0..u32::try_from(count).ok()? {
                let entry = rest.get(..ENTRY.min(rest.len()))?;
                let (offset, behind) = number(entry)?;
                let (generation, behind) = number(behind.trim_ascii_start())?;
                let place = match behind.trim_ascii_start().first()? {
                    b'n' => Place::At { offset, generation: i32::try_from(generation).ok()? },
                    b'f' => Place::Free,
                    _ => return None,
                };
                found.push((start.checked_add(index)?, place));
                let kind = entry.iter().position(|byte| matches!(byte, b'n' | b'f'))?;
                rest = rest.get(kind + 1..)?.trim_ascii_start();
            }
        }
        let dict = first_dictionary(rest)?;
        // Objects that are only in the stream of a table are free in the table (ISO 32000-2 section 7.5.8.4).
        if let Some(hidden) = offset(&dict, "XRefStm").ok()? {
            self.stream(bytes.get(hidden..)?)?;
        }
        found.into_iter().for_each(|(number, place)| _ = self.0.entry(number).or_insert(place));
        Some(dict)
    }

    fn stream<'a>(&mut self, there: &'a [u8]) -> Option<Dict<'a>> {
        let from = there.get(stream_dictionary(there)?..)?;
        let stream = Stream::from_bytes(from.get(find(from, b"<<")?..)?)?;
        let dict = stream.dict();
        let widths: Vec<usize> = dict.get::<Array<'_>>("W")?.iter::<u8>().map(usize::from).collect();
        let [kind, second, third] = *widths.first_chunk::<3>()?;
        let content = stream.decoded_data().ok()?;
        let sections: Vec<u32> = match dict.get::<Array<'_>>("Index") {
            Some(index) => index.iter::<u32>().collect(),
            None => vec![0, dict.get::<u32>("Size")?],
        };
        let numbers = sections.chunks_exact(2).flat_map(|section| match section {
            [start, count] => *start..start.saturating_add(*count),
            _ => 0..0,
        });
        let size = kind.checked_add(second)?.checked_add(third).filter(|size| *size > 0)?;
        for (number, entry) in numbers.zip(content.chunks_exact(size)) {
            let (first, others) = entry.split_at_checked(kind)?;
            let (second, third) = others.split_at_checked(second)?;
            // Without a kind it is an offset (ISO 32000-2 table 17).
            let place = match if first.is_empty() { 1 } else { whole(first)? } {
                0 => Place::Free,
                1 => Place::At { offset: whole(second)?, generation: i32::try_from(whole(third)?).ok()? },
                2 => Place::Inside(u32::try_from(whole(second)?).ok()?),
                _ => continue,
            };
            self.0.entry(number).or_insert(place);
        }
        Some(dict.clone())
    }
}

/// An offset in a trailer.
fn offset(dict: &Dict<'_>, key: &str) -> Result<Option<usize>, Problem> {
    if !dict.contains_key(key) {
        return Ok(None);
    }
    let offset = dict.get::<i32>(key).and_then(|offset| usize::try_from(offset).ok());
    offset.map(Some).ok_or(Problem::Broken)
}

/// Whether `N G obj` is at an offset.
fn stands_at(bytes: &[u8], offset: usize, wanted: u32, generation: i32) -> bool {
    let read = || {
        let (first, behind) = number(bytes.get(offset..)?.trim_ascii_start())?;
        let (second, behind) = number(behind.trim_ascii_start())?;
        let is_same = u32::try_from(first) == Ok(wanted) && i32::try_from(second) == Ok(generation);
        Some(is_same && behind.trim_ascii_start().starts_with(b"obj"))
    };
    read().unwrap_or(false)
}

/// A number, and what is behind it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    let (digits, behind) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, behind))
}

/// A number of some bytes.
fn whole(bytes: &[u8]) -> Option<usize> {
    bytes.iter().try_fold(0usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)))
}

/// The next dictionary.
pub fn first_dictionary(bytes: &[u8]) -> Option<Dict<'_>> {
    Dict::from_bytes(bytes.get(find(bytes, b"<<")?..)?)
}

/// Where the dictionary of an indirect object begins (`12 0 obj <<`).
pub fn stream_dictionary(bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..bytes.len().min(64))?;
    let begin = find(head, b"obj")?;
    let is_number = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
    head.get(..begin)?.iter().all(is_number).then_some(begin)
}

pub fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}

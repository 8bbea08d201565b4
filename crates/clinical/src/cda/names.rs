//! Names of persons (HL7 V3 data types EN and PN).
//!
//! A person may have several names; their uses and qualifiers select the displayed one. They never remove all parts
//! of the selected name.

use roxmltree::Node;

use super::model::PersonName;
use super::xml::{children, is, join, text};

/// The name to display: the legal one if marked, a pseudonym only if there is no other.
pub(super) fn best_name(person: Node<'_, '_>) -> PersonName {
    children(person, "name").min_by_key(|name| preference(*name)).map(person_name).unwrap_or_default()
}

/// Rank of a name: smaller is better, and the first of equals wins.
fn preference(name: Node<'_, '_>) -> (bool, u8, bool) {
    let uses = name.attribute("use").unwrap_or_default();
    // "L SRCH" is a search form of the legal name: the worse code decides.
    let rank = uses.split_whitespace().map(use_rank).max().unwrap_or(NO_USE);
    (text(name).is_none(), rank, is_former(name))
}

/// Rank of a name without a use.
const NO_USE: u8 = 3;

/// EntityNameUse (2.16.840.1.113883.5.45).
fn use_rank(code: &str) -> u8 {
    match code {
        // Scripts (alphabetic, syllabic, ideographic) do not affect the rank.
        "L" | "ABC" | "SYL" | "IDE" => 0,
        "OR" => 1,
        "C" => 2,
        "SRCH" | "PHON" | "SNDX" => 5,
        "P" => 6,
        _ => 4,
    }
}

/// Whether a name is a birth name, or is no longer valid.
fn is_former(name: Node<'_, '_>) -> bool {
    let ended = children(name, "validTime")
        .any(|time| children(time, "high").any(|high| high.has_attribute("value")));
    let birth = |kind| {
        let mut parts = children(name, kind).filter(|part| text(*part).is_some()).peekable();
        parts.peek().is_some() && parts.all(|part| has_qualifier(part, &["BR"]))
    };
    ended || birth("given") || birth("family")
}

fn has_qualifier(part: Node<'_, '_>, wanted: &[&str]) -> bool {
    let qualifiers = part.attribute("qualifier").unwrap_or_default();
    qualifiers.split_whitespace().any(|one| wanted.iter().any(|wanted| one.eq_ignore_ascii_case(wanted)))
}

fn person_name(node: Node<'_, '_>) -> PersonName {
    let mut given = given_names(node).into_iter();
    let plain =
        |kind| join(children(node, kind).filter(|part| !has_qualifier(*part, &["VV"])).filter_map(text));
    let name = PersonName {
        prefix: plain("prefix"),
        first: given.next(),
        middle: join(given),
        last: join(family_names(node)),
        suffix: plain("suffix"),
    };
    match loose_text(node) {
        Some(loose) if name.first.is_none() && name.last.is_none() => {
            let split = split(&loose);
            PersonName { prefix: name.prefix.or(split.prefix), suffix: name.suffix.or(split.suffix), ..split }
        }
        Some(loose) if name.last.is_none() => PersonName { last: Some(loose), ..name },
        _ => name,
    }
}

/// Given names in order. The first one stays regardless of its qualifier; a call-me name (CL) or birth name (BR)
/// after an official one is another form of it, not a middle name.
fn given_names(name: Node<'_, '_>) -> Vec<String> {
    let (mut official, mut current) = (false, false);
    let mut out = Vec::new();
    for part in children(name, "given") {
        let Some(words) = text(part) else { continue };
        let (call_me, birth) = (has_qualifier(part, &["CL"]), has_qualifier(part, &["BR"]));
        if !(call_me && official || birth && current) {
            out.push(words);
        }
        official |= !call_me;
        current |= !call_me && !birth;
    }
    out
}

/// Family names in order, each with its preceding particle (VV, "van"). The birth name is omitted if there is
/// another.
fn family_names(name: Node<'_, '_>) -> Vec<String> {
    let mut particle: Option<String> = None;
    let mut parts: Vec<(bool, String)> = Vec::new();
    for part in name.children() {
        if is(part, "prefix") && has_qualifier(part, &["VV"]) {
            particle = text(part);
        } else if is(part, "family")
            && let Some(family) = text(part)
        {
            let words = join(particle.take().into_iter().chain([family])).unwrap_or_default();
            parts.push((has_qualifier(part, &["BR", "CL"]), words));
        }
    }
    if parts.iter().any(|(former, _)| !former) {
        parts.retain(|(former, _)| !former);
    }
    parts.into_iter().map(|(_, words)| words).collect()
}

/// Text of a name outside its parts.
fn loose_text(name: Node<'_, '_>) -> Option<String> {
    let words =
        name.children().filter(Node::is_text).filter_map(|node| node.text()).flat_map(str::split_whitespace);
    join(words.map(str::to_owned))
}

/// Splits a name written as one text: `Dr. Ada B. Roe Jr.`, `Roe, Ada B.`, `Ada Roe, MD`.
fn split(name: &str) -> PersonName {
    let mut pieces: Vec<Vec<&str>> =
        name.split(',').map(|piece| piece.split_whitespace().collect()).collect();
    pieces.retain(|piece| !piece.is_empty());
    let mut suffix: Vec<&str> = Vec::new();
    while pieces.len() > 1 && pieces[pieces.len() - 1].iter().all(|word| is_suffix(word)) {
        suffix.splice(0..0, pieces.pop().unwrap_or_default());
    }
    if pieces.is_empty() {
        return PersonName::default();
    }
    let family_first = pieces.len() > 1;
    let (mut family, mut given) = (pieces.remove(0), pieces.concat());
    if !family_first {
        std::mem::swap(&mut family, &mut given);
    }
    let mut prefix = take_prefix(&mut given);
    if family_first {
        prefix.extend(take_prefix(&mut family));
        take_suffix(&mut family, &mut suffix, 1);
        take_suffix(&mut given, &mut suffix, 1);
    } else {
        // "Do" is a family name as well as a degree: first and last name take precedence.
        take_suffix(&mut given, &mut suffix, if prefix.is_empty() { 2 } else { 1 });
        family = given.split_off(family_start(&given));
    }
    let join = |words: &[&str]| (!words.is_empty()).then(|| words.join(" "));
    PersonName {
        prefix: join(&prefix),
        first: given.first().map(|&word| word.to_owned()),
        middle: join(given.get(1..).unwrap_or_default()),
        last: join(&family),
        suffix: join(&suffix),
    }
}

fn take_prefix<'a>(words: &mut Vec<&'a str>) -> Vec<&'a str> {
    let ahead = words.iter().take_while(|word| is_prefix(word)).count();
    words.drain(..ahead.min(words.len().saturating_sub(1))).collect()
}

/// Moves suffixes of a name to the front of `suffix`, and leaves at least `least` words.
fn take_suffix<'a>(words: &mut Vec<&'a str>, suffix: &mut Vec<&'a str>, least: usize) {
    let behind = words.iter().rev().take_while(|word| is_suffix(word)).count();
    let at = words.len() - behind.min(words.len().saturating_sub(least));
    suffix.splice(0..0, words.drain(at..));
}

/// Index of the family name in `Ludwig van der Berg`: at the particles before the last word.
fn family_start(words: &[&str]) -> usize {
    let last = words.len().saturating_sub(1);
    let particles = words[..last].iter().skip(1).rev().take_while(|word| is_particle(word)).count();
    // "Van" may be a given name, "van" is not.
    let sure = particles > 1 || words[..last].last().is_some_and(|word| word.starts_with(char::is_lowercase));
    if sure { last - particles } else { last }
}

fn bare(word: &str) -> String {
    word.replace('.', "").to_lowercase()
}

fn is_prefix(word: &str) -> bool {
    matches!(bare(word).as_str(), "mr" | "mrs" | "ms" | "miss" | "mx" | "dr" | "prof" | "rev")
}

fn is_suffix(word: &str) -> bool {
    const DEGREES: &[&str] = &[
        "MD", "DO", "MBBS", "PHD", "DDS", "DMD", "DPM", "OD", "DC", "PHARMD", "RPH", "PSYD", "RN", "LPN",
        "NP", "FNP", "FNP-C", "CRNP", "APRN", "ARNP", "CNM", "CRNA", "PA", "PA-C", "PT", "DPT", "OT", "RD",
        "LCSW", "LMFT", "MPH", "MSN", "BSN", "DNP", "FACP", "FACS", "FAAP", "FACC", "FACEP", "ESQ",
    ];
    let bare = word.replace('.', "");
    matches!(bare.to_lowercase().as_str(), "jr" | "sr" | "ii" | "iii" | "iv")
        || matches!(bare.as_str(), "PhD" | "PharmD" | "PsyD" | "RPh" | "Esq")
        || DEGREES.contains(&bare.as_str())
}

fn is_particle(word: &str) -> bool {
    const PARTICLES: &[&str] = &[
        "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "do", "du", "la", "las",
        "los", "le", "ter", "ten", "zu", "zur", "bin", "ibn", "al", "el", "y",
    ];
    PARTICLES.contains(&bare(word).as_str())
}

//! Observed values, quantities and times of a statement in words.

use roxmltree::Node;

use super::files;
use super::model::Timestamp;
use super::words::code_words;
use super::xml::{attribute, child, children, text, time};

/// An observed value of any data type.
pub(super) fn value(node: Node<'_, '_>) -> Option<String> {
    let kind = node.attributes().find(|attribute| attribute.name() == "type").map_or("", |kind| kind.value());
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    match kind {
        "TS" | "IVL_TS" => interval(node),
        "RTO" | "RTO_PQ_PQ" | "RTO_QTY_QTY" => {
            let part = |name| child(node, name).and_then(quantity);
            Some(format!("{} / {}", part("numerator")?, part("denominator")?))
        }
        _ if files::is_encoded(node) => files::words(node),
        _ => quantity(node).or_else(|| code_words(node)).or_else(|| text(node)),
    }
}

/// A quantity with its unit, or a range of such: `7.9 %`, `3.5 to 5.1 mmol/L`, `at least 3`.
pub(super) fn quantity(node: Node<'_, '_>) -> Option<String> {
    let single = |node: Node<'_, '_>| {
        let value = attribute(Some(node), "value")?;
        let unit = attribute(Some(node), "unit")
            .filter(|unit| unit != "1")
            .or_else(|| code_words(child(node, "translation")?));
        Some(unit.map_or_else(|| value.clone(), |unit| format!("{value} {unit}")))
    };
    let bound = |name| child(node, name).and_then(single);
    single(node).or_else(|| match (bound("low"), bound("high")) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}")),
        (Some(low), None) => Some(format!("at least {low}")),
        (None, Some(high)) => Some(format!("at most {high}")),
        (None, None) => None,
    })
}

/// The first time that is a point or an interval; a frequency belongs to the dose.
pub(super) fn when(statement: Node<'_, '_>) -> Option<String> {
    children(statement, "effectiveTime").find_map(interval)
}

/// Time of a statement, or its start.
pub(super) fn point(statement: Node<'_, '_>) -> Option<Timestamp> {
    let of = |node| {
        time(node).or_else(|| ["center", "low", "high"].iter().find_map(|name| time(child(node, name)?)))
    };
    children(statement, "effectiveTime").find_map(of)
}

/// A point in time, or an interval: `since 11/17/2026`.
fn interval(node: Node<'_, '_>) -> Option<String> {
    let bound = |name| child(node, name).and_then(time).map(|time| time.to_string());
    let point = time(node).or_else(|| time(child(node, "center")?)).map(|time| time.to_string());
    match (point, bound("low"), bound("high")) {
        (Some(point), ..) => Some(point),
        (None, Some(low), Some(high)) if low != high => Some(format!("{low} to {high}")),
        (None, Some(low), Some(_)) => Some(low),
        (None, Some(low), None) => Some(format!("since {low}")),
        (None, None, Some(high)) => Some(format!("until {high}")),
        (None, None, None) => None,
    }
}

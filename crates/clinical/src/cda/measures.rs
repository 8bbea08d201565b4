//! Measured numbers with their reference ranges, for charts and for telling what is out of range.

use roxmltree::Node;

use super::model::{Measure, Timestamp};
use super::xml::{attribute, child, children, path, text};

/// The number that an observation measured, where its value is one.
pub(super) fn measure(observation: Node<'_, '_>, time: Option<Timestamp>) -> Option<Measure> {
    let node = children(observation, "value").find(|node| number(Some(*node)).is_some())?;
    let kind = node.attributes().find(|attribute| attribute.name() == "type").map_or("", |kind| kind.value());
    // A point in time has a value that looks like a number too.
    if matches!(kind.rsplit(':').next(), Some("TS" | "IVL_TS" | "ST" | "CD")) {
        return None;
    }
    let (low, high) = reference(observation).unwrap_or_default();
    let unit = attribute(Some(node), "unit").filter(|unit| unit != "1");
    Some(Measure { value: number(Some(node))?, unit, low, high, time })
}

fn number(node: Option<Node<'_, '_>>) -> Option<f64> {
    attribute(node, "value")?.parse().ok().filter(|number: &f64| number.is_finite())
}

type Range = (Option<f64>, Option<f64>);

/// The first reference range that has a limit: coded, else as its text says.
fn reference(observation: Node<'_, '_>) -> Option<Range> {
    let coded = |range: Node<'_, '_>| {
        let value = child(range, "value")?;
        let bound = |name| number(child(value, name));
        Some((bound("low"), bound("high")))
    };
    children(observation, "referenceRange").find_map(|node| {
        let range = path(node, &["observationRange"])?;
        let is_limit = |(low, high): &Range| low.is_some() || high.is_some();
        coded(range).filter(is_limit).or_else(|| written(&text(child(range, "text")?)?))
    })
}

/// Ranges as laboratories write them: `4.0-5.6`, `3.5 to 5.1 mmol/L`, `< 100`, `>= 60`.
fn written(text: &str) -> Option<Range> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix(['<', '\u{2264}']) {
        return Some((None, Some(first(rest.trim_start_matches('='))?.0)));
    }
    if let Some(rest) = text.strip_prefix(['>', '\u{2265}']) {
        return Some((Some(first(rest.trim_start_matches('='))?.0), None));
    }
    let (low, rest) = first(text)?;
    let rest = ["-", "\u{2013}", "to "].iter().find_map(|between| rest.strip_prefix(between))?;
    let (high, _) = first(rest)?;
    (low <= high).then_some((Some(low), Some(high)))
}

/// The number with which a text begins, and what follows.
fn first(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some((number, text[end..].trim_start()))
}

/// `High`, `Low` or `Abnormal` where a result is not as expected (ObservationInterpretation,
/// 2.16.840.1.113883.5.83).
pub(super) fn flag(observation: Node<'_, '_>, measure: Option<&Measure>) -> Option<&'static str> {
    let codes: Vec<_> =
        children(observation, "interpretationCode").filter_map(|node| node.attribute("code")).collect();
    let said = codes.iter().find_map(|code| match *code {
        "H" | "HH" | "HU" | "HX" | ">" => Some("High"),
        "L" | "LL" | "LU" | "LX" | "<" => Some("Low"),
        "A" | "AA" | "POS" | "R" => Some("Abnormal"),
        _ => None,
    });
    if said.is_some() || !codes.is_empty() {
        return said;
    }
    let measure = measure?;
    if measure.low.is_some_and(|low| measure.value < low) {
        Some("Low")
    } else if measure.high.is_some_and(|high| measure.value > high) {
        Some("High")
    } else {
        None
    }
}

//! The supported part of OData's query options (OData 4.01, URL Conventions, chapter 5):
//!
//! - `$filter`: comparisons (`eq`, `ne`, `gt`, `ge`, `lt`, `le`) of a property with a whole number, `true` or `false`, a time
//!   (RFC 3339), an id (UUID) or a text in single quotes, joined by `and`;
//! - `$orderby`: one property, with `asc` or `desc`;
//! - `$top` and `$skip`: whole numbers; `$count`: `true` or `false`.
//!
//! Anything else is refused with a reason that repeats at most the name of the unsupported part.

use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Longer filters are refused without parsing.
const LENGTH_MAX: usize = 1_000;
const COMPARISONS_MAX: usize = 10;
const VALUES: &str = "Values are whole numbers, true, false, times, ids and texts in single quotes.";

/// The parsed options of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// All of them must match.
    pub filter: Vec<Comparison>,
    pub order: Option<Order>,
    pub top: Option<u64>,
    pub skip: Option<u64>,
    pub count: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub property: String,
    pub operator: Operator,
    pub value: Literal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

impl Operator {
    const ALL: [(&'static str, Self); 6] = [
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("gt", Self::Gt),
        ("ge", Self::Ge),
        ("lt", Self::Lt),
        ("le", Self::Le),
    ];

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, operator)| operator)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, operator)| *operator == self).map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd)]
pub enum Literal {
    Number(i64),
    Boolean(bool),
    Time(DateTime<Utc>),
    Guid(Uuid),
    Text(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub property: String,
    pub is_descending: bool,
}

/// Reason of a refusal: the option, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub option: String,
    pub reason: String,
}

fn refused<T>(option: &str, reason: impl Into<String>) -> Result<T, Refused> {
    Err(Refused { option: option.into(), reason: reason.into() })
}

/// Parses the query options of a request. Options without a `$` are not OData and are refused too, since ignoring
/// them would answer another question.
pub fn options(query: &BTreeMap<String, String>) -> Result<Options, Refused> {
    let mut options = Options::default();
    for (name, value) in query {
        match name.as_str() {
            "$filter" => options.filter = filter(value)?,
            "$orderby" => options.order = Some(order(value)?),
            "$top" => options.top = Some(number(name, value)?),
            "$skip" => options.skip = Some(number(name, value)?),
            "$count" => {
                options.count =
                    boolean(value).map_or_else(|| refused(name, "It must be true or false."), Ok)?
            }
            _ => return refused(&shortened(name), "This query option is not supported."),
        }
    }
    Ok(options)
}

/// Parses a filter.
pub fn filter(text: &str) -> Result<Vec<Comparison>, Refused> {
    const OPTION: &str = "$filter";
    if text.len() > LENGTH_MAX {
        return refused(OPTION, "A filter has at most 1,000 characters.");
    }
    let mut words = words(text);
    let mut filter = Vec::new();
    loop {
        let (Some(property), Some(operator), Some(value)) = (words.next(), words.next(), words.next()) else {
            return refused(
                OPTION,
                "A comparison is a property, an operator and a value, such as: IsDraft eq false.",
            );
        };
        if !is_name(property) {
            return refused(OPTION, format!("“{}” is not a property.", shortened(property)));
        }
        let Some(operator) = Operator::of(operator) else {
            return refused(OPTION, format!("The operator “{}” is not supported.", shortened(operator)));
        };
        let Some(value) = literal(value) else {
            return refused(OPTION, VALUES);
        };
        filter.push(Comparison { property: property.to_owned(), operator, value });
        match words.next() {
            None => return Ok(filter),
            Some("and") if filter.len() < COMPARISONS_MAX => {}
            Some("and") => return refused(OPTION, "A filter has at most 10 comparisons."),
            Some(other) => {
                return refused(OPTION, format!("“{}” is not supported, only “and”.", shortened(other)));
            }
        }
    }
}

fn order(text: &str) -> Result<Order, Refused> {
    let words: Vec<&str> = text.split_ascii_whitespace().take(3).collect();
    let (property, is_descending) = match words[..] {
        [property] | [property, "asc"] => (property, false),
        [property, "desc"] => (property, true),
        _ => return refused("$orderby", "An order is one property with asc or desc."),
    };
    if !is_name(property) {
        return refused("$orderby", "An order is one property with asc or desc.");
    }
    Ok(Order { property: property.to_owned(), is_descending })
}

fn number(option: &str, text: &str) -> Result<u64, Refused> {
    let number =
        Some(text).filter(|text| text.bytes().all(|b| b.is_ascii_digit())).and_then(|text| text.parse().ok());
    number.map_or_else(|| refused(option, "It must be a whole number."), Ok)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The words of a filter; a quoted text is one word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let is_between = move |letter: char| {
        is_quoted ^= letter == '\'';
        !is_quoted && letter.is_ascii_whitespace()
    };
    text.split(is_between).filter(|word| !word.is_empty())
}

fn literal(text: &str) -> Option<Literal> {
    const GUID: usize = 36;
    let is_number = text.strip_prefix('-').unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
    if is_number {
        return text.parse().ok().map(Literal::Number);
    }
    if text.len() == GUID
        && let Ok(id) = Uuid::parse_str(text)
    {
        return Some(Literal::Guid(id));
    }
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| Literal::Time(time.with_timezone(&Utc)));
    time.or_else(|| boolean(text).map(Literal::Boolean)).or_else(|| quoted(text).map(Literal::Text))
}

/// A quoted text, in which a quote is doubled.
pub fn quoted(value: &str) -> Option<String> {
    let inner = value.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.replace("''", "").contains('\'')).then(|| inner.replace("''", "'"))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn shortened(word: &str) -> String {
    word.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(query: &[(&str, &str)]) -> Result<Options, Refused> {
        options(&query.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn what_the_grids_ask_is_understood() {
        let all = [
            ("$filter", "IsDraft eq false and MailMessageId lt 12"),
            ("$orderby", "MailMessageId desc"),
            ("$top", "20"),
            ("$skip", "40"),
            ("$count", "true"),
        ];
        let options = asked(&all).expect("options");
        assert_eq!((options.top, options.skip, options.count), (Some(20), Some(40), true));
        assert_eq!(options.order, Some(Order { property: "MailMessageId".into(), is_descending: true }));
        let [draft, id] = &options.filter[..] else { panic!("two comparisons") };
        assert_eq!((draft.operator, &draft.value), (Operator::Eq, &Literal::Boolean(false)));
        assert_eq!((id.operator, &id.value), (Operator::Lt, &Literal::Number(12)));
        let filter = filter("Sender eq 'O''Neil and Sons' and At ge 2026-11-25T00:00:00Z").expect("a filter");
        assert_eq!(filter[0].value, Literal::Text("O'Neil and Sons".into()));
        assert_eq!(filter[1].value, literal("2026-11-25T01:00:00+01:00").expect("a time"));
    }

    #[test]
    fn what_is_not_understood_is_refused_by_its_name() {
        let reason = |name: &str, value: &str| asked(&[(name, value)]).expect_err("refused").reason;
        assert_eq!(reason("$filter", "A eq 1 or B eq 2"), "“or” is not supported, only “and”.");
        assert_eq!(
            reason("$filter", "contains(Sender,'x') eq true"),
            "“contains(Sender,'x')” is not a property."
        );
        assert_eq!(reason("$filter", "A has 1"), "The operator “has” is not supported.");
        for value in ["x", "'x", "'it's'", "yesterday", "99999999999999999999"] {
            assert_eq!(reason("$filter", &format!("A eq {value}")), VALUES, "{value}");
        }
        assert_eq!(reason("$expand", "Files"), "This query option is not supported.");
        assert_eq!(reason("$top", "-1"), "It must be a whole number.");
        assert_eq!(reason("$orderby", "A desc, B asc"), "An order is one property with asc or desc.");
        assert_eq!(reason("$filter", &"A eq 1 and ".repeat(11)), "A filter has at most 10 comparisons.");
        assert_eq!(reason("$filter", &"(".repeat(100_000)), "A filter has at most 1,000 characters.");
    }

    fn comparison() -> impl Strategy<Value = Comparison> {
        let value = prop_oneof![
            any::<i64>().prop_map(Literal::Number),
            any::<bool>().prop_map(Literal::Boolean),
            any::<u128>().prop_map(|id| Literal::Guid(Uuid::from_u128(id))),
            (0..4_000_000_000_i64)
                .prop_map(|at| Literal::Time(DateTime::from_timestamp(at, 0).expect("a time"))),
            "\\PC{0,8}".prop_map(Literal::Text),
        ];
        ("[A-Za-z][A-Za-z0-9_]{0,20}", 0..Operator::ALL.len(), value)
            .prop_map(|(property, n, value)| Comparison { property, operator: Operator::ALL[n].1, value })
    }

    fn written(filter: &[Comparison]) -> String {
        let one = |Comparison { property, operator, value }: &Comparison| match value {
            Literal::Number(n) => format!("{property} {} {n}", operator.name()),
            Literal::Boolean(b) => format!("{property} {} {b}", operator.name()),
            Literal::Time(at) => format!("{property} {} {}", operator.name(), at.to_rfc3339()),
            Literal::Guid(id) => format!("{property} {} {id}", operator.name()),
            Literal::Text(text) => format!("{property} {} '{}'", operator.name(), text.replace('\'', "''")),
        };
        filter.iter().map(one).collect::<Vec<_>>().join(" and ")
    }

    proptest! {
        #[test]
        fn a_filter_is_read_as_it_was_written(given in proptest::collection::vec(comparison(), 1..=10)) {
            prop_assert_eq!(filter(&written(&given)), Ok(given));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
            let _ = filter(&text);
            let _ = order(&text);
            let _ = number("$top", &text);
        }
    }
}

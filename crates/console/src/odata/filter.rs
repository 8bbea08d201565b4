//! Filters of the entity sets: messages are filtered in SQL, shorter lists after they are read.

use super::parser::{Comparison, Literal, Operator, Options};
use platform::{Error, Result};
use sea_orm::{ActiveEnum, Value};
use std::fmt::Display;
use store::entities::message::{Direction, SourceType};

/// Type of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Boolean,
    Time,
    Guid,
    Text,
}

impl Kind {
    fn of(value: &Literal) -> Self {
        match value {
            Literal::Number(_) => Self::Number,
            Literal::Boolean(_) => Self::Boolean,
            Literal::Time(_) => Self::Time,
            Literal::Guid(_) => Self::Guid,
            Literal::Text(_) => Self::Text,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Number => "a whole number",
            Self::Boolean => "true or false, with eq or ne",
            Self::Time => "a time",
            Self::Guid => "an id, with eq or ne",
            Self::Text => "a text in single quotes, with eq or ne",
        }
    }

    fn is_compared(self, operator: Operator) -> bool {
        let is_ordered = matches!(self, Self::Number | Self::Time);
        is_ordered || matches!(operator, Operator::Eq | Operator::Ne)
    }
}

/// The properties of an entity set that can be filtered.
pub type Properties = &'static [(&'static str, Kind)];

/// Refuses a request because of one of its options.
pub fn refused(option: &str, reason: impl Display) -> Error {
    Error::BadRequest(format!("{option}: {reason}").into())
}

/// Refuses an unsupported comparison.
fn check(properties: Properties, Comparison { property, operator, value }: &Comparison) -> Result<()> {
    let Some((_, kind)) = properties.iter().find(|(name, _)| name == property) else {
        let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
        let short: String = property.chars().take(40).collect();
        return Err(refused(
            "$filter",
            format!("“{short}” cannot be filtered. Use one of: {}.", names.join(", ")),
        ));
    };
    if *kind != Kind::of(value) || !kind.is_compared(*operator) {
        return Err(refused("$filter", format!("{property} can only be compared with {}.", kind.words())));
    }
    Ok(())
}

const MESSAGES: Properties = &[
    ("MailMessageId", Kind::Number),
    ("MessageId", Kind::Guid),
    ("OrganizationId", Kind::Guid),
    ("Sender", Kind::Text),
    ("MailTo", Kind::Text),
    ("Origin", Kind::Text),
    ("WorkflowId", Kind::Guid),
    ("Status", Kind::Number),
    ("IsDraft", Kind::Boolean),
    ("CreatedDate", Kind::Time),
    ("SystemReceivedDate", Kind::Time),
    ("HispMessageId", Kind::Text),
];

/// The conditions and values of a filter of messages, in SQL.
pub fn conditions(filter: &[Comparison]) -> Result<(String, Vec<Value>)> {
    let (mut sql, mut values) = (String::new(), Vec::new());
    for comparison in filter {
        check(MESSAGES, comparison)?;
        values.push(bound(&comparison.value));
        let condition = condition(comparison, values.len());
        sql.push_str(&format!(" AND {condition}"));
    }
    Ok((sql, values))
}

/// One condition; its value is bound to the parameter of this number.
fn condition(Comparison { property, operator, .. }: &Comparison, parameter: usize) -> String {
    let compared = format!("{} ${parameter}", sign(*operator));
    let is_direct = format!("message.source_type = {}", SourceType::DirectMessage.to_value());
    match (property.as_str(), operator) {
        ("MailMessageId", _) => format!("numbered.number {compared}"),
        ("MessageId", _) => format!("numbered.message_id {compared}"),
        // The indexed columns come first, to avoid a scan of the messages.
        ("WorkflowId", Operator::Eq) => found_by("workflow_id", &compared),
        ("HispMessageId", Operator::Eq) => {
            format!("{} AND {is_direct}", found_by("rfc_message_id", &compared))
        }
        // Null differs from every value.
        ("WorkflowId", _) => format!("(message.workflow_id {compared} OR message.workflow_id IS NULL)"),
        ("HispMessageId", _) => {
            format!(
                "(message.rfc_message_id {compared} OR message.rfc_message_id IS NULL OR NOT {is_direct})"
            )
        }
        ("OrganizationId", _) => format!("message.organization_id {compared}"),
        ("Sender", _) => format!("message.from_address {compared}"),
        ("MailTo", _) => format!("message.to_address {compared}"),
        ("Origin", _) => format!("{} {compared}", origin()),
        ("Status", _) => format!("message.status {compared}"),
        ("IsDraft", _) => format!("message.is_draft {compared}"),
        ("CreatedDate", _) => format!("message.message_date {compared}"),
        _ => format!("message.received_at {compared}"),
    }
}

fn found_by(column: &str, compared: &str) -> String {
    format!("numbered.message_id IN (SELECT id FROM message WHERE {column} {compared})")
}

/// The origin of a message, as in [`crate::workflows::view::origin`].
fn origin() -> String {
    let source = |source: SourceType, name| format!("WHEN {} THEN '{name}' ", source.to_value());
    let sources = [
        source(SourceType::DirectMessage, "Direct"),
        source(SourceType::Fax, "Fax"),
        source(SourceType::Upload, "Upload"),
        source(SourceType::Triage, "Triage"),
        source(SourceType::Interface, "Interface"),
    ];
    format!(
        "CASE WHEN message.direction = {} THEN 'Release' ELSE CASE message.source_type {}END END",
        Direction::Release.to_value(),
        sources.concat()
    )
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Eq => "=",
        Operator::Ne => "<>",
        Operator::Gt => ">",
        Operator::Ge => ">=",
        Operator::Lt => "<",
        Operator::Le => "<=",
    }
}

fn bound(value: &Literal) -> Value {
    match value {
        Literal::Number(number) => (*number).into(),
        Literal::Boolean(is) => (*is).into(),
        Literal::Time(time) => (*time).into(),
        Literal::Guid(id) => (*id).into(),
        Literal::Text(text) => text.as_str().into(),
    }
}

/// A row of a short list, which is read as a whole.
pub trait Filtered: Sized {
    const PROPERTIES: Properties;

    fn value(&self, property: &str) -> Literal;

    /// The rows that match a filter.
    fn filtered(rows: Vec<Self>, options: &Options) -> Result<Vec<Self>> {
        for comparison in &options.filter {
            check(Self::PROPERTIES, comparison)?;
        }
        let holds = |row: &Self| options.filter.iter().all(|c| c.holds(&row.value(&c.property)));
        Ok(rows.into_iter().filter(holds).collect())
    }
}

impl Comparison {
    fn holds(&self, held: &Literal) -> bool {
        match self.operator {
            Operator::Eq => *held == self.value,
            Operator::Ne => *held != self.value,
            Operator::Gt => *held > self.value,
            Operator::Ge => *held >= self.value,
            Operator::Lt => *held < self.value,
            Operator::Le => *held <= self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::parser::filter, *};

    fn sql(text: &str) -> String {
        conditions(&filter(text).expect("a filter")).map_or_else(|_| "refused".into(), |(sql, _)| sql)
    }

    /// ADB-C-023
    #[test]
    fn a_message_is_filtered_by_what_is_answered_of_it() {
        assert_eq!(
            sql("Sender eq 'a' and Status ge 3"),
            " AND message.from_address = $1 AND message.status >= $2"
        );
        let by_id = sql("WorkflowId eq 0198f1aa-7a10-7000-8000-000000000021 and IsDraft eq true");
        let found = "numbered.message_id IN (SELECT id FROM message WHERE workflow_id = $1)";
        assert_eq!(by_id, format!(" AND {found} AND message.is_draft = $2"));
        for wrong in [
            "Subject eq 'a'",
            "Sender gt 'a'",
            "Sender eq 1",
            "Status eq 'Sent'",
            "IsDraft le true",
            "MessageId eq 1",
        ] {
            assert_eq!(sql(wrong), "refused", "{wrong}");
        }
    }
}

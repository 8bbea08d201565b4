//! The part of OData that filters and sorts the list of licences. Anything else is refused.

use crate::odata::parser::quoted;
use chrono::{DateTime, Utc};
use platform::{Error, Result, sql};
use sea_orm::{ColumnTrait, Condition, Order};
use store::entities::licence::Column;

/// Maximum number of comparisons in a filter.
const CLAUSES_MAX: usize = 8;
/// Maximum length of a filter, in characters.
const LENGTH_MAX: usize = 1_000;

const FILTER: &str = "$filter accepts comparisons such as ExpirationDate ge 2026-11-25T00:00:00Z or contains(Organization,'lark'), joined by and.";
const ORDER: &str = "$orderby accepts a field of the list, and asc or desc.";

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Time,
}

fn field(name: &str) -> Option<(Column, Kind)> {
    Some(match name {
        "LicenseKey" => (Column::LicenceKey, Kind::Text),
        "LicenseType" => (Column::LicenceType, Kind::Text),
        "Organization" => (Column::OrganizationName, Kind::Text),
        "ConnectorId" => (Column::ConnectorId, Kind::Text),
        "ConnectorName" => (Column::ConnectorName, Kind::Text),
        "IssuedDate" => (Column::IssuedAt, Kind::Time),
        "ExpirationDate" => (Column::ExpiresAt, Kind::Time),
        _ => return None,
    })
}

/// The condition of a filter.
pub fn condition(filter: &str) -> Result<Condition> {
    let refused = || Error::BadRequest(FILTER.into());
    if filter.trim().is_empty() {
        return Ok(Condition::all());
    }
    if filter.chars().count() > LENGTH_MAX {
        return Err(refused());
    }
    let clauses = clauses(filter);
    if clauses.len() > CLAUSES_MAX {
        return Err(refused());
    }
    clauses
        .into_iter()
        .try_fold(Condition::all(), |all, clause| Some(all.add(comparison(clause.trim())?)))
        .ok_or_else(refused)
}

/// Splits at `and` outside quotes.
fn clauses(filter: &str) -> Vec<&str> {
    let (mut clauses, mut begin, mut is_quoted) = (Vec::new(), 0, false);
    for (at, letter) in filter.char_indices() {
        is_quoted ^= letter == '\'';
        if !is_quoted && filter[at..].starts_with(" and ") {
            clauses.push(&filter[begin..at]);
            begin = at + " and ".len();
        }
    }
    clauses.push(&filter[begin.min(filter.len())..]);
    clauses
}

fn comparison(clause: &str) -> Option<Condition> {
    if let Some(inner) = clause.strip_prefix("contains(").and_then(|rest| rest.strip_suffix(')')) {
        let (name, text) = inner.split_once(',')?;
        let (column, kind) = field(name.trim())?;
        let text = quoted(text.trim())?;
        return (kind == Kind::Text).then(|| Condition::all().add(sql::holds(column, &text.to_lowercase())));
    }
    let (name, rest) = clause.split_once(' ')?;
    let (operator, value) = rest.trim_start().split_once(' ')?;
    let (column, kind) = field(name)?;
    let value = value.trim();
    let compared = match kind {
        Kind::Text => {
            let text = quoted(value)?;
            match operator {
                "eq" => column.eq(text),
                "ne" => column.ne(text),
                _ => return None,
            }
        }
        Kind::Time => {
            let time = DateTime::parse_from_rfc3339(value).ok()?.with_timezone(&Utc);
            match operator {
                "eq" => column.eq(time),
                "ne" => column.ne(time),
                "ge" => column.gte(time),
                "gt" => column.gt(time),
                "le" => column.lte(time),
                "lt" => column.lt(time),
                _ => return None,
            }
        }
    };
    Some(Condition::all().add(compared))
}

/// The order of a list: the requested field, then the columns that make it unique.
pub fn order(orderby: &str) -> Result<[(Column, Order); 2]> {
    let mut words = orderby.split_whitespace();
    let Some(name) = words.next() else {
        return Ok([(Column::IssuedAt, Order::Desc), (Column::Id, Order::Desc)]);
    };
    let refused = || Error::BadRequest(ORDER.into());
    let (column, _) = field(name).ok_or_else(refused)?;
    let direction = match words.next() {
        None | Some("asc") => Order::Asc,
        Some("desc") => Order::Desc,
        Some(_) => return Err(refused()),
    };
    if words.next().is_some() {
        return Err(refused());
    }
    Ok([(column, direction.clone()), (Column::Id, direction)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
    use store::entities::licence::Entity;

    /// The SQL of a query.
    fn sql(filter: &str) -> String {
        let rows = Entity::find().select_only().column(Column::Id).filter(condition(filter).unwrap());
        let sql = rows.build(DbBackend::Sqlite).to_string().replace(r#""licence"."#, "");
        sql.split_once(" WHERE ").map_or_else(String::new, |(_, wanted)| wanted.to_owned())
    }

    #[test]
    fn comparisons_are_joined_and_quotes_are_read() {
        assert_eq!(sql(""), "TRUE");
        for (filter, wanted) in [
            (
                "ExpirationDate ge 2026-11-25T00:00:00Z and ExpirationDate le 2027-01-24T01:00:00+01:00",
                r#""expires_at" >= '2026-11-25 00:00:00.000000 +00:00' AND "expires_at" <= '2027-01-24 00:00:00.000000 +00:00'"#,
            ),
            ("Organization eq 'Lark and Field''s'", r#""organization_name" = 'Lark and Field''s'"#),
            (
                "LicenseType ne 'Trial' and Organization eq 'a'",
                r#""licence_type" <> 'Trial' AND "organization_name" = 'a'"#,
            ),
        ] {
            assert_eq!(sql(filter), wanted, "{filter}");
        }
        let contains = sql("contains(LicenseKey,'CPL1') and LicenseType ne 'Trial'");
        assert!(
            contains.contains("cpl1") && contains.ends_with(r#"AND "licence_type" <> 'Trial'"#),
            "{contains}"
        );
        for (operator, compared) in [("eq", "="), ("ne", "<>"), ("gt", ">"), ("lt", "<")] {
            let sql = sql(&format!("IssuedDate {operator} 2026-11-25T00:00:00Z"));
            assert!(sql.starts_with(&format!(r#""issued_at" {compared} '2026"#)), "{operator}: {sql}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for filter in [
            "Organization",
            "Password eq 'x'",
            "Organization ge 'x'",
            "ExpirationDate ge yesterday",
            "Organization eq 'x' or 1 eq 1",
            "contains(IssuedDate,'2026')",
            "Organization eq 'x'; DROP TABLE licence",
            "Organization eq 'it's'",
            &"Organization eq 'x' and ".repeat(20),
            &format!("Organization eq '{}'", "x".repeat(1_000)),
        ] {
            assert!(condition(filter).is_err(), "{filter}");
        }
        for order_by in ["Password", "Organization down", "Organization asc, LicenseType"] {
            assert!(order(order_by).is_err(), "{order_by}");
        }
    }
}

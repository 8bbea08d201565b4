//! Workflows in the database. A list consists of ranges of an index, one for each kind and channel, in order of time,
//! so that a page costs the same regardless of the length of the history.

use super::types::{RunChannel, RunKind, RunStatus, RunsFilters};
use platform::{
    Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{ColumnTrait, QueryFilter};
use sea_orm::{ConnectionTrait, EntityTrait, FromQueryResult, Statement, Value};
use std::collections::HashMap;
use store::entities::workflow;
use uuid::Uuid;

/// Values of `workflow.channel` for messages.
pub const CHANNELS: [&str; 4] = ["Direct", "Fax", "Direct+Fax", "Interface"];

/// Workflows of one kind through one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub kind: RunKind,
    pub channel: &'static str,
}

impl Stretch {
    /// The ranges of a type and a channel.
    pub fn of(kind: Option<RunKind>, channel: Option<RunChannel>) -> Vec<Self> {
        let wanted = channel.map(|channel| match channel {
            RunChannel::Direct => "Direct",
            RunChannel::Fax => "Fax",
            RunChannel::Interface => "Interface",
        });
        let kinds = RunKind::ALL.into_iter().filter(|of| kind.is_none_or(|kind| kind == *of));
        let in_channel = |name: &&str| wanted.is_none_or(|wanted| name.split('+').any(|part| part == wanted));
        kinds
            .flat_map(|kind| {
                CHANNELS.into_iter().filter(in_channel).map(move |channel| Self { kind, channel })
            })
            // Only sent messages use both, and only received ones have separate interfaces.
            .filter(|of| match of.channel {
                "Direct+Fax" => of.kind == RunKind::MessageSendWorkflow,
                "Interface" => of.kind == RunKind::MessageReceiveWorkflow,
                _ => true,
            })
            .collect()
    }

    /// The condition in literals, because the database chooses the partial indexes by it.
    pub fn condition(self, status: Option<RunStatus>) -> String {
        let (kind, channel) = (self.kind.name(), self.channel);
        let of_status = match status {
            None => String::new(),
            Some(RunStatus::Completed) => " AND status = 'Completed'".into(),
            Some(status) => format!(" AND status = '{}' AND status <> 'Completed'", status.name()),
        };
        format!("kind = '{kind}' AND channel = '{channel}' AND channel <> ''{of_status}")
    }
}

#[derive(FromQueryResult)]
struct Found {
    id: Uuid,
}

#[derive(FromQueryResult)]
struct Count {
    n: i64,
}

/// A page of the filtered workflows in order of time, after a given one or from the first.
pub async fn page(
    db: &impl ConnectionTrait,
    filters: RunsFilters,
    is_oldest_first: bool,
    behind: Option<&workflow::Model>,
    page: Page,
) -> Result<(Vec<workflow::Model>, u64)> {
    let stretches = Stretch::of(filters.r#type.map(Into::into), filters.channel);
    let (order, beyond) = if is_oldest_first { ("ASC", ">") } else { ("DESC", "<") };
    let order = format!("ORDER BY created_at {order}, id {order}");
    // The first comparison matches the beginning of the index.
    let rest = behind.map_or_else(String::new, |_| {
        format!(" AND created_at {beyond}= $3 AND (created_at {beyond} $3 OR id {beyond} $4)")
    });
    let select = |columns: &str, rest: &str, order: &str, limit: u64| {
        let of = |stretch: &Stretch| {
            let condition = stretch.condition(filters.status) + rest;
            let alias = format!("{}{}", stretch.kind.name(), stretch.channel.replace('+', ""));
            format!(
                "SELECT * FROM (SELECT {columns} FROM workflow WHERE {condition} {order} LIMIT {limit}) AS {alias}"
            )
        };
        stretches.iter().map(of).collect::<Vec<_>>().join(" UNION ALL ")
    };
    let last = page.offset() + page.size;
    let rows = format!(
        "SELECT id FROM ({}) AS found {order} LIMIT $1 OFFSET $2",
        select("id, created_at", &rest, &order, last)
    );
    let backend = db.get_database_backend();
    let mut values: Vec<Value> = vec![(page.size as i64).into(), (page.offset() as i64).into()];
    values.extend(behind.into_iter().flat_map(|row| [Value::from(row.created_at), row.id.into()]));
    let ids = Found::find_by_statement(Statement::from_sql_and_values(backend, rows, values)).all(db).await?;
    let count = format!("SELECT COUNT(*) AS n FROM ({}) AS found", select("1 AS one", "", "", COUNT_CAP + 1));
    let count = Count::find_by_statement(Statement::from_string(backend, count)).one(db).await?;
    let ids: Vec<Uuid> = ids.into_iter().map(|found| found.id).collect();
    let rows =
        workflow::Entity::find().filter(workflow::Column::Id.is_in(ids.iter().copied())).all(db).await?;
    let mut by_id: HashMap<Uuid, workflow::Model> = rows.into_iter().map(|row| (row.id, row)).collect();
    let rows = ids.iter().filter_map(|id| by_id.remove(id)).collect();
    Ok((rows, count.map_or(0, |count| count.n as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_to_both_is_found_under_each_channel() {
        let channels =
            |kind, channel| Stretch::of(kind, channel).into_iter().map(|s| s.channel).collect::<Vec<_>>();
        let (send, receive) = (Some(RunKind::MessageSendWorkflow), Some(RunKind::MessageReceiveWorkflow));
        assert_eq!(channels(send, Some(RunChannel::Fax)), ["Fax", "Direct+Fax"]);
        assert_eq!(channels(send, Some(RunChannel::Direct)), ["Direct", "Direct+Fax"]);
        assert_eq!(channels(receive, Some(RunChannel::Direct)), ["Direct"]);
        assert_eq!(channels(None, Some(RunChannel::Interface)), ["Interface"]);
        assert_eq!(Stretch::of(None, None).len(), 6);
    }
}

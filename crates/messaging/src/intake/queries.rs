//! Database access of the Intake: filters, search, pages, and counts of the quick views. Every query reads ranges of an
//! index in list order and stops after the page, so that its cost does not grow with the history. Long counts, such as
//! those of quick views and of searches for frequent words, are separate requests, so that no page waits for them.

use super::{
    filters::CHOICES_MAX,
    types::{ListRequest, QuickViews},
};
use crate::{
    messages::{
        kinds::{self, Kind, Scope},
        list::{self, Position, Sorting},
    },
    model::{Direction, SourceType, Status, named},
    rules, search_terms,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    http::{COUNT_CAP, DayOrMoment, Page},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, Iterable, Order, QueryFilter, QuerySelect,
    QueryTrait, Select,
    sea_query::{BinOper, Expr, ExprTrait, Func, LikeExpr},
};
use store::{
    dialect::{self, passed_over},
    entities::message::{self, Column},
    search::{self, Count, Search},
    tenant::Tenant,
};
use uuid::Uuid;

/// Default period of the list, in days.
const DEFAULT_DAYS: i64 = 30;

pub struct Found {
    pub rows: Vec<message::Model>,
    /// At most [`COUNT_CAP`]. `None` where a search would have to count; use [`counts`] for that.
    pub total: Option<Count>,
    pub next_cursor: Option<String>,
}

pub struct Counted {
    /// At most [`COUNT_CAP`].
    pub total: Count,
    /// Number of messages of each quick view with the same filters, at most [`COUNT_CAP`]; `None` while searching.
    pub quick_views: Option<QuickViews>,
}

/// A quick view of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    All,
    Unassigned,
    Mine(Uuid),
    Urgent,
    Unread,
    /// Snoozed at this time.
    Snoozed(DateTime<Utc>),
}

impl View {
    /// In the order of [`QuickViews`].
    fn all(user: Uuid, now: DateTime<Utc>) -> [Self; 6] {
        [Self::All, Self::Unassigned, Self::Mine(user), Self::Urgent, Self::Unread, Self::Snoozed(now)]
    }

    fn of(request: &ListRequest, user: Uuid, now: DateTime<Utc>) -> Self {
        if request.is_snoozed {
            Self::Snoozed(now)
        } else if request.is_unassigned {
            Self::Unassigned
        } else if request.is_assigned_to_self {
            Self::Mine(user)
        } else if request.is_urgent {
            Self::Urgent
        } else {
            Self::All
        }
    }

    fn condition(self, named: Named<'_>) -> Option<Expr> {
        match self {
            Self::All => None,
            Self::Unassigned => Some(named(Column::AssignedTo).is_null()),
            Self::Mine(user) => Some(named(Column::AssignedTo).eq(user)),
            // Written as in the index's condition: a comparison with a bound value would not match it.
            Self::Urgent => Some(named(Column::IsUrgent)),
            Self::Unread => Some(named(Column::ReadAt).is_null()),
            Self::Snoozed(now) => Some(named(Column::SnoozedUntil).gt(now)),
        }
    }

    fn is_snoozed(self) -> bool {
        matches!(self, Self::Snoozed(_))
    }
}

/// Names a column in a condition.
type Named<'a> = &'a dyn Fn(Column) -> Expr;

const PLAINLY: Named<'_> = &|column| column.into_expr();

/// One page of the list.
pub async fn list(app: &App, member: &Member, request: &ListRequest) -> Result<Found> {
    let (page, cursor) = list::asked(request.page_start, request.page_size, 10, request.cursor.as_deref())?;
    if request.is_search() {
        return found(app, member, request, page, cursor).await;
    }
    let db = app.store.db();
    let now = app.clock.now();
    let list = List::read(app, member.tenant(), request, now).await?;
    let view = View::of(request, member.caller.user_id, now);
    let total = async || Ok(list::counts(db, vec![list.counted(db, view)]).await?.into_iter().sum());
    let behind = list.clone().behind(cursor);
    let rows = async |ranges: Vec<Select<message::Entity>>| {
        let ranges = ranges.into_iter().map(|rows| match cursor {
            Some(position) => rows.filter(list::behind(position)),
            None => rows,
        });
        list::page(db, ranges, &sorting(request), page.offset(), page.size).await
    };
    let (total, rows): (u64, _) = if by_sender(request) {
        let total = total().await?;
        // A few rows are sorted; for many rows it is faster to read in order and skip others.
        let is_long = total > COUNT_CAP && !view.is_snoozed();
        let ranges = if is_long { vec![behind.along_senders(db, view)] } else { behind.ranges(view) };
        (total, rows(ranges).await?)
    } else {
        tokio::try_join!(total(), rows(behind.ranges(view)))?
    };
    let next_cursor = next_cursor(request, page, &rows);
    Ok(Found { rows, total: Some(Count::up_to(COUNT_CAP, total)), next_cursor })
}

/// Number of messages in the list, independent of its page, and in its quick views.
pub async fn counts(app: &App, member: &Member, request: &ListRequest) -> Result<Counted> {
    let db = app.store.db();
    if request.is_search() {
        let key = app.keys.data_key(member.organization_id).await?;
        let total = search::count(db, &key, &search(app, member, request)?, COUNT_CAP).await?;
        return Ok(Counted { total, quick_views: None });
    }
    let (user, now) = (member.caller.user_id, app.clock.now());
    let list = List::read(app, member.tenant(), request, now).await?;
    let views = View::all(user, now);
    let counts = list::counts(db, views.map(|v| list.counted(db, v)).into()).await?;
    let shown = views.iter().position(|v| *v == View::of(request, user, now)).unwrap_or_default();
    let [all, unassigned, assigned_to_self, urgent, unread, snoozed] =
        std::array::from_fn(|view| Ord::min(counts[view], COUNT_CAP));
    Ok(Counted {
        total: Count::up_to(COUNT_CAP, counts[shown]),
        quick_views: Some(QuickViews { all, unassigned, assigned_to_self, urgent, unread, snoozed }),
    })
}

/// Time at which the next snoozed message comes back.
pub async fn next_wake(app: &App, member: &Member) -> Result<Option<DateTime<Utc>>> {
    let next = snoozed(&member.tenant(), app.clock.now())
        .select_only()
        .column_as(Column::SnoozedUntil.min(), "next")
        .into_tuple::<Option<DateTime<Utc>>>()
        .one(app.store.db())
        .await?;
    Ok(next.flatten())
}

/// The Intake messages snoozed beyond a time. There are few.
fn snoozed(tenant: &Tenant, now: DateTime<Utc>) -> Select<message::Entity> {
    tenant
        .messages()
        .filter(Column::Direction.eq(Direction::Intake))
        .filter(Column::IsDraft.eq(false))
        .filter(Column::SnoozedUntil.gt(now))
}

/// The list of a request, as ranges of indexes.
#[derive(Clone)]
struct List<'a> {
    tenant: Tenant,
    request: &'a ListRequest,
    backend: DbBackend,
    now: DateTime<Utc>,
    span: Span,
    wanted: Wanted,
    /// The requested kinds that exist.
    kinds: Vec<Kind>,
    /// Recipients of the organization's messages, if filtered by address.
    recipients: Vec<String>,
}

impl<'a> List<'a> {
    async fn read(app: &App, tenant: Tenant, request: &'a ListRequest, now: DateTime<Utc>) -> Result<Self> {
        let db = app.store.db();
        let scope = Scope { organization_id: tenant.0, direction: Direction::Intake, is_draft: false };
        let wanted = Wanted::read(request)?;
        let mut kinds = kinds::kinds(db, scope).await?;
        kinds.retain(|kind| wanted.is(kind));
        let recipients = if is_by_address(&tenant, request) {
            kinds::recipients(db, scope, RANGES_MAX).await?
        } else {
            Vec::new()
        };
        let (backend, span) = (app.store.backend(), span(request, now));
        Ok(Self { tenant, request, backend, now, span, wanted, kinds, recipients })
    }

    /// The list from the time of the cursor on. SQLite uses one condition for the end of a range, and would read the
    /// rows before the cursor.
    fn behind(mut self, cursor: Option<Position>) -> Self {
        if let Some((at, _)) = cursor {
            self.span.1 = Ord::min(self.span.1, at + Duration::microseconds(1));
        }
        self
    }

    /// The messages of a quick view with the filters of the request, each range in list order.
    fn ranges(&self, view: View) -> Vec<Select<message::Entity>> {
        if view.is_snoozed() {
            return vec![self.snoozed()];
        }
        let rows = self.of_view(view);
        if is_by_address(&self.tenant, self.request) {
            return self.addressed(&rows);
        }
        if self.is_by_kind(view) {
            return self.kinds.iter().map(|kind| kind.range(rows.clone())).collect();
        }
        vec![rows]
    }

    /// The same ranges, for counting.
    fn counted(&self, db: &impl ConnectionTrait, view: View) -> Vec<Select<message::Entity>> {
        let by_range = !dialect::counts_kinds_together(db.get_database_backend()) || self.kinds.is_empty();
        if by_range || view.is_snoozed() {
            return self.ranges(view);
        }
        let rows = self.of_view(view);
        if !is_by_address(&self.tenant, self.request) {
            return vec![if self.is_by_kind(view) { kinds::of_any(&self.kinds, rows) } else { rows }];
        }
        let Some(recipients) = self.wanted_recipients() else { return vec![self.among_all(rows)] };
        let to_many = self.among_all(kinds::sent_to_many(rows.clone()));
        vec![kinds::sent_to(kinds::of_any(&self.kinds, rows), recipients), to_many]
    }

    fn of_view(&self, view: View) -> Select<message::Entity> {
        rows(&self.tenant, Column::ReceivedAt.into_expr(), self.span)
            .filter(rules::queries::applied(self.tenant.0, &self.request.rules))
            .filter(Condition::all().add_option(view.condition(PLAINLY)))
            .filter(self.awake())
    }

    /// Excludes snoozed messages, if the request says so.
    fn awake(&self) -> Condition {
        if !self.request.hides_snoozed {
            return Condition::all();
        }
        let asleep = snoozed(&self.tenant, self.now).select_only().column(Column::Id).into_query();
        Condition::all().add(Column::Id.not_in_subquery(asleep))
    }

    /// Snoozed messages, found by an index of their own and filtered individually. They may have arrived long before
    /// the period.
    fn snoozed(&self) -> Select<message::Entity> {
        let named: Named<'_> = &|column| passed_over(self.backend, column);
        let rows = snoozed(&self.tenant, self.now)
            .filter(named(Column::ReceivedAt).lt(self.span.1))
            .filter(self.wanted.condition(named));
        if self.request.sources.is_empty() { rows } else { rows.filter(to_sources(&self.request.sources)) }
    }

    /// Whether each kind of messages is read separately.
    fn is_by_kind(&self, view: View) -> bool {
        !self.wanted.is_anything() || by_status(self.request) || view != View::All
    }

    /// The messages to the requested recipients, one range for each of their kinds.
    fn addressed(&self, rows: &Select<message::Entity>) -> Vec<Select<message::Entity>> {
        let Some(recipients) = self.wanted_recipients() else { return vec![self.among_all(rows.clone())] };
        let each = |to: &&str| -> Vec<_> {
            self.kinds.iter().map(|kind| kinds::sent_to(kind.range(rows.clone()), [*to])).collect()
        };
        let ranges = recipients.iter().flat_map(each);
        ranges.chain([self.among_all(kinds::sent_to_many(rows.clone()))]).collect()
    }

    /// The messages of a requested kind and address, filtered individually.
    fn among_all(&self, rows: Select<message::Entity>) -> Select<message::Entity> {
        let rows = rows.filter(self.wanted.condition(PLAINLY));
        if self.request.sources.is_empty() { rows } else { rows.filter(to_sources(&self.request.sources)) }
    }

    /// The recipients of requested messages, in sets of few recipients; `None` if there are too many sets to read
    /// separately.
    fn wanted_recipients(&self) -> Option<Vec<&str>> {
        let sources: Vec<String> = self.request.sources.iter().map(|s| s.to_lowercase()).collect();
        let is_to = |to: &str| to.to_lowercase().split(';').any(|own| sources.iter().any(|s| s == own));
        let is_wanted = |to: &&str| (sources.is_empty() || is_to(to)) && !self.tenant.unreadable().hides(to);
        let wanted: Vec<&str> = self.recipients.iter().map(String::as_str).filter(is_wanted).collect();
        let are_few = self.recipients.len() < RANGES_MAX && wanted.len() * self.kinds.len() < RANGES_MAX;
        are_few.then_some(wanted)
    }

    /// The messages in sender order, skipping others.
    fn along_senders(&self, db: &impl ConnectionTrait, view: View) -> Select<message::Entity> {
        let named: Named<'_> = &|column| passed_over(db.get_database_backend(), column);
        let rows = rows(&self.tenant, named(Column::ReceivedAt), self.span)
            .filter(rules::queries::applied(self.tenant.0, &self.request.rules))
            .filter(Condition::all().add_option(view.condition(named)))
            .filter(self.awake())
            .filter(self.wanted.condition(named));
        if self.request.sources.is_empty() { rows } else { rows.filter(to_sources(&self.request.sources)) }
    }
}

/// Whether the list is read address by address: because it is filtered by address, or because some may not be read.
fn is_by_address(tenant: &Tenant, request: &ListRequest) -> bool {
    !request.sources.is_empty() || !tenant.unreadable().is_empty()
}

/// Maximum number of sets of recipients, or of ranges of their messages, that are read separately; above it, messages
/// are skipped instead.
const RANGES_MAX: usize = 200;

/// The kinds of messages in a request. An empty list means all.
#[derive(Clone)]
struct Wanted {
    statuses: Vec<Status>,
    source_types: Vec<SourceType>,
    processed_types: Vec<String>,
}

impl Wanted {
    fn read(request: &ListRequest) -> Result<Self> {
        rules::queries::check_ids("rules", &request.rules)?;
        let lists = [
            ("rules", &request.rules),
            ("statuses", &request.statuses),
            ("sourceTypes", &request.source_types),
            ("processedTypes", &request.processed_types),
            ("sources", &request.sources),
        ];
        if let Some((field, _)) = lists.into_iter().find(|(_, choices)| choices.len() > CHOICES_MAX) {
            return Err(Error::field(field, platform::fields::DEFAULT_FIELD_ERROR));
        }
        Ok(Self {
            statuses: parsed("statuses", &request.statuses)?,
            source_types: parsed("sourceTypes", &request.source_types)?,
            processed_types: request.processed_types.clone(),
        })
    }

    fn is_anything(&self) -> bool {
        self.statuses.is_empty() && self.source_types.is_empty() && self.processed_types.is_empty()
    }

    fn is(&self, kind: &Kind) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&kind.status))
            && (self.source_types.is_empty() || self.source_types.contains(&kind.source_type))
            && (self.processed_types.is_empty() || self.processed_types.contains(&kind.processed_type))
    }

    fn condition(&self, named: Named<'_>) -> Condition {
        let mut all = Condition::all();
        if !self.statuses.is_empty() {
            all = all.add(named(Column::Status).is_in(self.statuses.iter().copied()));
        }
        if !self.source_types.is_empty() {
            all = all.add(named(Column::SourceType).is_in(self.source_types.iter().copied()));
        }
        if !self.processed_types.is_empty() {
            all = all.add(named(Column::ProcessedType).is_in(self.processed_types.iter().cloned()));
        }
        all
    }
}

/// Messages to any of one's own addresses.
fn to_sources(sources: &[String]) -> Condition {
    let together = BinOper::Custom("||");
    let own = Expr::expr(Func::lower(Column::ToAddress.into_expr()));
    let list = Expr::val(";").binary(together, own).binary(together, Expr::val(";"));
    let escaped = |a: &String| a.to_lowercase().replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    let like = |a: &String| LikeExpr::new(format!("%;{};%", escaped(a))).escape('\\');
    let to = sources.iter().map(|a| list.clone().like(like(a)));
    to.fold(Condition::any(), Condition::add)
}

async fn found(
    app: &App,
    member: &Member,
    request: &ListRequest,
    page: Page,
    cursor: Option<Position>,
) -> Result<Found> {
    let key = app.keys.data_key(member.organization_id).await?;
    let search =
        Search { offset: page.offset(), before: cursor, limit: page.size, ..search(app, member, request)? };
    let found = search::find(app.store.db(), &key, &search).await?;
    let rows = list::rows(app.store.db(), &found.ids).await?;
    let next_cursor = next_cursor(request, page, &rows);
    Ok(Found { rows, total: found.total.map(|total| Count::up_to(COUNT_CAP, total)), next_cursor })
}

/// The search of a request, without its page.
fn search(app: &App, member: &Member, request: &ListRequest) -> Result<Search> {
    let view = View::of(request, member.caller.user_id, app.clock.now());
    let named: Named<'_> = &|column| passed_over(app.store.backend(), column);
    let mut condition = Wanted::read(request)?.condition(named).add_option(view.condition(named));
    condition = condition.add(rules::queries::applied_to_each(&request.rules));
    condition = condition.add(member.tenant().readable());
    if !request.sources.is_empty() {
        condition = condition.add(to_sources(&request.sources));
    }
    let (since, until) = span(request, app.clock.now());
    Ok(Search {
        organization_id: member.organization_id,
        direction: Direction::Intake,
        text: search_terms::asked(request.filter.as_deref().unwrap_or_default()),
        alike: search_terms::anywhere,
        // The Intake has no drafts.
        filter: condition,
        since: Some(since),
        until: Some(until),
        before: None,
        offset: 0,
        limit: 0,
    })
}

type Span = (DateTime<Utc>, DateTime<Utc>);

fn span(request: &ListRequest, now: DateTime<Utc>) -> Span {
    let since = request.start_date.map_or(now - Duration::days(DEFAULT_DAYS), DayOrMoment::begin);
    let until = request.end_date.and_then(DayOrMoment::behind).unwrap_or(now + Duration::days(1));
    (since, until)
}

fn rows(tenant: &Tenant, time: Expr, (since, until): Span) -> Select<message::Entity> {
    tenant
        .messages()
        .filter(Column::Direction.eq(Direction::Intake))
        .filter(Column::IsDraft.eq(false))
        .filter(time.clone().gte(since))
        .filter(time.lt(until))
}

fn direction(request: &ListRequest) -> Order {
    if request.order_dir.as_deref() == Some("asc") { Order::Asc } else { Order::Desc }
}

fn by_status(request: &ListRequest) -> bool {
    request.order_by.as_deref() == Some("status")
}

fn by_sender(request: &ListRequest) -> bool {
    request.order_by.as_deref() == Some("fromAddress")
}

fn sorting(request: &ListRequest) -> Sorting {
    let order = direction(request);
    if by_status(request) {
        [vec![(Column::Status, order)], list::by_time(Order::Desc)].concat()
    } else if by_sender(request) {
        vec![(Column::FromAddress, order.clone()), (Column::Id, order)]
    } else {
        list::by_time(order)
    }
}

fn parsed<T: Iterable + ToString>(field: &str, words: &[String]) -> Result<Vec<T>> {
    words
        .iter()
        .map(|w| named(w).ok_or_else(|| Error::field(field, platform::fields::DEFAULT_FIELD_ERROR)))
        .collect()
}

/// Pages after row 10,000 continue by cursor, which exists only in the default order, newest first.
fn next_cursor(request: &ListRequest, page: Page, rows: &[message::Model]) -> Option<String> {
    let newest_first = matches!(request.order_by.as_deref(), None | Some("createdDate"))
        && request.order_dir.as_deref() != Some("asc");
    list::next_cursor(page, rows).filter(|_| newest_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sea_orm::{Statement, sea_query::SelectStatement};
    use serde_json::json;
    use store::Store;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const ADDRESS: &str = "records@summit.direct.example";

    fn list(request: &ListRequest) -> List<'_> {
        let kinds = [(Status::Received, ""), (Status::Processed, ""), (Status::Processed, "Printed")];
        let kinds = kinds.map(|(status, processed_type)| Kind {
            status,
            source_type: SourceType::DirectMessage,
            processed_type: processed_type.into(),
        });
        List {
            tenant: Tenant::whole(Uuid::nil()),
            request,
            backend: DbBackend::Sqlite,
            now: NOW,
            span: (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + Duration::days(30)),
            wanted: Wanted::read(request).expect("known words"),
            kinds: kinds.into(),
            recipients: vec![ADDRESS.into()],
        }
    }

    /// SQLite's plan for reading messages, one line for each access.
    async fn readings(store: &Store, statement: &SelectStatement) -> Vec<String> {
        let mut explained = store.backend().build(statement);
        explained.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
        let plan = store.db().query_all_raw(explained).await.expect("a plan");
        let steps = plan.iter().map(|row| row.try_get::<String>("", "detail").expect("a step"));
        steps.filter(|step| step.contains(" message ")).collect()
    }

    /// Snoozed messages are few: they are filtered individually in every case.
    fn plain_views() -> impl Iterator<Item = View> {
        View::all(Uuid::now_v7(), NOW).into_iter().filter(|view| !view.is_snoozed())
    }

    const LIST: &str = "organization_id=? AND direction=? AND is_draft=?";
    const KIND: &str = "status=? AND source_type=? AND <expr>=?";
    const SPAN: &str = "received_at>? AND received_at<?";

    fn searches(index: &str, by: &[&str]) -> String {
        format!("SEARCH message USING COVERING INDEX ix_message_{index} ({})", by.join(" AND "))
    }

    #[tokio::test]
    async fn every_view_under_every_filter_reads_only_what_it_shows_and_no_row() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        let me = Uuid::now_v7();
        let snoozed = searches("snoozed", &[LIST, "snoozed_until>?"]);
        for filters in [
            json!({}),
            json!({ "hidesSnoozed": true }),
            json!({ "hidesSnoozed": true, "statuses": ["Received", "Failed"] }),
            json!({ "statuses": ["Received"] }),
            json!({ "statuses": ["Received", "Processed"] }),
            json!({ "sourceTypes": ["DirectMessage"] }),
            json!({ "processedTypes": ["Printed"] }),
            json!({ "statuses": ["Processed"], "sourceTypes": ["DirectMessage"], "processedTypes": ["Printed"] }),
        ] {
            for order in ["createdDate", "status", "fromAddress"] {
                let request = ListRequest {
                    order_by: Some(order.into()),
                    ..serde_json::from_value(filters.clone()).expect("a request")
                };
                let list = list(&request);
                for view in View::all(me, NOW) {
                    let expected = match view {
                        View::All if list.wanted.is_anything() && order != "status" => {
                            searches("list", &[LIST, SPAN])
                        }
                        View::All => searches("kind", &[LIST, KIND, SPAN]),
                        View::Unassigned => searches("unassigned", &[LIST, KIND, SPAN]),
                        View::Mine(_) => searches("assigned", &[LIST, "assigned_to=?", KIND, SPAN]),
                        View::Urgent => searches("urgent", &[LIST, KIND, SPAN]),
                        View::Unread => searches("unread", &[LIST, KIND, SPAN]),
                        View::Snoozed(_) => snoozed.clone(),
                    };
                    let page = list::ids_of_page(list.ranges(view), Column::Id, &sorting(&request), 20, 10);
                    for statement in
                        [list::numbers(vec![list.counted(store.db(), view)]), page.expect("ranges")]
                    {
                        let mut readings = readings(&store, &statement).await;
                        if request.hides_snoozed && !view.is_snoozed() {
                            // The excluded ones are found once.
                            readings.retain(|reading| *reading != snoozed);
                        }
                        assert!(!readings.is_empty(), "{filters} {view:?}");
                        for reading in readings {
                            assert_eq!(reading, expected, "{filters} {order} {view:?}");
                        }
                    }
                }
            }
        }
    }

    #[tokio::test]
    async fn many_messages_are_found_along_their_senders() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        let filters = json!({ "statuses": ["Processed"], "orderBy": "fromAddress" });
        let request = serde_json::from_value(filters).expect("a request");
        for view in plain_views() {
            let page = list::ids_of_page(
                [list(&request).along_senders(store.db(), view)],
                Column::Id,
                &sorting(&request),
                0,
                10,
            );
            let readings = readings(&store, &page.expect("ranges")).await;
            assert_eq!(readings, [searches("from", &[LIST])], "{view:?}");
        }
    }

    #[tokio::test]
    async fn of_the_messages_to_an_own_address_every_view_reads_only_what_it_shows_and_no_row() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        for filters in
            [json!({ "sources": [ADDRESS] }), json!({ "sources": [ADDRESS], "statuses": ["Processed"] })]
        {
            let request = serde_json::from_value(filters.clone()).expect("a request");
            let list = list(&request);
            for view in plain_views() {
                let to = |index, by: &[&str]| {
                    searches(index, &[&["organization_id=? AND is_draft=? AND to_address=?"], by].concat())
                };
                let expected = match view {
                    View::All => to("to", &[KIND, SPAN]),
                    View::Unassigned => to("to_unassigned", &[KIND, SPAN]),
                    View::Mine(_) => to("to_assigned", &["assigned_to=?", KIND, SPAN]),
                    View::Urgent => to("to_urgent", &[KIND, SPAN]),
                    View::Unread => to("to_unread", &[KIND, SPAN]),
                    View::Snoozed(_) => unreachable!(),
                };
                let page = list::ids_of_page(list.ranges(view), Column::Id, &sorting(&request), 20, 10);
                for statement in [list::numbers(vec![list.counted(store.db(), view)]), page.expect("ranges")]
                {
                    let readings = readings(&store, &statement).await;
                    let (to_many, to_few) = readings.split_last().expect("readings");
                    assert_eq!(to_few.len(), list.kinds.len(), "{filters} {view:?}");
                    assert!(
                        to_few.iter().all(|reading| *reading == expected),
                        "{filters} {view:?}: {readings:?}"
                    );
                    assert!(
                        to_many.starts_with("SEARCH message USING INDEX ix_message_to_many"),
                        "{to_many}"
                    );
                }
            }
        }
    }

    /// PostgreSQL's plan for searching messages: the index, and the searched columns.
    async fn searches_of_postgres(store: &Store, statement: &SelectStatement) -> Vec<(String, String)> {
        let one = store.begin().await.expect("a transaction");
        // In an empty table, a sequential scan is always fastest.
        let settings = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off";
        one.execute_unprepared(settings).await.expect("settings");
        let explained = format!("EXPLAIN (COSTS OFF) {}", one.get_database_backend().build(statement));
        let plan = texts(&one, explained).await;
        let searched = |(at, step): (usize, &String)| {
            let index = step.split_once("Index Only Scan using ")?.1.split(' ').next()?;
            Some((index.to_owned(), plan.get(at + 1)?.trim().to_owned()))
        };
        plan.iter().enumerate().filter_map(searched).collect()
    }

    /// The columns of the index before the time, in order.
    async fn columns_before_the_time(store: &Store, index: &str) -> Vec<String> {
        let named = format!(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = '{index}'::regclass ORDER BY attnum"
        );
        let columns = texts(store.db(), named).await;
        columns.into_iter().take_while(|column| column != "received_at").collect()
    }

    async fn texts(db: &impl ConnectionTrait, sql: String) -> Vec<String> {
        let rows =
            db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await.expect("rows");
        rows.iter().map(|row| row.try_get_by_index(0).expect("a text")).collect()
    }

    #[tokio::test]
    async fn postgres_searches_the_messages_to_an_own_address_without_passing_others_over() {
        let Some(db) = testkit::Db::postgres() else { return };
        let store = db.migrated().await;
        let request = serde_json::from_value(json!({ "sources": [ADDRESS] })).expect("a request");
        let list = list(&request);
        for view in plain_views() {
            let page =
                list::ids_of_page(list.ranges(view), Column::Id, &sorting(&request), 20, 10).expect("ranges");
            let searches = searches_of_postgres(&store, &page).await;
            assert_eq!(searches.len(), list.kinds.len(), "{view:?}");
            for (index, searched) in searches {
                assert!(index.starts_with("ix_message_to"), "{view:?} {index}");
                for column in columns_before_the_time(&store, &index).await {
                    assert!(searched.to_lowercase().contains(&column), "{view:?} {index} {searched}");
                }
            }
        }
    }

    #[tokio::test]
    async fn found_messages_are_looked_up_one_by_one() {
        let db = testkit::Db::sqlite();
        let store = db.migrated().await;
        let ids = [Uuid::now_v7(), Uuid::now_v7()];
        let readings = readings(&store, &list::by_ids(&ids).into_query()).await;
        assert_eq!(readings, ["SEARCH message USING INDEX sqlite_autoindex_message_1 (id=?)"]);
    }
}

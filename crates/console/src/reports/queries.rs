//! Reads reports in pieces, so that neither memory nor transaction time grows with the installation.

use super::types::ReportOrganization;
use crate::organizations::{queries::rows_of, search};
use accounts::{
    organization::open,
    people::{queries as people, types::UserStatus},
};
use platform::{
    App, Error, Result,
    csv::{Report, inert, time},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};
use std::collections::{BTreeSet, HashMap, VecDeque};
use store::entities::{
    app_user,
    document_source::{self, SourceKind},
    membership, organization, user_document_source,
};
use uuid::Uuid;

/// Number of rows in a piece.
pub const PIECE: u64 = 1_000;
/// Maximum number of individually chosen organizations of a report.
const CHOSEN_MAX: usize = 1_000;
/// Maximum number of results of a typeahead.
const CHOICES_MAX: u64 = 20;

/// Position in the order of ids.
#[derive(Default)]
pub struct Cursor {
    pub after: Uuid,
    pub is_at_end: bool,
}

impl Cursor {
    /// Continues after the ids of a piece; a piece that is not full is the last.
    pub fn pass(&mut self, ids: impl Iterator<Item = Uuid>) {
        let (mut count, mut last) = (0, self.after);
        for id in ids {
            (count, last) = (count + 1, id);
        }
        (self.after, self.is_at_end) = (last, count < PIECE);
    }
}

/// Names of organizations.
pub async fn names_of(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = Uuid>,
) -> Result<HashMap<Uuid, String>, Error> {
    let ids: BTreeSet<Uuid> = ids.into_iter().collect();
    let names = organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids))
        .select_only()
        .columns([organization::Column::Id, organization::Column::Name])
        .into_tuple::<(Uuid, String)>()
        .all(db)
        .await?;
    Ok(names.into_iter().collect())
}

pub fn yes(is_so: bool) -> String {
    if is_so { "Yes" } else { "No" }.into()
}

/// A line for each Direct address of existing organizations, oldest first.
#[derive(Default)]
pub struct DirectAddresses(Cursor);

const ADDRESS_COLUMNS: [&str; 5] = ["Organization ID", "Organization", "Subdomain", "Direct Address", "Name"];

fn address_line(of: &organization::Model, source: document_source::Model) -> [String; 5] {
    let (name, shown) = (inert(&of.name), inert(&source.display_name));
    [of.id.to_string(), name, of.sub_domain.clone(), source.address, shown]
}

impl Report<5> for DirectAddresses {
    const COLUMNS: [&'static str; 5] = ADDRESS_COLUMNS;

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 5]>>> {
        use document_source::Column;
        if self.0.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let sources = document_source::Entity::find()
            .filter(Column::Id.gt(self.0.after))
            .filter(Column::Kind.eq(SourceKind::Direct))
            .order_by_asc(Column::Id)
            .limit(PIECE)
            .all(db)
            .await?;
        self.0.pass(sources.iter().map(|s| s.id));
        let ids: BTreeSet<Uuid> = sources.iter().map(|s| s.organization_id).collect();
        let found = open().filter(organization::Column::Id.is_in(ids)).all(db).await?;
        let organizations: HashMap<Uuid, organization::Model> =
            found.into_iter().map(|o| (o.id, o)).collect();
        let line = |source: document_source::Model| {
            Some(address_line(organizations.get(&source.organization_id)?, source))
        };
        Ok(Some(sources.into_iter().filter_map(line).collect()))
    }
}

/// A line for each existing organization, oldest first.
#[derive(Default)]
pub struct Organizations(Cursor);

impl Report<13> for Organizations {
    const COLUMNS: [&'static str; 13] = [
        "Organization ID",
        "Organization",
        "Subdomain",
        "NPI",
        "City",
        "State",
        "Network",
        "Reseller",
        "Tier",
        "Activated",
        "Login Enabled",
        "Cancellation Pending",
        "Created",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 13]>>> {
        if self.0.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let rows = open().filter(organization::Column::Id.gt(self.0.after));
        let found = rows.order_by_asc(organization::Column::Id).limit(PIECE).all(db).await?;
        self.0.pass(found.iter().map(|o| o.id));
        let named = rows_of(db, found.clone()).await?;
        let line = |(o, named): (organization::Model, crate::organizations::types::OrganizationRow)| {
            [
                o.id.to_string(),
                inert(&o.name),
                o.sub_domain,
                inert(&o.npi),
                inert(&o.city),
                inert(&o.state),
                inert(&named.network_name.unwrap_or_default()),
                inert(&named.reseller_name.unwrap_or_default()),
                inert(&named.tier_code),
                yes(o.is_activated),
                yes(o.is_enabled),
                yes(o.is_pending_cancellation),
                time(o.created_at),
            ]
        };
        Ok(Some(found.into_iter().zip(named).map(line).collect()))
    }
}

/// A line for each user and each of their organizations, oldest first. Users without an organization have one line
/// too.
#[derive(Default)]
pub struct Users(Cursor);

impl Report<10> for Users {
    const COLUMNS: [&'static str; 10] = [
        "User ID",
        "Username",
        "First Name",
        "Last Name",
        "Organization ID",
        "Organization",
        "Role",
        "Job Function",
        "Status",
        "Created",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 10]>>> {
        if self.0.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let users = app_user::Entity::find().filter(app_user::Column::Id.gt(self.0.after));
        let users = users.order_by_asc(app_user::Column::Id).limit(PIECE).all(db).await?;
        self.0.pass(users.iter().map(|u| u.id));
        let ids: Vec<Uuid> = users.iter().map(|u| u.id).collect();
        let linked = people::linked(db, &ids).await?;
        let mut places = places_of(db, &ids).await?;
        let mut lines = Vec::new();
        for user in &users {
            let is_linked = linked.contains(&user.id);
            let places = places.remove(&user.id).unwrap_or_default();
            if places.is_empty() {
                lines.push(user_line(user, None, is_linked));
            }
            lines.extend(places.iter().map(|place| user_line(user, Some(place), is_linked)));
        }
        Ok(Some(lines))
    }
}

/// A user's membership, and the name of the organization.
type Place = (membership::Model, String);

/// The memberships of users in existing organizations.
async fn places_of(db: &impl ConnectionTrait, users: &[Uuid]) -> Result<HashMap<Uuid, Vec<Place>>, Error> {
    let memberships = membership::Entity::find()
        .filter(membership::Column::UserId.is_in(users.iter().copied()))
        .order_by_asc(membership::Column::OrganizationId)
        .all(db)
        .await?;
    let ids: BTreeSet<Uuid> = memberships.iter().map(|m| m.organization_id).collect();
    let open = open().filter(organization::Column::Id.is_in(ids)).all(db).await?;
    let names: HashMap<Uuid, String> = open.into_iter().map(|o| (o.id, o.name)).collect();
    let mut places: HashMap<Uuid, Vec<Place>> = HashMap::new();
    for membership in memberships {
        if let Some(name) = names.get(&membership.organization_id).cloned() {
            places.entry(membership.user_id).or_default().push((membership, name));
        }
    }
    Ok(places)
}

fn user_line(user: &app_user::Model, place: Option<&Place>, is_linked: bool) -> [String; 10] {
    let of_system = || match (&user.system_role, user.network_admin_of) {
        (Some(role), _) => role.clone(),
        (None, Some(_)) => "NetworkAdministrator".into(),
        (None, None) => String::new(),
    };
    let status = people::status_of(user, place.is_some_and(|(m, _)| m.is_disabled), is_linked);
    [
        user.id.to_string(),
        inert(&user.user_name),
        inert(&user.first_name),
        inert(&user.last_name),
        place.map(|(m, _)| m.organization_id.to_string()).unwrap_or_default(),
        place.map(|(_, name)| inert(name)).unwrap_or_default(),
        place.map(|(m, _)| m.role.clone()).unwrap_or_else(of_system),
        place.map(|(m, _)| inert(&m.job_function)).unwrap_or_default(),
        status_name(status).into(),
        time(user.created_at),
    ]
}

fn status_name(status: UserStatus) -> &'static str {
    match status {
        UserStatus::Active => "Active",
        UserStatus::Invited => "Invited",
        UserStatus::Disabled => "Disabled",
    }
}

/// The Direct addresses of organizations from which nobody may send.
pub struct Unassigned {
    organizations: VecDeque<organization::Model>,
    cursor: Cursor,
}

impl Unassigned {
    pub fn new(organizations: Vec<organization::Model>) -> Self {
        Self { organizations: organizations.into(), cursor: Cursor::default() }
    }
}

impl Report<5> for Unassigned {
    const COLUMNS: [&'static str; 5] = ADDRESS_COLUMNS;

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 5]>>> {
        let Some(of) = self.organizations.front() else { return Ok(None) };
        let sources = unassigned(of.id, self.cursor.after).all(app.store.db()).await?;
        self.cursor.pass(sources.iter().map(|s| s.id));
        let lines = sources.into_iter().map(|source| address_line(of, source)).collect();
        if self.cursor.is_at_end {
            self.organizations.pop_front();
            self.cursor = Cursor::default();
        }
        Ok(Some(lines))
    }
}

fn unassigned(organization_id: Uuid, after: Uuid) -> sea_orm::Select<document_source::Entity> {
    use document_source::Column;
    let link = Expr::col((user_document_source::Entity, user_document_source::Column::DocumentSourceId));
    let linked = Query::select()
        .expr(Expr::val(1))
        .from(user_document_source::Entity)
        .and_where(link.equals((document_source::Entity, Column::Id)))
        .to_owned();
    document_source::Entity::find()
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::Kind.eq(SourceKind::Direct))
        .filter(Column::Id.gt(after))
        .filter(Condition::all().add(Expr::exists(linked)).not())
        .order_by_asc(Column::Id)
        .limit(PIECE)
}

/// The organizations with these ids, all of which must exist.
pub async fn chosen(app: &App, ids: Vec<Uuid>) -> Result<Vec<organization::Model>> {
    let ids: BTreeSet<Uuid> = ids.into_iter().collect();
    if ids.is_empty() {
        return Err(Error::BadRequest("Please choose an organization.".into()));
    }
    if ids.len() > CHOSEN_MAX {
        return Err(Error::BadRequest("Please choose at most 1,000 organizations.".into()));
    }
    let wanted = ids.len();
    let found =
        open().filter(organization::Column::Id.is_in(ids)).order_by_asc(organization::Column::NameKey);
    let found = found.all(app.store.db()).await?;
    if found.len() == wanted { Ok(found) } else { Err(Error::NotFound) }
}

/// The first organizations by name with words that begin with a text.
pub async fn choices(app: &App, words: &str) -> Result<Vec<ReportOrganization>> {
    let db = app.store.db();
    let found = search::offered(db, words)
        .await?
        .order_by_asc(organization::Column::NameKey)
        .order_by_asc(organization::Column::Id)
        .limit(CHOICES_MAX)
        .all(db)
        .await?;
    Ok(found.into_iter().map(|o| ReportOrganization { id: o.id, name: o.name }).collect())
}

//! The list of all accounts.

use super::types::{AdminUserRow, AdminUserSort, ProofStatus, RoleType, SystemRole};
use accounts::people::{
    queries::{linked, status_of, with_second_step},
    rules::spellings,
    types::UserOrganization,
};
use platform::{
    App, Result,
    http::{Page, Paged},
    session::{ROLE_ADMINISTRATOR, ROLE_SYSADMIN, ROLE_USER},
    sql,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, Select,
    sea_query::{Expr, Func},
};
use std::collections::{HashMap, HashSet};
use store::entities::{app_user, membership, organization, proofing_document};
use uuid::Uuid;

/// The filters of the list.
pub struct Filter {
    /// Lower case. Each is the beginning of the user name, first name or last name.
    pub words: Vec<String>,
    pub deleted: bool,
    pub operators: bool,
}

pub async fn page(
    app: &App,
    filter: &Filter,
    sort: AdminUserSort,
    page: Page,
) -> Result<Paged<AdminUserRow>> {
    let db = app.store.db();
    let order = if sort.is_descending() { Order::Desc } else { Order::Asc };
    let found = sql::page(db, filtered(db, filter), &[(app_user::Column::UserNameKey, order)], page).await?;
    let Paged { items, total_count, total_is_capped } = found;
    Ok(Paged { items: rows_of(db, items).await?, total_count, total_is_capped })
}

fn filtered(db: &impl ConnectionTrait, filter: &Filter) -> Select<app_user::Entity> {
    use app_user::Column;
    let mut rows = app_user::Entity::find();
    if !filter.deleted {
        rows = rows.filter(Column::DeletedAt.is_null());
    }
    if filter.operators {
        rows = rows.filter(Column::SystemRole.is_not_null());
    }
    for word in &filter.words {
        let mut begins = sql::begins_with(db, Column::UserNameKey, word);
        for spelling in spellings(word) {
            for column in [Column::FirstName, Column::LastName] {
                let name = Expr::expr(Func::lower(Expr::col((app_user::Entity, column))));
                begins = Condition::any().add(begins).add(sql::expression_begins_with(db, name, &spelling));
            }
        }
        rows = rows.filter(begins);
    }
    rows
}

/// The rows of the list, in the order of `users`.
pub async fn rows_of(db: &impl ConnectionTrait, users: Vec<app_user::Model>) -> Result<Vec<AdminUserRow>> {
    let ids: Vec<Uuid> = users.iter().map(|user| user.id).collect();
    let (protected, linked) = (with_second_step(db, &ids).await?, linked(db, &ids).await?);
    let mut places = places(db, &ids).await?;
    let waiting = waiting(db, &ids).await?;
    let row = |user: app_user::Model| {
        let places = places.remove(&user.id).unwrap_or_default();
        let is_org_admin = places.iter().any(Place::is_administered);
        AdminUserRow {
            role_type: if user.system_role.is_some() { RoleType::System } else { RoleType::Organization },
            system_role: user.system_role.as_deref().and_then(SystemRole::of),
            role_name: match &user.system_role {
                Some(role) => role.clone(),
                None if is_org_admin => ROLE_ADMINISTRATOR.into(),
                None => ROLE_USER.into(),
            },
            id_proof_status: proof_status(&places, waiting.contains(&user.id)),
            organizations: places.into_iter().map(Place::shown).collect(),
            is_sys_admin: user.system_role.as_deref() == Some(ROLE_SYSADMIN),
            is_org_admin,
            is_network_admin: user.network_admin_of.is_some(),
            status: status_of(&user, false, linked.contains(&user.id)),
            is_disabled: user.is_disabled,
            disabled_date_time: user.disabled_at,
            deleted_date_time: user.deleted_at,
            two_factor_enabled: protected.contains(&user.id),
            version: user.version,
            id: user.id,
            user_name: user.user_name,
            first_name: user.first_name,
            last_name: user.last_name,
            email: user.email,
        }
    };
    Ok(users.into_iter().map(row).collect())
}

/// `Passed` only if it is passed in every organization that the user administers.
fn proof_status(places: &[Place], waits: bool) -> Option<ProofStatus> {
    let mut administered = places.iter().filter(|place| place.is_administered()).peekable();
    administered.peek()?;
    Some(if waits {
        ProofStatus::UnderReview
    } else if administered.all(|place| place.organization.id_proofed_at.is_some()) {
        ProofStatus::Passed
    } else {
        ProofStatus::NotPassed
    })
}

struct Place {
    membership: membership::Model,
    organization: organization::Model,
}

impl Place {
    fn is_administered(&self) -> bool {
        self.membership.role == ROLE_ADMINISTRATOR
    }

    fn shown(self) -> UserOrganization {
        UserOrganization::of(self.organization, self.membership)
    }
}

/// The memberships of users with their organizations, sorted by name.
async fn places(db: &impl ConnectionTrait, users: &[Uuid]) -> Result<HashMap<Uuid, Vec<Place>>> {
    let memberships = membership::Entity::find()
        .filter(membership::Column::UserId.is_in(users.iter().copied()))
        .all(db)
        .await?;
    let ids: HashSet<Uuid> = memberships.iter().map(|place| place.organization_id).collect();
    let organizations: HashMap<Uuid, organization::Model> = organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids))
        .filter(organization::Column::DeletedAt.is_null())
        .order_by_asc(organization::Column::NameKey)
        .all(db)
        .await?
        .into_iter()
        .map(|organization| (organization.id, organization))
        .collect();
    let mut places: HashMap<Uuid, Vec<Place>> = HashMap::new();
    for membership in memberships {
        if let Some(organization) = organizations.get(&membership.organization_id) {
            let place = Place { organization: organization.clone(), membership };
            places.entry(place.membership.user_id).or_default().push(place);
        }
    }
    for list in places.values_mut() {
        list.sort_by(|a, b| a.organization.name_key.cmp(&b.organization.name_key));
    }
    Ok(places)
}

/// The users whose photo ID is waiting for a decision.
async fn waiting(db: &impl ConnectionTrait, users: &[Uuid]) -> Result<HashSet<Uuid>> {
    let found = proofing_document::Entity::find()
        .filter(proofing_document::Column::UserId.is_in(users.iter().copied()))
        .filter(proofing_document::Column::Decision.is_null())
        .all(db)
        .await?;
    Ok(found.into_iter().map(|document| document.user_id).collect())
}

//! Counts of the dashboard, each over ranges of an index.

use super::types::{Dashboard, DayOfTraffic, UserCounts};
use accounts::{
    people::{queries::number_with, types::UserStatus},
    plan::named,
};
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use platform::{App, Error, Member, Result, http::COUNT_CAP, sql::capped_count};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use store::{
    entities::{message, organization},
    tenant::Tenant,
};

/// `message.direction`.
const INTAKE: i16 = 0;
const RELEASE: i16 = 1;

/// The dashboard of the last `days` days, on a clock that is `offset` minutes ahead of UTC.
pub async fn dashboard(app: &App, member: &Member, days: u32, offset: i32) -> Result<Dashboard> {
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(member.organization_id).one(db).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    let offset = Duration::minutes(offset.into());
    let today = (app.clock.now() + offset).date_naive();
    let mut traffic = Vec::new();
    for back in (0..days).rev() {
        let date = today - Duration::days(back.into());
        traffic.push(day(db, &member.tenant(), date, offset).await?);
    }
    let plan = named(db, organization.plan_id).await?;
    let users = UserCounts {
        active: number_with(db, &member.tenant(), UserStatus::Active).await?,
        invited: number_with(db, &member.tenant(), UserStatus::Invited).await?,
        disabled: number_with(db, &member.tenant(), UserStatus::Disabled).await?,
        allowed_users: plan.allowed_users,
    };
    Ok(Dashboard {
        traffic,
        users,
        terms_accepted_date: organization.eula_accepted_at,
        id_proofed_date: organization.id_proofed_at,
        is_activated: organization.is_activated,
    })
}

async fn day(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    date: NaiveDate,
    offset: Duration,
) -> Result<DayOfTraffic> {
    let begins = date.and_time(NaiveTime::MIN).and_utc() - offset;
    let received = messages(db, tenant, INTAKE, begins).await?;
    let sent = messages(db, tenant, RELEASE, begins).await?;
    Ok(DayOfTraffic { date, received, sent })
}

/// Number of messages received or sent within a day.
async fn messages(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    direction: i16,
    begins: DateTime<Utc>,
) -> Result<u64> {
    let rows = tenant
        .messages()
        .filter(message::Column::Direction.eq(direction))
        .filter(message::Column::IsDraft.eq(false))
        .filter(message::Column::ReceivedAt.gte(begins))
        .filter(message::Column::ReceivedAt.lt(begins + Duration::days(1)));
    Ok(capped_count(db, rows).await?.min(COUNT_CAP))
}

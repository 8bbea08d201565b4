//! The daily e-mail to administrators about what rules filed. It has numbers only.

use super::queries::{Span, filed_in, left_in};
use crate::fax::settings::FaxSettings;
use accounts::{person, profile::own::preferences_of};
use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use email::{Email, Prepared};
use platform::{App, Result, bus::Event, chores, session::ROLE_ADMINISTRATOR};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    QueryTrait, sea_query::LockType,
};
use serde::Serialize;
use std::{collections::BTreeSet, time};
use store::entities::{
    app_user, chart_filing, chart_filing::FilingState, filing_digest, filing_refusal, membership,
    organization,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const PERIOD: time::Duration = time::Duration::from_secs(600);
/// Hour from which the day before is told, in the organization's time zone.
const HOUR: u32 = 6;
/// Most administrators who are told.
const TOLD_MAX: u64 = 50;

/// Tells what rules filed.
#[derive(Serialize)]
struct FiledByRules {
    first_name: String,
    organization: String,
    /// `12 documents were filed by rules yesterday, 1 could not be.`
    what: String,
    #[serde(skip)]
    day: NaiveDate,
}

impl Email for FiledByRules {
    const TEMPLATE: &'static str = "filed_by_rules";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Open the list", format!("/intake/filedbyrule?day={}", self.day)))
    }
}

/// Runs every ten minutes until the node stops.
pub async fn tell_forever(app: App, cancel: CancellationToken) {
    chores::every(PERIOD, PERIOD, cancel, "e-mails about filing rules", || tell_due(&app)).await;
}

/// Tells each organization about the day before, once. Two nodes may do so at the same time.
pub async fn tell_due(app: &App) -> Result<()> {
    if !email::is_available(app) {
        return Ok(());
    }
    for organization_id in with_filings(app).await? {
        // A failure must not hold up the others.
        if let Err(error) = tell(app, organization_id).await {
            tracing::error!(organization = %organization_id, ?error, "an e-mail about filing rules failed");
        }
    }
    Ok(())
}

/// Organizations whose rules filed, or left something to people, since yesterday in any time zone.
async fn with_filings(app: &App) -> Result<BTreeSet<Uuid>> {
    let (db, since) = (app.store.db(), app.clock.now() - Duration::hours(50));
    let filed: Vec<Uuid> = chart_filing::Entity::find()
        .select_only()
        .distinct()
        .column(chart_filing::Column::OrganizationId)
        .filter(chart_filing::Column::RuleId.is_not_null())
        .filter(chart_filing::Column::CreatedAt.gte(since))
        .into_tuple()
        .all(db)
        .await?;
    let left: Vec<Uuid> = filing_refusal::Entity::find()
        .select_only()
        .distinct()
        .column(filing_refusal::Column::OrganizationId)
        .filter(filing_refusal::Column::At.gte(since))
        .into_tuple()
        .all(db)
        .await?;
    Ok(filed.into_iter().chain(left).collect())
}

/// Yesterday of an organization: its date, and from when to when it was. None before the hour of the e-mail.
fn yesterday(settings: &FaxSettings, now: DateTime<Utc>) -> Option<(NaiveDate, Span)> {
    let local = now.with_timezone(&settings.zone());
    let today = settings.day_of(now);
    let before = settings.day_of(today - Duration::minutes(1));
    let day = local.date_naive().pred_opt()?;
    (local.hour() >= HOUR).then_some((day, (before, today)))
}

async fn tell(app: &App, organization_id: Uuid) -> Result<()> {
    let db = app.store.db();
    let settings = FaxSettings::of(db, organization_id).await?;
    let Some((day, span)) = yesterday(&settings, app.clock.now()) else { return Ok(()) };
    if filing_digest::Entity::find_by_id((organization_id, day)).one(db).await?.is_some() {
        return Ok(());
    }
    let filed = filed_in(organization_id, span);
    let failed = filed.clone().filter(chart_filing::Column::State.eq(FilingState::Failed)).count(db).await?;
    let filed = filed.count(db).await? - failed;
    let left = left_in(organization_id, span).count(db).await?;
    if filed + failed + left == 0 {
        return Ok(());
    }
    let mails = mails(app, organization_id, &words(filed, failed, left), day).await?;
    let txn = app.store.begin().await?;
    organization::Entity::find_by_id(organization_id).lock(LockType::NoKeyUpdate).one(&txn).await?;
    if filing_digest::Entity::find_by_id((organization_id, day)).one(&txn).await?.is_some() {
        return Ok(());
    }
    filing_digest::ActiveModel { organization_id: Set(organization_id), day: Set(day) }.insert(&txn).await?;
    for mail in mails {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// The numbers of a day in words.
fn words(filed: u64, failed: u64, left: u64) -> String {
    let were = |n: u64, noun: &str| match n {
        1 => format!("1 {noun} was"),
        n => format!("{n} {noun}s were"),
    };
    let mut words = Vec::new();
    if filed + failed > 0 {
        let failed = if failed > 0 { format!(", {failed} could not be") } else { String::new() };
        words.push(format!("{} filed by rules yesterday{failed}.", were(filed, "document")));
    }
    if left > 0 {
        words.push(format!("{} left to people.", were(left, "message")));
    }
    words.join(" ")
}

/// The e-mails to the administrators who did not switch them off.
async fn mails(app: &App, organization_id: Uuid, what: &str, day: NaiveDate) -> Result<Vec<Prepared>> {
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(organization_id).one(db).await?;
    let is_open = |of: &organization::Model| of.is_enabled && of.deleted_at.is_none() && !of.is_cancelled;
    let Some(organization) = organization.filter(is_open) else { return Ok(Vec::new()) };
    let administrators = membership::Entity::find()
        .select_only()
        .column(membership::Column::UserId)
        .filter(membership::Column::OrganizationId.eq(organization_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .filter(membership::Column::Role.eq(ROLE_ADMINISTRATOR));
    let people = app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(administrators.into_query()))
        .filter(app_user::Column::IsDisabled.eq(false))
        .limit(TOLD_MAX)
        .all(db)
        .await?;
    let mut mails = Vec::new();
    for user in people {
        let Some(to) = person::recipient(&user) else { continue };
        if !preferences_of(&user)?.email_filed_by_rule {
            continue;
        }
        let notice = FiledByRules {
            first_name: user.first_name,
            organization: organization.name.clone(),
            what: what.to_owned(),
            day,
        };
        mails.push(email::prepare(app, organization_id, to, &notice).await?);
    }
    Ok(mails)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_numbers_of_a_day_are_said_in_words() {
        assert_eq!(words(12, 1, 0), "12 documents were filed by rules yesterday, 1 could not be.");
        assert_eq!(
            words(1, 0, 2),
            "1 document was filed by rules yesterday. 2 messages were left to people."
        );
        assert_eq!(words(0, 0, 1), "1 message was left to people.");
    }
}

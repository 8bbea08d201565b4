//! Fax settings of an organization: limits, retries, and the location of its lines.

pub mod http;

use chrono::{DateTime, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use fax::{FaxNumber, Home, Retries};
use platform::{Error, Result, fields::FieldErrors};
use sea_orm::{ConnectionTrait, EntityTrait};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::entities::fax_setting;
use utoipa::ToSchema;
use uuid::Uuid;

const BLOCKED_MAX: usize = 500;

/// The settings of an organization. Absent fields are unlimited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FaxSettings {
    /// IANA name; for times on pages, quiet hours, and the beginning of a day.
    pub time_zone: String,
    /// Three digits, added to numbers without an area code.
    pub area_code: Option<String>,
    /// Maximum number of pages from midnight to midnight.
    pub pages_per_day: Option<u32>,
    /// Cost of a page, in cents.
    pub cents_per_page: Option<u32>,
    /// Maximum cost from midnight to midnight, in cents.
    pub cents_per_day: Option<u32>,
    /// Maximum number of simultaneous calls per number.
    pub calls_per_line: u32,
    /// Beginning of quiet hours, during which nothing is sent until `quietUntil`.
    #[schema(value_type = Option<String>)]
    pub quiet_from: Option<NaiveTime>,
    #[schema(value_type = Option<String>)]
    pub quiet_until: Option<NaiveTime>,
    /// Numbers to which nothing is sent.
    pub blocked_numbers: Vec<String>,
    /// Minutes before the second, third … call; the last value is repeated.
    pub retry_minutes: Vec<u32>,
    /// Maximum number of calls per fax.
    pub most_calls: u32,
    /// Number of changes. A change based on another version is refused.
    pub version: Option<u32>,
}

impl Default for FaxSettings {
    fn default() -> Self {
        Self {
            time_zone: "America/New_York".into(),
            area_code: None,
            pages_per_day: None,
            cents_per_page: None,
            cents_per_day: None,
            calls_per_line: 1,
            quiet_from: None,
            quiet_until: None,
            blocked_numbers: Vec::new(),
            retry_minutes: vec![3, 6, 12],
            most_calls: 4,
            version: None,
        }
    }
}

impl FaxSettings {
    pub async fn of(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<Self> {
        let row = fax_setting::Entity::find_by_id(organization_id).one(db).await?;
        Self::read(row)
    }

    fn read(row: Option<fax_setting::Model>) -> Result<Self> {
        let kept: Self = match row {
            None => Self::default(),
            Some(row) => serde_json::from_value(row.value)
                .map_err(|_| Error::internal("fax settings cannot be read"))?,
        };
        Ok(Self { version: Some(kept.version.unwrap_or_default()), ..kept })
    }

    pub fn home(&self) -> Home {
        Home { area: self.area_code.clone(), ..Home::default() }
    }

    pub fn zone(&self) -> Tz {
        self.time_zone.parse().unwrap_or(Tz::UTC)
    }

    pub fn retries(&self) -> Retries {
        let pauses = self.retry_minutes.iter().map(|m| Duration::from_secs(u64::from(*m) * 60)).collect();
        Retries { pauses, most_dials: self.most_calls }
    }

    pub fn is_blocked(&self, number: &FaxNumber) -> bool {
        let plain = number.without_extension().to_string();
        self.blocked_numbers.contains(&plain)
    }

    /// Maximum number of pages per day, by number or cost.
    pub fn day_limit(&self) -> Option<u32> {
        let by_cost =
            self.cents_per_day.zip(self.cents_per_page.filter(|c| *c > 0)).map(|(all, one)| all / one);
        [self.pages_per_day, by_cost].into_iter().flatten().min()
    }

    /// Beginning of the day of a moment, in the organization's time zone.
    pub fn day_of(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.moment(now.with_timezone(&self.zone()).date_naive(), NaiveTime::MIN)
    }

    /// Beginning of the next day.
    pub fn tomorrow(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&self.zone()).date_naive();
        self.moment(today.succ_opt().unwrap_or(today), NaiveTime::MIN)
    }

    /// End of the present quiet hours; `None` outside of them.
    pub fn quiet_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let (from, until) = (self.quiet_from?, self.quiet_until?);
        let local = now.with_timezone(&self.zone());
        let (today, time) = (local.date_naive(), local.time());
        let tomorrow = today.succ_opt()?;
        match (from <= until, time >= from, time < until) {
            (true, true, true) | (false, false, true) => Some(self.moment(today, until)),
            (false, true, _) => Some(self.moment(tomorrow, until)),
            _ => None,
        }
    }

    fn moment(&self, day: chrono::NaiveDate, time: NaiveTime) -> DateTime<Utc> {
        let local = day.and_time(time);
        // A time that is skipped when clocks are put forward does not exist; then it is an hour later.
        let zone = self.zone();
        let found = zone.from_local_datetime(&local).earliest();
        let found =
            found.or_else(|| zone.from_local_datetime(&(local + chrono::Duration::hours(1))).earliest());
        found.map_or_else(|| local.and_utc(), |t| t.with_timezone(&Utc))
    }

    /// The settings in stored form, or their errors.
    pub fn checked(mut self) -> Result<Self> {
        let mut errors = FieldErrors::default();
        errors.require(self.time_zone.parse::<Tz>().is_ok(), "timeZone", "This time zone does not exist.");
        let is_code = |code: &str| code.len() == 3 && code.bytes().all(|b| b.is_ascii_digit());
        self.area_code = self.area_code.map(|c| c.trim().to_owned()).filter(|c| !c.is_empty());
        let area = self.area_code.as_deref().is_none_or(is_code);
        errors.require(area, "areaCode", "An area code has three digits.");
        let lines = (1..=100).contains(&self.calls_per_line);
        errors.require(lines, "callsPerLine", "A line can make 1 to 100 calls at the same time.");
        let calls = (1..=20).contains(&self.most_calls);
        errors.require(calls, "mostCalls", "Enter 1 to 20 attempts.");
        let pauses =
            self.retry_minutes.len() <= 10 && self.retry_minutes.iter().all(|m| (1..=1440).contains(m));
        errors.require(pauses, "retryMinutes", "Each pause must be 1 to 1440 minutes.");
        let quiet = self.quiet_from.is_some() == self.quiet_until.is_some()
            && (self.quiet_from.is_none() || self.quiet_from != self.quiet_until);
        errors.require(quiet, "quietUntil", "Quiet hours need a beginning and a different end.");
        let home = self.home();
        let blocked = self.blocked_numbers.iter().filter(|n| !n.trim().is_empty()).map(|number| {
            let parsed = FaxNumber::parse(number, &home).map(|n| n.without_extension().to_string());
            parsed.map_err(|error| format!("{number}: {error}"))
        });
        let (mut numbers, mut wrong) = (Vec::new(), Vec::new());
        blocked.for_each(|b| b.map_or_else(|e| wrong.push(e), |n| numbers.push(n)));
        wrong.into_iter().for_each(|text| errors.add("blockedNumbers", text));
        numbers.sort();
        numbers.dedup();
        errors.require(numbers.len() <= BLOCKED_MAX, "blockedNumbers", "At most 500 numbers can be blocked.");
        self.blocked_numbers = numbers;
        if errors.is_empty() { Ok(self) } else { Err(Error::Invalid(errors)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    fn quiet(from: &str, until: &str) -> FaxSettings {
        let time = |text: &str| Some(text.parse().expect("a time of day"));
        FaxSettings { quiet_from: time(from), quiet_until: time(until), ..FaxSettings::default() }
    }

    #[test]
    fn quiet_hours_may_go_over_midnight_and_follow_the_clock_on_the_wall() {
        let night = quiet("22:00:00", "06:00:00");
        // New York is five hours behind in winter and four in summer.
        assert_eq!(night.quiet_until(at("2026-11-21T04:00:00Z")), Some(at("2026-11-21T11:00:00Z")));
        assert_eq!(night.quiet_until(at("2026-07-21T03:00:00Z")), Some(at("2026-07-21T10:00:00Z")));
        assert_eq!(night.quiet_until(at("2026-11-21T08:00:00Z")), Some(at("2026-11-21T11:00:00Z")));
        assert_eq!(night.quiet_until(at("2026-11-21T12:00:00Z")), None);
        let noon = quiet("12:00:00", "13:00:00");
        assert_eq!(noon.quiet_until(at("2026-11-21T17:30:00Z")), Some(at("2026-11-21T18:00:00Z")));
        assert_eq!(noon.quiet_until(at("2026-11-21T18:00:00Z")), None);
    }

    #[test]
    fn a_day_begins_at_midnight_where_the_organization_is() {
        let settings = FaxSettings::default();
        assert_eq!(settings.day_of(at("2026-11-21T03:00:00Z")), at("2026-11-20T05:00:00Z"));
        assert_eq!(settings.tomorrow(at("2026-11-21T03:00:00Z")), at("2026-11-21T05:00:00Z"));
    }

    #[test]
    fn the_smaller_of_pages_and_cost_limits_a_day() {
        let limits = |pages, cents| FaxSettings {
            pages_per_day: pages,
            cents_per_day: cents,
            cents_per_page: Some(7),
            ..FaxSettings::default()
        };
        assert_eq!(limits(Some(100), Some(350)).day_limit(), Some(50));
        assert_eq!(limits(Some(20), Some(350)).day_limit(), Some(20));
        assert_eq!(limits(None, None).day_limit(), None);
    }
}

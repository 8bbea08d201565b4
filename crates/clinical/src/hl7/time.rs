//! Times of HL7 v2 (TS, DTM: `YYYY[MM[DD[HH[MM[SS[.S[S[S[S]]]]]]]]][+/-ZZZZ]`; HL7 v2.5.1, 2.A.21).

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Offset, Utc};

/// How much of a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// What is not written is the first of its kind: January, the first, midnight. Fractions of a second are left out.
    pub local: NaiveDateTime,
    pub precision: Precision,
    /// `None` if the time has none, or one that cannot be read: it is local to the sender.
    pub offset: Option<FixedOffset>,
}

impl Time {
    /// Parses a time; `None` if it is none, or no year.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (written, zone) = text.split_at(text.find(['+', '-']).unwrap_or(text.len()));
        let digits = written.split('.').next().unwrap_or_default();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let precision = match digits.len() {
            4 => Precision::Year,
            6 => Precision::Month,
            8 => Precision::Day,
            10 => Precision::Hour,
            12 => Precision::Minute,
            14.. => Precision::Second,
            _ => return None,
        };
        let number = |from: usize| digits.get(from..from + 2).and_then(|two| two.parse::<u32>().ok());
        let date = NaiveDate::from_ymd_opt(
            digits.get(..4)?.parse().ok()?,
            number(4).unwrap_or(1),
            number(6).unwrap_or(1),
        )?;
        let [hour, minute, second] = [8, 10, 12].map(|from| number(from).unwrap_or_default());
        Some(Self { local: date.and_hms_opt(hour, minute, second)?, precision, offset: offset(zone) })
    }

    /// The day; `None` if only a month or a year is written.
    pub fn day(&self) -> Option<NaiveDate> {
        (self.precision >= Precision::Day).then(|| self.local.date())
    }

    /// Whether a time of the day is written.
    pub fn has_hour(&self) -> bool {
        self.precision > Precision::Day
    }

    /// The point in time; `None` without an offset or a day.
    pub fn utc(&self) -> Option<DateTime<Utc>> {
        self.at(self.offset?)
    }

    /// The point in time, in UTC unless it has an offset; `None` without a day.
    pub fn or_utc(&self) -> Option<DateTime<Utc>> {
        self.at(self.offset.unwrap_or(Utc.fix()))
    }

    fn at(&self, offset: FixedOffset) -> Option<DateTime<Utc>> {
        self.day()?;
        Some(self.local.and_local_timezone(offset).single()?.to_utc())
    }
}

/// `+ZZZZ`, also as `+ZZ` and `+ZZ:ZZ`.
fn offset(zone: &str) -> Option<FixedOffset> {
    let (sign, rest) = zone.split_at_checked(1)?;
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    let is_number = matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = |from: usize| digits.get(from..from + 2).map_or(Some(0), |two| two.parse::<i32>().ok());
    let seconds = number(0).filter(|_| is_number)? * 3600 + number(2)? * 60;
    FixedOffset::east_opt(if sign == "-" { -seconds } else { seconds })
}

/// Parses the day of a time, whatever is behind it; `None` if it is less precise than a day.
pub fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.get(..8)?, "%Y%m%d").ok()
}

/// `YYYYMMDDHHMMSS` in UTC, as ebRIM has its times, too.
pub fn written(at: DateTime<Utc>) -> String {
    at.format("%Y%m%d%H%M%S").to_string()
}

/// `YYYYMMDDHHMMSS+0000`
pub fn written_with_offset(at: DateTime<Utc>) -> String {
    at.format("%Y%m%d%H%M%S+0000").to_string()
}

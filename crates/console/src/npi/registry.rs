//! The port to a registry of National Provider Identifiers, and its embedded member.

use async_trait::async_trait;
use platform::{App, Result, config::Mode};
use serde::Serialize;
use utoipa::ToSchema;

/// What a registry knows about one NPI.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NpiResult {
    pub number: String,
    pub basic: NpiBasic,
    pub addresses: Vec<NpiAddress>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NpiBasic {
    pub name: String,
    pub organization_name: String,
    pub authorized_official_first_name: String,
    pub authorized_official_middle_name: String,
    pub authorized_official_last_name: String,
    /// `YES` or `NO`
    pub organizational_subpart: String,
    pub authorized_official_telephone_number: String,
    /// `A` for active
    pub status: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NpiAddress {
    #[serde(rename = "address_1")]
    pub address_1: String,
    #[serde(rename = "address_2")]
    pub address_2: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
}

/// A registry of National Provider Identifiers.
#[async_trait]
pub trait NpiRegistry: Send + Sync {
    /// What is known about a number of 10 digits; empty when nothing is.
    async fn find(&self, number: &str) -> Result<Vec<NpiResult>>;
}

/// The registry of this installation. The embedded one holds invented entries, so only a demo may show it.
pub fn member(app: &App) -> Option<&'static dyn NpiRegistry> {
    (app.config.mode == Mode::Demo).then_some(&Embedded as &dyn NpiRegistry)
}

/// Invented entries. Apart from the well-known example 1234567893, the numbers begin with 200, which is not assigned.
pub struct Embedded;

struct Entry {
    number: &'static str,
    name: &'static str,
    /// First, middle and last name, telephone.
    official: [&'static str; 4],
    is_subpart: bool,
    /// Two lines, city, state, postal code.
    addresses: &'static [[&'static str; 5]],
}

const ENTRIES: &[Entry] = &[
    Entry {
        number: "1234567893",
        name: "LARKFIELD FAMILY MEDICINE",
        official: ["DANA", "R", "WHITLOCK", "5035550142"],
        is_subpart: false,
        addresses: &[
            ["418 ORCHARD LANE", "SUITE 2", "PORTLAND", "OR", "972010418"],
            ["PO BOX 1180", "", "PORTLAND", "OR", "972081180"],
        ],
    },
    Entry {
        number: "2001405010",
        name: "SUMMIT ORTHOPEDICS",
        official: ["SAMUEL", "", "OKAFOR", "3035550188"],
        is_subpart: false,
        addresses: &[["77 GRANITE WAY", "", "DENVER", "CO", "802020077"]],
    },
    Entry {
        number: "2002551028",
        name: "BAYLINE IMAGING",
        official: ["NIA", "C", "MARCHETTI", "4155550119"],
        is_subpart: false,
        addresses: &[["2200 HARBOR STREET", "FLOOR 3", "SAN FRANCISCO", "CA", "941110220"]],
    },
    Entry {
        number: "2003672039",
        name: "SUMMIT ORTHOPEDICS REHABILITATION",
        official: ["SAMUEL", "", "OKAFOR", "3035550191"],
        is_subpart: true,
        addresses: &[["79 GRANITE WAY", "", "DENVER", "CO", "802020079"]],
    },
    Entry {
        number: "2004893048",
        name: "WILLOWMERE HOME HEALTH",
        official: ["INGRID", "L", "BECKETT", "6125550177"],
        is_subpart: false,
        addresses: &[],
    },
];

#[async_trait]
impl NpiRegistry for Embedded {
    async fn find(&self, number: &str) -> Result<Vec<NpiResult>> {
        Ok(ENTRIES.iter().filter(|e| e.number == number).map(NpiResult::from).collect())
    }
}

impl From<&Entry> for NpiResult {
    fn from(entry: &Entry) -> Self {
        let [first, middle, last, telephone] = entry.official.map(String::from);
        let basic = NpiBasic {
            name: entry.name.into(),
            organization_name: entry.name.into(),
            authorized_official_first_name: first,
            authorized_official_middle_name: middle,
            authorized_official_last_name: last,
            organizational_subpart: if entry.is_subpart { "YES" } else { "NO" }.into(),
            authorized_official_telephone_number: telephone,
            status: "A".into(),
        };
        let addresses = entry.addresses.iter().map(|a| NpiAddress::from(a.map(String::from))).collect();
        Self { number: entry.number.into(), basic, addresses }
    }
}

impl From<[String; 5]> for NpiAddress {
    fn from([address_1, address_2, city, state, postal_code]: [String; 5]) -> Self {
        Self { address_1, address_2, city, state, postal_code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_number_is_a_valid_npi() {
        for entry in ENTRIES {
            assert!(platform::fields::is_npi(entry.number), "{}", entry.number);
        }
    }

    #[tokio::test]
    async fn a_number_is_found_exactly_or_not_at_all() {
        let found = Embedded.find("2001405010").await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].number, "2001405010");
        assert!(Embedded.find("2001405").await.unwrap().is_empty());
    }
}

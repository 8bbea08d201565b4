//! Registries of National Provider Identifiers: the imported list, the NPPES service, and the embedded one for
//! demonstrations.

use crate::outside::Outside;
use async_trait::async_trait;
use directory::import;
use platform::{App, Error, Result, config::Mode};
use serde::{Deserialize, Serialize};
use store::entities::directory_entry;
use url::Url;
use utoipa::ToSchema;

pub const NOT_CONFIGURED: &str = "No registry of provider identifiers is connected here. Import the list of the \
    registry, or set npi.registry_url.";

/// Entry of an NPI in a registry.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NpiResult {
    pub number: String,
    pub basic: NpiBasic,
    pub addresses: Vec<NpiAddress>,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
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
    /// The entries for a number of 10 digits; empty if there are none.
    async fn find(&self, number: &str) -> Result<Vec<NpiResult>>;
}

/// Looks up a number of 10 digits: in the imported list, else with the configured service. Without either,
/// demonstrations have invented entries.
///
/// # Errors
/// 409 when there is no registry, or the service cannot be reached.
pub async fn find(app: &App, number: &str) -> Result<Vec<NpiResult>> {
    let db = app.store.db();
    if let Some(entry) = import::provider(db, number).await? {
        return Ok(vec![imported(entry)]);
    }
    if let Some(url) = app.config.npi.registry_url.clone() {
        return Nppes { outside: Outside::new("The registry of provider identifiers")?, url }
            .find(number)
            .await;
    }
    match app.config.mode {
        Mode::Demo => Embedded.find(number).await,
        Mode::Production if import::has_registry(db).await? => Ok(Vec::new()),
        Mode::Production => Err(Error::Conflict(NOT_CONFIGURED.into())),
    }
}

/// Name of a provider: of the person, or else of the organization.
fn name_of(person: [&str; 3], organization: &str) -> String {
    let person = person.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if person.is_empty() { organization.to_owned() } else { person }
}

/// An entry of the imported list, which has no deactivated providers.
fn imported(entry: directory_entry::Model) -> NpiResult {
    let name = name_of([&entry.first_name, &entry.middle_name, &entry.last_name], &entry.organization_name);
    let address = NpiAddress {
        address_1: entry.address_line,
        address_2: String::new(),
        city: entry.city,
        state: entry.state,
        postal_code: entry.zip,
    };
    let has_address = !address.address_1.is_empty() || !address.city.is_empty();
    NpiResult {
        number: entry.source_key,
        basic: NpiBasic {
            name,
            organization_name: entry.organization_name,
            status: "A".into(),
            ..NpiBasic::default()
        },
        addresses: if has_address { vec![address] } else { Vec::new() },
    }
}

/// The NPPES API, version 2.1 (<https://npiregistry.cms.hhs.gov/api-page>).
struct Nppes {
    outside: Outside,
    url: Url,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    results: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    number: Text,
    #[serde(default)]
    basic: Basic,
    #[serde(default)]
    addresses: Vec<Address>,
}

/// Older answers have numbers instead of texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Text(String),
    Number(u64),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Basic {
    organization_name: String,
    first_name: String,
    middle_name: String,
    last_name: String,
    authorized_official_first_name: String,
    authorized_official_middle_name: String,
    authorized_official_last_name: String,
    authorized_official_telephone_number: String,
    organizational_subpart: String,
    status: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Address {
    address_1: String,
    address_2: String,
    city: String,
    state: String,
    postal_code: String,
}

impl From<Known> for NpiResult {
    fn from(known: Known) -> Self {
        let Known { number, basic, addresses } = known;
        let name =
            name_of([&basic.first_name, &basic.middle_name, &basic.last_name], &basic.organization_name);
        Self {
            number: match number {
                Text::Text(text) => text,
                Text::Number(number) => number.to_string(),
            },
            basic: NpiBasic {
                name,
                organization_name: basic.organization_name,
                authorized_official_first_name: basic.authorized_official_first_name,
                authorized_official_middle_name: basic.authorized_official_middle_name,
                authorized_official_last_name: basic.authorized_official_last_name,
                organizational_subpart: basic.organizational_subpart,
                authorized_official_telephone_number: basic.authorized_official_telephone_number,
                status: basic.status,
            },
            addresses: addresses
                .into_iter()
                .map(|Address { address_1, address_2, city, state, postal_code }| NpiAddress {
                    address_1,
                    address_2,
                    city,
                    state,
                    postal_code,
                })
                .collect(),
        }
    }
}

#[async_trait]
impl NpiRegistry for Nppes {
    async fn find(&self, number: &str) -> Result<Vec<NpiResult>> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("version", "2.1").append_pair("number", number);
        let answer = self.outside.send(self.outside.client.get(url)).await?;
        let found: Found = answer.accepted()?.json()?;
        Ok(found.results.into_iter().map(NpiResult::from).collect())
    }
}

/// Invented entries. Apart from the well-known example 1234567893, their numbers begin with 200, which is not
/// assigned.
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

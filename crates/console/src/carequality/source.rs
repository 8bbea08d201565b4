//! The port to the directory of a health information network, and its implementations.

use super::fhir::{self, KnownOrganization};
use crate::outside::Outside;
use async_trait::async_trait;
use platform::{
    App, Error, Result,
    config::{Carequality, Mode},
};
use reqwest::{StatusCode, header};
use url::Url;

pub const NOT_CONFIGURED: &str = "No FHIR directory is configured for this installation.";

/// A directory of organizations by OID.
#[async_trait]
pub trait Directory: Send + Sync {
    /// The entry of an organization; `None` if the OID is unknown.
    async fn find(&self, oid: &str) -> Result<Option<KnownOrganization>>;
}

/// The directory of this installation. Without one, demonstrations have invented organizations.
pub fn member(app: &App) -> Result<Box<dyn Directory>> {
    if let Some(directory) = FhirR4::new(&app.config.carequality)? {
        return Ok(Box::new(directory));
    }
    match app.config.mode {
        Mode::Demo => Ok(Box::new(Embedded)),
        Mode::Production => Err(Error::Conflict(NOT_CONFIGURED.into())),
    }
}

/// A FHIR R4 server.
struct FhirR4 {
    outside: Outside,
    url: Url,
    token: Option<String>,
}

impl FhirR4 {
    fn new(settings: &Carequality) -> Result<Option<Self>> {
        let Some(url) = settings.directory_url.clone() else { return Ok(None) };
        let outside = Outside::new("The FHIR directory")?;
        Ok(Some(Self { outside, url, token: settings.directory_token.clone() }))
    }

    /// The search for an OID, with and without its prefix, in any system.
    fn search(&self, oid: &str) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("Organization");
        }
        url.query_pairs_mut().append_pair("identifier", &format!("urn:oid:{oid},{oid}"));
        url
    }
}

#[async_trait]
impl Directory for FhirR4 {
    async fn find(&self, oid: &str) -> Result<Option<KnownOrganization>> {
        let search = self.outside.client.get(self.search(oid));
        let mut request = search.header(header::ACCEPT, "application/fhir+json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let answer = self.outside.send(request).await?;
        if matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::GONE) {
            return Ok(None);
        }
        answer.accepted()?.read(|bundle| fhir::found(bundle, oid))
    }
}

/// Invented organizations below an unassigned OID.
struct Embedded;

/// OID, name, parent, street, city, state, zip.
const ORGANIZATIONS: [[&str; 7]; 4] = [
    [
        "2.16.840.1.113883.3.9999.10",
        "Cascade Health Exchange",
        "",
        "1 Exchange Square",
        "Portland",
        "OR",
        "97204",
    ],
    [
        "2.16.840.1.113883.3.9999.10.1",
        "Cascade Clinic North",
        "2.16.840.1.113883.3.9999.10",
        "77 Granite Way",
        "Salem",
        "OR",
        "97301",
    ],
    [
        "2.16.840.1.113883.3.9999.10.2",
        "Cascade Clinic South",
        "2.16.840.1.113883.3.9999.10",
        "12 Mill Road",
        "Medford",
        "OR",
        "97501",
    ],
    ["2.16.840.1.113883.3.9999.11", "Harborline Imaging", "", "2200 Harbor Street", "Astoria", "OR", "97103"],
];

#[async_trait]
impl Directory for Embedded {
    async fn find(&self, oid: &str) -> Result<Option<KnownOrganization>> {
        let found = ORGANIZATIONS.iter().find(|organization| organization[0] == oid);
        Ok(found.map(|&[_, name, parent, street, city, state, zip]| KnownOrganization {
            display_name: name.into(),
            parent_oid: parent.into(),
            home_community_id: if parent.is_empty() { oid.into() } else { parent.into() },
            street: street.into(),
            city: city.into(),
            state: state.into(),
            zip: zip.into(),
            country: "US".into(),
            is_active: true,
            other_names: Vec::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_keeps_the_path_of_the_directory_and_names_the_oid_in_both_ways() {
        for base in ["https://directory.example/fhir", "https://directory.example/fhir/"] {
            let settings =
                Carequality { directory_url: Some(base.parse().expect("a URL")), ..Default::default() };
            let directory = FhirR4::new(&settings).expect("a client").expect("a directory");
            let url = directory.search("1.2.3");
            assert_eq!(url.path(), "/fhir/Organization");
            assert_eq!(url.query_pairs().next().expect("a parameter").1, "urn:oid:1.2.3,1.2.3");
        }
    }
}

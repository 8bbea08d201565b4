//! Where an EHR's sign-in is.

use crate::connection::{FHIR_JSON, base_url, is_safe, refusal, send};
use crate::json::{owned, text, texts};
use crate::problem::Problem;
use crate::read::oauth_uri;
use fetch::HttpFetcher;
use http::header::ACCEPT;
use serde_json::Value;
use url::Url;

/// Bytes of a configuration.
const CONFIGURATION_MAX: usize = 256 << 10;
/// Bytes of a capability statement, which lists all that a server can do.
const STATEMENT_MAX: usize = 8 << 20;

/// Addresses of an EHR's sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// Token endpoint.
    pub token: Url,
    /// Page at which people sign in.
    pub authorize: Option<Url>,
    /// Endpoint that ends tokens.
    pub revoke: Option<Url>,
    /// Who issues the tokens; may be empty.
    pub issuer: String,
    /// Capabilities of SMART, such as `client-confidential-asymmetric`.
    pub capabilities: Vec<String>,
    /// Whether PKCE with S256 is named.
    pub pkce_s256: bool,
}

/// Reads `.well-known/smart-configuration` below the base address, or else the addresses in the capability statement.
///
/// All addresses are on https or on this machine. They are contacted with the guard of `http`.
pub async fn discover(http: &HttpFetcher, base: &str) -> Result<Discovered, Problem> {
    let base = base_url(base)?;
    let known = base.join(".well-known/smart-configuration").map_err(|_| Problem::Address)?;
    match read(http, &known, "application/json", CONFIGURATION_MAX).await {
        Ok(configuration) => of_configuration(&configuration),
        Err(Problem::NotFound | Problem::NotOffered | Problem::Gone | Problem::Unreadable) => {
            let metadata = base.join("metadata").map_err(|_| Problem::Address)?;
            match read(http, &metadata, FHIR_JSON, STATEMENT_MAX).await {
                // Every FHIR server has this.
                Err(Problem::NotFound) => Err(Problem::Address),
                statement => of_statement(&statement?),
            }
        }
        Err(problem) => Err(problem),
    }
}

async fn read(http: &HttpFetcher, url: &Url, accept: &str, limit: usize) -> Result<Value, Problem> {
    let request = http::Request::get(url.as_str()).header(ACCEPT, accept).body(Vec::new());
    let answer = send(http, url, request.map_err(|_| Problem::Address)?, limit).await?;
    match answer.status().is_success() {
        true => serde_json::from_slice(answer.body()).map_err(|_| Problem::Unreadable),
        false => Err(refusal(answer.status(), answer.headers(), answer.body())),
    }
}

fn of_configuration(configuration: &Value) -> Result<Discovered, Problem> {
    Ok(Discovered {
        token: endpoint(text(configuration, "token_endpoint"))?.ok_or(Problem::NotOffered)?,
        authorize: endpoint(text(configuration, "authorization_endpoint"))?,
        revoke: endpoint(text(configuration, "revocation_endpoint"))?,
        issuer: owned(configuration, "issuer").unwrap_or_default(),
        capabilities: texts(configuration, "capabilities").map(str::to_owned).collect(),
        pkce_s256: texts(configuration, "code_challenge_methods_supported").any(|method| method == "S256"),
    })
}

fn of_statement(statement: &Value) -> Result<Discovered, Problem> {
    Ok(Discovered {
        token: endpoint(oauth_uri(statement, "token"))?.ok_or(Problem::NotOffered)?,
        authorize: endpoint(oauth_uri(statement, "authorize"))?,
        revoke: endpoint(oauth_uri(statement, "revoke"))?,
        issuer: String::new(),
        capabilities: Vec::new(),
        pkce_s256: false,
    })
}

/// An address to which secrets are sent.
fn endpoint(written: Option<&str>) -> Result<Option<Url>, Problem> {
    let Some(written) = written else { return Ok(None) };
    let url = Url::parse(written).map_err(|_| Problem::Unreadable)?;
    if is_safe(&url) { Ok(Some(url)) } else { Err(Problem::Address) }
}

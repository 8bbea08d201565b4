//! The conversation with a sign-in provider: OpenID Connect Core 1.0 with the authorization code flow, discovery,
//! PKCE (RFC 7636), state and nonce. Mix-ups of providers are refused as RFC 9700, section 4.4 describes: each
//! connection has a redirect address of its own, and a provider that says it names itself in its answers (RFC 9207) has to.

use super::strength::{self, Evidence};
use fetch::{AddressGuard, FetchError, HttpFetcher};
use openidconnect::{
    AccessTokenHash, AdditionalProviderMetadata, AuthType, AuthenticationContextClass, AuthenticationFlow,
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EmptyAdditionalClaims, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, PkceCodeVerifier, ProviderMetadata, RedirectUrl, Scope, TokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClient, CoreClientAuthMethod, CoreGenderClaim,
        CoreGrantType, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm,
        CoreJwsSigningAlgorithm, CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
        CoreTokenResponse,
    },
};
use platform::{App, Error, Result};
use serde::{Deserialize, Serialize};
use std::{future::Future, pin::Pin};
use store::entities::sso_connection;
use url::Url;
use uuid::Uuid;

/// Largest document that a provider may answer with.
const ANSWER_MAX: usize = 1 << 20;

/// Where a provider is, and as whom this installation comes to it.
pub struct Registered {
    /// Whose people it knows.
    pub organization_id: Uuid,
    pub issuer: String,
    pub client_id: String,
    pub secret: Option<String>,
}

/// Who the provider says is there.
#[derive(Debug)]
pub struct Person {
    pub subject: String,
    pub email: Option<String>,
    pub is_email_verified: bool,
    pub evidence: Evidence,
}

/// Why a conversation came to nothing.
#[derive(Debug)]
pub enum Failure {
    /// No answer, or one that is no provider's.
    Unreachable,
    /// An answer that does not belong to the question, or cannot be believed.
    Unbelievable(&'static str),
}

/// A question to put to the browser.
pub struct Question {
    pub address: Url,
    pub nonce: String,
    pub verifier: String,
}

type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// What a discovery document may say beyond OpenID Connect Discovery 1.0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Additional {
    /// RFC 9207, section 3.
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for Additional {}

type Metadata = ProviderMetadata<
    Additional,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// A provider that has answered.
pub struct Provider {
    http: HttpFetcher,
    client: Client,
    algorithms: Vec<CoreJwsSigningAlgorithm>,
    issuer: String,
    names_itself: bool,
}

/// Where the provider of an organization sends people back to. No other connection has the same address, so that an
/// answer meant for one is never taken for that of another.
pub fn redirect_address(app: &App, organization_id: Uuid) -> Result<Url> {
    app.config.http.public_url.join(&format!("/callback/{organization_id}")).map_err(Error::internal)
}

impl Provider {
    /// Finds the provider by discovery, with its keys of this moment.
    pub async fn discover(app: &App, registered: &Registered) -> Result<Result<Self, Failure>> {
        let http = HttpFetcher::new(guard(app)).map_err(Error::internal)?;
        let http = http.within(app.health.fetches.clone()).on_behalf_of(registered.organization_id);
        let Ok(issuer) = IssuerUrl::new(registered.issuer.clone()) else {
            return Ok(Err(Failure::Unreachable));
        };
        let Ok(metadata) = Metadata::discover_async(issuer, &sender(&http)).await else {
            return Ok(Err(Failure::Unreachable));
        };
        let algorithms = metadata
            .id_token_signing_alg_values_supported()
            .iter()
            .filter(|algorithm| is_asymmetric(algorithm))
            .cloned()
            .collect();
        let auth_type = auth_type(&metadata);
        let issuer = metadata.issuer().to_string();
        let names_itself = metadata.additional_metadata().authorization_response_iss_parameter_supported;
        let secret = registered.secret.clone().map(ClientSecret::new);
        let redirect = RedirectUrl::from_url(redirect_address(app, registered.organization_id)?);
        let client =
            CoreClient::from_provider_metadata(metadata, ClientId::new(registered.client_id.clone()), secret)
                .set_auth_type(auth_type)
                .set_redirect_uri(redirect);
        Ok(Ok(Self { http, client, algorithms, issuer, names_itself }))
    }

    /// The question that leads a browser to the provider and back with `state`, and asks for what the connection wants.
    pub fn ask(&self, state: &str, connection: &sso_connection::Model) -> Question {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let state = state.to_owned();
        let flow = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
        let mut request = self
            .client
            .authorize_url(flow, || CsrfToken::new(state), Nonce::new_random)
            .add_scope(Scope::new("email".into()))
            .add_scope(Scope::new("profile".into()))
            .set_pkce_challenge(challenge);
        for wanted in strength::asked_of(connection) {
            request = request.add_auth_context_value(AuthenticationContextClass::new(wanted.into()));
        }
        if let Some(age) = strength::max_age(connection).and_then(|age| age.to_std().ok()) {
            request = request.set_max_age(age);
        }
        let (address, _, nonce) = request.url();
        Question { address, nonce: nonce.secret().clone(), verifier: verifier.into_secret() }
    }

    /// Who stands behind the code that a browser brought back. `issuer` is the provider that the browser names
    /// (RFC 9207), where it names one.
    pub async fn person(
        &self,
        code: String,
        issuer: Option<&str>,
        nonce: String,
        verifier: String,
    ) -> Result<Person, Failure> {
        match issuer {
            Some(named) if named != self.issuer => {
                return Err(Failure::Unbelievable("another provider answered"));
            }
            None if self.names_itself => {
                return Err(Failure::Unbelievable("the answer does not say whose it is"));
            }
            Some(_) | None => {}
        }
        let request = self.client.exchange_code(AuthorizationCode::new(code));
        let request = request.map_err(|_| Failure::Unreachable)?;
        let tokens = request
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&sender(&self.http))
            .await
            .map_err(|_| Failure::Unbelievable("the code was refused"))?;
        let person = self.identified(&tokens, nonce)?;
        if person.email.is_some() { Ok(person) } else { self.with_address(person, &tokens).await }
    }

    /// What the signed token says.
    fn identified(&self, tokens: &CoreTokenResponse, nonce: String) -> Result<Person, Failure> {
        let token = tokens.id_token().ok_or(Failure::Unbelievable("no identity came"))?;
        let verifier = self.client.id_token_verifier().set_allowed_algs(self.algorithms.clone());
        let claims = token
            .claims(&verifier, &Nonce::new(nonce))
            .map_err(|_| Failure::Unbelievable("the identity could not be verified"))?;
        if let Some(expected) = claims.access_token_hash() {
            let actual = token
                .signing_alg()
                .ok()
                .zip(token.signing_key(&verifier).ok())
                .and_then(|(alg, key)| AccessTokenHash::from_token(tokens.access_token(), alg, key).ok());
            if actual.as_ref() != Some(expected) {
                return Err(Failure::Unbelievable("the tokens do not belong together"));
            }
        }
        Ok(Person {
            subject: claims.subject().to_string(),
            email: claims.email().map(|email| email.to_string()),
            is_email_verified: claims.email_verified().unwrap_or_default(),
            evidence: Evidence {
                acr: claims.auth_context_ref().map(|acr| acr.to_string()),
                amr: claims.auth_method_refs().into_iter().flatten().map(|amr| amr.to_string()).collect(),
                auth_time: claims.auth_time(),
                issued_at: claims.issue_time(),
            },
        })
    }

    /// Many providers tell the e-mail address only when asked with the access token.
    async fn with_address(&self, person: Person, tokens: &CoreTokenResponse) -> Result<Person, Failure> {
        let subject = openidconnect::SubjectIdentifier::new(person.subject.clone());
        let Ok(request) = self.client.user_info(tokens.access_token().clone(), Some(subject)) else {
            return Ok(person);
        };
        let claims: UserInfoClaims<EmptyAdditionalClaims, CoreGenderClaim> = request
            .request_async(&sender(&self.http))
            .await
            .map_err(|_| Failure::Unbelievable("nothing more is known of the person"))?;
        Ok(Person {
            email: claims.email().map(|email| email.to_string()),
            is_email_verified: claims.email_verified().unwrap_or_default(),
            ..person
        })
    }
}

fn guard(app: &App) -> AddressGuard {
    if app.config.allows_private_sign_in() {
        AddressGuard::unrestricted()
    } else {
        AddressGuard::public_only()
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<HttpResponse, FetchError>> + Send>>;

fn sender(http: &HttpFetcher) -> impl Fn(HttpRequest) -> Answering + Send + Sync + use<> {
    let http = http.clone();
    move |request| {
        let http = http.clone();
        Box::pin(async move { http.send(request, ANSWER_MAX).await })
    }
}

/// A shared secret signs nothing that others must believe.
fn is_asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Alg;
    !matches!(algorithm, Alg::HmacSha256 | Alg::HmacSha384 | Alg::HmacSha512 | Alg::None)
}

/// The secret goes into the header unless the provider takes it in the body only (RFC 6749, section 2.3.1).
fn auth_type(metadata: &Metadata) -> AuthType {
    let supported = metadata.token_endpoint_auth_methods_supported();
    let takes = |method| supported.is_none_or(|all| all.contains(&method));
    let basic = takes(CoreClientAuthMethod::ClientSecretBasic);
    if basic { AuthType::BasicAuth } else { AuthType::RequestBody }
}

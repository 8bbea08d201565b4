//! The protocol with a sign-in provider: OpenID Connect Core 1.0 with the authorization code flow, discovery, PKCE
//! (RFC 7636), state and nonce. Mix-ups of providers are refused as in RFC 9700, section 4.4: each connection has its
//! own redirect address, and a provider that supports issuer identification (RFC 9207) has to use it.

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

/// Maximum size of a provider's document.
const ANSWER_MAX: usize = 1 << 20;

/// Address of a provider, and this installation's client there.
pub struct Registered {
    /// The organization whose people sign in.
    pub organization_id: Uuid,
    pub issuer: String,
    pub client_id: String,
    pub secret: Option<String>,
}

/// The provider's statement about a person.
#[derive(Debug)]
pub struct Person {
    pub subject: String,
    pub email: Option<String>,
    pub is_email_verified: bool,
    pub evidence: Evidence,
}

/// Reason of a failed sign-in at the provider.
#[derive(Debug)]
pub enum Failure {
    /// No answer, or an unusable one.
    Unreachable,
    /// An answer that does not match the request, or cannot be verified.
    Unbelievable(&'static str),
}

/// A request for the browser to take to the provider.
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

/// Members of a discovery document beyond OpenID Connect Discovery 1.0.
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

/// A provider whose discovery succeeded.
pub struct Provider {
    http: HttpFetcher,
    client: Client,
    algorithms: Vec<CoreJwsSigningAlgorithm>,
    issuer: String,
    names_itself: bool,
}

/// The redirect address of an organization's provider. It is unique, so that an answer for one connection is never
/// accepted for another.
pub fn redirect_address(app: &App, organization_id: Uuid) -> Result<Url> {
    app.config.http.public_url.join(&format!("/callback/{organization_id}")).map_err(Error::internal)
}

impl Provider {
    /// Finds the provider by discovery, with its current keys.
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

    /// The request that leads a browser to the provider and back with `state`, with the connection's requirements.
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

    /// The person behind a code that the browser brought back. `issuer` is the provider named by the browser (RFC
    /// 9207), if any.
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
                return Err(Failure::Unbelievable("the answer does not name its issuer"));
            }
            Some(_) | None => {}
        }
        let request = self.client.exchange_code(AuthorizationCode::new(code));
        let request = request.map_err(|_| Failure::Unreachable)?;
        let tokens = request
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&sender(&self.http))
            .await
            .map_err(|_| Failure::Unbelievable("the provider refused the code"))?;
        let person = self.identified(&tokens, nonce)?;
        if person.email.is_some() { Ok(person) } else { self.with_address(person, &tokens).await }
    }

    /// Verifies the ID token and reads its claims.
    fn identified(&self, tokens: &CoreTokenResponse, nonce: String) -> Result<Person, Failure> {
        let token = tokens.id_token().ok_or(Failure::Unbelievable("the answer has no ID token"))?;
        let verifier = self.client.id_token_verifier().set_allowed_algs(self.algorithms.clone());
        let claims = token
            .claims(&verifier, &Nonce::new(nonce))
            .map_err(|_| Failure::Unbelievable("the ID token could not be verified"))?;
        if let Some(expected) = claims.access_token_hash() {
            let actual = token
                .signing_alg()
                .ok()
                .zip(token.signing_key(&verifier).ok())
                .and_then(|(alg, key)| AccessTokenHash::from_token(tokens.access_token(), alg, key).ok());
            if actual.as_ref() != Some(expected) {
                return Err(Failure::Unbelievable("the access token does not match the ID token"));
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

    /// Many providers return the e-mail address only for a request with the access token.
    async fn with_address(&self, person: Person, tokens: &CoreTokenResponse) -> Result<Person, Failure> {
        let subject = openidconnect::SubjectIdentifier::new(person.subject.clone());
        let Ok(request) = self.client.user_info(tokens.access_token().clone(), Some(subject)) else {
            return Ok(person);
        };
        let claims: UserInfoClaims<EmptyAdditionalClaims, CoreGenderClaim> = request
            .request_async(&sender(&self.http))
            .await
            .map_err(|_| Failure::Unbelievable("the user's details could not be read"))?;
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

/// Signatures with a shared secret are not accepted.
fn is_asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Alg;
    !matches!(algorithm, Alg::HmacSha256 | Alg::HmacSha384 | Alg::HmacSha512 | Alg::None)
}

/// The secret goes into the header unless the provider only supports the body (RFC 6749, section 2.3.1).
fn auth_type(metadata: &Metadata) -> AuthType {
    let supported = metadata.token_endpoint_auth_methods_supported();
    let takes = |method| supported.is_none_or(|all| all.contains(&method));
    let basic = takes(CoreClientAuthMethod::ClientSecretBasic);
    if basic { AuthType::BasicAuth } else { AuthType::RequestBody }
}

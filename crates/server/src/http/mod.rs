//! HTTP side of a node: the areas' routes, the web app, and the layers around every request.

mod api_docs;
mod assets;
mod fixed;
mod headers;
mod listen;
mod log;
mod paths;
mod problems;
mod proxies;
mod sign_in_limit;

use crate::{
    areas,
    monitoring::{self, Requests},
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Request},
    middleware::from_fn,
    response::{IntoResponse, Response},
};
use headers::Headers;
use log::Log;
use messaging::direct::DirectServices;
use paths::DocumentedPaths;
use platform::{App, Config, Error};
use proxies::TrustedProxies;
use sign_in_limit::SignInLimit;
use std::{convert::Infallible, sync::Arc};
use tower::{ServiceExt, util::BoxCloneSyncService};
use tower_http::compression::CompressionLayer;

pub use listen::serve;

/// Maximum size of a JSON request body, unless its route allows more.
const BODY_LIMIT: usize = 1 << 20;

/// Answers every HTTP request of a node.
pub type WebService = BoxCloneSyncService<Request, Response, Infallible>;

/// Combines the areas' routes, the web app and the layers around them. `beside`: routes of a demonstration.
pub fn service(app: &App, direct: &DirectServices, beside: Router<App>, requests: Requests) -> WebService {
    let (routes, description) = areas::api().into_parts();
    let documented = Arc::new(DocumentedPaths::new(description.paths.paths.keys()));
    let limit = Arc::new(SignInLimit::default());
    let headers = Arc::new(Headers::new(&app.config));
    let log = Log { app: app.clone(), requests };
    let router: Router = routes
        .merge(areas::public_routes())
        .merge(beside)
        .merge(api_docs::routes())
        .merge(monitoring::health_routes())
        .method_not_allowed_fallback(problems::method_not_allowed)
        .fallback(beside_the_routes)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn(move |request, next| sign_in_limit::guard(limit.clone(), request, next)))
        .layer(from_fn(problems::catch_panic))
        .layer(from_fn(problems::always_problems))
        .layer(CompressionLayer::new())
        .layer(from_fn(move |request, next| headers::set(headers.clone(), request, next)))
        .layer(Extension(app.clone()))
        .layer(Extension(direct.clone()))
        .layer(from_fn(move |request, next| log::access(log.clone(), request, next)))
        .with_state(app.clone());
    let proxies = TrustedProxies::new(&app.config.http.trusted_proxies);
    // Rewriting comes before routing, so it cannot be a layer of the router.
    let service = router
        .into_service()
        .map_request(move |request: Request| documented.rewrite(proxies.name_caller(request)));
    BoxCloneSyncService::new(service)
}

/// Answers systems with a certificate that provide documents, and nothing else.
pub fn interface_service(app: &App, direct: &DirectServices, requests: Requests) -> WebService {
    let log = Log { app: app.clone(), requests };
    let router: Router = messaging::interfaces::xdr::routes()
        .layer(from_fn(problems::catch_panic))
        .layer(Extension(direct.clone()))
        .with_state(app.clone());
    let router = for_systems(router, &app.config)
        .layer(from_fn(move |request, next| log::access(log.clone(), request, next)));
    BoxCloneSyncService::new(router.into_service())
}

/// Answers requests to the metrics listener.
pub fn metrics_service(app: &App, requests: Requests) -> WebService {
    let router = for_systems(monitoring::metrics_routes(app, requests), &app.config);
    BoxCloneSyncService::new(router.into_service().map_request(|request: Request| request))
}

/// Adds the web server's headers to the answers of a listener without pages.
fn for_systems(router: Router, config: &Config) -> Router {
    let headers = Arc::new(Headers::new(config));
    router.layer(from_fn(move |request, next| headers::set_for_systems(headers.clone(), request, next)))
}

/// Unknown calls of the API are problems; all other paths belong to the web app.
async fn beside_the_routes(request: Request) -> Response {
    if is_api(request.uri().path()) {
        return Error::NotFound.into_response();
    }
    assets::serve(request)
}

/// Whether a path belongs to the API.
fn is_api(path: &str) -> bool {
    ["/api", "/odata"]
        .iter()
        .any(|root| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

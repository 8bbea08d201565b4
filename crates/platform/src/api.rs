//! Registration of routes. The roles of an operation are stated only here: the same statement is enforced before the
//! handler runs and written to the API description as `x-roles`.

use crate::{
    App, Error,
    access::{Caller, Role},
    capture::{self, Bodies},
    error::Problem,
    hub, service,
    session::{self, bearer_token, source_ip},
};
use admission::Party;
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    http::{Method, header},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use serde_json::json;
use std::sync::Arc;
use utoipa::openapi::{
    Content, OpenApi, RefOr, Response as ApiResponse, Schema,
    extensions::Extensions,
    path::{Operation, Parameter, ParameterIn, PathItem},
    security::SecurityRequirement,
};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// Error for users of an organization whose subscription has ended.
pub const CANCELLED: &str = "The subscription of your organization is cancelled.";

/// Room for the rest of a form with a file, in bytes.
const FORM_ROOM: usize = 1 << 20;

/// Collects routes with their roles.
#[derive(Default)]
pub struct Api {
    router: OpenApiRouter<App>,
    /// Whether registered routes are closed to organizations whose subscription has ended.
    subscribers_only: bool,
    /// Whether registered routes are open to users who have not accepted the terms.
    before_terms: bool,
}

impl Api {
    pub fn new() -> Self {
        Self::default()
    }

    /// Routes for organizations with a current subscription.
    pub fn for_subscribers() -> Self {
        Self { subscribers_only: true, ..Self::default() }
    }

    /// Routes that can be used before accepting the terms of service.
    pub fn before_terms() -> Self {
        Self { before_terms: true, ..Self::default() }
    }

    /// Adds operations from `routes!` for the stated roles only.
    pub fn route(self, roles: &'static [Role], routes: UtoipaMethodRouter<App>) -> Self {
        let (schemas, mut paths, methods) = routes;
        for item in paths.paths.values_mut() {
            operations(item).for_each(|operation| describe(operation, roles));
        }
        refuse_namesakes(self.router.get_openapi(), &schemas);
        let Self { subscribers_only, before_terms, .. } = self;
        let allowed = Allowed { roles, subscribers_only, before_terms };
        let known = paths.paths.values().find_map(asked_of_list);
        let secret: Arc<[&'static str]> =
            paths.paths.values().flat_map(|item| secrets::methods(item, &schemas)).collect();
        let guard = from_fn(move |request: Request, next: Next| {
            let (known, secret) = (known.clone(), secret.clone());
            async move {
                let bodies = match secret.contains(&request.method().as_str()) {
                    true => Bodies::Secret,
                    false => Bodies::Kept,
                };
                guard(allowed, known.as_deref(), bodies, request, next).await
            }
        });
        Self { router: self.router.routes((schemas, paths, methods.route_layer(guard))), ..self }
    }

    /// Adds an operation that receives a form with a file of at most `limit` bytes.
    pub fn upload(self, roles: &'static [Role], routes: UtoipaMethodRouter<App>, limit: usize) -> Self {
        let (schemas, paths, methods) = routes;
        let limit = DefaultBodyLimit::max(limit + FORM_ROOM);
        self.route(roles, (schemas, paths, methods.route_layer(limit)))
    }

    /// Adds hubs. Everybody may connect to them: the ticket of the first frame identifies the session, and
    /// [`hub::Door::open`] admits only the stated roles.
    pub fn hub(self, roles: &'static [Role], routes: UtoipaMethodRouter<App>) -> Self {
        let (schemas, mut paths, methods) = routes;
        for operation in paths.paths.values_mut().flat_map(operations) {
            state_roles(operation, roles);
        }
        refuse_namesakes(self.router.get_openapi(), &schemas);
        let methods = methods.route_layer(Extension(hub::Admitted(roles)));
        Self { router: self.router.routes((schemas, paths, methods)), ..self }
    }

    pub fn merge(self, other: Self) -> Self {
        let theirs = other.router.get_openapi().components.iter().flat_map(|all| &all.schemas);
        let theirs: Vec<_> = theirs.map(|(name, schema)| (name.clone(), schema.clone())).collect();
        refuse_namesakes(self.router.get_openapi(), &theirs);
        Self { router: self.router.merge(other.router), ..self }
    }

    /// The router (which still needs its state) and the description of its paths.
    pub fn into_parts(self) -> (Router<App>, OpenApi) {
        let (router, mut description) = self.router.split_for_parts();
        limits::describe(&mut description);
        (router, description)
    }
}

mod limits;
pub mod secrets;

/// # Panics
///
/// If two different types have the same name: the description would contain only one of them, and mislead clients.
fn refuse_namesakes(known: &OpenApi, more: &[(String, RefOr<Schema>)]) {
    let known = known.components.as_ref().map(|all| &all.schemas);
    for (n, (name, schema)) in more.iter().enumerate() {
        let before = more[..n].iter().filter(|(other, _)| other == name).map(|(_, schema)| schema);
        let mut others = before.chain(known.and_then(|all| all.get(name)));
        assert!(others.all(|other| other == schema), "two types of the API have the name {name}");
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch].into_iter().flatten()
}

fn state_roles(operation: &mut Operation, roles: &[Role]) {
    let names: Vec<_> = roles.iter().map(|r| r.name()).collect();
    operation
        .extensions
        .get_or_insert_with(Extensions::default)
        .merge(Extensions::builder().add("x-roles", json!(names)).build());
}

fn describe(operation: &mut Operation, roles: &[Role]) {
    state_roles(operation, roles);
    if !roles.contains(&Role::Public) {
        operation.security = Some(vec![SecurityRequirement::new("bearer", Vec::<String>::new())]);
    }
    let problem = ApiResponse::builder()
        .description("The error")
        .content(
            "application/problem+json",
            Content::new(Some(utoipa::openapi::Ref::from_schema_name("Problem"))),
        )
        .build();
    operation.responses.responses.insert("default".into(), RefOr::T(problem));
}

/// The schema of every operation's `default` answer.
pub fn problem_schema() -> (String, RefOr<utoipa::openapi::Schema>) {
    use utoipa::{PartialSchema, ToSchema};
    (Problem::name().into_owned(), Problem::schema())
}

/// Marks operations with paged answers.
const PAGING: [&str; 4] = ["page", "pageNumber", "pageStart", "pageSize"];

/// The names of a list's query parameters; empty for other operations.
fn asked_of_list(item: &PathItem) -> Option<Arc<[String]>> {
    let parameters = item.get.as_ref()?.parameters.as_ref()?;
    let name = |parameter: &RefOr<Parameter>| match parameter {
        RefOr::T(found) if found.parameter_in == ParameterIn::Query => Some(found.name.clone()),
        _ => None,
    };
    let names: Arc<[String]> = parameters.iter().filter_map(name).collect();
    names.iter().any(|name| PAGING.contains(&name.as_str())).then_some(names)
}

/// A misspelt filter would otherwise return the unfiltered list.
fn refuse_unknown(request: &Request, known: Option<&[String]>) -> Result<(), Error> {
    let Some(known) = known.filter(|_| request.method() == Method::GET) else { return Ok(()) };
    let query = request.uri().query().unwrap_or_default();
    let mut names = url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
    if names.all(|name| known.iter().any(|known| *known == name)) {
        return Ok(());
    }
    let text = format!("The list does not have this query parameter, only these: {}.", known.join(", "));
    Err(Error::BadRequest(text.into()))
}

/// The roles that a route admits.
#[derive(Clone, Copy)]
struct Allowed {
    roles: &'static [Role],
    subscribers_only: bool,
    before_terms: bool,
}

async fn guard(
    allowed: Allowed,
    known: Option<&[String]>,
    bodies: Bodies,
    mut request: Request,
    next: Next,
) -> Response {
    let stranger = Party::Host(source_ip(&request));
    if allowed.roles.contains(&Role::Public) {
        return stranger.working(next.run(request)).await;
    }
    let admitted = stranger.working(authorize(allowed, &mut request)).await;
    let admitted = admitted.and_then(|()| refuse_unknown(&request, known));
    match admitted {
        Ok(()) => {
            let party = party(&request);
            let captured = capture::around(request, next, bodies);
            let mut response = party.working(captured).await;
            // Answers to signed-in users contain data of patients or of the tenant.
            response
                .headers_mut()
                .entry(header::CACHE_CONTROL)
                .or_insert(axum::http::HeaderValue::from_static("no-store"));
            response
        }
        Err(error) => error.into_response(),
    }
}

/// The party of a call's work: the caller's organization, or else the caller.
fn party(request: &Request) -> Party {
    match request.extensions().get::<Caller>() {
        Some(caller) => caller.party(),
        None => Party::Installation,
    }
}

async fn authorize(allowed: Allowed, request: &mut Request) -> Result<(), Error> {
    let app = request.extensions().get::<App>().cloned().ok_or_else(|| Error::internal("no application"))?;
    let token = bearer_token(request).ok_or(Error::Unauthenticated)?;
    let is_service = service::is_token(token);
    let caller = if is_service {
        service::authenticate(&app, token, source_ip(request)).await?
    } else {
        session::authenticate(&app, token, source_ip(request)).await?
    };
    let kind = if is_service { "service" } else { "user" };
    tracing::Span::current().record(kind, tracing::field::display(caller.user_id));
    let is_named = allowed.roles.iter().any(|role| caller.has(*role));
    if is_service {
        service::record_use(&app, &caller, &operation_of(request), is_named).await?;
    }
    if !is_named {
        let (caller, operation) = (caller.user_id, operation_of(request));
        tracing::warn!(%caller, operation, "a call was refused: no role of the caller allows it");
        return Err(Error::Forbidden);
    }
    if caller.owes_terms && !allowed.before_terms {
        return Err(Error::TermsRequired);
    }
    if allowed.subscribers_only && caller.organization_is_cancelled {
        return Err(Error::Conflict(CANCELLED.into()));
    }
    request.extensions_mut().insert(caller);
    Ok(())
}

/// Method and path pattern as registered, without ids.
fn operation_of(request: &Request) -> String {
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    format!("{} {path}", request.method())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Json;
    use utoipa_axum::routes;

    mod fax {
        #[derive(serde::Serialize, utoipa::ToSchema)]
        pub struct Line {
            pub number: String,
        }
    }

    mod report {
        #[derive(serde::Serialize, utoipa::ToSchema)]
        pub struct Line {
            pub cells: Vec<String>,
        }
    }

    #[utoipa::path(get, path = "/line", responses((status = 200, body = fax::Line)))]
    async fn of_fax() -> Json<fax::Line> {
        Json(fax::Line { number: String::new() })
    }

    #[utoipa::path(get, path = "/lines", responses((status = 200, body = [fax::Line])))]
    async fn of_faxes() -> Json<Vec<fax::Line>> {
        Json(Vec::new())
    }

    #[utoipa::path(get, path = "/report", responses((status = 200, body = report::Line)))]
    async fn of_report() -> Json<report::Line> {
        Json(report::Line { cells: Vec::new() })
    }

    fn faxes() -> Api {
        Api::new().route(&[Role::Public], routes!(of_fax)).route(&[Role::Public], routes!(of_faxes))
    }

    #[test]
    #[should_panic(expected = "two types of the API have the name Line")]
    fn two_types_of_one_name_are_refused_among_routes() {
        let _ = faxes().route(&[Role::Public], routes!(of_report));
    }

    #[test]
    #[should_panic(expected = "two types of the API have the name Line")]
    fn two_types_of_one_name_are_refused_where_routes_are_merged() {
        let _ = faxes().merge(Api::new().route(&[Role::Public], routes!(of_report)));
    }
}

//! For what watches an installation: `/health/live` and `/health/ready` for load balancers, and `/metrics` in the text format
//! of OpenMetrics 1.0 on a listener of its own, which has no sign-in and is off unless `metrics.listen` names an address.

mod readings;
mod requests;

pub use requests::{Asked, Requests};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use console::traffic::Figures;
use platform::App;
use readings::OfNode;
use sea_orm::ConnectionTrait;
use std::{
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};
use tokio::{sync::Mutex, time::timeout};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The figures that all nodes share are read anew after this time, however many ask.
const SHARED_FOR: Duration = Duration::from_secs(10);
/// Whether the database answers is looked at anew after this time.
const READY_FOR: Duration = Duration::from_secs(1);
/// A database that takes longer is none that requests should be sent to.
const PATIENCE: Duration = Duration::from_secs(2);

/// The figures that take longer are left out, since who asks for them gives up soon.
const PATIENCE_FOR_FIGURES: Duration = Duration::from_secs(5);

type Seen<T> = Mutex<Option<(Instant, T)>>;

/// Routes that say whether the node runs and whether it can answer requests. They say no more than that.
pub fn health_routes() -> Router<App> {
    let seen: Arc<Seen<bool>> = Arc::default();
    Router::new()
        .route("/health/live", get(async || StatusCode::NO_CONTENT))
        .route("/health/ready", get(async move |State(app): State<App>| ready(&app, &seen).await))
}

async fn ready(app: &App, seen: &Seen<bool>) -> StatusCode {
    let is_up = known(seen, READY_FOR, || is_database_up(app)).await;
    if is_up { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }
}

async fn is_database_up(app: &App) -> bool {
    matches!(timeout(PATIENCE, app.store.db().execute_unprepared("SELECT 1")).await, Ok(Ok(_)))
}

/// What was found out, anew once it is older than `age`. Those who ask at the same time get the same answer.
async fn known<T: Clone, F: Future<Output = T>>(
    seen: &Seen<T>,
    age: Duration,
    find_out: impl FnOnce() -> F,
) -> T {
    let mut seen = seen.lock().await;
    if let Some((at, found)) = &*seen
        && at.elapsed() < age
    {
        return found.clone();
    }
    let found = find_out().await;
    *seen = Some((Instant::now(), found.clone()));
    found
}

#[derive(Clone)]
struct Metrics {
    app: App,
    requests: Requests,
    is_up: Arc<Seen<bool>>,
    shared: Arc<Seen<Option<Arc<Figures>>>>,
}

/// Routes of the listener for metrics.
pub fn metrics_routes(app: &App, requests: Requests) -> Router {
    let metrics = Metrics { app: app.clone(), requests, is_up: Arc::default(), shared: Arc::default() };
    Router::new()
        .route("/metrics", get(show))
        .with_state(metrics)
        .merge(health_routes().with_state(app.clone()))
}

async fn show(State(metrics): State<Metrics>) -> Response {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], metrics.text().await).into_response()
}

impl Metrics {
    /// What is known: without the database that is what is true of the node.
    async fn text(&self) -> String {
        let is_up = known(&self.is_up, READY_FOR, || is_database_up(&self.app)).await;
        let shared = match is_up {
            true => known(&self.shared, SHARED_FOR, || self.figures()).await,
            false => None,
        };
        readings::text(is_up, shared.as_deref(), &OfNode::of(&self.app), &self.requests)
    }

    async fn figures(&self) -> Option<Arc<Figures>> {
        match timeout(PATIENCE_FOR_FIGURES, console::traffic::figures(&self.app)).await {
            Ok(Ok(figures)) => Some(Arc::new(figures)),
            Ok(Err(error)) => {
                tracing::warn!(?error, "the figures of the installation could not be read");
                None
            }
            Err(_) => {
                tracing::warn!("the figures of the installation could not be read in time");
                None
            }
        }
    }
}

/// When the process began, in seconds since 1970.
static STARTED: LazyLock<i64> = LazyLock::new(|| store::Clock::system().now().timestamp());

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_has_changed_is_answered_soon_however_often_it_is_asked_for() {
        let (seen, age) = (Seen::<bool>::default(), Duration::from_millis(200));
        assert!(!known(&seen, age, async || false).await);
        tokio::time::sleep(age / 2).await;
        known(&seen, age, async || true).await;
        tokio::time::sleep(age * 6 / 10).await;
        assert!(known(&seen, age, async || true).await, "asking in between keeps nothing old");
    }
}

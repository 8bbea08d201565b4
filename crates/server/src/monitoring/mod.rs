//! Monitoring: `/health/live` and `/health/ready` for load balancers, and `/metrics` in the text format of
//! OpenMetrics 1.0 on a separate listener, which needs no sign-in and is off unless `metrics.listen` is set.

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
/// Age after which the figures shared by all nodes are read again, regardless of the number of requests.
const SHARED_FOR: Duration = Duration::from_secs(10);
/// Age after which the database is checked again.
const READY_FOR: Duration = Duration::from_secs(1);
/// Response time of the database above which the node counts as not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time limit for the figures, which are left out above it, since monitoring gives up soon.
const PATIENCE_FOR_FIGURES: Duration = Duration::from_secs(5);

type Seen<T> = Mutex<Option<(Instant, T)>>;

/// Routes that report whether the node runs and whether it can answer requests, without further details.
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

/// The cached result, computed again once it is older than `age`. Concurrent callers share one result.
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
    /// The available figures: without the database, only those of the node.
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

/// Start of the process, in seconds since 1970.
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

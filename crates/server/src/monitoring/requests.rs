//! Numbers and durations of answered requests, by path pattern, so that the series contain no patient data and stay
//! limited in number.

use axum::{
    extract::{MatchedPath, Request},
    http::StatusCode,
};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};
use std::time::Duration;

/// Upper bounds of the histogram's buckets, in seconds.
const BOUNDS: [f64; 9] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Label of requests without a route: the web app and its files, and unknown paths.
const BESIDE: &str = "other";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answer {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Group {
    is_api: bool,
}

/// Requests answered by a node since it started.
#[derive(Clone)]
pub struct Requests {
    answered: Family<Answer, Counter>,
    seconds: Family<Group, Histogram, fn() -> Histogram>,
}

impl Default for Requests {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(BOUNDS);
        Self { answered: Family::default(), seconds: Family::new_with_constructor(histogram) }
    }
}

/// Details of a request until its answer.
pub struct Asked {
    method: &'static str,
    route: String,
}

impl Asked {
    pub fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>().map_or(BESIDE, MatchedPath::as_str);
        // HTTP allows any text as a method.
        let method = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]
            .into_iter()
            .find(|known| *known == request.method().as_str())
            .unwrap_or(BESIDE);
        Self { method, route: route.to_owned() }
    }
}

impl Requests {
    pub fn note(&self, asked: Asked, status: StatusCode, took: Duration) {
        let group = Group { is_api: asked.route != BESIDE };
        let answer = Answer { method: asked.method, route: asked.route, status: status.as_u16() };
        self.answered.get_or_create(&answer).inc();
        self.seconds.get_or_create(&group).observe(took.as_secs_f64());
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "carepost_http_requests",
            "Requests answered since the node started",
            self.answered.clone(),
        );
        registry.register(
            "carepost_http_request_seconds",
            "Time to the headers of the answer",
            self.seconds.clone(),
        );
    }
}

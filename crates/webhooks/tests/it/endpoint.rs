//! An endpoint that records requests and gives prepared answers.

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::Value;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, Ordering},
};
use tokio::net::TcpListener;

#[derive(Clone)]
pub struct Endpoint {
    pub url: String,
    status: Arc<AtomicU16>,
    seen: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

impl Endpoint {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/events", listener.local_addr().expect("an address"));
        let endpoint = Self { url, status: Arc::new(204.into()), seen: Arc::default() };
        let router = Router::new().fallback(take).with_state(endpoint.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        endpoint
    }

    /// Answers with this status from now on.
    pub fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Requests since the last call.
    pub fn take(&self) -> Vec<(HeaderMap, Bytes)> {
        std::mem::take(&mut self.seen.lock().expect("what came"))
    }

    /// Kinds of events since the last call.
    pub fn kinds(&self) -> Vec<String> {
        let kind = |body: &Bytes| {
            let event: Value = serde_json::from_slice(body).expect("JSON");
            event["type"].as_str().expect("a type").to_owned()
        };
        self.take().iter().map(|(_, body)| kind(body)).collect()
    }
}

async fn take(State(endpoint): State<Endpoint>, headers: HeaderMap, body: Bytes) -> Response {
    endpoint.seen.lock().expect("what came").push((headers, body));
    let status = StatusCode::from_u16(endpoint.status.load(Ordering::SeqCst)).expect("a status");
    let location = [("location", "http://10.0.0.1/")];
    if status.is_redirection() {
        (status, location).into_response()
    } else {
        (status, "noted").into_response()
    }
}

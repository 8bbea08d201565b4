//! A local server that stands in for a provider's web API and gives scripted answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A received request.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// A field of a form (multipart/form-data); empty when it is missing.
    pub fn field(&self, name: &str) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let Some((_, rest)) = text.split_once(&format!("name=\"{name}\"")) else { return String::new() };
        let value = rest.split_once("\r\n\r\n").map_or("", |(_, value)| value);
        value.split("\r\n--").next().unwrap_or_default().to_owned()
    }
}

/// A scripted answer.
pub enum Reply {
    Json(u16, Value),
    Text(u16, &'static str),
    Moved(&'static str),
    /// Reads the request and closes the connection without an answer.
    Silence,
}

#[derive(Default)]
struct Script {
    replies: VecDeque<Reply>,
    seen: Vec<Seen>,
}

pub struct Server {
    pub address: String,
    script: Arc<Mutex<Script>>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start() -> Self {
        let script = Arc::new(Mutex::new(Script::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).layer(axum::extract::DefaultBodyLimit::disable());
        let app = app.with_state(script.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, script, task }
    }

    pub fn then(&self, reply: Reply) -> &Self {
        self.script.lock().unwrap().replies.push_back(reply);
        self
    }

    pub fn json(&self, status: u16, body: Value) -> &Self {
        self.then(Reply::Json(status, body))
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.script.lock().unwrap().seen.clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| format!("{} {}", seen.method, seen.path)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let mut script = script.lock().unwrap();
    script.seen.push(Seen { method, path, headers, body });
    let status = |code| StatusCode::from_u16(code).unwrap();
    match script.replies.pop_front() {
        Some(Reply::Json(code, body)) => (status(code), axum::Json(body)).into_response(),
        Some(Reply::Text(code, body)) => (status(code), body).into_response(),
        Some(Reply::Moved(to)) => (status(302), [("location", to)]).into_response(),
        // A panic in the handler closes the connection.
        Some(Reply::Silence) => {
            drop(script);
            std::panic::resume_unwind(Box::new("the connection breaks off"))
        }
        None => status(500).into_response(),
    }
}

//! A browser.

use crate::{Socket, User};
use reqwest::{
    Method, StatusCode,
    header::{self, HeaderMap},
    multipart::{Form, Part},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

/// Method and path of each successful call to an application.
pub(crate) type Answered = Arc<Mutex<BTreeSet<(String, String)>>>;

/// A browser with its cookies and, after sign-in, an access token.
pub struct Client {
    base: String,
    answered: Answered,
    http: reqwest::Client,
    token: Mutex<Option<String>>,
}

/// A complete answer.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    what: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} is not JSON: {}", self.what, self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body of a 2xx as JSON, null when it is empty.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {} {}", self.what, self.status, self.text());
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// The body of a 2xx as a type.
    #[track_caller]
    pub fn ok_as<T: DeserializeOwned>(self) -> T {
        serde_json::from_value(self.ok()).expect("the answer has the expected shape")
    }

    /// The problem of an answer with this status.
    #[track_caller]
    pub fn problem(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}: {}", self.what, self.text());
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.what);
        self.json()
    }

    /// The texts at a field of a refused form.
    #[track_caller]
    pub fn texts(&self, field: &str) -> Vec<String> {
        assert_eq!(self.status, 422, "{}: {}", self.what, self.text());
        let problem = self.json();
        let texts = problem["modelState"][field].as_array();
        texts.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// A header, empty when absent.
    pub fn header(&self, name: &str) -> String {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned()
    }
}

impl Client {
    /// A browser that has not signed in, of the server at an address such as `http://127.0.0.1:8080`.
    pub fn new(base: String) -> Self {
        Self::noting(base, Answered::default())
    }

    /// Like [`Client::new`]; records successful calls.
    pub(crate) fn noting(base: String, answered: Answered) -> Self {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        Self { base, answered, http, token: Mutex::default() }
    }

    /// The access token.
    pub fn token(&self) -> String {
        self.token.lock().expect("the token").clone().expect("somebody signed in")
    }

    pub fn set_token(&self, token: &str) {
        *self.token.lock().expect("the token") = Some(token.to_owned());
    }

    /// A request with the token, to be completed and passed to [`Client::send`].
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &*self.token.lock().expect("the token") {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let call = (request.method().to_string(), request.url().path().to_owned());
        let what = format!("{} {}", call.0, call.1);
        let response = self.http.execute(request).await.unwrap_or_else(|e| panic!("{what}: {e}"));
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.unwrap_or_else(|e| panic!("{what}: {e}")).to_vec();
        if status.is_success() {
            self.answered.lock().expect("the calls").insert(call);
        }
        Answer { status, headers, body, what }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    pub async fn put(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send(self.request(Method::PUT, path).json(body)).await
    }

    /// Signs in and keeps the token.
    pub async fn sign_in(&self, user_name: &str, password: &str) -> Answer {
        let body = json!({ "userName": user_name, "password": password });
        let answer = self.post("/api/account/login", &body).await;
        if answer.status.is_success() {
            self.set_token(answer.json()["accessToken"].as_str().expect("an access token"));
        }
        answer
    }

    /// Like [`Client::sign_in`], for a user of the fixtures.
    pub async fn enter(&self, user: &User) {
        self.sign_in(&user.user_name, crate::PASSWORD).await.ok();
    }

    /// Renews the access token with the cookie, and keeps the new one.
    pub async fn renew(&self) -> Answer {
        let answer = self.send(self.http.post(format!("{}/api/account/renew", self.base))).await;
        if answer.status.is_success() {
            self.set_token(answer.json()["accessToken"].as_str().expect("an access token"));
        }
        answer
    }

    /// Creates a draft and returns its id.
    pub async fn draft(&self, fields: Value) -> String {
        id(&self.put("/api/messages", &fields).await.ok())
    }

    /// Attaches a file to a draft and returns its id.
    pub async fn upload(&self, message: &str, name: &str, content: Vec<u8>, meta: Value) -> String {
        id(&self.try_upload(message, name, content, meta).await.ok())
    }

    /// Like [`Client::upload`], if the answer may be a refusal. No preview is made before it is requested.
    pub async fn try_upload(&self, message: &str, name: &str, content: Vec<u8>, mut meta: Value) -> Answer {
        let file = Part::bytes(content).file_name(name.to_owned());
        meta["convert"] = false.into();
        let form = Form::new().text("attachmentMeta", meta.to_string());
        let form = form.part("file", file);
        let path = format!("/api/messages/{message}/attachments");
        self.send(self.request(Method::POST, &path).multipart(form)).await
    }

    /// Sends a small document and returns the id of the message.
    pub async fn send_document(&self, from: &str, to: &[&str], subject: &str) -> String {
        let draft = self.draft(document(from, to, subject)).await;
        let meta = json!({ "confidentiality": "Normal", "documentDate": "2026-11-19", "documentDateType": "selected" });
        self.upload(&draft, "Note.txt", b"A short note.\n".to_vec(), meta).await;
        self.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
        draft
    }

    /// Opens a hub and authenticates.
    pub async fn hub(&self, name: &str) -> Socket {
        let ticket = self.post("/api/account/hubticket", &json!({})).await.ok();
        let url = format!("{}/api/hubs/{name}", self.base.replacen("http", "ws", 1));
        let mut socket = Socket::open(&url).await;
        socket.send(json!({ "ticket": ticket["ticket"] })).await;
        socket
    }

    /// The renewal cookie as the browser would send it.
    pub fn cookie_of(answer: &Answer) -> String {
        let cookie = answer.headers.get(header::SET_COOKIE).expect("a cookie").to_str().expect("text");
        cookie.split(';').next().unwrap_or_default().to_owned()
    }
}

/// A message that is complete except for its files.
pub fn document(from: &str, to: &[&str], subject: &str) -> Value {
    json!({
        "fromAddress": from,
        "toAddresses": to,
        "subject": subject,
        "body": "Please find the document attached.",
        "releaseType": "Referral",
        "patient": { "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14", "gender": "F" },
    })
}

#[track_caller]
fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}

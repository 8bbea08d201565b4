//! Common behaviour of all requests: problems, headers, paths, the web app, TLS.

use platform::{Config, Role};
use reqwest::{Method, header};
use serde_json::{Value, json};
use std::{fs, path::Path};
use testkit::{Answer, Db, Options, TestApp, User, self_signed};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn an_unknown_call_is_a_problem() {
    let app = TestApp::start(Db::sqlite()).await;
    for path in ["/api/nothing", "/api", "/api/messages/not-an-id/nothing"] {
        let problem = app.client().get(path).await.problem(404);
        assert_eq!(problem["title"], "Not Found", "{path}");
        assert!(problem["message"].is_string(), "{path}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_known_path_with_another_method_is_a_problem() {
    let app = TestApp::start(Db::sqlite()).await;
    let answer = app.client().delete("/api/branding").await;
    assert!(answer.header("allow").contains("GET"), "{:?}", answer.headers);
    answer.problem(405);
    app.finish().await;
}

#[tokio::test]
async fn the_api_describes_itself_to_programs_and_to_people() {
    let app = TestApp::start(Db::sqlite()).await;
    let description = app.client().get("/api/openapi.json").await.json();
    assert!(description["paths"]["/api/messages/{id}/send"]["post"].is_object());
    let page = app.client().get("/api/docs").await;
    assert!(page.header("content-security-policy").contains("style-src 'sha256-"), "{:?}", page.headers);
    let html = page.text();
    assert!(html.contains("<code>/api/messages/{id}/send</code>") && html.contains("id=\"DraftRequest\""));
    app.finish().await;
}

#[tokio::test]
async fn a_body_has_to_be_what_the_api_says() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    for (content_type, body) in [
        ("application/jsonx", r#"{"userName":"a","password":"b"}"#),
        ("application/json", r#"["a","b"]"#),
        ("application/json", r#"{"userName":"a","password":"b"} more"#),
    ] {
        let request = client.request(Method::POST, "/api/account/login");
        let request = request.header(header::CONTENT_TYPE, content_type).body(body);
        client.send(request).await.problem(400);
    }
    app.finish().await;
}

/// Unlimited texts would fill lists and memory.
#[test]
fn every_text_of_a_request_body_has_a_limit() {
    fn unlimited(api: &Value, schema: &Value, path: &str, seen: &mut Vec<String>, found: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            if !seen.iter().any(|known| known == name) {
                seen.push(name.to_owned());
                unlimited(api, &api["components"]["schemas"][name], name, seen, found);
            }
            return;
        }
        let is_text = schema["type"] == "string"
            || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "string"));
        let has_form = ["uuid", "date", "date-time", "binary"].iter().any(|form| schema["format"] == *form);
        if is_text && !has_form && schema["enum"].is_null() && schema["maxLength"].is_null() {
            found.push(path.to_owned());
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            unlimited(api, property, &format!("{path}.{name}"), seen, found);
        }
        let lists = ["oneOf", "anyOf", "allOf"].into_iter().flat_map(|name| schema[name].as_array());
        for part in lists.flatten().chain([&schema["items"], &schema["additionalProperties"]]) {
            if part.is_object() {
                unlimited(api, part, path, seen, found);
            }
        }
    }
    let api: Value = serde_json::from_str(&server::openapi::json()).unwrap();
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    for (path, item) in api["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for content in
                operation["requestBody"]["content"].as_object().into_iter().flat_map(|all| all.values())
            {
                unlimited(&api, &content["schema"], path, &mut seen, &mut found);
            }
        }
    }
    assert!(found.is_empty(), "texts without a limit: {found:?}");
}

#[tokio::test]
async fn field_errors_name_their_fields() {
    let app = TestApp::start(Db::sqlite()).await;
    let problem = app.client().post("/api/account/login", &json!({})).await.problem(422);
    assert_eq!(problem["modelState"]["userName"], json!(["User name is required."]));
    assert_eq!(problem["modelState"]["password"], json!(["Password is required."]));
    let wrong_type = json!({ "userName": 7, "password": "x" });
    let problem = app.client().post("/api/account/login", &wrong_type).await.problem(422);
    assert!(problem["modelState"]["userName"].is_array(), "{problem}");
    app.finish().await;
}

#[tokio::test]
async fn a_body_that_is_not_json_is_a_problem() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    let request = client.request(Method::POST, "/api/account/login");
    let request = request.header(header::CONTENT_TYPE, "application/json").body("{ not json");
    client.send(request).await.problem(400);
    let request = client.request(Method::POST, "/api/account/login").body("userName=x");
    client.send(request).await.problem(400);
    app.finish().await;
}

#[tokio::test]
async fn a_large_body_is_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let body = json!({ "userName": "x".repeat(2 << 20), "password": "x" });
    app.client().post("/api/account/login", &body).await.problem(413);
    app.finish().await;
}

#[tokio::test]
async fn trailing_slashes_are_ignored() {
    let app = TestApp::start(Db::sqlite()).await;
    app.client().get("/api/branding/").await.ok();
    app.client().get("/api/branding///?x=/").await.ok();
    app.finish().await;
}

#[tokio::test]
async fn documented_capitals_may_be_small() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let brand =
        client.get("/api/users/profiledata").await.ok()["brandId"].as_str().expect("a brand").to_owned();
    let written = client.get(&format!("/api/entitysettings/Brand/{brand}")).await.ok();
    assert_eq!(client.get(&format!("/api/entitysettings/brand/{brand}")).await.ok(), written);
    let draft = client.draft(json!({})).await;
    let file = client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
    for name in ["generatePreview", "generatepreview"] {
        client.put(&format!("/api/messages/{draft}/attachments/{file}/{name}"), &json!({})).await.ok();
    }
}

#[tokio::test]
async fn answers_of_the_api_are_not_kept_and_never_a_page() {
    let app = TestApp::start(Db::sqlite()).await;
    for path in ["/api/branding", "/api/nothing", "/api/users/profiledata"] {
        let answer = app.client().get(path).await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
        assert_careful(&answer);
    }
    app.finish().await;
}

#[track_caller]
fn assert_careful(answer: &Answer) {
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert!(answer.header("permissions-policy").contains("camera=()"));
    assert!(answer.header("content-security-policy").contains("frame-ancestors 'none'"));
    assert_eq!(answer.header("server"), "");
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let app = TestApp::start(Db::sqlite()).await;
    let first = app.client().get("/api/branding").await.header("x-request-id");
    let second = app.client().get("/api/nothing").await.header("x-request-id");
    assert!(first.len() == 32 && second.len() == 32 && first != second, "{first} {second}");
    app.finish().await;
}

/// A page of the web app; `None` if it was not built, as in tests of the server only.
async fn page(app: &TestApp, path: &str) -> Option<Answer> {
    let answer = app.client().get(path).await;
    if answer.status == 503 {
        testkit::skipped("the web app is not built (npm run build in web)");
        return None;
    }
    Some(answer)
}

#[tokio::test]
async fn the_page_allows_scripts_by_a_fresh_nonce_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let (Some(first), Some(second)) = (page(&app, "/").await, page(&app, "/").await) else { return };
    let nonce = |answer: &Answer| {
        let policy = answer.header("content-security-policy");
        let script =
            policy.split(';').find(|d| d.trim().starts_with("script-src")).expect("script-src").to_owned();
        assert!(!script.contains("unsafe-inline") && !script.contains("'unsafe-eval'"), "{script}");
        for directive in ["object-src 'none'", "base-uri 'none'", "form-action 'self'"] {
            assert!(policy.contains(directive), "{policy}");
        }
        script.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce").to_owned()
    };
    assert_ne!(nonce(&first), nonce(&second));
    assert!(first.text().contains(&nonce(&first)) && !first.text().contains("__CSP_NONCE__"));
    assert_eq!(first.header("cache-control"), "no-cache");
    assert_careful(&first);
    app.finish().await;
}

#[tokio::test]
async fn every_screen_gets_the_page() {
    let app = TestApp::start(Db::sqlite()).await;
    for path in ["/", "/intake", "/admin/organizations/", "/release/new?x=y"] {
        let Some(answer) = page(&app, path).await else { return };
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("content-type").starts_with("text/html"), "{path}");
    }
    assert_eq!(app.client().get("/assets/nothing.js").await.status, 404);
    app.client().post("/intake", &json!({})).await.problem(405);
    app.finish().await;
}

#[tokio::test]
async fn hashed_files_are_kept_and_others_are_asked_for_again() {
    let app = TestApp::start(Db::sqlite()).await;
    let Some(page) = page(&app, "/").await else { return };
    let text = page.text();
    let script = text.split("src=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a script");
    let hashed = app.client().get(script).await;
    assert_eq!(hashed.header("cache-control"), "public, max-age=31536000, immutable");
    assert!(hashed.header("content-type").contains("javascript"), "{:?}", hashed.headers);
    let client = app.client();
    let icon = client.get("/favicon.svg").await;
    assert_eq!(icon.header("cache-control"), "no-cache");
    let request = client.request(Method::GET, "/favicon.svg").header("if-none-match", icon.header("etag"));
    assert_eq!(client.send(request).await.status, 304);
    app.finish().await;
}

#[tokio::test]
async fn text_is_compressed() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    let request = client.request(Method::GET, "/api/branding").header("accept-encoding", "gzip");
    assert_eq!(client.send(request).await.header("content-encoding"), "gzip");
    app.finish().await;
}

#[tokio::test]
async fn over_https_browsers_are_told_to_stay_there() {
    let options = Options {
        configure: Some(Box::new(|config| {
            config.http.public_url = "https://carepost.example".parse().expect("an address")
        })),
        ..Options::default()
    };
    let app = TestApp::start_with(Db::sqlite(), options).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    let answer = app.client().sign_in(&user.user_name, testkit::PASSWORD).await;
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000; includeSubDomains");
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-") && cookie.contains("Secure") && cookie.contains("Path=/"),
        "{cookie}"
    );
    app.finish().await;
}

#[tokio::test]
async fn certificate_files_switch_tls_on() {
    let db = Db::sqlite();
    let root = certificate(db.folder());
    let options = Options {
        configure: Some(Box::new(|config| {
            config.http.tls_certificate_file = Some(config.data_dir.join("tls.crt"));
            config.http.tls_key_file = Some(config.data_dir.join("tls.key"));
        })),
        ..Options::default()
    };
    let app = TestApp::start_with(db, options).await;
    let client = reqwest::Client::builder()
        .add_root_certificate(root)
        .resolve("localhost", app.http_addr())
        .build()
        .expect("a client");
    let url = format!("https://localhost:{}/api/branding", app.http_addr().port());
    let answer = client.get(&url).send().await.expect("TLS works");
    assert!(answer.status().is_success());
    app.node.reload_tls().expect("the files are read again");
    client.get(&url).send().await.expect("TLS works after reading the files again");
    app.finish().await;
}

#[tokio::test]
async fn listeners_for_systems_send_the_headers_of_the_web_server() {
    let db = Db::sqlite();
    let root = certificate(db.folder());
    let options = Options {
        configure: Some(Box::new(|config| {
            config.http.public_url = "https://carepost.example".parse().expect("an address");
            config.metrics.listen = Some(([127, 0, 0, 1], 0).into());
            config.interfaces.xdr_listen = Some(([127, 0, 0, 1], 0).into());
            config.interfaces.tls_certificate_file = Some(config.data_dir.join("tls.crt"));
            config.interfaces.tls_key_file = Some(config.data_dir.join("tls.key"));
        })),
        ..Options::default()
    };
    let app = TestApp::start_with(db, options).await;
    let metrics = app.node.metrics_addr.expect("the metrics listen");
    let xdr = app.node.xdr_addr.expect("the listener for documents");
    let client = reqwest::Client::builder().add_root_certificate(root).resolve("localhost", xdr);
    let client = client.build().expect("a client");
    let web = app.client().get("/api/nothing").await.headers;
    for url in [
        format!("http://{metrics}/metrics"),
        format!("http://{metrics}/nothing"),
        format!("https://localhost:{}/nothing", xdr.port()),
        format!("https://localhost:{}/services/provide", xdr.port()),
    ] {
        let answer = client.get(&url).send().await.expect("an answer");
        for name in [
            "strict-transport-security",
            "x-content-type-options",
            "content-security-policy",
            "referrer-policy",
            "cache-control",
            "permissions-policy",
        ] {
            assert_eq!(answer.headers().get(name), web.get(name), "{name} of {url}");
            assert!(web.contains_key(name), "{name}");
        }
    }
    app.finish().await;
}

/// Creates a certificate for localhost and its key as `tls.crt` and `tls.key` in a folder.
fn certificate(folder: &Path) -> reqwest::Certificate {
    let made = self_signed(folder, "tls", "DNS:localhost");
    reqwest::Certificate::from_pem(&fs::read(&made.certificate).expect("the certificate")).expect("PEM")
}

#[tokio::test]
async fn hubs_pass_through_all_layers() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    let draft = client.draft(json!({})).await;
    let mut hub = client.hub("messagepresence").await;
    hub.send(json!({ "type": "open", "messageId": draft })).await;
    assert_eq!(hub.expect("present").await["users"], json!([]));
    hub.close().await;
    let mut stranger = testkit::Socket::open(&app.url("/api/hubs/events").replacen("http", "ws", 1)).await;
    stranger.send(json!({ "ticket": "no such ticket" })).await;
    assert_eq!(stranger.next().await, None::<Value>);
    app.finish().await;
}

#[tokio::test]
async fn a_stopping_node_answers_what_it_has_begun() {
    let app = TestApp::start(Db::sqlite()).await;
    let address = app.http_addr();
    let body = r#"{"userName":"nobody","password":"nothing"}"#;
    let head = format!(
        "POST /api/account/login HTTP/1.1\r\nhost: carepost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let mut begun = TcpStream::connect(address).await.expect("a connection");
    begun.write_all(head.as_bytes()).await.expect("the head is sent");
    // Connections are accepted in order, so once this is answered, the other one is being read.
    app.client().get("/api/branding").await.ok();
    let TestApp { node, .. } = app;
    let stopping = tokio::spawn(node.stop());
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    begun.write_all(body.as_bytes()).await.expect("the body is sent");
    let mut answer = String::new();
    begun.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    stopping.await.expect("the node stops");
}

#[tokio::test]
async fn the_support_chat_is_let_in_only_where_the_operator_has_one() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.organization("larkfield").await;
    let (user, insider) = (app.user(Role::User, &larkfield).await, app.user(Role::User, &larkfield).await);
    let chat_of = async |app: &TestApp, user: &User| {
        let profile = app.browser_of(user).await.get("/api/users/profiledata").await.ok();
        (profile["intercomAppId"].clone(), profile["intercomUserHash"].clone())
    };
    let policy = async |app: &TestApp| app.client().get("/").await.header("content-security-policy");
    assert_eq!(chat_of(&app, &user).await, (Value::Null, Value::Null));
    assert!(!policy(&app).await.contains("intercom"));

    let configure = |config: &mut Config| {
        config.support_chat.app_id = Some("workspace".into());
        config.support_chat.identity_secret = Some("key".into());
        config.support_chat.excluded_users = vec![insider.user_name.to_uppercase()];
    };
    let app = app.restart_with(configure).await;
    assert_eq!(chat_of(&app, &user).await, (Value::Null, Value::Null), "this host is left out");
    let app = app
        .restart_with(|config| {
            config.http.public_url = "http://carepost.clinic.example".parse().expect("a URL")
        })
        .await;
    let (id, hash) = chat_of(&app, &user).await;
    assert_eq!((id, hash.as_str().expect("a hash").len()), (json!("workspace"), 64));
    assert_eq!(chat_of(&app, &insider).await, (Value::Null, Value::Null), "the operator's own people");
    let policy = policy(&app).await;
    assert!(policy.contains("script-src 'self' 'nonce-") && policy.contains("https://widget.intercom.io"));
    app.finish().await;
}

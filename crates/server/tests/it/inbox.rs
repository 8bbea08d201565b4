//! The e-mails of a test, from the demonstration mailbox.

use serde_json::Value;
use testkit::TestApp;

/// An e-mail to a person.
pub struct Mail {
    pub subject: String,
    pub text: String,
}

impl Mail {
    /// The token in its link.
    pub fn token(&self) -> String {
        let link =
            self.text.split_whitespace().find(|word| word.contains('#')).expect("a link with a fragment");
        link.split_once('#').expect("a fragment").1.to_owned()
    }

    /// The six digits at its beginning.
    pub fn code(&self) -> String {
        self.subject.split(' ').next().expect("a code").to_owned()
    }
}

/// All e-mails to an address, newest first.
pub async fn mails(app: &TestApp, address: &str) -> Vec<Mail> {
    app.drain().await;
    let visitor = app.client();
    let list = visitor.get("/api/demo/emails").await.ok();
    let mut found = Vec::new();
    for item in list["items"].as_array().expect("a list") {
        if item["toAddress"] == address {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            let content = visitor.get(&format!("/api/demo/emails/{}", text(&item["id"]))).await.ok();
            found.push(Mail { subject: text(&item["subject"]), text: text(&content["text"]) });
        }
    }
    found
}

pub async fn newest(app: &TestApp, address: &str) -> Mail {
    mails(app, address).await.into_iter().next().expect("an e-mail")
}

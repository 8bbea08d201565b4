//! The templates, embedded in the binary.

use crate::letter::{Branding, Email, Letter, Recipient};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context, value::Serde};
use platform::{Error, Result};
use rust_embed::RustEmbed;
use std::sync::LazyLock;
use url::Url;

#[derive(RustEmbed)]
#[folder = "../../templates/email"]
struct Files;

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // A misspelt name in a template is an error instead of a gap in the e-mail.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| {
        if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None }
    });
    for name in Files::iter() {
        let file = Files::get(&name).expect("a listed template");
        let source = String::from_utf8(file.data.into_owned()).expect("a template in UTF-8");
        environment.add_template_owned(name.into_owned(), source).expect("a template without mistakes");
    }
    environment
});

pub(crate) fn render<E: Email>(
    email: &E,
    to: Recipient,
    branding: &Branding,
    public_url: &Url,
) -> Result<Letter> {
    let link = |path: &str| public_url.join(path).map(String::from).map_err(Error::internal);
    let button = match email.button() {
        Some((label, path)) => Some(context! { label, url => link(&path)? }),
        None => None,
    };
    let values = Value::from(Serde(email));
    let values = context! { brand => Value::from(Serde(branding)), button, installation => public_url.host_str(), ..values };
    let part = |name: &str, values: Value| {
        let template = ENVIRONMENT.get_template(&format!("{}/{name}", E::TEMPLATE));
        template.and_then(|template| template.render(values)).map_err(Error::internal)
    };
    let subject = one_line(&part("subject.txt", values.clone())?);
    let values = context! { subject => &subject, ..values };
    let (text, html) = (part("body.txt", values.clone())?, part("body.html", values)?);
    Ok(Letter { to, subject, text: text.trim().to_owned() + "\n", html })
}

/// Joins lines, so that a name with a line break cannot add a header.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

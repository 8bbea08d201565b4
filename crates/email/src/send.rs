//! Sending of e-mails through the mail server.

use crate::{
    letter::Letter,
    outbox::{self, EMAIL_WORKFLOW, SEND_EMAIL},
};
use async_trait::async_trait;
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, MultiPart},
    transport::smtp::authentication::Credentials,
};
use platform::{
    App,
    config::{self, EmailServer, Encryption},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use std::time::Duration;
use store::entities::email;
use uuid::Uuid;
use workflow::{Done, Registry, Step, StepContext, StepError};

/// Time limit of a test of the mail server.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The steps of this crate.
pub fn registry(app: &App) -> Registry {
    Registry::new().with(EMAIL_WORKFLOW, SEND_EMAIL, SendEmail(app.clone()))
}

struct SendEmail(App);

#[async_trait]
impl Step for SendEmail {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let Self(app) = self;
        let row = email::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(row) = row.filter(|row| row.sent_at.is_none()) else { return Ok(Done::skipped()) };
        let letter =
            outbox::open(app, &row).await.map_err(|_| StepError::again("the e-mail cannot be opened"))?;
        let letter = letter.ok_or_else(|| StepError::failed("the e-mail is empty"))?;
        let server = app.config.email.server.as_ref();
        if let Some(server) = server {
            hand_over(app, server, row.id, letter).await?;
        } else if !outbox::is_available(app) {
            return Err(StepError::failed("no mail server is configured (email.server)"));
        }
        let (keep, now) = (server.is_none(), app.clock.now());
        Ok(Done::with(move |txn| {
            Box::pin(async move {
                let mut row = row.into_active_model();
                row.sent_at = Set(Some(now));
                // It may contain links and codes, so it is not kept once sent, except for the demo mailbox.
                if !keep {
                    row.sealed_letter = Set(None);
                }
                row.update(txn).await?;
                Ok(())
            })
        }))
    }
}

async fn hand_over(app: &App, server: &EmailServer, id: Uuid, letter: Letter) -> Result<(), StepError> {
    let transport =
        transport(server).map_err(|_| StepError::failed("the settings email.* cannot be used"))?;
    let from = app.config.email.from.parse();
    let from = from.map_err(|_| StepError::failed("the setting email.from is not an address"))?;
    let message =
        message(from, id, letter).map_err(|_| StepError::failed("the address of a person is not valid"))?;
    // Only the code: the server's text may quote the address.
    transport.send(message).await.map(drop).map_err(|error| match error.status() {
        Some(code) if error.is_permanent() => {
            StepError::failed(format!("the mail server refused it: {code}"))
        }
        Some(code) => StepError::again(format!("the mail server deferred it: {code}")),
        None => StepError::again("the mail server cannot be reached"),
    })
}

/// Sends a test e-mail with these settings immediately, without storing it; reports problems in plain words.
///
/// # Errors
/// The reason, as the end of a sentence. It may quote the mail server, whose text is about the settings only.
pub async fn send_test(settings: &config::Email, to: &str) -> Result<(), String> {
    let server = settings.server.as_ref().ok_or("no mail server is set")?;
    let from: Mailbox =
        settings.from.parse().map_err(|_| format!("{} is not a valid sender address", settings.from))?;
    let to: Address = to.parse().map_err(|_| format!("{to} is not an e-mail address"))?;
    let message = Message::builder()
        .from(from)
        .to(Mailbox::new(None, to))
        .subject("Test of the mail server")
        .body(
            "This e-mail was sent to test the settings of the installation. Nothing else needs to be done.\n"
                .to_owned(),
        )
        .map_err(|error| error.to_string())?;
    let transport = transport(server).map_err(|error| error.to_string())?;
    match tokio::time::timeout(TEST_TIMEOUT, transport.send(message)).await {
        Ok(sent) => sent.map(drop).map_err(|error| reason(server, &error)),
        Err(_) => Err("it did not answer within 30 seconds".into()),
    }
}

fn reason(server: &EmailServer, error: &lettre::transport::smtp::Error) -> String {
    if error.is_tls() {
        return "the encrypted connection failed. Is its certificate valid for this name, and is the kind of encryption right?".into();
    }
    match error.status() {
        Some(code) if code.to_string() == "535" => "it does not accept the user name and password".into(),
        Some(code) => format!("it refused the e-mail with code {code}"),
        None => {
            let port = server.port.map(|port| format!(" at port {port}")).unwrap_or_default();
            format!("it cannot be reached{port}, or does not speak SMTP ({error})")
        }
    }
}

fn transport(
    server: &EmailServer,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, lettre::transport::smtp::Error> {
    type Transport = AsyncSmtpTransport<Tokio1Executor>;
    let mut transport = match server.encryption {
        Encryption::Starttls => Transport::starttls_relay(&server.host)?,
        Encryption::Tls => Transport::relay(&server.host)?,
        Encryption::None => Transport::builder_dangerous(&server.host),
    };
    if let Some(port) = server.port {
        transport = transport.port(port);
    }
    if let (Some(user), Some(password)) = (&server.user, &server.password) {
        transport = transport.credentials(Credentials::new(user.clone(), password.clone()));
    }
    Ok(transport.build())
}

/// The message with the same Message-ID for each attempt, so that duplicates can be recognized.
fn message(
    from: Mailbox,
    id: Uuid,
    letter: Letter,
) -> Result<Message, Box<dyn std::error::Error + Send + Sync>> {
    let message_id = format!("<{id}@{}>", from.email.domain());
    let to = Mailbox::new(Some(letter.to.name), letter.to.address.parse::<Address>()?);
    Ok(Message::builder()
        .from(from)
        .to(to)
        .subject(letter.subject)
        .message_id(Some(message_id))
        .multipart(MultiPart::alternative_plain_html(letter.text, letter.html))?)
}

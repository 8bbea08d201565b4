//! `carepost setup`: asks questions, writes the configuration file, and tests each step.

mod answers;

use crate::{
    node,
    setup::{
        checks::{self, Check, Outcome},
        dns::{self, RecordState},
        file::{ConfigFile, write_whole},
        operator::{self, NewOperator},
        steps::{self, SetupStepName},
    },
};
use answers::{Answers, DIRECT, INTERFACES, Kind, MAIL, MALWARE, PUBLIC_URL, Question, STORAGE};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use console::brands::{Look, set_first_look};
use dialoguer::{Input, Password, Select, theme::ColorfulTheme};
use direct::cert::CertificateAuthority;
use messaging::direct::authority;
use platform::{App, Config, Error, audit::Actor, fields::is_email};
use std::{
    fs,
    io::{IsTerminal, stdin},
    net::SocketAddr,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};
use store::{Clock, keys::MasterKey};

/// Location of the packaged configuration.
const PACKAGED: &str = "/etc/carepost/carepost.toml";

#[derive(Args)]
pub struct Setup {
    /// File with answers (TOML, named like the options); no questions are asked then
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Ask no questions: settings without an answer stay the same
    #[arg(long)]
    non_interactive: bool,
    #[command(flatten)]
    given: Answers,
}

/// Runs setup on the given configuration file, the packaged one, or `carepost.toml` in this folder.
pub fn run(config: Option<PathBuf>, options: Setup) -> Result<ExitCode> {
    let packaged = Path::new(PACKAGED);
    let path = config
        .unwrap_or_else(|| if packaged.exists() { packaged.to_owned() } else { "carepost.toml".into() });
    refuse_root(&path)?;
    let asks = options.answers.is_none() && !options.non_interactive && stdin().is_terminal();
    let given = options.given.with_file(options.answers.as_deref())?;
    let runtime = super::runtime()?;
    let mut session = Session { file: ConfigFile::open(&path)?, given, asks, problems: 0, step: 0, runtime };
    session.all_steps()?;
    Ok(if session.problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The service could not read files written by root.
fn refuse_root(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let owner = fs::metadata(folder).map_or(0, |meta| meta.uid());
    if rustix::process::geteuid().is_root() && owner != 0 {
        bail!(
            "{} belongs to another user. Run this as the user of the service: sudo -u carepost carepost setup",
            folder.display()
        );
    }
    Ok(())
}

/// What to do after a test found problems.
enum Next {
    AskAgain,
    GoOn,
}

struct Session {
    file: ConfigFile,
    given: toml::Table,
    /// Whether a person is at the terminal.
    asks: bool,
    problems: usize,
    step: usize,
    runtime: tokio::runtime::Runtime,
}

impl Session {
    fn all_steps(&mut self) -> Result<()> {
        println!("Setting up Carepost. Settings are saved in {}.", self.file.path.display());
        if self.asks {
            println!(
                "Press Enter to keep the value in brackets, or type - to clear it. Ctrl+C stops; start again to continue."
            );
        }
        leave_demonstration(&mut self.file);
        self.master_key()?;
        self.settings("Public URL and Direct domain", PUBLIC_URL, |config| async move {
            Ok(checks::public_url(&config, false).await)
        })?;
        self.settings("Storage", STORAGE, |config| async move { storage(config).await })?;
        self.settings("Malware scanner", MALWARE, |config| async move {
            Ok(vec![checks::malware(&config).await])
        })?;
        self.mail()?;
        self.settings("Direct mail and DNS", DIRECT, |config| async move { direct_domain(config).await })?;
        self.settings("Interfaces of other systems", INTERFACES, |config| async move {
            Ok(checks::interfaces(&config).await)
        })?;
        self.authority()?;
        self.brand()?;
        self.operator()
    }

    /// Settings of a step: questions, saving, test.
    fn settings<F>(&mut self, title: &str, questions: &[Question], test: impl Fn(Config) -> F) -> Result<()>
    where
        F: Future<Output = Result<Vec<Check>>>,
    {
        self.title(title);
        loop {
            for question in questions {
                self.put(question)?;
            }
            let found = match self.file.config() {
                Ok(config) => {
                    self.file.save()?;
                    self.runtime
                        .block_on(test(config))
                        .unwrap_or_else(|e| vec![Check::problem(format!("{e:#}."))])
                }
                Err(error) => vec![Check::problem(format!("{error:#}."))],
            };
            if let Next::GoOn = self.tell(&found)? {
                return Ok(());
            }
        }
    }

    fn title(&mut self, title: &str) {
        self.step += 1;
        println!("\n{}. {title}", self.step);
    }

    /// Prints the results of a test, and the next action for problems.
    fn tell(&mut self, found: &[Check]) -> Result<Next> {
        for check in found {
            let mark = match check.outcome {
                Outcome::Good => "ok      ",
                Outcome::Note => "note    ",
                Outcome::Problem => "PROBLEM ",
            };
            println!("   {mark} {}", check.text);
        }
        let wrong = found.iter().filter(|check| check.is_problem()).count();
        if wrong == 0 {
            return Ok(Next::GoOn);
        }
        if !self.asks {
            self.problems += wrong;
            return Ok(Next::GoOn);
        }
        let choices = ["Change the answers", "Continue, and come back to it later", "Stop here"];
        match Select::with_theme(&ColorfulTheme::default())
            .with_prompt("What now?")
            .items(choices)
            .default(0)
            .interact()?
        {
            0 => Ok(Next::AskAgain),
            1 => {
                self.problems += wrong;
                Ok(Next::GoOn)
            }
            _ => bail!("stopped; start again to continue from here"),
        }
    }

    /// The given or typed answer. `None` keeps the present value.
    fn answer(&self, name: &str, ask: &str, present: &str) -> Result<Option<String>> {
        if let Some(given) = self.given.get(name).and_then(toml::Value::as_str) {
            return Ok(Some(given.to_owned()));
        }
        if !self.asks {
            return Ok(None);
        }
        let theme = ColorfulTheme::default();
        let input = Input::<String>::with_theme(&theme).with_prompt(ask).allow_empty(true);
        let input = if present.is_empty() { input } else { input.default(present.to_owned()) };
        let typed = input.interact_text()?.trim().to_owned();
        Ok(Some(if typed == "-" { String::new() } else { typed }))
    }

    /// Stores the answer to a question in the file.
    fn put(&mut self, question: &Question) -> Result<()> {
        if question.only_with.is_some_and(|key| self.file.get(key).is_none()) {
            self.file.set(question.key, None);
            return Ok(());
        }
        let in_file = format!("{}_file", question.key);
        let is_kept_apart = matches!(question.kind, Kind::Secret(_)) && self.file.get(&in_file).is_some();
        // Secrets from commands are configured by hand, so there is no question.
        if self.file.get(&format!("{}_command", question.key)).is_some() {
            return Ok(());
        }
        let present = match self.file.get(question.key) {
            Some(value) => value,
            None if is_kept_apart => return self.replace_secret(question, &in_file),
            None => question.proposal.to_owned(),
        };
        let text = self.answer(question.answer, question.ask, &present)?.unwrap_or(present);
        let is_secret = text.contains('@') || text.contains("password=");
        match question.kind {
            Kind::Secret(name) if is_secret => self.keep_apart(question.key, &in_file, name, &text),
            // The present value may be relative to another folder.
            Kind::Path if self.file.get(question.key).as_ref() == Some(&text) => Ok(()),
            _ => {
                self.file.set(question.key, question.value(&text)?);
                Ok(())
            }
        }
    }

    fn replace_secret(&mut self, question: &Question, in_file: &str) -> Result<()> {
        let Kind::Secret(name) = question.kind else { return Ok(()) };
        let ask = format!("{} (Enter keeps the current one)", question.ask);
        match self.answer(question.answer, &ask, "")? {
            Some(text) if !text.is_empty() => self.keep_apart(question.key, in_file, name, &text),
            _ => Ok(()),
        }
    }

    /// Values with a password go into a file that only its owner can read.
    fn keep_apart(&mut self, key: &str, in_file: &str, name: &str, text: &str) -> Result<()> {
        let path = self.file.secret_path(name);
        write_whole(&path, text.as_bytes(), 0o600)?;
        self.file.set(key, None);
        self.file.set(in_file, Some(path.display().to_string().into()));
        Ok(())
    }

    /// The master key, created once.
    fn master_key(&mut self) -> Result<()> {
        let known =
            ["keys.master_key", "keys.master_key_file", "keys.master_key_command", "keys.pkcs11.module"];
        let is_set = known.iter().any(|key| self.file.get(key).is_some());
        if is_set || std::env::var_os("CAREPOST_KEYS__MASTER_KEY").is_some() {
            return Ok(());
        }
        let path = self.file.secret_path("master.key");
        if !path.exists() {
            write_whole(&path, MasterKey::generate().to_base64().as_bytes(), 0o600)?;
            println!(
                "The master key is in {}. Keep a copy in a different place than the backups.",
                path.display()
            );
        }
        self.file.set("keys.master_key_file", Some(path.display().to_string().into()));
        Ok(())
    }

    fn mail(&mut self) -> Result<()> {
        let to = self.given.get("test-mail-to").or_else(|| self.given.get("operator-email"));
        let mut to = to.and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let asks = self.asks;
        let read = move |config: &Config| -> Result<String> {
            if to.is_empty() && asks && config.email.server.is_some() {
                let theme = ColorfulTheme::default();
                to = Input::with_theme(&theme).with_prompt("Send a test e-mail to").interact_text()?;
            }
            Ok(to.clone())
        };
        let read = std::cell::RefCell::new(read);
        self.settings("Mail for notices", MAIL, |config| {
            let to = (*read.borrow_mut())(&config);
            async move { mail(config, &to?).await }
        })
    }

    /// The application on the configured storage, or the problem that prevents it.
    fn open(&self) -> Result<App> {
        let config = self.file.config()?;
        self.runtime.block_on(node::open(config, Clock::system()))
    }

    fn authority(&mut self) -> Result<()> {
        self.title("Certificate authority");
        let certificate = "Certificate file of your own authority (empty for the built-in one)";
        let certificate = self.answer("authority-certificate", certificate, "")?.unwrap_or_default();
        let key = match certificate.as_str() {
            "" => String::new(),
            _ => self.answer("authority-key", "File with its key", "")?.unwrap_or_default(),
        };
        let found = match self.open() {
            Ok(app) => match self.runtime.block_on(issue_by(&app, &certificate, &key)) {
                Ok(check) => check,
                Err(error) => Check::problem(format!("{error:#}.")),
            },
            Err(error) => Check::problem(format!("{error:#}.")),
        };
        match self.tell(&[found])? {
            Next::AskAgain => self.again(Self::authority),
            Next::GoOn => Ok(()),
        }
    }

    /// Repeats the step.
    fn again(&mut self, step: fn(&mut Self) -> Result<()>) -> Result<()> {
        self.step -= 1;
        step(self)
    }

    fn brand(&mut self) -> Result<()> {
        self.title("Brand");
        let app = match self.open() {
            Ok(app) => app,
            Err(error) => return self.tell(&[Check::problem(format!("{error:#}."))]).map(drop),
        };
        let now = self.runtime.block_on(console::brands::first(&app)).map_err(plain)?;
        let name = self.answer("brand-name", "Display name", &now.display_name)?;
        let color =
            self.answer("brand-color", "Colour, such as #0B6570 (empty for the built-in one)", &now.color)?;
        let look = Look {
            display_name: name.unwrap_or(now.display_name.clone()),
            color: color.unwrap_or(now.color.clone()),
        };
        let found = match self.runtime.block_on(set_first_look(&app, &command_line(), &look)) {
            Ok(()) => Check::good(format!(
                "People see {}. Set logo, host names and terms in the web app.",
                look.display_name
            )),
            Err(error) => Check::problem(format!("{:#}", plain(error))),
        };
        match self.tell(&[found])? {
            Next::AskAgain => self.again(Self::brand),
            Next::GoOn => Ok(()),
        }
    }

    fn operator(&mut self) -> Result<()> {
        self.title("First operator");
        let app = match self.open() {
            Ok(app) => app,
            Err(error) => return self.tell(&[Check::problem(format!("{error:#}."))]).map(drop),
        };
        let Some(link) = self.runtime.block_on(operator::new_link(&app)).map_err(plain)? else {
            self.tell(&[Check::good("There is already an operator.")])?;
            return self.farewell(&app.config, None);
        };
        let by_link = "E-mail address of the first operator (empty for a sign-in link)";
        let email = self.answer("operator-email", by_link, "")?.unwrap_or_default();
        let Some(new) = self.new_operator(email)? else {
            return self.farewell(&app.config, Some(&link));
        };
        let name = new.user_name.clone();
        match self.runtime.block_on(operator::create(&app, new)) {
            Ok(()) => {
                self.tell(&[Check::good(format!("{name} can sign in as system administrator."))])?;
                self.farewell(&app.config, None)
            }
            Err(error) => {
                self.tell(&[Check::problem(format!("{:#}", plain(error)))])?;
                self.farewell(&app.config, Some(&link))
            }
        }
    }

    /// `None` if the operator will use the link.
    fn new_operator(&self, email: String) -> Result<Option<NewOperator>> {
        if email.is_empty() {
            return Ok(None);
        }
        if !is_email(&email) {
            bail!("{email} is not an e-mail address");
        }
        let password = match self.given.get("operator-password-file").and_then(toml::Value::as_str) {
            Some(file) => fs::read_to_string(file)
                .with_context(|| format!("{file} cannot be read"))?
                .trim_end_matches(['\r', '\n'])
                .to_owned(),
            None if self.asks => Password::with_theme(&ColorfulTheme::default())
                .with_prompt("Password (at least 15 characters)")
                .with_confirmation("Again", "The passwords differ")
                .interact()?,
            None => return Ok(None),
        };
        let first_name = self.answer("operator-first-name", "First name", "")?.unwrap_or_default();
        let last_name = self.answer("operator-last-name", "Last name", "")?.unwrap_or_default();
        Ok(Some(NewOperator { user_name: email.clone(), first_name, last_name, email, password }))
    }

    fn farewell(&self, config: &Config, link: Option<&str>) -> Result<()> {
        match self.problems {
            0 => println!("\nAll tests passed."),
            1 => println!("\nThere is 1 problem left. Run carepost setup again once it is fixed."),
            n => println!("\nThere are {n} problems left. Run carepost setup again once they are fixed."),
        }
        println!(
            "Start the server: systemctl restart carepost, or carepost serve --config {}",
            self.file.path.display()
        );
        match link {
            Some(link) => {
                println!("Then open this address within 24 hours to become its first operator:\n\n  {link}\n")
            }
            None => println!("Then sign in at {} and open Setup.", config.http.public_url),
        }
        Ok(())
    }
}

/// Actor of acts without a sign-in.
pub(super) fn command_line() -> Actor {
    Actor { name: "Command line".into(), ..Actor::default() }
}

/// Text of a refusal on the command line.
pub(super) fn plain(error: Error) -> anyhow::Error {
    match error {
        Error::Invalid(errors) => anyhow!(errors.sentences()),
        Error::Conflict(text) => anyhow!(text),
        error => anyhow!("it failed: {error:?}"),
    }
}

async fn storage(config: Config) -> Result<Vec<Check>> {
    let app = node::open(config, Clock::system()).await?;
    let began = Instant::now();
    let found = checks::storage(&app.config, &app.store, app.keys.master().clone()).await;
    steps::keep(&app, SetupStepName::Storage, began.elapsed(), found.clone(), Vec::new()).await?;
    Ok(found)
}

/// Tests the mail server, and stores the result for the pages.
async fn mail(config: Config, to: &str) -> Result<Vec<Check>> {
    let began = Instant::now();
    let found = test_mail(&config, to).await;
    if config.email.server.is_some() && !to.is_empty() {
        let app = node::open(config, Clock::system()).await?;
        steps::keep(&app, SetupStepName::Mail, began.elapsed(), found.clone(), Vec::new()).await?;
    }
    Ok(found)
}

async fn test_mail(config: &Config, to: &str) -> Vec<Check> {
    if config.email.server.is_none() {
        let mut found = vec![Check::note(
            "No mail server is set: invitations, links and codes cannot be sent until there is one.",
        )];
        if config.requires_second_factor() {
            found.push(Check::note(
                "Everybody needs a second step to sign in, and codes go by e-mail. The first operator comes in by the \
                 link and sets an authenticator app or a passkey up in the profile.",
            ));
        }
        return found;
    }
    if to.is_empty() {
        return vec![Check::note("No test e-mail was sent: set a recipient with --test-mail-to.")];
    }
    checks::mail(config, to).await
}

/// The demonstration only accepts mail on this machine, which partners cannot reach.
fn leave_demonstration(file: &mut ConfigFile) {
    let is_first = file.get("mode").as_deref() != Some("production");
    let listens = file.get("smtp.listen").and_then(|text| text.parse::<SocketAddr>().ok());
    if is_first && listens.is_some_and(|address| address.ip().is_loopback()) {
        file.set("smtp.listen", None);
    }
    file.set("mode", Some("production".into()));
}

/// Listeners, names, and the DNS records that partners need.
async fn direct_domain(config: Config) -> Result<Vec<Check>> {
    let app = node::open(config, Clock::system()).await?;
    let config = &app.config;
    let mut found = checks::listeners(config).await;
    if config.smtp.listen.ip().is_loopback() {
        found.push(Check::note(format!(
            "Only this machine can reach {}. Partners need an address such as 0.0.0.0:25, or a mail server in front.",
            config.smtp.listen
        )));
    }
    found.push(dns::resolves(config, &config.smtp.hostname).await);
    for record in dns::records(config, &app.store).await? {
        let text = format!("{} {} {}: {}", record.name, record.kind, record.value, record.text);
        found.push(match record.state {
            RecordState::Found => Check::good(text),
            // The maintainer of the zone publishes them afterwards.
            RecordState::Missing | RecordState::Differs | RecordState::Unknown => Check::note(text),
        });
    }
    Ok(found)
}

async fn issue_by(app: &App, certificate: &str, key: &str) -> Result<Check> {
    if certificate.is_empty() {
        authority::ensure(app).await.map_err(plain)?;
        if authority::is_outdated(app).await.map_err(plain)? {
            authority::remake(app, &command_line()).await.map_err(plain)?;
            return Ok(Check::good(format!(
                "The built-in authority was made anew for {}. Partners need its certificate as an anchor: carepost \
                 trust export.",
                app.config.direct.host
            )));
        }
        return Ok(Check::good(
            "The built-in authority issues certificates. Partners need its certificate as an anchor: carepost trust \
             export.",
        ));
    }
    let read = |file: &str| fs::read(file).with_context(|| format!("{file} cannot be read"));
    let issuer = CertificateAuthority::from_pem(&read(certificate)?, &read(key)?)?;
    authority::install(app, &command_line(), "Your own", &issuer).await.map_err(plain)?;
    Ok(Check::good("Your own authority now issues certificates."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mail_listener_of_the_demonstration_is_not_that_of_an_installation() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("carepost.toml");
        let listener_after = |text: &str| {
            fs::write(&path, text).expect("a file");
            let mut file = ConfigFile::open(&path).expect("a configuration");
            leave_demonstration(&mut file);
            assert_eq!(file.get("mode").as_deref(), Some("production"));
            file.get("smtp.listen")
        };
        assert_eq!(listener_after("mode = \"demo\"\n[smtp]\nlisten = \"127.0.0.1:2525\"\n"), None);
        let chosen = "[smtp]\nlisten = \"127.0.0.1:25\"\n";
        assert_eq!(
            listener_after(&format!("mode = \"production\"\n{chosen}")).as_deref(),
            Some("127.0.0.1:25")
        );
    }
}

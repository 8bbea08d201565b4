//! `carepost doctor`: checks everything that an installation needs and reports problems in plain words.

use crate::{
    installation, node,
    setup::checks::{self, Check, Outcome, not_after, try_blobs},
    storage,
};
use anyhow::Result;
use chrono::Duration;
use direct::{
    cert::Certificate,
    dns::{DnsClient, DnsSettings},
    trust::Crl,
};
use documents::worker::Converter;
use fetch::{AddressGuard, Fetch, HttpFetcher};
use openssl::x509::X509;
use platform::{
    Config, Error,
    audit::{self, heads},
    config::{ConfigError, Mode, NodeRole},
    health::Health,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::{collections::BTreeSet, net::SocketAddr, path::Path, process::ExitCode};
use store::{
    Clock, DatabaseRole, Store,
    entities::{
        attachment, certificate_authority, direct_certificate, licence, organization, trust_anchor,
        trust_bundle,
    },
    keys::{KeyRing, MasterKey},
};
use tokio::net::TcpListener;
use uuid::Uuid;

/// Number of days before the end of a licence from which it is reported.
const LICENCES_END: i64 = 60;
/// Next action if the stored heads of the audit trail do not match.
const ACCEPT: &str = "The database or the stored heads were changed, unless a backup was restored or the location was \
                      changed. Once you know why, run `carepost audit accept-heads --reason …`.";
/// Maximum size of a fetched revocation list, in bytes.
const REVOCATION_LIST_LIMIT: usize = 4 << 20;

/// Collects the findings and prints them line by line.
#[derive(Default)]
struct Report {
    problems: usize,
}

impl Report {
    fn fine(&mut self, text: impl AsRef<str>) {
        println!("  ok       {}", text.as_ref());
    }

    fn note(&mut self, text: impl AsRef<str>) {
        println!("  note     {}", text.as_ref());
    }

    fn problem(&mut self, text: impl AsRef<str>) {
        self.problems += 1;
        println!("  PROBLEM  {}", text.as_ref());
    }
}

pub async fn run(config: Result<Config, ConfigError>, full: bool) -> Result<ExitCode> {
    let mut report = Report::default();
    match config {
        Ok(config) => examine(&config, full, &mut report).await,
        Err(error) => report.problem(format!("The configuration cannot be used: {error}.")),
    }
    match report.problems {
        0 => println!("\nNothing is wrong."),
        1 => println!("\nThere is 1 problem."),
        n => println!("\nThere are {n} problems."),
    }
    Ok(if report.problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn examine(config: &Config, full: bool, report: &mut Report) {
    configuration(config, report);
    if let Some(store) = database(config, report).await {
        let keys = keys(config, &store, report).await;
        if let Some(keys) = &keys {
            blob_store(config, &store, keys.master().clone(), report).await;
            audit_heads(config, &store, keys, report).await;
            if let Err(error) = documents(config, &store, full, report).await {
                report.problem(format!("The documents cannot be checked: {error:#}."));
            }
        }
        if let Err(error) = certificates(config, &store, report).await {
            report.problem(format!("The certificates cannot be read from the database: {error}."));
        }
        if let Err(error) = trust(&store, report).await {
            report.problem(format!("The trust anchors cannot be read from the database: {error}."));
        }
        if let Err(error) = revocation_lists(config, &store, report).await {
            report.problem(format!("The revocation lists cannot be checked: {error}."));
        }
        if let Err(error) = licences(&store, report).await {
            report.problem(format!("The licences cannot be read from the database: {error}."));
        }
        audit_trail(&store, report).await;
    }
    disk(config, report);
    listeners(config, report).await;
    name_server(config, report).await;
    confinement(report).await;
    malware(config, report).await;
}

fn configuration(config: &Config, report: &mut Report) {
    match config.mode {
        Mode::Demo => report
            .note("The mode is demo, with sample data and listed accounts. For real patients, set mode = \"production\"."),
        Mode::Production => {
            report.fine(format!("The configuration is for production at {}.", config.http.public_url))
        }
    }
    if config.mode == Mode::Production && config.email.server.is_none() {
        report.note("No mail server is set (email.server.host), so e-mails to people cannot be sent.");
        if config.requires_second_factor() {
            report.problem(
                "Everybody needs a second step to sign in (session.require_second_factor), and without a mail \
                 server no code can be sent: who has set up neither an authenticator app nor a passkey stays out.",
            );
        }
    }
    if config.mode == Mode::Production && is_local(config) {
        report.problem(
            "http.public_url names this machine only. Other systems cannot read the revocation lists \
             that our certificates name.",
        );
    }
    for concession in config.concessions() {
        report.note(format!("{concession}."));
    }
    let files = [
        ("http.tls_certificate_file", &config.http.tls_certificate_file),
        ("http.tls_key_file", &config.http.tls_key_file),
        ("smtp.tls_certificate_file", &config.smtp.tls_certificate_file),
        ("smtp.tls_key_file", &config.smtp.tls_key_file),
    ];
    for (name, file) in files {
        if let Some(file) = file
            && let Err(error) = std::fs::metadata(file)
        {
            report.problem(format!("{name} {} cannot be read: {error}.", file.display()));
        }
    }
}

fn is_local(config: &Config) -> bool {
    let host = config.http.public_url.host_str().unwrap_or_default();
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

async fn database(config: &Config, report: &mut Report) -> Option<Store> {
    let url = config.database_url();
    let file = url.strip_prefix("sqlite://").map(|path| path.split('?').next().unwrap_or(path));
    if let Some(file) = file.filter(|file| !Path::new(file).exists()) {
        report.problem(format!(
            "The database {file} does not exist yet. Run `carepost serve` or `carepost migrate` to create it."
        ));
        return None;
    }
    let store = match Store::open(&url).await {
        Ok(store) => store,
        Err(error) => {
            report.problem(format!("The database cannot be reached. Check that it is running and its address is correct: {error}."));
            return None;
        }
    };
    match store.pending_migrations().await {
        Ok(pending) if pending.is_empty() => {
            report.fine("The database answers and its schema is up to date.")
        }
        Ok(pending) => {
            report.problem(format!(
                "The database schema lacks {}. Run `carepost migrate`, or start a node.",
                pending.join(", ")
            ));
            return None;
        }
        Err(error) => {
            report.problem(format!("The database schema cannot be read: {error}."));
            return None;
        }
    }
    match store.database_role().await {
        Ok(Some(DatabaseRole::Superuser)) => report.note(
            "Carepost signs in to PostgreSQL as a superuser, who can change the audit trail and everything else in that \
             server. docs/operations.md says how to make a role of its own.",
        ),
        Ok(Some(DatabaseRole::Owner)) => report.note(
            "Carepost signs in to PostgreSQL as the owner of its tables, who can take away the guard of the audit trail. \
             docs/operations.md says how to make a role that cannot.",
        ),
        Ok(Some(DatabaseRole::User)) => report.fine("The role in PostgreSQL cannot change the tables."),
        Ok(None) => {}
        Err(error) => report.problem(format!("The rights in PostgreSQL cannot be read: {error}.")),
    }
    match installation::value(store.db(), installation::DEMO_SEEDED).await {
        Ok(Some(_)) if config.mode == Mode::Production => report.problem(
            "The database contains the demo data with its well-known passwords, so production mode does not start.",
        ),
        Ok(_) => {}
        Err(error) => report.problem(format!("The database cannot be read: {error}.")),
    }
    Some(store)
}

async fn keys(config: &Config, store: &Store, report: &mut Report) -> Option<KeyRing> {
    let generated = installation::generated_key_file(config);
    let pin_file = config.keys.pkcs11.as_ref().and_then(|module| module.pin_file.as_ref());
    let from_file = config.keys.master_key_file.as_ref().or(pin_file);
    let in_module = config.keys.pkcs11.is_some();
    if config.keys.master_key.is_none() && !in_module && !generated.exists() {
        report.problem(format!(
            "There is no master key: {} is missing, and keys.master_key is not set. Without the key that sealed \
             them, documents cannot be read.",
            generated.display()
        ));
        return None;
    }
    let is_generated = config.keys.master_key.is_none() && !in_module;
    if let Some(file) = from_file.or(is_generated.then_some(&generated)) {
        readable_by_others(file, report);
    }
    let key = installation::master_key(config, store).await;
    let key = key.map_err(|error| report.problem(format!("{error:#}."))).ok()?;
    let previous = installation::previous_master_key(config, store).await;
    let previous = previous.map_err(|error| report.problem(format!("{error:#}."))).ok()?;
    let ring = KeyRing::new(store.clone(), Clock::system(), key.clone()).with_previous(previous);
    match installation::master_key_fits(store, &ring).await {
        Ok(true) if installation::is_being_replaced(store, &ring).await.unwrap_or(false) => {
            report.problem(
                "The master key is being replaced, and the previous one is still needed. Once every node knows both, \
                 run: carepost rotate-key",
            );
            return Some(ring);
        }
        Ok(true) => {
            report.fine(format!("The master key ({}) matches the database.", key.id()));
            return Some(ring);
        }
        Ok(false) => report.problem(format!(
            "The master key ({}) does not match: this database was sealed with another one.",
            key.id()
        )),
        Err(error) => report.problem(format!("The master key cannot be checked: {error:#}.")),
    }
    None
}

fn readable_by_others(file: &Path, report: &mut Report) {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(file).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0) {
        report.problem(format!(
            "{} can be read by other users of this machine. Run: chmod 600 {}",
            file.display(),
            file.display()
        ));
    }
}

async fn blob_store(config: &Config, store: &Store, key: MasterKey, report: &mut Report) {
    let what = match &config.blobs.s3 {
        Some(s3) => format!("bucket {}", s3.bucket),
        None => format!("folder {}", config.blob_dir().display()),
    };
    match try_blobs(config, store, key).await {
        Ok(()) => report.fine(format!("The blob store ({what}) stores and returns documents.")),
        Err(error) => report.problem(format!("The blob store ({what}) does not work: {error:#}.")),
    }
}

/// Number of documents that are checked by default.
const SAMPLE: usize = 1_000;
/// Number of documents whose rows are read at once.
const PIECE: u64 = 1_000;
/// Maximum number of missing documents that are named.
const NAMED: usize = 10;

/// Whether the blob store has the documents of the database: the newest, or all.
async fn documents(config: &Config, store: &Store, full: bool, report: &mut Report) -> Result<()> {
    use attachment::Column;
    let blobs = storage::blobs(config)?;
    let (mut before, mut seen, mut missing) = (None, 0, Vec::new());
    while full || seen < SAMPLE {
        let mut rows = attachment::Entity::find().filter(Column::DeletedAt.is_null());
        if let Some(id) = before {
            rows = rows.filter(Column::Id.lt(id));
        }
        let rows = rows.order_by_desc(Column::Id).limit(PIECE).all(store.db()).await?;
        for row in &rows {
            if !blobs.exists(row.organization_id, row.blob_id).await? {
                missing.push(row.id);
            }
        }
        seen += rows.len();
        let Some(last) = rows.last() else { break };
        before = Some(last.id);
    }
    let which = if full { "all" } else { "the newest" };
    if missing.is_empty() {
        report.fine(format!("The documents are complete (checked {which}: {seen})."));
        return Ok(());
    }
    let named = missing.iter().take(NAMED).map(Uuid::to_string).collect::<Vec<_>>().join(", ");
    let more = if missing.len() > NAMED { ", ..." } else { "" };
    report.problem(format!(
        "{} of {seen} documents ({which}) are missing in the blob store: restore it from the backup that belongs to \
         the database. Attachments: {named}{more}.",
        missing.len()
    ));
    Ok(())
}

async fn listeners(config: &Config, report: &mut Report) {
    let all = [
        (NodeRole::Web, "HTTP", Some(config.http.listen)),
        (NodeRole::Smtp, "SMTP", Some(config.smtp.listen)),
        (NodeRole::Dns, "DNS", config.dns.listen),
    ];
    for (role, what, address) in all {
        if let Some(address) = address.filter(|_| config.has_role(role)) {
            listener(what, address, report).await;
        }
    }
    for (what, address) in [("MLLP", config.interfaces.mllp_listen), ("XDR", config.interfaces.xdr_listen)] {
        if let Some(address) = address {
            listener(what, address, report).await;
        }
    }
}

async fn listener(what: &str, address: SocketAddr, report: &mut Report) {
    match TcpListener::bind(address).await {
        Ok(_) => report.fine(format!("{what} can listen on {address}.")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            report.note(format!("{address} is already in use ({what}): a running node, or another program."));
        }
        Err(error) => report.problem(format!("{what} cannot listen on {address}: {error}.")),
    }
}

async fn name_server(config: &Config, report: &mut Report) {
    let servers: Vec<_> = config.dns.nameserver.into_iter().collect();
    let whom = servers.first().map_or("the system's name server".to_owned(), ToString::to_string);
    let settings = DnsSettings { servers, retries: 0, ..DnsSettings::default() };
    let answer = async { DnsClient::new(&settings)?.mail_hosts(&config.direct.host).await };
    match answer.await {
        Ok(_) => report.fine(format!("DNS lookups work ({whom}).")),
        Err(error) => report.problem(format!(
            "Names cannot be looked up at {whom}: {error}. Certificates of other systems will not be found, and mail \
             to them waits."
        )),
    }
}

async fn confinement(report: &mut Report) {
    let Ok(program) = std::env::current_exe() else {
        return report.problem("The program cannot find its own file, so the converter cannot start.");
    };
    match Converter::new(program, [node::CONVERT]).confinement().await {
        Ok(how) if how.network_cut() && how.limits => {
            report.fine(format!("Converters are confined ({how})."));
            if !how.files {
                report.note(
                    "This machine has neither Landlock (Linux 5.13) nor system call filters: converters can read what \
                     their user can.",
                );
            }
        }
        Ok(how) => {
            report.problem(format!("Converters of hostile files are not sufficiently confined ({how})."))
        }
        Err(error) => report.problem(format!("Converters cannot start: {error}.")),
    }
    if !documents::office::is_installed() {
        report.note(
            "LibreOffice is not installed: files of Word, Excel and the like have no preview (Debian: libreoffice-writer, \
             libreoffice-calc, libreoffice-impress).",
        );
    }
    if !documents::ocr::is_installed() {
        report.note(
            "Tesseract is not installed: patients are not read from scans and faxes (Debian: tesseract-ocr).",
        );
    }
}

async fn malware(config: &Config, report: &mut Report) {
    let Check { outcome, text } = checks::malware(config).await;
    match outcome {
        Outcome::Good => report.fine(text),
        Outcome::Note => report.note(text),
        Outcome::Problem => report.problem(text),
    }
}

async fn certificates(config: &Config, store: &Store, report: &mut Report) -> Result<()> {
    let now = Clock::system().now();
    let soon = now + Duration::days(config.direct.renew_days_before.into());
    for authority in certificate_authority::Entity::find().all(store.db()).await? {
        let end = X509::from_pem(authority.certificate_pem.as_bytes()).ok().and_then(|c| not_after(&c));
        match end {
            Some(end) if end > soon => report.fine(format!(
                "The certificate authority {} is valid until {}.",
                authority.name,
                end.date_naive()
            )),
            Some(end) => report.problem(format!(
                "The certificate authority {} ends on {}.",
                authority.name,
                end.date_naive()
            )),
            None => {
                report.problem(format!("The certificate of the authority {} cannot be read.", authority.name))
            }
        }
    }
    // A cancelled organization neither sends nor receives, and needs no certificate.
    let active = organization::Entity::find()
        .filter(organization::Column::IsActivated.eq(true))
        .filter(organization::Column::IsCancelled.eq(false))
        .filter(organization::Column::DeletedAt.is_null())
        .all(store.db())
        .await?;
    let mut good = 0;
    for organization in active {
        let newest = newest_certificate(store, organization.id).await?;
        let name = &organization.name;
        match newest.map(|c| c.not_after) {
            None => report.problem(format!(
                "{name} is activated but has no Direct certificate; a node with the role worker issues it."
            )),
            Some(end) if end <= now => report.problem(format!(
                "The Direct certificate of {name} expired on {}: it can neither send nor receive.",
                end.date_naive()
            )),
            Some(end) if end <= soon => report.note(format!(
                "The Direct certificate of {name} ends on {}; a node with the role worker renews it.",
                end.date_naive()
            )),
            Some(_) => good += 1,
        }
    }
    report.fine(format!("{good} organizations have a valid Direct certificate."));
    Ok(())
}

async fn trust(store: &Store, report: &mut Report) -> Result<()> {
    let now = Clock::system().now();
    for anchor in trust_anchor::Entity::find().all(store.db()).await? {
        let certificate = X509::from_pem(anchor.certificate_pem.as_bytes());
        match certificate.ok().and_then(|c| not_after(&c)) {
            Some(end) if end > now => {}
            Some(end) => {
                report.problem(format!("The trust anchor {} ended on {}.", anchor.id, end.date_naive()))
            }
            None => {
                report.problem(format!("The certificate of the trust anchor {} cannot be read.", anchor.id))
            }
        }
    }
    for bundle in trust_bundle::Entity::find().all(store.db()).await? {
        if let Some(error) = bundle.last_error {
            report.problem(format!("The trust bundle {} keeps its last good anchors. {error}", bundle.name));
        }
    }
    Ok(())
}

/// Reports connector licences that end soon. Nothing depends on them.
async fn licences(store: &Store, report: &mut Report) -> Result<()> {
    let (now, db) = (Clock::system().now(), store.db());
    let ending = licence::Entity::find()
        .filter(licence::Column::ExpiresAt.gt(now))
        .filter(licence::Column::ExpiresAt.lte(now + Duration::days(LICENCES_END)));
    let count = platform::sql::capped_count(db, ending).await?;
    if count > 0 {
        report.note(format!(
            "{count} connector licences end within {LICENCES_END} days. This is only a warning: messages are still sent."
        ));
    }
    Ok(())
}

async fn revocation_lists(config: &Config, store: &Store, report: &mut Report) -> Result<()> {
    let in_force = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::RevokedAt.is_null())
        .filter(direct_certificate::Column::NotAfter.gt(Clock::system().now()));
    let certificates = in_force.all(store.db()).await?;
    let urls: BTreeSet<String> = certificates
        .iter()
        .filter_map(|row| Certificate::from_pem(row.certificate_pem.as_bytes()).ok())
        .flat_map(|certificate| certificate.crl_urls())
        .collect();
    // From here, our own server may be in a private network.
    let fetcher = HttpFetcher::new(AddressGuard::unrestricted())?;
    for url in urls {
        match revocation_list(&fetcher, &url).await {
            Ok(()) => report.fine(format!("The revocation list {url} can be fetched.")),
            Err(reason) => {
                let text = format!(
                    "The revocation list {url}, which our certificates name, cannot be fetched: {reason}. Others \
                     then refuse our mail. Is the server running, and is http.public_url where they reach it?"
                );
                match config.mode {
                    Mode::Demo => report.note(text),
                    Mode::Production => report.problem(text),
                }
            }
        }
    }
    Ok(())
}

async fn revocation_list(fetcher: &HttpFetcher, url: &str) -> Result<(), String> {
    let bytes = fetcher.get(url, REVOCATION_LIST_LIMIT).await.map_err(|error| error.to_string())?;
    Crl::from_bytes(&bytes).map(|_| ()).map_err(|_| "the file is not a revocation list".into())
}

async fn newest_certificate(
    store: &Store,
    organization_id: Uuid,
) -> Result<Option<direct_certificate::Model>> {
    let rows = direct_certificate::Entity::find()
        .filter(direct_certificate::Column::OrganizationId.eq(organization_id))
        .filter(direct_certificate::Column::RevokedAt.is_null())
        .filter(direct_certificate::Column::RetiredAt.is_null())
        .all(store.db())
        .await?;
    Ok(rows.into_iter().max_by_key(|c| c.not_after))
}

async fn audit_trail(store: &Store, report: &mut Report) {
    match audit::verify(store.db()).await {
        Ok(findings) if findings.is_empty() => report.fine("The audit trail is intact."),
        Ok(findings) => findings.iter().for_each(|finding| report.problem(format!("The {finding}."))),
        Err(error) => report.problem(format!("The audit trail cannot be read: {error}.")),
    }
}

/// Compares the heads stored outside the database with its content.
async fn audit_heads(config: &Config, store: &Store, keys: &KeyRing, report: &mut Report) {
    let compared = async {
        let blobs = storage::blobs(config).map_err(Error::internal)?;
        let kept = heads::read(config, &blobs, store.db(), keys).await?;
        let findings = kept.findings(store.db()).await?;
        Ok::<_, Error>((kept, findings))
    };
    let (kept, findings) = match compared.await {
        Ok(compared) => compared,
        Err(error) => {
            return report.problem(format!("The heads of the audit trail cannot be read: {error:?}."));
        }
    };
    if let Some(wrong) = kept.wrong {
        report.problem(format!("{wrong}. {ACCEPT}"));
    }
    let Some(heads) = &kept.heads else {
        if kept.wrong.is_none() {
            report.note(
                "No heads of the audit trail are stored outside the database yet; a node with the role worker stores them.",
            );
        }
        return;
    };
    let kept_at = heads.at.format("%F %T UTC");
    if kept.wrong.is_none() && findings.is_empty() {
        report.fine(format!("The audit trail matches its heads stored on {kept_at}."));
    }
    for finding in findings {
        report.problem(format!("The {finding}: it was intact on {kept_at}. {ACCEPT}"));
    }
}

fn disk(config: &Config, report: &mut Report) {
    let disk = Health::new(config).disk;
    let Some(free) = disk.free() else { return };
    let megabytes = |bytes: u64| bytes >> 20;
    if disk.is_full() {
        report.problem(format!(
            "Only {} MB are free on the disk, fewer than {} MB (blobs.keep_free_bytes): mails, files and messages are refused.",
            megabytes(free),
            megabytes(disk.floor())
        ));
    } else {
        report.fine(format!("{} MB are free on the disk.", megabytes(free)));
    }
}

//! The DNS records that partners need, and whether they exist.

use super::checks::{Check, resolver};
use direct::dns::{CertRecord, DnsClient, DnsError, MailHosts};
use futures::future::join_all;
use openssl::{base64::encode_block, x509::X509};
use platform::Config;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use store::{
    Store,
    entities::{direct_certificate, organization},
};
use utoipa::ToSchema;

/// Maximum number of organizations whose records are looked up at once.
const ORGANIZATIONS_MAX: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum RecordState {
    Found,
    Missing,
    Differs,
    /// No name server answered.
    Unknown,
}

/// A record of the zone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DnsRecord {
    pub state: RecordState,
    /// `A`, `NS`, `MX` or `CERT`
    pub kind: String,
    pub name: String,
    /// The line of a zone file; empty if only another party knows it.
    pub value: String,
    /// Purpose of the record, and its problem.
    pub text: String,
}

/// Whether a host name has an address.
pub async fn resolves(config: &Config, host: &str) -> Check {
    let addresses = match resolver(config) {
        Ok(client) => client.addresses(host).await,
        Err(_) => Err(DnsError::NoServers),
    };
    match addresses {
        // `localhost` and names of /etc/hosts are not in DNS.
        Ok(found) if found.is_empty() => match tokio::net::lookup_host((host, 0)).await {
            Ok(_) => Check::note(format!("{host} is only known to this machine.")),
            Err(_) => Check::problem(format!("{host} has no address in DNS. Add an A record for it.")),
        },
        Ok(found) => {
            let all: Vec<String> = found.iter().map(ToString::to_string).collect();
            Check::good(format!("{host} leads to {}.", all.join(", ")))
        }
        Err(_) => Check::note(format!("No name server answered a query for {host}.")),
    }
}

/// All records that partners look up: the mail server's address, the delegation, and the organizations' mail servers
/// and certificates.
pub async fn records(config: &Config, store: &Store) -> anyhow::Result<Vec<DnsRecord>> {
    let client = resolver(config)?;
    let (host, mail) = (format!("direct.{}", config.direct.host), config.smtp.hostname.clone());
    let mut all = vec![address(&client, &mail).await];
    if config.dns.listen.is_some() {
        all.push(delegation(&client, config, store, &host, &mail).await?);
    } else {
        all.push(mail_server(&client, &format!("*.{host}"), &format!("setup-test.{host}"), &mail).await);
    }
    let certificates = certificates(store).await?;
    all.extend(join_all(certificates.iter().map(|(domain, der)| certificate(&client, domain, der))).await);
    Ok(all)
}

fn record(
    kind: &str,
    name: &str,
    value: impl Into<String>,
    (state, text): (RecordState, String),
) -> DnsRecord {
    DnsRecord { state, kind: kind.into(), name: name.into(), value: value.into(), text }
}

const UNANSWERED: &str = "No name server answered. Try again in a moment.";

async fn address(client: &DnsClient, mail: &str) -> DnsRecord {
    let found = client.addresses(mail).await;
    let value = found.as_ref().ok().and_then(|all| all.first()).map(ToString::to_string).unwrap_or_default();
    let judged = match found {
        Ok(found) if !found.is_empty() => {
            (RecordState::Found, "Mail servers of partners connect to this address.".into())
        }
        Ok(_) => {
            (RecordState::Missing, "Enter the public address of this server: partners connect to it.".into())
        }
        Err(_) => (RecordState::Unknown, UNANSWERED.into()),
    };
    record("A", mail, value, judged)
}

async fn delegation(
    client: &DnsClient,
    config: &Config,
    store: &Store,
    host: &str,
    mail: &str,
) -> anyhow::Result<DnsRecord> {
    let value = format!("{mail}.");
    let Some(first) = organizations(store).await?.into_iter().next() else {
        let text = "The parent zone must point to this server. This is checked once there is an active organization.";
        return Ok(record("NS", host, value, (RecordState::Unknown, text.into())));
    };
    let domain = config.direct_domain(&first.sub_domain);
    let judged = match client.mail_hosts(&domain).await {
        Ok(MailHosts::Hosts(hosts)) if hosts.iter().any(|host| host.eq_ignore_ascii_case(mail)) => (
            RecordState::Found,
            format!("The parent zone points to this server, which answered for {domain}."),
        ),
        Ok(_) => (RecordState::Missing, format!("Queries for {domain} do not reach this server.")),
        Err(_) => (RecordState::Unknown, UNANSWERED.into()),
    };
    Ok(record("NS", host, value, judged))
}

async fn mail_server(client: &DnsClient, name: &str, asked: &str, mail: &str) -> DnsRecord {
    let judged = match client.mail_hosts(asked).await {
        Ok(MailHosts::Hosts(hosts)) if hosts.iter().any(|host| host.eq_ignore_ascii_case(mail)) => {
            (RecordState::Found, "Mail for every organization arrives at this server.".into())
        }
        Ok(MailHosts::Hosts(hosts)) => {
            (RecordState::Differs, format!("Mail currently goes to {}.", hosts.join(", ")))
        }
        Ok(_) => (RecordState::Missing, "Missing. Partners do not know where to send mail.".into()),
        Err(_) => (RecordState::Unknown, UNANSWERED.into()),
    };
    record("MX", name, format!("10 {mail}."), judged)
}

async fn certificate(client: &DnsClient, domain: &str, der: &[u8]) -> DnsRecord {
    let judged = match client.cert_records(domain).await {
        Ok(found) if found.contains(&CertRecord::Certificate(der.to_vec())) => {
            (RecordState::Found, "Partners find the certificate of this organization.".into())
        }
        Ok(found) if found.is_empty() => {
            (RecordState::Missing, "Missing. Partners cannot encrypt for this organization.".into())
        }
        Ok(_) => {
            (RecordState::Differs, "A different certificate is published, perhaps the previous one.".into())
        }
        Err(_) => (RecordState::Unknown, UNANSWERED.into()),
    };
    record("CERT", domain, format!("PKIX 0 0 {}", encode_block(der)), judged)
}

async fn organizations(store: &Store) -> anyhow::Result<Vec<organization::Model>> {
    Ok(organization::Entity::find()
        .filter(organization::Column::IsActivated.eq(true))
        .filter(organization::Column::IsCancelled.eq(false))
        .filter(organization::Column::DeletedAt.is_null())
        .order_by_asc(organization::Column::Id)
        .limit(ORGANIZATIONS_MAX)
        .all(store.db())
        .await?)
}

/// The valid certificates of the first organizations, with their domains.
async fn certificates(store: &Store) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    use direct_certificate::Column;
    let ids: Vec<_> = organizations(store).await?.into_iter().map(|organization| organization.id).collect();
    let rows = direct_certificate::Entity::find()
        .filter(Column::OrganizationId.is_in(ids))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::RetiredAt.is_null())
        .order_by_asc(Column::Domain)
        .order_by_desc(Column::NotAfter)
        .all(store.db())
        .await?;
    let mut newest: Vec<(String, Vec<u8>)> = Vec::new();
    for row in rows {
        if newest.last().is_none_or(|(domain, _)| *domain != row.domain) {
            newest.push((row.domain, X509::from_pem(row.certificate_pem.as_bytes())?.to_der()?));
        }
    }
    Ok(newest)
}

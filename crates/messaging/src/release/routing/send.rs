//! Hands messages over to the endpoints of a rule.

use super::{
    accepted::Accepted,
    content::{self, Parcel},
    rules::Route,
};
use exchange::{
    Delivery, Dialogue, Document, Outcome,
    hl7::{self, Shape},
    link::{Certificates, Link, Target},
    networks,
    saml::Signer,
    web,
    xdr::{self, Profile},
};
use platform::{App, config::Mode};
use std::time::Duration;
use store::entities::{
    routing_endpoint,
    routing_rule::{self, RoutingFormat, RoutingSecurity, Transport},
};
use workflow::StepError;

/// Default port.
const MLLP: u16 = 2575;

/// Result of an attempt.
pub enum Routed {
    Delivered,
    /// An endpoint refused the message, so it is not tried again.
    Failed(String),
    /// It is tried again, with the same ids.
    Later(String),
    /// An earlier message to the same address comes first.
    Behind,
}

/// Tries the endpoints in order until all documents are accepted: each gets those that earlier ones did not accept.
/// After an endpoint that may have received something, no other one is tried in the same attempt.
pub async fn attempt(parcel: Parcel<'_>) -> Result<Routed, StepError> {
    let (app, route) = (parcel.app, parcel.route);
    if route.has_earlier(app.store.db(), parcel.delivery, app.clock.now()).await? {
        return Ok(Routed::Behind);
    }
    let mut delivery = parcel.open().await?;
    let links = match Links::new(app, &route.rule).await {
        Ok(links) => links,
        Err(reason) => return Ok(Routed::Later(reason)),
    };
    let mut accepted = Accepted::of(&app.store, parcel.delivery.id).await?;
    let (mut refused, mut later) = (None, None);
    for endpoint in &route.endpoints {
        delivery.to = content::receiver(route, endpoint);
        match links.hand_over(endpoint, &delivery, &mut accepted).await.outcome {
            Outcome::Accepted => return Ok(Routed::Delivered),
            Outcome::NoAnswer(reason) => return Ok(Routed::Later(reason)),
            Outcome::Refused(reason) => refused = refused.or(Some(reason)),
            Outcome::NotReached(reason) => later = later.or(Some(reason)),
        }
    }
    Ok(match (refused, later) {
        (Some(reason), _) if accepted.is_empty() => Routed::Failed(reason),
        (Some(reason), _) => Routed::Failed(format!("{reason} Part of the message was accepted before.")),
        (None, reason) => Routed::Later(reason.unwrap_or_else(|| "The rule has no endpoint.".into())),
    })
}

/// The connection settings of a rule.
pub struct Links<'a> {
    rule: &'a routing_rule::Model,
    link: Link,
    signer: Option<Signer>,
}

impl<'a> Links<'a> {
    /// Parses the certificates. `Err` describes what an operator has to correct.
    pub async fn new(app: &App, rule: &'a routing_rule::Model) -> Result<Self, String> {
        let config = &app.config.routing;
        let networks = config.vpn_networks.iter().map(|network| network.prefix());
        let guard = networks::guard(rule.step_type.is_over_vpn(), networks, app.config.mode == Mode::Demo);
        let timeout = Duration::from_secs(config.answer_seconds.into());
        let security = rule.security_type;
        if security == RoutingSecurity::None {
            return Ok(Self { rule, link: Link::plain(guard, timeout), signer: None });
        }
        let shows_own = matches!(security, RoutingSecurity::MutualTls | RoutingSecurity::Saml);
        let trusted = match &*rule.custom_certificate_name {
            "" => pem(app, "authorities").await,
            name => Some(pem(app, name).await.ok_or_else(|| missing(name))?),
        };
        let own = match shows_own {
            true => Some(pem(app, "default").await.ok_or_else(|| missing("default"))?),
            false => None,
        };
        let signer =
            match (&own, security) {
                (Some(pem), RoutingSecurity::Saml) => {
                    let signer = Signer::from_pem(pem, app.clock.now());
                    Some(signer.map_err(|error| {
                        format!("The file default.pem cannot be used for signing: {error}.")
                    })?)
                }
                _ => None,
            };
        let link = Link::encrypted(guard, timeout, &Certificates { trusted, own });
        Ok(Self {
            rule,
            link: link.map_err(|error| format!("The connection cannot be set up: {error}."))?,
            signer,
        })
    }

    /// Hands the remaining documents over to one endpoint, and stops at the first one that it does not accept.
    pub async fn hand_over(
        &self,
        endpoint: &routing_endpoint::Model,
        delivery: &Delivery,
        accepted: &mut Accepted<'_>,
    ) -> Dialogue {
        let Some(target) = self.target(endpoint) else {
            return Dialogue::none(Outcome::NotReached("The address of the endpoint cannot be read.".into()));
        };
        let direct = |is_minimal| Profile::Direct { is_minimal };
        match self.rule.step_type.transport() {
            Transport::Mllp => self.each(delivery, &target, accepted).await,
            Transport::WebService { is_json: false } => self.each(delivery, &target, accepted).await,
            Transport::WebService { is_json: true } => web::post_json(&self.link, &target, delivery).await,
            Transport::Iti41 => {
                let profile = Profile::Repository { recipient: self.recipient() };
                xdr::provide(&self.link, &target, delivery, &profile, self.signer.as_ref()).await
            }
            Transport::Xdr { is_minimal } => {
                xdr::provide(&self.link, &target, delivery, &direct(is_minimal), self.signer.as_ref()).await
            }
        }
    }

    /// Sends the documents one by one, except accepted ones.
    async fn each(&self, delivery: &Delivery, target: &Target, accepted: &mut Accepted<'_>) -> Dialogue {
        let mut said = Dialogue::none(Outcome::Accepted);
        let open: Vec<_> = delivery.documents.iter().filter(|document| !accepted.has(document.id)).collect();
        for (index, document) in open.iter().enumerate() {
            said.then(self.one(delivery, document, target).await);
            if said.outcome != Outcome::Accepted {
                break;
            }
            // The last one settles the delivery.
            if index + 1 < open.len() {
                accepted.add(document.id).await;
            }
        }
        said
    }

    async fn one(&self, delivery: &Delivery, document: &Document, target: &Target) -> Dialogue {
        let is_mllp = self.rule.step_type.transport() == Transport::Mllp;
        let shape = match self.rule.convert_to_format {
            Some(RoutingFormat::Oru) => Some(Shape::Oru),
            Some(RoutingFormat::Mdm) => Some(Shape::Mdm),
            _ => is_mllp.then_some(Shape::Mdm),
        };
        let made = shape.map(|shape| hl7::message(delivery, document, shape));
        match made {
            Some(message) if is_mllp => {
                self.link.send_hl7(target, &message, &hl7::control_id(delivery, document)).await
            }
            Some(message) => {
                let kind = "x-application/hl7-v2+er7; charset=utf-8";
                web::post_document(&self.link, target, delivery, document, kind, message).await
            }
            None => {
                let (kind, body) = (&document.media_type, document.content.to_vec());
                web::post_document(&self.link, target, delivery, document, kind, body).await
            }
        }
    }

    fn target(&self, endpoint: &routing_endpoint::Model) -> Option<Target> {
        let usual = match (self.rule.step_type.transport(), self.rule.security_type) {
            (Transport::Mllp, _) => MLLP,
            (_, RoutingSecurity::None) => 80,
            _ => 443,
        };
        let port = endpoint.port.map(u16::try_from).transpose().ok()?;
        Target::parse(&endpoint.ip_address, port, usual)
    }

    /// The intended recipient for a repository: the recipient within KeyHIE.
    fn recipient(&self) -> Option<String> {
        let named = &self.rule.key_hie_address;
        let address = if named.is_empty() { &self.rule.address } else { named };
        self.rule.step_type.is_keyhie().then(|| address.clone())
    }
}

async fn pem(app: &App, name: &str) -> Option<Vec<u8>> {
    let folder = app.config.routing.certificates_folder.as_ref()?;
    tokio::fs::read(folder.join(format!("{name}.pem"))).await.ok()
}

fn missing(name: &str) -> String {
    format!("The certificate {name}.pem is missing in routing.certificates_folder, or cannot be read.")
}

/// The name of an endpoint beside its answer.
pub fn name_of(endpoint: &routing_endpoint::Model) -> String {
    match endpoint.port {
        Some(port) => format!("{} (port {port})", endpoint.ip_address),
        None => endpoint.ip_address.clone(),
    }
}

/// Sends the test message of a rule to one of its endpoints.
pub async fn test(app: &App, route: &Route, endpoint: &routing_endpoint::Model) -> Dialogue {
    let mut delivery = content::test_message(app, route);
    delivery.to = content::receiver(route, endpoint);
    match Links::new(app, &route.rule).await {
        Ok(links) => links.hand_over(endpoint, &delivery, &mut Accepted::none()).await,
        Err(reason) => Dialogue::none(Outcome::NotReached(reason)),
    }
}

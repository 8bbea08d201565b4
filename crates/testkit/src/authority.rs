//! The certificate authority of the tests, and the keys of their practices. Generating an RSA key takes longer than
//! most tests, so keys are generated once and kept beside the test programs.

use crate::TestApp;
use chrono::Duration;
use direct::cert::{AuthorityName, CertificateAuthority, KeySize, PrivateKey, Validity};
use messaging::direct::authority;
use platform::{App, audit::Actor};
use sea_orm::{EntityTrait, PaginatorTrait};
use store::entities::direct_certificate;

/// Installs the authority of the tests in a node that was never started, like an operator's own one.
pub async fn install(app: &App) {
    let name = AuthorityName { common_name: "Test Direct CA".into(), organization: "Carepost".into() };
    // Valid on the clock of the tests and on the machine's.
    let validity =
        Validity { from: app.clock.now() - Duration::days(365), lasting: Duration::days(20 * 365) };
    let key = key("authority", KeySize::Rsa3072);
    let ca = CertificateAuthority::create(&name, validity, key).expect("an authority");
    authority::install(app, &Actor::default(), "Tests", &ca).await.expect("the authority is installed");
}

impl TestApp {
    /// A key not used by another practice of this database.
    pub(crate) async fn practice_key(&self) -> PrivateKey {
        let practices =
            direct_certificate::Entity::find().count(self.store.db()).await.expect("certificates");
        key(&format!("practice-{practices}"), KeySize::Rsa2048)
    }
}

fn key(owner: &str, size: KeySize) -> PrivateKey {
    let made = || PrivateKey::generate_rsa(size).and_then(|key| key.to_pkcs8()).expect("a key").to_vec();
    PrivateKey::from_der(&testdb::kept(&format!("{owner}.key"), made)).expect("a key")
}

//! The certificate authority of the tests. Its key is made once and kept beside the test programs: making one takes
//! longer than most tests.

use chrono::Duration;
use direct::cert::{AuthorityName, CertificateAuthority, KeySize, PrivateKey, Validity};
use messaging::direct::authority;
use platform::App;
use std::path::PathBuf;

/// Gives a node that was never started the authority of the tests, as an operator gives it one of their own.
pub async fn install(app: &App) {
    let name = AuthorityName { common_name: "Test Direct CA".into(), organization: "Carepost".into() };
    let validity = Validity { from: app.clock.now() - Duration::hours(1), lasting: Duration::days(20 * 365) };
    let ca = CertificateAuthority::create(&name, validity, key()).expect("an authority");
    authority::install(app, "Tests", &ca).await.expect("the authority is installed");
}

fn key() -> PrivateKey {
    let file = file();
    if let Ok(known) = std::fs::read(&file) {
        return PrivateKey::from_der(&known).expect("the key of an earlier test");
    }
    let key = PrivateKey::generate_rsa(KeySize::Rsa3072).expect("a key");
    // Other tests find the whole file or none.
    let new = tempfile::NamedTempFile::new_in(file.parent().expect("a folder")).expect("a file");
    std::fs::write(&new, key.to_pkcs8().expect("the key")).expect("the key is written");
    new.persist(&file).expect("the key is kept");
    key
}

fn file() -> PathBuf {
    std::env::current_exe().expect("the path of this program").with_file_name("test-authority.key")
}

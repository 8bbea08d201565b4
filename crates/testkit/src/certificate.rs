//! Certificates for servers in tests, made with openssl.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A self-signed certificate and its key, both in PEM.
pub struct SelfSigned {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Creates `NAME.crt` and `NAME.key` in a folder, for a subject alternative name such as `DNS:localhost`, valid for
/// two days.
///
/// # Panics
///
/// Without openssl.
pub fn self_signed(folder: &Path, name: &str, alternative: &str) -> SelfSigned {
    let made = SelfSigned {
        certificate: folder.join(format!("{name}.crt")),
        key: folder.join(format!("{name}.key")),
    };
    let output = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=test", "-addext", &format!("subjectAltName={alternative}")])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .args([&made.key, &"-out".into(), &made.certificate])
        .output()
        .expect("openssl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    made
}

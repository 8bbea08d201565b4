//! `carepost serve --print-config` with a file and the environment.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

/// Runs `carepost` with this environment only.
pub fn carepost(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carepost"));
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.args(arguments).envs(environment.iter().copied());
    command.output().expect("carepost starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shown(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = carepost(&[&["serve", "--print-config"], arguments].concat(), environment);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn refused(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = carepost(&[&["serve", "--print-config"], arguments].concat(), environment);
    assert!(!output.status.success());
    text(&output.stderr)
}

fn file(folder: &TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, content).expect("the file is written");
    path.display().to_string()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
    let folder = folder();
    let config =
        file(&folder, "carepost.toml", "[http]\nlisten = \"127.0.0.1:9001\"\n[session]\nidle_minutes = 20\n");
    let shown = shown(&["--config", &config], &[("CAREPOST_HTTP__LISTEN", "127.0.0.1:9002")]);
    assert!(shown.contains("listen = \"127.0.0.1:9002\""), "{shown}");
    assert!(shown.contains("idle_minutes = 20"), "{shown}");
    assert!(shown.contains("absolute_hours = 12"), "{shown}");
}

#[test]
fn the_file_may_be_named_by_the_environment() {
    let folder = folder();
    let config = file(&folder, "carepost.toml", "[session]\nidle_minutes = 7\n");
    assert!(shown(&[], &[("CAREPOST_CONFIG", &config)]).contains("idle_minutes = 7"));
}

#[test]
fn roles_may_be_given_on_the_command_line() {
    let shown = shown(&["--roles", "web,worker"], &[]);
    assert!(
        shown.contains("\"web\"") && shown.contains("\"worker\"") && !shown.contains("\"smtp\""),
        "{shown}"
    );
}

#[test]
fn unknown_keys_are_errors_that_name_the_key() {
    let folder = folder();
    let config = file(&folder, "carepost.toml", "[http]\nlissten = \"127.0.0.1:9001\"\n");
    assert!(refused(&["--config", &config], &[]).contains("lissten"));
    assert!(refused(&[], &[("CAREPOST_SESION__IDLE_MINUTES", "3")]).contains("sesion"));
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    assert!(refused(&["--config", "nowhere.toml"], &[]).contains("nowhere.toml"));
}

#[test]
fn values_out_of_range_are_refused_in_plain_words() {
    let words = refused(&[], &[("CAREPOST_SESSION__IDLE_MINUTES", "31")]);
    assert!(words.contains("session.idle_minutes must be between 1 and 30"), "{words}");
    let words = refused(&["--roles", "dns"], &[]);
    assert!(words.contains("needs dns.listen"), "{words}");
    let words = refused(&[], &[("CAREPOST_SUPPORT_CHAT__APP_ID", "workspace")]);
    assert!(words.contains("support_chat.app_id needs support_chat.identity_secret"), "{words}");
}

#[test]
fn secrets_come_from_files_and_are_masked() {
    let folder = folder();
    let key = file(&folder, "key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    let url = file(&folder, "url", "postgres://carepost:hunter2@db.example/carepost\n");
    let shown =
        shown(&[], &[("CAREPOST_KEYS__MASTER_KEY_FILE", &key), ("CAREPOST_DATABASE__URL_FILE", &url)]);
    assert!(shown.contains("master_key = \"********\""), "{shown}");
    assert!(shown.contains("postgres://carepost:********@db.example/carepost"), "{shown}");
    assert!(!shown.contains("AAECAw") && !shown.contains("hunter2"), "{shown}");
    let option = "postgres://db.example/carepost?user=carepost&password=hunter2&sslmode=verify-full";
    let shown = self::shown(&[], &[("CAREPOST_DATABASE__URL", option)]);
    assert!(shown.contains("password=********&sslmode=verify-full") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn secrets_come_from_commands_and_are_masked() {
    let shown = shown(
        &[],
        &[
            ("CAREPOST_KEYS__MASTER_KEY_COMMAND", "[\"printf\", \"%s\", \"hunter2\"]"),
            ("CAREPOST_DATABASE__URL_COMMAND", "[\"echo\", \"sqlite://elsewhere.db\"]"),
        ],
    );
    assert!(
        shown.contains("master_key = \"********\"") && shown.contains("sqlite://elsewhere.db"),
        "{shown}"
    );
    let words = refused(&[], &[("CAREPOST_KEYS__MASTER_KEY_COMMAND", "[\"false\"]")]);
    assert!(words.contains("keys.master_key_command failed with exit code 1"), "{words}");
}

#[test]
fn a_secret_given_twice_is_refused() {
    let folder = folder();
    let key = file(&folder, "key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    let both = [("CAREPOST_KEYS__MASTER_KEY_FILE", key.as_str()), ("CAREPOST_KEYS__MASTER_KEY", "another")];
    assert!(refused(&[], &both).contains("cannot both be set"));
}

#[test]
fn production_needs_a_master_key() {
    let words = refused(&[], &[("CAREPOST_MODE", "production")]);
    assert!(words.contains("keys.master_key"), "{words}");
}

#[test]
fn production_needs_a_public_address_with_tls() {
    let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let environment = [
        ("CAREPOST_MODE", "production"),
        ("CAREPOST_KEYS__MASTER_KEY", key),
        ("CAREPOST_HTTP__PUBLIC_URL", "http://care.example"),
    ];
    let words = refused(&[], &environment);
    assert!(words.contains("http.public_url") && words.contains("https"), "{words}");
}

#[test]
fn production_needs_a_direct_domain_of_its_own() {
    let environment = |host: &'static str| {
        [
            ("CAREPOST_MODE", "production"),
            ("CAREPOST_KEYS__MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
            ("CAREPOST_HTTP__PUBLIC_URL", "https://care.example"),
            ("CAREPOST_DIRECT__HOST", host),
        ]
    };
    for placeholder in ["", "carepost.example", "Carepost.Example"] {
        let words = refused(&[], &environment(placeholder));
        assert!(words.contains("direct.host: set it to your own domain"), "{words}");
    }
    assert!(shown(&[], &environment("clinic.example")).contains("host = \"clinic.example\""));
}

#[test]
fn the_master_key_of_a_demo_is_made_once_and_readable_by_nobody_else() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let data = folder.path().join("data").display().to_string();
    let account = [
        "create-sysadmin",
        "--user-name",
        "root@ops.example",
        "--first-name",
        "Ola",
        "--last-name",
        "Brandt",
    ];
    let password = file(&folder, "password", "a password that is long enough");
    let again = [&account[..], &["--password-file", &password]].concat();
    let output = carepost(&again, &[("CAREPOST_DATA_DIR", &data)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let key = Path::new(&data).join("master.key");
    let mode = fs::metadata(&key).expect("the key is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = fs::read(&key).expect("the key can be read");
    let output = carepost(&again, &[("CAREPOST_DATA_DIR", &data)]);
    assert!(text(&output.stderr).contains("is already taken"), "{}", text(&output.stderr));
    assert_eq!(fs::read(&key).expect("the key can be read"), before);
}

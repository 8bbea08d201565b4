//! Secrets of the configuration: in the configuration itself, in a file, or printed by a command.

use super::{Config, ConfigError, Pkcs11};
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{io::AsyncReadExt, process::Command, time::timeout};

/// Time limit of a command.
const TIME: Duration = Duration::from_secs(10);
/// Maximum length of a command's secret, in bytes.
const LONGEST: u64 = 64 << 10;

/// Reads one secret: its setting, its value, and its alternative sources.
macro_rules! read {
    ($name:literal, $section:expr, $value:ident, $file:ident, $command:ident) => {
        read_secret($name, &mut $section.$value, &$section.$file, &$section.$command)?
    };
}

impl Config {
    pub(super) fn read_secrets(&mut self) -> Result<(), ConfigError> {
        let keys = &mut self.keys;
        read!("keys.master_key", keys, master_key, master_key_file, master_key_command);
        read!(
            "keys.previous_master_key",
            keys,
            previous_master_key,
            previous_master_key_file,
            previous_master_key_command
        );
        for (name, module) in
            [("keys.pkcs11.pin", &mut keys.pkcs11), ("keys.previous_pkcs11.pin", &mut keys.previous_pkcs11)]
        {
            if let Some(Pkcs11 { pin, pin_file, pin_command, .. }) = module {
                read_secret(name, pin, pin_file, pin_command)?;
            }
        }
        read!("database.url", self.database, url, url_file, url_command);
        if let Some(s3) = &mut self.blobs.s3 {
            read!(
                "blobs.s3.secret_access_key",
                s3,
                secret_access_key,
                secret_access_key_file,
                secret_access_key_command
            );
        }
        let chat = &mut self.support_chat;
        read!(
            "support_chat.identity_secret",
            chat,
            identity_secret,
            identity_secret_file,
            identity_secret_command
        );
        let directory = &mut self.carequality;
        read!(
            "carequality.directory_token",
            directory,
            directory_token,
            directory_token_file,
            directory_token_command
        );
        let customers = &mut self.customer_messaging;
        read!(
            "customer_messaging.access_token",
            customers,
            access_token,
            access_token_file,
            access_token_command
        );
        if let Some(server) = &mut self.email.server {
            read!("email.server.password", server, password, password_file, password_command);
        }
        Ok(())
    }

    /// The secrets of the configuration, except the address of the database.
    pub(super) fn secrets(&mut self) -> Vec<&mut Option<String>> {
        let keys = &mut self.keys;
        let modules = [&mut keys.pkcs11, &mut keys.previous_pkcs11].into_iter().flatten();
        let mut all: Vec<_> = modules.map(|module| &mut module.pin).collect();
        all.extend([
            &mut keys.master_key,
            &mut keys.previous_master_key,
            &mut self.support_chat.identity_secret,
            &mut self.carequality.directory_token,
            &mut self.customer_messaging.access_token,
        ]);
        all.extend(self.blobs.s3.as_mut().map(|s3| &mut s3.secret_access_key));
        all.extend(self.email.server.as_mut().map(|server| &mut server.password));
        all
    }
}

fn read_secret(
    name: &str,
    value: &mut Option<String>,
    file: &Option<PathBuf>,
    command: &Option<Vec<String>>,
) -> Result<(), ConfigError> {
    let given = [(value.is_some(), ""), (file.is_some(), "_file"), (command.is_some(), "_command")];
    let given: Vec<_> = given.iter().filter(|(is_given, _)| *is_given).map(|(_, way)| way).collect();
    if let [first, second, ..] = given[..] {
        return Err(ConfigError(format!("{name}{first} and {name}{second} cannot both be set")));
    }
    if let Some(path) = file {
        *value = Some(from_file(name, path)?);
    }
    if let Some(words) = command {
        *value = Some(from_command(name, words)?);
    }
    Ok(())
}

fn from_file(name: &str, path: &Path) -> Result<String, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::InvalidData => "it contains raw bytes; write them as hex or base64".to_owned(),
            _ => error.to_string(),
        };
        ConfigError(format!("{name}_file {} cannot be read: {reason}", path.display()))
    })?;
    Ok(text.trim().to_owned())
}

/// The output of a program, without its final line break. Errors never contain it.
fn from_command(name: &str, words: &[String]) -> Result<String, ConfigError> {
    let refuse = |why: String| ConfigError(format!("{name}_command {why}"));
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot be run: {error}"))?;
        runtime.block_on(async {
            let late = |_| format!("did not end within {} s", TIME.as_secs());
            timeout(TIME, written_by(words)).await.map_err(late)?
        })
    };
    // The caller may run in a runtime of its own, in which blocking is not possible.
    let done = std::thread::scope(|scope| scope.spawn(run).join());
    done.unwrap_or_else(|_| Err("cannot be run".into())).map_err(refuse)
}

async fn written_by(words: &[String]) -> Result<String, String> {
    let [program, arguments @ ..] = words else { return Err("has no program".into()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = command.kill_on_drop(true).spawn();
    let mut child = started.map_err(|error| format!("cannot be started: {error}"))?;
    let mut written = Vec::new();
    if let Some(out) = child.stdout.take() {
        let read = out.take(LONGEST + 1).read_to_end(&mut written).await;
        read.map_err(|error| format!("cannot be read: {error}"))?;
    }
    if written.len() as u64 > LONGEST {
        return Err(format!("prints more than {LONGEST} bytes"));
    }
    let ended = child.wait().await.map_err(|error| format!("cannot be waited for: {error}"))?;
    match ended.code() {
        Some(0) => {}
        Some(code) => return Err(format!("failed with exit code {code}")),
        None => return Err("was ended by a signal".into()),
    }
    let text = String::from_utf8(written);
    let text = text.map_err(|_| "prints raw bytes; it has to print hex or base64".to_owned())?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_empty() { Err("prints nothing".into()) } else { Ok(line.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|word| (*word).to_owned()).collect()
    }

    fn refused(all: &[&str]) -> String {
        from_command("keys.master_key", &words(all)).expect_err("it is refused").to_string()
    }

    #[test]
    fn a_command_gives_its_line_and_takes_its_arguments_as_they_are() {
        let said = |all: &[&str]| from_command("keys.master_key", &words(all)).expect("a secret");
        assert_eq!(said(&["printf", "%s", " a b $HOME; "]), " a b $HOME; ");
        assert_eq!(said(&["printf", "one\\r\\n"]), "one");
        assert_eq!(said(&["printf", "one\\n\\n"]), "one\n", "one end of a line is cut off");
    }

    #[tokio::test]
    async fn a_command_is_run_for_whoever_is_at_work_for_a_runtime() {
        assert_eq!(from_command("x", &words(&["echo", "one"])).expect("a secret"), "one");
    }

    #[test]
    fn a_command_that_fails_is_named_by_its_setting_and_exit_code_and_never_quoted() {
        let failed = refused(&["sh", "-c", "echo sesame; echo sesame >&2; exit 7"]);
        assert_eq!(failed, "keys.master_key_command failed with exit code 7");
        assert_eq!(refused(&["sh", "-c", "kill -9 $$"]), "keys.master_key_command was ended by a signal");
        assert_eq!(refused(&["true"]), "keys.master_key_command prints nothing");
        assert_eq!(refused(&[]), "keys.master_key_command has no program");
        assert!(refused(&["/nowhere/vault"]).starts_with("keys.master_key_command cannot be started"));
        assert!(refused(&["printf", "\\377"]).contains("raw bytes"));
        assert!(refused(&["head", "-c", "70000", "/dev/zero"]).contains("more than 65536 bytes"));
    }

    #[test]
    fn a_secret_has_one_source() {
        let both = read_secret(
            "database.url",
            &mut None,
            &Some("/etc/carepost/database.url".into()),
            &Some(words(&["echo"])),
        );
        let said = both.expect_err("it is refused").to_string();
        assert_eq!(said, "database.url_file and database.url_command cannot both be set");
        let mut value = None;
        read_secret("database.url", &mut value, &None, &Some(words(&["echo", "sqlite://x"]))).expect("read");
        assert_eq!(value.as_deref(), Some("sqlite://x"));
    }
}

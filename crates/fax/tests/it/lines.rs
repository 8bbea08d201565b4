//! Software modems on a real HylaFAX server; see `hylafax.sh`. Other crates include this file.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// Required programs and their Debian packages.
const PROGRAMS: [(&str, &str); 6] = [
    ("/usr/sbin/hfaxd", "hylafax-server"),
    ("/usr/sbin/faxgetty", "hylafax-server"),
    ("/usr/bin/iaxmodem", "iaxmodem"),
    ("/usr/bin/tiffcmp", "libtiff-tools"),
    ("/usr/bin/openssl", "openssl"),
    ("/usr/bin/unshare", "util-linux"),
];
/// Time limit of a call.
pub const LONGEST_CALL: Duration = Duration::from_secs(150);
pub const LOOK: Duration = Duration::from_millis(250);

/// Three modems. Everything ends when this is dropped, and when the test is killed.
pub struct Lines {
    port: u16,
    script: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Lines {
    /// Starts the modems. None, with a note, where packages or root are missing; in CI that is an error.
    pub fn start() -> Option<Self> {
        if let Some(reason) = obstacle() {
            assert!(std::env::var_os("CI").is_none(), "{reason}");
            eprintln!("skipped: {reason}");
            return None;
        }
        // Not below /dev, which the script covers with devices of its own.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let port = testports::free_port();
        let lines = [(); 3].map(|()| testports::free_port().to_string());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../fax/tests/it/hylafax.sh");
        // Software modems lose calls when they run late.
        let mut script = Command::new("/usr/bin/nice")
            .args(["-n", "-20", "/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "bash"])
            .arg(script)
            .arg(folder.path())
            .arg(port.to_string())
            .args(lines)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = script.stdin.take();
        let answers = BufReader::new(script.stdout.take().unwrap());
        let mut lines = Self { port, script, commands, answers, folder };
        lines.expect("ready");
        Some(lines)
    }

    fn expect(&mut self, expected: &str) {
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim(), expected);
    }

    pub fn command(&mut self, command: &str) {
        writeln!(self.commands.as_mut().unwrap(), "{command}").unwrap();
        self.expect("done");
    }

    /// Waits until a log contains `words`.
    pub async fn logged(&self, words: &str) {
        self.until(|story| story.contains(words)).await;
    }

    /// Waits until the logs tell something.
    pub async fn until(&self, tells: impl Fn(&str) -> bool) {
        let wait = async {
            while !tells(&self.story()) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let begun = tokio::time::timeout(LONGEST_CALL, wait).await;
        assert!(begun.is_ok(), "the call does not get there: {}", self.story());
    }

    /// The logs of the scheduler and the calls.
    pub fn story(&self) -> String {
        let logs = self.folder.path().join("spool/log");
        let files =
            std::fs::read_dir(&logs).unwrap().filter_map(|file| std::fs::read(file.ok()?.path()).ok());
        files.map(|log| String::from_utf8_lossy(&log).into_owned()).collect()
    }

    /// Address of the server; its user is `carepost` with password `secret`.
    pub fn server(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // The script ends when its input does, and stops all that it started.
        self.commands = None;
        self.script.wait().unwrap();
    }
}

fn obstacle() -> Option<String> {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(path, _)| !Path::new(path).exists()).collect();
    if !missing.is_empty() {
        let packages: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
        return Some(format!("calls over modems need the packages {}", packages.join(", ")));
    }
    let allowed = Command::new("/usr/bin/unshare").args(["--mount", "--pid", "--fork", "true"]).status();
    let allowed = allowed.is_ok_and(|status| status.success());
    let wanted = "calls over modems need the right to unshare namespaces; a chroot has to be a mount of its own for it \
                  (mount --bind FOLDER FOLDER)";
    (!allowed).then(|| wanted.to_owned())
}

//! Client of HylaFAX's protocol (hfaxd(8)), which resembles FTP: commands and numbered replies on one connection, each
//! file or list on a separate one.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// hfaxd may never reply, for example when asked for a job that it has just forgotten.
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a file or list.
const MAX_FILE: u64 = 256 << 20;
/// Most bytes of a reply, and most lines.
const MAX_LINE: u64 = 4096;
const MAX_LINES: usize = 200;

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection does not work.
    Broken(String),
    /// The server refused: code and text of its reply.
    Refused(u16, String),
}

impl Failure {
    pub fn words(self) -> String {
        match self {
            Self::Broken(words) | Self::Refused(_, words) => words,
        }
    }
}

fn broken(error: std::io::Error) -> Failure {
    Failure::Broken(error.to_string())
}

async fn with_timeout<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let silent = || Failure::Broken("The server does not answer.".to_owned());
    timeout(TIMEOUT, work).await.map_err(|_| silent())?
}

/// A session.
#[derive(Debug)]
pub(super) struct Client {
    control: BufReader<TcpStream>,
    peer: IpAddr,
}

impl Client {
    /// Connects and reads the greeting.
    pub async fn connect(server: &str) -> Result<Self, Failure> {
        let stream = timeout(CONNECT_TIMEOUT, TcpStream::connect(server))
            .await
            .map_err(|_| Failure::Broken("The server does not answer.".to_owned()))?
            .map_err(broken)?;
        let peer = stream.peer_addr().map_err(broken)?.ip();
        let mut client = Self { control: BufReader::new(stream), peer };
        client.success_reply().await?;
        Ok(client)
    }

    /// Signs in. Returns whether the user administers the server, which is required to delete received faxes.
    pub async fn sign_in(&mut self, user: &str, password: &str) -> Result<bool, Failure> {
        match self.command(&format!("USER {}", word(user))).await? {
            (331, _) => {
                self.execute(&format!("PASS {}", word(password))).await?;
            }
            (200..=299, _) => {}
            (code, words) => return Err(Failure::Refused(code, words)),
        }
        let (code, _) = self.command(&format!("ADMIN {}", word(password))).await?;
        self.execute("TZONE GMT").await?;
        self.execute("TYPE I").await?;
        Ok((200..300).contains(&code))
    }

    /// Sends a command and returns the reply, whatever its code.
    pub async fn command(&mut self, command: &str) -> Result<(u16, String), Failure> {
        with_timeout(async {
            let line = format!("{command}\r\n");
            self.control.get_mut().write_all(line.as_bytes()).await.map_err(broken)?;
            self.read_reply().await
        })
        .await
    }

    /// Sends a command that must succeed and returns the text of the reply.
    pub async fn execute(&mut self, command: &str) -> Result<String, Failure> {
        good(self.command(command).await?)
    }

    /// Writes a command without waiting for its reply.
    pub async fn post(&mut self, command: &str) -> Result<(), Failure> {
        let line = format!("{command}\r\n");
        with_timeout(async { self.control.get_mut().write_all(line.as_bytes()).await.map_err(broken) }).await
    }

    /// Reads the reply to a posted command, which must be successful.
    pub async fn success_reply(&mut self) -> Result<String, Failure> {
        good(with_timeout(self.read_reply()).await?)
    }

    async fn read_reply(&mut self) -> Result<(u16, String), Failure> {
        let mut words = String::new();
        for _ in 0..MAX_LINES {
            let line = self.read_line().await?;
            let code = line.get(..3).and_then(|code| code.parse::<u16>().ok());
            let text = if code.is_some() { line.get(4..).unwrap_or_default() } else { line.as_str() };
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(text.trim());
            // All lines but the last have a dash after the code, or no code.
            if let (Some(code), Some(b' ') | None) = (code, line.as_bytes().get(3)) {
                return Ok((code, words));
            }
        }
        Err(Failure::Broken("The server's answer has no end.".to_owned()))
    }

    async fn read_line(&mut self) -> Result<String, Failure> {
        let mut line = Vec::new();
        (&mut self.control).take(MAX_LINE).read_until(b'\n', &mut line).await.map_err(broken)?;
        if line.last() != Some(&b'\n') {
            return Err(Failure::Broken("The server closed the connection.".to_owned()));
        }
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// Opens the connection for a file. Only the port is taken from the reply, so the server cannot direct this client to
    /// another host.
    async fn open_data(&mut self) -> Result<TcpStream, Failure> {
        let unreadable = || Failure::Broken("The server's answer cannot be read.".to_owned());
        let port = if self.peer.is_ipv4() {
            passive_port(&self.execute("PASV").await?).ok_or_else(unreadable)?
        } else {
            extended_port(&self.execute("EPSV").await?).ok_or_else(unreadable)?
        };
        let address = SocketAddr::new(self.peer, port);
        timeout(CONNECT_TIMEOUT, TcpStream::connect(address))
            .await
            .map_err(|_| Failure::Broken("The server does not take the connection for files.".to_owned()))?
            .map_err(broken)
    }

    /// Retrieves a file or list. After a refusal the session cannot be used any more: hfaxd confuses the connections.
    pub async fn retrieve(&mut self, command: &str) -> Result<Bytes, Failure> {
        let data = self.open_data().await?;
        match self.command(command).await? {
            (100..=199, _) => {}
            (code, words) => return Err(Failure::Refused(code, words)),
        }
        let mut content = Vec::new();
        let mut data = data.take(MAX_FILE + 1);
        loop {
            let read = async { data.read_buf(&mut content).await.map_err(broken) };
            if with_timeout(read).await? == 0 {
                break;
            }
        }
        if content.len() as u64 > MAX_FILE {
            return Err(Failure::Broken("The server sends too much.".to_owned()));
        }
        self.success_reply().await?;
        Ok(content.into())
    }

    /// Retrieves a list with one entry per line and tabs between the fields.
    pub async fn list(&mut self, folder: &str) -> Result<Vec<Vec<String>>, Failure> {
        let content = self.retrieve(&format!("LIST {folder}")).await?;
        let text = String::from_utf8_lossy(&content);
        Ok(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    }

    /// Stores a document and returns its name.
    pub async fn store(&mut self, content: &[u8]) -> Result<String, Failure> {
        let mut data = self.open_data().await?;
        let words = match self.command("STOT").await? {
            (100..=199, words) => words,
            (code, words) => return Err(Failure::Refused(code, words)),
        };
        for part in content.chunks(1 << 20) {
            with_timeout(async { data.write_all(part).await.map_err(broken) }).await?;
        }
        with_timeout(async { data.shutdown().await.map_err(broken) }).await?;
        drop(data);
        self.success_reply().await?;
        let name = words.split_once("FILE: ").and_then(|(_, rest)| rest.split_whitespace().next());
        name.map(str::to_owned)
            .ok_or_else(|| Failure::Broken("The server does not name the document.".to_owned()))
    }
}

fn good((code, words): (u16, String)) -> Result<String, Failure> {
    if (200..300).contains(&code) { Ok(words) } else { Err(Failure::Refused(code, words)) }
}

/// `Entering passive mode (127,0,0,1,149,5)`.
pub(super) fn passive_port(words: &str) -> Option<u16> {
    let numbers = words.split_once('(')?.1.split_once(')')?.0;
    let numbers: Vec<u8> = numbers.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [_, _, _, _, high, low] => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

/// `Entering Extended Passive Mode (|||38149|)`.
pub(super) fn extended_port(words: &str) -> Option<u16> {
    words.split_once("(|||")?.1.split_once('|')?.0.parse().ok()
}

/// Quotes a value as one argument of a command, so that nothing in it ends the argument or the line. hfaxd accepts ASCII
/// only.
pub(super) fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ if c.is_control() => {}
            _ => out.push('?'),
        }
    }
    out.push('"');
    out
}

/// A name or password without characters that would end the line.
fn word(value: &str) -> String {
    value.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_becomes_a_command() {
        assert_eq!(quoted("Dr. \"O\" \\ Neill\r\nJKILL 1"), r#""Dr. \"O\" \\ NeillJKILL 1""#);
        assert_eq!(quoted("Señora"), "\"Se?ora\"");
        assert_eq!(word("a\r\nJKILL 1"), "aJKILL 1");
    }

    #[test]
    fn only_the_port_of_a_passive_reply_is_used() {
        assert_eq!(passive_port("Entering passive mode (10,0,0,1,149,5)"), Some(149 * 256 + 5));
        assert_eq!(passive_port("Entering passive mode (10,0,0,1,149)"), None);
        assert_eq!(passive_port("Entering passive mode (10,0,0,1,149,500)"), None);
        assert_eq!(extended_port("Entering Extended Passive Mode (|||38149|)"), Some(38149));
    }
}

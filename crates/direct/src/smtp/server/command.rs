//! Command lines.

/// A parsed command; errors have their own replies.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Ehlo(String),
    Helo(String),
    StartTls,
    /// MAIL FROM, without a path for the null sender, and the declared size in bytes.
    Mail {
        from: Option<String>,
        size: Option<u64>,
    },
    Rcpt(String),
    Data,
    Rset,
    Noop,
    Vrfy,
    Help,
    Quit,
}

/// Why a line is not a command.
#[derive(Debug, PartialEq, Eq)]
pub enum BadCommand {
    Unknown,
    NotImplemented,
    Arguments,
    Parameter,
}

impl BadCommand {
    pub fn reply(&self) -> &'static str {
        match self {
            Self::Unknown => "500 5.5.2 Command not recognized",
            Self::NotImplemented => "502 5.5.1 Command not implemented",
            Self::Arguments => "501 5.5.4 Syntax error in arguments",
            Self::Parameter => "555 5.5.4 Parameter not recognized or not implemented",
        }
    }
}

/// Reads a line without its CRLF.
pub fn parse(line: &[u8]) -> Result<Command, BadCommand> {
    let text =
        std::str::from_utf8(line).ok().filter(|t| t.is_ascii() && !t.contains(|c: char| c.is_control()));
    let text = text.ok_or(BadCommand::Unknown)?.trim_end();
    let (verb, argument) = text.split_once(' ').unwrap_or((text, ""));
    let argument = argument.trim();
    match (verb.to_ascii_uppercase().as_str(), argument) {
        ("EHLO", name) => host(name).map(Command::Ehlo),
        ("HELO", name) => host(name).map(Command::Helo),
        ("STARTTLS", "") => Ok(Command::StartTls),
        ("MAIL", argument) => mail(argument),
        ("RCPT", argument) => rcpt(argument),
        ("DATA", "") => Ok(Command::Data),
        ("RSET", "") => Ok(Command::Rset),
        ("NOOP", _) => Ok(Command::Noop),
        ("VRFY", _) => Ok(Command::Vrfy),
        ("HELP", _) => Ok(Command::Help),
        ("QUIT", "") => Ok(Command::Quit),
        ("STARTTLS" | "DATA" | "RSET" | "QUIT", _) => Err(BadCommand::Arguments),
        ("EXPN" | "AUTH" | "BDAT" | "ETRN" | "TURN", _) => Err(BadCommand::NotImplemented),
        _ => Err(BadCommand::Unknown),
    }
}

fn host(name: &str) -> Result<String, BadCommand> {
    let good = !name.is_empty() && name.len() <= 255 && !name.contains(char::is_whitespace);
    if good { Ok(name.to_owned()) } else { Err(BadCommand::Arguments) }
}

fn mail(argument: &str) -> Result<Command, BadCommand> {
    let (path, parameters) = path(argument, "FROM:")?;
    let mut size = None;
    for parameter in parameters.split_whitespace() {
        match parameter.to_ascii_uppercase().split_once('=') {
            Some(("SIZE", value)) => size = Some(value.parse().map_err(|_| BadCommand::Arguments)?),
            Some(("BODY", "7BIT" | "8BITMIME")) => {}
            _ => return Err(BadCommand::Parameter),
        }
    }
    Ok(Command::Mail { from: Some(path).filter(|p| !p.is_empty()), size })
}

fn rcpt(argument: &str) -> Result<Command, BadCommand> {
    let (path, parameters) = path(argument, "TO:")?;
    match (path.is_empty(), parameters.is_empty()) {
        (true, _) => Err(BadCommand::Arguments),
        (false, false) => Err(BadCommand::Parameter),
        (false, true) => Ok(Command::Rcpt(path)),
    }
}

/// Parses `FROM:<path> parameters`; an obsolete source route is dropped.
fn path<'a>(argument: &'a str, keyword: &str) -> Result<(String, &'a str), BadCommand> {
    let named = argument.get(..keyword.len()).is_some_and(|k| k.eq_ignore_ascii_case(keyword));
    let rest = argument.get(keyword.len()..).filter(|_| named).ok_or(BadCommand::Arguments)?;
    let rest = rest.trim_start().strip_prefix('<').ok_or(BadCommand::Arguments)?;
    let (path, parameters) = rest.split_once('>').ok_or(BadCommand::Arguments)?;
    let path = match path.strip_prefix('@') {
        Some(route) => route.split_once(':').ok_or(BadCommand::Arguments)?.1,
        None => path,
    };
    if path.len() > 320 || path.contains([' ', '<', '"', '\\', ',']) {
        return Err(BadCommand::Arguments);
    }
    if !parameters.is_empty() && !parameters.starts_with(' ') {
        return Err(BadCommand::Arguments);
    }
    Ok((path.to_owned(), parameters.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_read_with_size_body_and_null_sender() {
        let from = Some("a@direct.example".to_owned());
        assert_eq!(
            parse(b"mail from:<a@direct.example> SIZE=1000 BODY=8BITMIME"),
            Ok(Command::Mail { from, size: Some(1000) })
        );
        assert_eq!(parse(b"MAIL FROM:<>"), Ok(Command::Mail { from: None, size: None }));
    }

    #[test]
    fn unknown_parameters_and_bad_paths_are_refused() {
        assert_eq!(parse(b"MAIL FROM:<a@b> AUTH=x"), Err(BadCommand::Parameter));
        assert_eq!(parse(b"MAIL FROM:a@b"), Err(BadCommand::Arguments));
        assert_eq!(parse(b"RCPT TO:<>"), Err(BadCommand::Arguments));
        assert_eq!(parse(b"RCPT TO:<a@b>\x00"), Err(BadCommand::Unknown));
        assert_eq!(parse(b"RCPT FROM:<a@b>"), Err(BadCommand::Arguments));
        assert_eq!(parse(b"XYZZY"), Err(BadCommand::Unknown));
    }

    #[test]
    fn an_old_source_route_is_dropped() {
        assert_eq!(
            parse(b"RCPT TO:<@x.example,@y.example:a@b.example>"),
            Ok(Command::Rcpt("a@b.example".into()))
        );
    }
}

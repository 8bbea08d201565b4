//! What such an e-mail says.

use accounts::profile::wishes::Wish;
use email::Email;
use platform::http::COUNT_CAP;
use serde::Serialize;

/// How many messages of an organization it is about.
#[derive(Serialize)]
pub struct Line {
    pub organization: String,
    pub what: String,
}

/// Tells a person how many messages there are of the kind that they wish to be told about.
#[derive(Serialize)]
pub struct MessageNotice {
    pub title: &'static str,
    pub first_name: String,
    pub lines: Vec<Line>,
    pub how_often: &'static str,
    #[serde(skip)]
    pub wish: Wish,
}

impl Email for MessageNotice {
    const TEMPLATE: &'static str = "message_notice";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(match self.wish {
            Wish::FailedMessages => ("Open Release", "/release?statuses=Failed".into()),
            Wish::UnassignedMessages => ("Open Intake", "/intake?view=unassigned".into()),
            Wish::NewMessages | Wish::UnprocessedMessages => ("Open Intake", "/intake".into()),
        })
    }
}

impl MessageNotice {
    /// About so many messages of each organization, which is named.
    pub fn new(wish: Wish, first_name: String, counts: Vec<(String, u64)>) -> Self {
        let (title, how_often) = match wish {
            Wish::NewMessages => ("New messages in Intake", "every 15 minutes"),
            Wish::UnprocessedMessages => ("Messages wait to be processed", "once a day"),
            Wish::UnassignedMessages => ("Messages wait for somebody to take them", "once a day"),
            Wish::FailedMessages => ("Messages could not be delivered", "once an hour"),
        };
        let line = |(organization, n)| Line { organization, what: what(wish, n) };
        Self { title, first_name, lines: counts.into_iter().map(line).collect(), how_often, wish }
    }
}

fn what(wish: Wish, n: u64) -> String {
    let messages = match n {
        1 => "1 message".to_owned(),
        n if n > COUNT_CAP => format!("more than {COUNT_CAP} messages"),
        n => format!("{n} messages"),
    };
    let that = match wish {
        Wish::NewMessages => "arrived and not opened yet",
        Wish::UnprocessedMessages => "not processed for more than a day",
        Wish::UnassignedMessages => "that nobody has taken",
        Wish::FailedMessages => "that did not reach somebody",
    };
    format!("{messages} {that}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_several_and_very_many_are_counted_in_words() {
        assert_eq!(what(Wish::NewMessages, 1), "1 message arrived and not opened yet");
        assert_eq!(what(Wish::UnassignedMessages, 12), "12 messages that nobody has taken");
        assert_eq!(
            what(Wish::FailedMessages, COUNT_CAP + 1),
            "more than 10000 messages that did not reach somebody"
        );
    }
}

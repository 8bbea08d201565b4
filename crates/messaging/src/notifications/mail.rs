//! The e-mail that notifies a user of messages.

use email::Email;
use platform::http::COUNT_CAP;
use serde::Serialize;
use store::entities::notification::NotificationKind;

/// The number of messages of one organization, in words.
#[derive(Serialize)]
pub struct Line {
    pub organization: String,
    pub what: String,
}

/// Notifies a user of the number of messages of one kind.
#[derive(Serialize)]
pub struct MessageNotice {
    pub title: &'static str,
    pub first_name: String,
    pub lines: Vec<Line>,
    pub how_often: &'static str,
    #[serde(skip)]
    pub kind: NotificationKind,
}

impl Email for MessageNotice {
    const TEMPLATE: &'static str = "message_notice";

    fn button(&self) -> Option<(&'static str, String)> {
        Some(match self.kind {
            NotificationKind::FailedMessages => ("Open Release", "/release?statuses=Failed".into()),
            NotificationKind::UnassignedMessages => ("Open Intake", "/intake?view=unassigned".into()),
            NotificationKind::NewMessages | NotificationKind::UnprocessedMessages => {
                ("Open Intake", "/intake".into())
            }
        })
    }
}

impl MessageNotice {
    /// `counts` holds the name of each organization and its number of messages.
    pub fn new(kind: NotificationKind, first_name: String, counts: Vec<(String, u64)>) -> Self {
        let (title, how_often) = match kind {
            NotificationKind::NewMessages => ("New messages in Intake", "every 15 minutes"),
            NotificationKind::UnprocessedMessages => ("Messages are waiting to be processed", "once a day"),
            NotificationKind::UnassignedMessages => ("Messages are not assigned to anybody", "once a day"),
            NotificationKind::FailedMessages => ("Messages could not be delivered", "once an hour"),
        };
        let line = |(organization, n)| Line { organization, what: what(kind, n) };
        Self { title, first_name, lines: counts.into_iter().map(line).collect(), how_often, kind }
    }
}

fn what(kind: NotificationKind, n: u64) -> String {
    let messages = match n {
        1 => "1 message".to_owned(),
        n if n > COUNT_CAP => format!("more than {COUNT_CAP} messages"),
        n => format!("{n} messages"),
    };
    let that = match kind {
        NotificationKind::NewMessages => "not opened yet",
        NotificationKind::UnprocessedMessages => "not processed for more than a day",
        NotificationKind::UnassignedMessages => "not assigned to anybody",
        NotificationKind::FailedMessages => "not delivered",
    };
    format!("{messages} {that}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_several_and_very_many_are_counted_in_words() {
        assert_eq!(what(NotificationKind::NewMessages, 1), "1 message not opened yet");
        assert_eq!(what(NotificationKind::UnassignedMessages, 12), "12 messages not assigned to anybody");
        assert_eq!(
            what(NotificationKind::FailedMessages, COUNT_CAP + 1),
            "more than 10000 messages not delivered"
        );
    }
}

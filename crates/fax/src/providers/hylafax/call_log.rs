//! HylaFAX's call log (xferfaxlog(5)): a line for each call, with tabs between the fields.

use std::time::Duration;

/// A call made for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    /// HylaFAX's number of the job.
    pub job: String,
    /// Name of the call's own log.
    pub call: String,
    pub modem: String,
    pub remote_id: Option<String>,
    pub pages: u32,
    pub duration: Option<Duration>,
    pub reason: String,
}

/// A call that brought a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Received {
    pub modem: String,
    /// The dialled number.
    pub called: Option<String>,
    pub duration: Option<Duration>,
    /// The fault, if any.
    pub reason: Option<String>,
}

/// The last call for the job with this tag.
pub(super) fn sent(log: &str, tag: &str) -> Option<Sent> {
    let fields = lines(log).rfind(|fields| field(fields, 1) == "SEND" && field(fields, 5) == tag)?;
    let text = |index| field(&fields, index).to_owned();
    Some(Sent {
        job: text(4),
        call: text(2),
        modem: text(3),
        // Without a session (DCS), the field has the id from the last call to that number.
        remote_id: Some(text(8))
            .filter(|id| !id.is_empty() && !matches!(field(&fields, 18), "" | "00 00 00")),
        pages: field(&fields, 10).parse().unwrap_or_default(),
        duration: duration(field(&fields, 12)),
        reason: text(13),
    })
}

/// The last call that brought the file with this name.
pub(super) fn received(log: &str, file: &str) -> Option<Received> {
    let path = format!("recvq/{file}");
    let fields = lines(log).rfind(|fields| field(fields, 1) == "RECV" && field(fields, 4) == path)?;
    // Further caller identification: the number for billing, then the dialled number.
    let called =
        field(&fields, 16).split("::").nth(1).filter(|called| !called.is_empty() && *called != "<NONE>");
    Some(Received {
        modem: field(&fields, 3).to_owned(),
        called: called.map(str::to_owned),
        duration: duration(field(&fields, 12)),
        reason: Some(field(&fields, 13).to_owned()).filter(|reason| !reason.is_empty()),
    })
}

fn lines(log: &str) -> impl DoubleEndedIterator<Item = Vec<&str>> {
    log.lines().map(|line| line.split('\t').collect())
}

fn field<'a>(fields: &[&'a str], index: usize) -> &'a str {
    fields.get(index).copied().unwrap_or_default().trim_matches('"')
}

/// `0:01:02`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let parts: Vec<u32> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts[..] {
        [hours, minutes, seconds] => {
            let minutes = u64::from(hours) * 60 + u64::from(minutes);
            Some(Duration::from_secs(minutes * 60 + u64::from(seconds)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = concat!(
        "11/21/26 07:54\tRECV\t\tttyIAX1\trecvq/fax000000002.tif\t\"\"\tfax\t\"+1.312.555.0101\"\t",
        "\"+1 312 555 0100\"\t2220073\t1\t0:00:57\t0:00:57\t\"T.30 T2 timeout, expected signal not received\"\t",
        "\"Modem0\"\t\"3125550100\"\t\"<NONE>::5551234\"\t\"\"\t\"00 46 1F 22\"\n",
        "11/21/26 07:54\tSEND\t000000002\tttyIAX0\t2\t\"kill\"\tcarepost\t\"5551234\"\t\"Modem 1\"\t2220073\t0\t",
        "0:01:02\t0:00:59\t\"No response to PPS repeated 3 times.; too many attempts to dial\"\t\"\"\t\"\"\t\"\"\t",
        "\"carepost\"\t\"00 46 1F 22\"\n",
        "11/21/26 07:59\tCALL\n",
    );

    #[test]
    fn a_duration_beyond_belief_is_no_reason_to_stop() {
        assert_eq!(
            duration("4294967295:59:59").map(|time| time.as_secs()),
            Some(4_294_967_295 * 3600 + 3599)
        );
        assert_eq!(duration("99999999999999999999:0:0"), None);
    }

    #[test]
    fn calls_are_found_by_their_job_and_by_their_file() {
        let call = sent(LOG, "kill").unwrap();
        assert_eq!(
            (call.job.as_str(), call.call.as_str(), call.modem.as_str()),
            ("2", "000000002", "ttyIAX0")
        );
        assert_eq!((call.remote_id.as_deref(), call.pages), (Some("Modem 1"), 0));
        assert_eq!(call.duration, Some(Duration::from_secs(59)));
        assert!(call.reason.starts_with("No response to PPS"));
        assert_eq!(sent(LOG, "other"), None);

        let call = received(LOG, "fax000000002.tif").unwrap();
        assert_eq!((call.called.as_deref(), call.modem.as_str()), (Some("5551234"), "ttyIAX1"));
        assert_eq!(call.reason.as_deref(), Some("T.30 T2 timeout, expected signal not received"));
        assert_eq!(received(LOG, "fax000000001.tif"), None);
    }
}

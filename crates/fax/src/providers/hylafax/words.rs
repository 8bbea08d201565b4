//! The outcomes behind HylaFAX's status texts.

use crate::outcome::Outcome;

/// Prefixes of HylaFAX's status strings from its sources, in the order in which they are tried.
const WORDS: [(&str, Outcome); 27] = [
    ("busy signal detected", Outcome::Busy),
    ("no answer from remote", Outcome::NoAnswer),
    ("ringback detected, no answer", Outcome::NoAnswer),
    ("no carrier detected", Outcome::NoCarrier),
    ("no carrier", Outcome::NoCarrier),
    ("ring detected without successful handshake", Outcome::NoCarrier),
    ("voice connection", Outcome::VoiceAnswered),
    ("carrier established, but phase a failure", Outcome::NoFaxSignal),
    ("data connection established", Outcome::NoFaxSignal),
    ("no receiver protocol", Outcome::NoFaxSignal),
    ("remote has no t.4 receiver capability", Outcome::NoFaxSignal),
    ("remote cannot receive", Outcome::NoFaxSignal),
    ("failure to train", Outcome::TrainingFailed),
    ("unable to establish message carrier", Outcome::TrainingFailed),
    ("no response to ", Outcome::PagesLost),
    ("failure to transmit clean ecm image data", Outcome::PagesLost),
    ("failure to receive silence", Outcome::PagesLost),
    ("comrec received dcn", Outcome::RemoteHangUp),
    ("comrec error in transmit phase b/got dcn", Outcome::RemoteHangUp),
    ("rsprec error/got dcn", Outcome::RemoteHangUp),
    ("remote fax disconnected prematurely", Outcome::RemoteHangUp),
    ("invalid dialing command", Outcome::BadNumber),
    ("blacklisted by modem", Outcome::BadNumber),
    ("no local dialtone", Outcome::LocalFault),
    ("job aborted by", Outcome::LocalFault),
    ("call aborted by user", Outcome::LocalFault),
    ("kill time expired", Outcome::LocalFault),
];

/// The outcome of a status. Unknown faults count as faults of our own line: nothing was confirmed, so another call does no
/// harm.
pub(super) fn outcome(status: &str) -> Outcome {
    let status = status.to_ascii_lowercase();
    // Some versions put an error's number before its words: `{E001} Busy signal detected`.
    let status = match status.split_once('}') {
        Some((number, rest)) if number.starts_with('{') => rest.trim_start(),
        _ => status.trim_start(),
    };
    let known = WORDS.iter().find(|(words, _)| status.starts_with(words));
    known.map_or(Outcome::LocalFault, |(_, outcome)| *outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_texts_of_hylafax_become_outcomes() {
        for (words, expected) in [
            ("No answer from remote; too many attempts to dial", Outcome::NoAnswer),
            ("Busy signal detected; too many attempts to dial", Outcome::Busy),
            ("{E001} Busy signal detected", Outcome::Busy),
            ("No carrier detected", Outcome::NoCarrier),
            ("No local dialtone; too many attempts to dial", Outcome::LocalFault),
            ("No response to PPS repeated 3 times.; too many attempts to dial", Outcome::PagesLost),
            ("No response to EOP repeated 3 tries", Outcome::PagesLost),
            (
                "Failure to receive silence (synchronization failure).; too many attempts to dial",
                Outcome::PagesLost,
            ),
            ("RSPREC error/got DCN (receiver abort)", Outcome::RemoteHangUp),
            ("Failure to train remote modem at 2400 bps or minimum speed", Outcome::TrainingFailed),
            ("Voice connection", Outcome::VoiceAnswered),
            ("Kill time expired", Outcome::LocalFault),
            ("Something new", Outcome::LocalFault),
            ("", Outcome::LocalFault),
        ] {
            assert_eq!(outcome(words), expected, "{words}");
        }
    }
}

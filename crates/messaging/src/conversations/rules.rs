//! States of a referral, and whose turn it is. Pure functions.

use crate::model::{Patient, one_line};
use chrono::{Duration, NaiveDate};
use clinical::referral::Action;
use patients::rules::{TEXT_LIMIT, tidy};
use store::entities::{
    conversation::{ConversationRole as Role, ConversationState as State},
    conversation_step::StepAction,
};

/// Default time for a result, if the initiator gives no date.
pub const USUAL_TIME: Duration = Duration::days(30);
/// Time for answering a request.
pub const ANSWER_TIME: Duration = Duration::days(7);

/// The state after a message of one side; `None` if the message does not fit, such as an answer to a closed referral.
pub fn after(state: State, by: Role, action: StepAction) -> Option<State> {
    use State::{Accepted, Cancelled, Completed, Declined, NoShow, Requested, Scheduled};
    if is_closed(state) {
        return None;
    }
    match (by, action) {
        (Role::Initiator, StepAction::Cancel) => Some(Cancelled),
        (Role::Initiator, StepAction::Interim) => Some(state),
        (Role::Recipient, StepAction::Accept) if state == Requested => Some(Accepted),
        (Role::Recipient, StepAction::Decline) => Some(Declined),
        (Role::Recipient, StepAction::Interim) if state != Requested => Some(state),
        (Role::Recipient, StepAction::Appointment) => Some(Scheduled),
        (Role::Recipient, StepAction::NoShow) if matches!(state, Accepted | Scheduled) => Some(NoShow),
        (Role::Recipient, StepAction::Outcome) => Some(Completed),
        _ => None,
    }
}

/// The possible actions of a side, in the order in which they are offered.
pub fn choices(state: State, role: Role) -> Vec<StepAction> {
    use StepAction::{Accept, Appointment, Cancel, Decline, Interim, NoShow, Outcome};
    let all = [Accept, Appointment, NoShow, Outcome, Interim, Decline, Cancel];
    all.into_iter().filter(|action| after(state, role, *action).is_some()).collect()
}

pub fn is_closed(state: State) -> bool {
    matches!(state, State::Completed | State::Declined | State::Cancelled)
}

/// The side that has to act; `None` once the referral is closed.
pub fn turn(state: State) -> Option<Role> {
    (!is_closed(state)).then_some(Role::Recipient)
}

/// Whether the date for an answer or a result has passed.
pub fn is_overdue(
    state: State,
    requested_on: NaiveDate,
    due_on: Option<NaiveDate>,
    today: NaiveDate,
) -> bool {
    let unanswered = state == State::Requested && today > requested_on + ANSWER_TIME;
    !is_closed(state) && (unanswered || due_on.is_some_and(|due| today > due))
}

pub fn action_of(action: StepAction) -> Action {
    match action {
        StepAction::Request => Action::Request,
        StepAction::Accept => Action::Accept,
        StepAction::Decline => Action::Decline,
        StepAction::Cancel => Action::Cancel,
        StepAction::Interim => Action::Interim,
        StepAction::Outcome => Action::Outcome,
        StepAction::Appointment => Action::Appointment,
        StepAction::NoShow => Action::NoShow,
    }
}

pub fn step_of(action: Action) -> StepAction {
    match action {
        Action::Request => StepAction::Request,
        Action::Accept => StepAction::Accept,
        Action::Decline => StepAction::Decline,
        Action::Cancel => StepAction::Cancel,
        Action::Interim => StepAction::Interim,
        Action::Outcome => StepAction::Outcome,
        Action::Appointment => StepAction::Appointment,
        Action::NoShow => StepAction::NoShow,
    }
}

/// The words for an action in the subject of a mail.
pub fn words(action: StepAction) -> &'static str {
    match action {
        StepAction::Request => "Referral request",
        StepAction::Accept => "Referral accepted",
        StepAction::Decline => "Referral declined",
        StepAction::Cancel => "Referral cancelled",
        StepAction::Interim => "Referral: interim note",
        StepAction::Outcome => "Referral outcome",
        StepAction::Appointment => "Referral: appointment",
        StepAction::NoShow => "Referral: patient did not attend",
    }
}

/// Mark in the subject of a mail by which systems recognize packages (ITI-32).
const MARK: &str = "XDM/1.0/DDM";

/// The subject of an outgoing mail with a package.
pub fn marked(subject: &str) -> String {
    let plain: String = subject.chars().take(SUBJECT_MAX - MARK.len() - 1).collect();
    if subject.contains(MARK) { subject.to_owned() } else { format!("{plain} {MARK}").trim().to_owned() }
}

/// A subject for people and rules, as one line and without the mark for systems.
pub fn unmarked(subject: &str) -> String {
    let subject = one_line(subject);
    if !subject.contains(MARK) {
        return subject;
    }
    subject.replace(MARK, " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Maximum length of a subject, in characters.
const SUBJECT_MAX: usize = 255;

/// A patient cut to the limits of our messages: long names are shortened, as HL7 allows receivers to do; values that
/// would become wrong are dropped. The package still has the patient as named by the initiator.
pub fn fitting(mut patient: Patient, today: NaiveDate) -> Patient {
    for name in [&mut patient.first_name, &mut patient.middle_name, &mut patient.last_name] {
        *name = name.take().map(|text| text.chars().take(TEXT_LIMIT).collect());
    }
    patient.patient_id = patient.patient_id.filter(|id| id.chars().count() <= TEXT_LIMIT);
    patient.birth_date = patient.birth_date.filter(|day| *day <= today);
    tidy(patient)
}

/// Whether two records can be of the same person: no field in both differs.
pub fn can_be_same(a: &Patient, b: &Patient) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) => a.trim().to_lowercase() == b.trim().to_lowercase(),
        _ => true,
    };
    let born = a.birth_date.is_none() || b.birth_date.is_none() || a.birth_date == b.birth_date;
    agree(&a.first_name, &b.first_name) && agree(&a.last_name, &b.last_name) && born
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_a_package_is_in_the_mail_and_not_on_the_screen() {
        assert_eq!(marked("Referral accepted"), "Referral accepted XDM/1.0/DDM");
        assert_eq!(marked("Referral XDM/1.0/DDM"), "Referral XDM/1.0/DDM");
        assert_eq!(marked(&"x".repeat(300)).chars().count(), SUBJECT_MAX);
        assert_eq!(unmarked("RE: Referral XDM/1.0/DDM accepted"), "RE: Referral accepted");
        assert_eq!(unmarked("XDM/1.0/DDM"), "");
        assert_eq!(unmarked("Two  spaces"), "Two  spaces");
        assert_eq!(unmarked("Visit\r\nBcc: x@y.example\0"), "Visit  Bcc: x@y.example ");
    }

    #[test]
    fn a_patient_of_another_system_is_cut_to_what_a_message_takes() {
        let day = |year| NaiveDate::from_ymd_opt(year, 1, 2);
        let long = Patient {
            last_name: Some("ö".repeat(60)),
            patient_id: Some("7".repeat(40)),
            birth_date: day(2140),
            ..Patient::default()
        };
        let cut = fitting(long, day(2026).expect("a day"));
        assert_eq!(cut.last_name.map(|name| name.chars().count()), Some(TEXT_LIMIT));
        assert_eq!((cut.patient_id, cut.birth_date), (None, None));
    }

    #[test]
    fn the_recipient_answers_and_the_initiator_may_only_take_the_request_back() {
        let first = choices(State::Requested, Role::Recipient);
        assert_eq!(
            first,
            [StepAction::Accept, StepAction::Appointment, StepAction::Outcome, StepAction::Decline]
        );
        assert_eq!(choices(State::Accepted, Role::Initiator), [StepAction::Interim, StepAction::Cancel]);
        assert_eq!(after(State::Scheduled, Role::Recipient, StepAction::NoShow), Some(State::NoShow));
        assert_eq!(after(State::Requested, Role::Initiator, StepAction::Accept), None);
    }

    #[test]
    fn a_closed_referral_takes_nothing_more_and_is_never_overdue() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).expect("a day");
        for state in [State::Completed, State::Declined, State::Cancelled] {
            assert!(choices(state, Role::Recipient).is_empty() && choices(state, Role::Initiator).is_empty());
            assert!(turn(state).is_none() && !is_overdue(state, day(1), Some(day(2)), day(28)));
        }
        assert!(is_overdue(State::Accepted, day(1), Some(day(10)), day(11)));
        assert!(!is_overdue(State::Accepted, day(1), Some(day(10)), day(10)));
        assert!(is_overdue(State::Requested, day(1), None, day(9)), "it was not answered in a week");
    }
}

//! Faxes between numbers of one installation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use fax::providers::embedded::{Call, Embedded, Exchange};
use fax::{FaxNumber, Finished, Found, Outcome, OutgoingFax, Provider, ProviderError, State};
use uuid::Uuid;

use crate::support::{number, two_pages_to};

#[derive(Debug, Default)]
struct Memory(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    now: DateTime<Utc>,
    numbers: Vec<FaxNumber>,
    calls: BTreeMap<Uuid, (Call, Bytes)>,
    acknowledged: Vec<Uuid>,
}

impl Memory {
    fn with(numbers: &[&str]) -> Arc<Self> {
        let numbers = numbers.iter().map(|digits| number(digits)).collect();
        Arc::new(Self(Mutex::new(Kept { numbers, ..Kept::default() })))
    }

    fn pass(&self, seconds: i64) {
        self.0.lock().unwrap().now += TimeDelta::seconds(seconds);
    }
}

#[async_trait]
impl Exchange for Memory {
    fn now(&self) -> DateTime<Utc> {
        self.0.lock().unwrap().now
    }

    async fn takes_calls(&self, number: &FaxNumber) -> Result<bool, ProviderError> {
        Ok(self.0.lock().unwrap().numbers.contains(number))
    }

    async fn place(&self, call: &Call, content: Bytes) -> Result<(), ProviderError> {
        self.0.lock().unwrap().calls.entry(call.key).or_insert((call.clone(), content));
        Ok(())
    }

    async fn call(&self, key: Uuid) -> Result<Option<Call>, ProviderError> {
        Ok(self.0.lock().unwrap().calls.get(&key).map(|(call, _)| call.clone()))
    }

    async fn withdraw(&self, key: Uuid) -> Result<(), ProviderError> {
        if let Some((call, _)) = self.0.lock().unwrap().calls.get_mut(&key) {
            call.withdrawn = true;
        }
        Ok(())
    }

    async fn arrived(&self) -> Result<Vec<Call>, ProviderError> {
        let kept = self.0.lock().unwrap();
        let is_open = |call: &Call| {
            call.ends_at <= kept.now && !call.withdrawn && !kept.acknowledged.contains(&call.key)
        };
        let calls = kept.calls.values().filter(|(call, content)| is_open(call) && !content.is_empty());
        Ok(calls.map(|(call, _)| call.clone()).collect())
    }

    async fn content(&self, key: Uuid) -> Result<Option<Bytes>, ProviderError> {
        Ok(self.0.lock().unwrap().calls.get(&key).map(|(_, content)| content.clone()))
    }

    async fn acknowledge(&self, key: Uuid) -> Result<(), ProviderError> {
        self.0.lock().unwrap().acknowledged.push(key);
        Ok(())
    }
}

const CLINIC: &str = "+17405550142";
const BUSY: &str = "+17405550197";
const SILENT: &str = "+17405550198";
const CUT: &str = "+17405550199";

fn finished(state: State) -> Finished {
    match state {
        State::Finished(finished) => finished,
        other => panic!("the call is not over: {other:?}"),
    }
}

/// The end of a call after a minute.
async fn call(memory: &Arc<Memory>, fax: &OutgoingFax) -> Finished {
    let provider = Embedded::new(memory.clone());
    let job = provider.submit(fax).await.unwrap();
    memory.pass(60);
    finished(provider.follow(&job, fax).await.unwrap().state)
}

#[tokio::test]
async fn received_pages_equal_the_sent_ones_bit_for_bit() {
    let memory = Memory::with(&[CLINIC]);
    let provider = Embedded::new(memory.clone());
    let sample = two_pages_to(CLINIC);
    let end = call(&memory, &sample.fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Delivered, 2));

    let arrived = provider.received(None).await.unwrap();
    let [reception] = &arrived[..] else { panic!("{arrived:?}") };
    assert_eq!(provider.fetch(reception).await.unwrap().content, sample.content());
    assert_eq!((reception.called.as_deref(), reception.pages), (Some(CLINIC), Some(2)));
    assert_eq!(reception.caller.as_deref(), Some("+13125550100"));
    assert_eq!(reception.station_id.as_deref(), Some("+1 312 555 0100"));
    assert_eq!(reception.partial, None);

    provider.acknowledge(reception).await.unwrap();
    assert_eq!(provider.received(None).await.unwrap(), []);
}

#[tokio::test]
async fn a_call_rings_then_sends_page_by_page() {
    let memory = Memory::with(&[CLINIC]);
    let provider = Embedded::new(memory.clone());
    let sample = two_pages_to(CLINIC);
    let job = provider.submit(&sample.fax).await.unwrap();
    let state = async || provider.follow(&job, &sample.fax).await.unwrap().state;
    assert_eq!(state().await, State::Dialling);
    memory.pass(3);
    assert_eq!(state().await, State::Sending { page: 1, of: 2 });
    assert_eq!(provider.received(None).await.unwrap(), []);
    memory.pass(2);
    assert_eq!(state().await, State::Sending { page: 2, of: 2 });
    memory.pass(2);
    assert_eq!(finished(state().await).outcome, Outcome::Delivered);
}

#[tokio::test]
async fn special_numbers_are_busy_or_do_not_answer() {
    let memory = Memory::with(&[BUSY, SILENT]);
    for (to, expected) in [(BUSY, Outcome::Busy), (SILENT, Outcome::NoAnswer)] {
        let end = call(&memory, &two_pages_to(to).fax).await;
        assert_eq!((end.outcome, end.confirmed_pages), (expected, 0), "{to}");
    }
    assert_eq!(Embedded::new(memory).received(None).await.unwrap(), []);
}

#[tokio::test]
async fn a_call_that_is_cut_leaves_a_partial_fax_and_resumes_at_the_first_unconfirmed_page() {
    let memory = Memory::with(&[CUT]);
    let provider = Embedded::new(memory.clone());
    let sample = two_pages_to(CUT);
    let end = call(&memory, &sample.fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::RemoteHangUp, 1));
    let partial = provider.received(None).await.unwrap().remove(0);
    assert_eq!(partial.partial.as_deref(), Some("The line was cut."));
    let content = provider.fetch(&partial).await.unwrap().content;
    assert_eq!(documents::fax::page_count(&content).unwrap(), 1);

    let rest = OutgoingFax { key: Uuid::now_v7(), first_page: 2, ..sample.fax.clone() };
    let end = call(&memory, &rest).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Delivered, 2));
}

#[tokio::test]
async fn an_unknown_number_is_refused_and_its_pages_are_not_kept() {
    let memory = Memory::with(&[CLINIC]);
    let end = call(&memory, &two_pages_to("+17405550143").fax).await;
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::BadNumber, 0));
    assert!(memory.0.lock().unwrap().calls.values().all(|(_, content)| content.is_empty()));
}

#[tokio::test]
async fn a_key_calls_once() {
    let memory = Memory::with(&[CLINIC]);
    let provider = Embedded::new(memory.clone());
    let sample = two_pages_to(CLINIC);
    assert_eq!(provider.find(&sample.fax).await.unwrap(), Found::Nothing);
    let job = provider.submit(&sample.fax).await.unwrap();
    memory.pass(60);
    assert_eq!(provider.submit(&sample.fax).await.unwrap(), job);
    assert_eq!(provider.find(&sample.fax).await.unwrap(), Found::Job(job));
    assert_eq!(provider.received(None).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_can_be_cancelled_until_it_is_answered() {
    let memory = Memory::with(&[CLINIC]);
    let provider = Embedded::new(memory.clone());
    let (early, late) = (two_pages_to(CLINIC), two_pages_to(CLINIC));
    let early_job = provider.submit(&early.fax).await.unwrap();
    provider.cancel(&early_job).await.unwrap();
    let end = finished(provider.follow(&early_job, &early.fax).await.unwrap().state);
    assert_eq!((end.outcome, end.confirmed_pages), (Outcome::Cancelled, 0));

    let late_job = provider.submit(&late.fax).await.unwrap();
    memory.pass(4);
    assert!(matches!(provider.cancel(&late_job).await, Err(ProviderError::Refused(_))));
    memory.pass(60);
    let end = finished(provider.follow(&late_job, &late.fax).await.unwrap().state);
    assert_eq!(end.outcome, Outcome::Delivered);
    assert_eq!(provider.received(None).await.unwrap().len(), 1);
}

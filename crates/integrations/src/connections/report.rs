//! The steps of a connection test.

use super::{
    health::Trouble,
    types::{ConnectivityReport, TestOutcome, TestStep, TestStepView},
};
use store::entities::integration::Offered;
use tokio::time::Instant;

/// A test in progress.
#[derive(Default)]
pub struct Test {
    steps: Vec<TestStepView>,
    failure: Option<TestFailure>,
}

/// Why a step failed.
pub struct TestFailure {
    pub trouble: Trouble,
    /// The field of the form that mends it.
    pub field: Option<&'static str>,
}

impl Test {
    pub fn passed(&mut self, step: TestStep, since: Instant, detail: impl Into<String>) {
        let milliseconds = u64::try_from(since.elapsed().as_millis()).ok();
        self.steps.push(TestStepView {
            step,
            outcome: TestOutcome::Passed,
            milliseconds,
            detail: detail.into(),
        });
    }

    pub fn not_needed(&mut self, step: TestStep, detail: &str) {
        let outcome = TestOutcome::NotNeeded;
        self.steps.push(TestStepView { step, outcome, milliseconds: None, detail: detail.into() });
    }

    pub fn failed(&mut self, step: TestStep, since: Instant, failure: TestFailure) {
        let milliseconds = u64::try_from(since.elapsed().as_millis()).ok();
        let (outcome, detail) = (TestOutcome::Failed, failure.trouble.text.clone());
        self.steps.push(TestStepView { step, outcome, milliseconds, detail });
        self.failure = Some(failure);
    }

    /// The report, in which the steps after a failed one were not reached.
    pub fn report(mut self, offers: Option<&Offered>) -> ConnectivityReport {
        let all = [TestStep::Name, TestStep::Tls, TestStep::SignIn, TestStep::Read];
        for step in all.into_iter().skip(self.steps.len()) {
            let outcome = TestOutcome::NotReached;
            self.steps.push(TestStepView { step, outcome, milliseconds: None, detail: String::new() });
        }
        ConnectivityReport {
            is_connected: self.failure.is_none(),
            steps: self.steps,
            remedy: self.failure.as_ref().map_or("", |failure| failure.trouble.remedy).to_owned(),
            field: self.failure.as_ref().and_then(|failure| failure.field),
            offered: offers.map(|offers| offers.capabilities.clone()).unwrap_or_default(),
            software: offers.map(|offers| offers.software.clone()).unwrap_or_default(),
        }
    }
}

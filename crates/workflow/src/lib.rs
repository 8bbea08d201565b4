//! Durable work: steps kept in the database, claimed by lease, repeated with back-off, taken over when their worker
//! dies, and repeated by hand.
//!
//! A workflow is enqueued in the transaction of the data it belongs to ([`enqueue`]). Its steps stand in stages:
//! those of one stage run side by side, and a stage opens when all earlier ones are through. A [`Step`] does its
//! work against the outside while no transaction is open, and hands back what is to be written; the [`Runner`]
//! writes that together with the mark that the step is completed.
//!
//! Every step runs **at least once**: after a crash, or when its lease ran out, it runs again. Reasons and errors
//! are stored and shown to operators, so they must not name a patient.

mod claim;
mod commands;
pub mod probe;
mod registry;
mod retry;
mod runner;
mod settle;
mod step;

pub use commands::{NewStep, NewWorkflow, add_steps, complete_waiting, enqueue, enqueue_all, wake};
pub use registry::Registry;
pub use retry::{RetryError, retry};
pub use runner::{Options, Runner};
pub use step::{Done, Policy, Step, StepContext, StepError};
pub use store::entities::{workflow::WorkflowStatus, workflow_step::StepStatus};

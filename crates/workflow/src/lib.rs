//! Durable workflows: steps are stored in the database, claimed by lease, retried with back-off, taken over when
//! their worker dies, and can be retried by hand.
//!
//! A workflow is enqueued in the transaction of the data it belongs to ([`enqueue`]). Its steps are grouped in
//! stages: those of one stage run concurrently, and a stage opens when all earlier ones have ended. A [`Step`] does
//! its outside work while no transaction is open and returns what is to be written; the [`Runner`] writes that in the
//! transaction that completes the step.
//!
//! Each step belongs to a [`Lane`] with workers of its own. Within a lane no organization and no outside party holds
//! more than its share, and organizations take turns.
//!
//! Every step runs **at least once**: after a crash or an expired lease it runs again. Errors are stored and shown to
//! operators, so they must not name a patient.

mod attempts;
mod claim;
mod commands;
mod crashed;
mod lanes;
pub mod names;
pub mod probe;
mod registry;
mod retry;
mod runner;
mod settle;
mod step;

pub use attempts::sweep_attempts;
pub use commands::{
    NewStep, NewWorkflow, add_steps, call_off, complete_waiting, enqueue, enqueue_all, enqueue_if, reopen,
    wake,
};
pub use crashed::{running_step, set_aside};
pub use lanes::{Lane, LaneState, PerLane, StepType, Workers, lane_states};
pub use registry::Registry;
pub use retry::{RetryError, repeat, retry};
pub use runner::{Options, Runner};
pub use step::{Done, Policy, Step, StepContext, StepError};
pub use store::entities::{workflow::WorkflowStatus, workflow_step::StepStatus};

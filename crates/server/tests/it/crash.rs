//! A step that crashes its process is set aside before it can crash the next one.

use async_trait::async_trait;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use std::{hint::black_box, path::PathBuf, process::Command};
use store::{Clock, Store, entities::workflow_step};
use testkit::{Db, Options, TestApp};
use uuid::Uuid;
use workflow::{
    Done, Lane, NewStep, NewWorkflow, Registry, Runner, Step, StepContext, StepError, StepStatus, StepType,
};

const KIND: &str = "errand";
const DIG: StepType = StepType::new("dig", Lane::Chores);
const DATABASE: &str = "CAREPOST_TEST_CRASH_DATABASE";
const FOLDER: &str = "CAREPOST_TEST_CRASH_FOLDER";

struct Digs;

#[async_trait]
impl Step for Digs {
    async fn run(&self, _: &StepContext) -> Result<Done, StepError> {
        tokio::task::yield_now().await;
        match dig(1) {
            0 => Err(StepError::failed("there is a bottom")),
            _ => Ok(Done::new()),
        }
    }
}

/// Recurses until the stack overflows.
#[expect(unconditional_recursion, reason = "that is what it is for")]
fn dig(depth: u64) -> u64 {
    let room = black_box([depth; 512]);
    dig(depth + 1) + room[room.len() / 2]
}

fn runner(store: &Store, clock: Clock) -> Runner {
    Runner::new(store.clone(), clock, Registry::new().with(KIND, DIG, Digs), workflow::Options::default())
}

async fn step(app: &TestApp, workflow_id: Uuid) -> workflow_step::Model {
    let of_workflow = workflow_step::Column::WorkflowId.eq(workflow_id);
    let found = workflow_step::Entity::find().filter(of_workflow).one(app.store.db()).await;
    found.expect("a query").expect("a step")
}

#[tokio::test]
async fn a_step_that_overflows_the_stack_ends_one_process_and_no_second() {
    let app = TestApp::start_with(Db::sqlite(), Options::default()).await;
    let txn = app.store.begin().await.expect("a transaction");
    let errand = NewWorkflow {
        organization_id: Uuid::now_v7(),
        kind: KIND.to_owned(),
        object_id: Uuid::now_v7(),
        steps: vec![NewStep::new(0, DIG, app.clock.now())],
    };
    let id = workflow::enqueue(&txn, app.clock.now(), errand).await.expect("a workflow");
    txn.commit().await.expect("a commit");

    let process = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "crash::runs_in_a_process_of_its_own", "--ignored", "--nocapture"])
        .env(DATABASE, app.db.url())
        .env(FOLDER, &app.config.data_dir)
        .output()
        .expect("a process");
    assert!(!process.status.success());
    let said = String::from_utf8_lossy(&process.stderr);
    assert!(said.contains("overflowed its stack"), "{said}");
    assert_eq!(step(&app, id).await.status, StepStatus::Running);

    server::crash::set_steps_aside(&app).await.expect("it is set aside");
    // This would end the test's process if the step still ran.
    runner(&app.store, app.clock.clone()).drain().await.expect("the steps");
    let step = step(&app, id).await;
    assert_eq!(step.status, StepStatus::Failed);
    assert!(step.error.unwrap_or_default().contains("crashed while it ran this step"));
}

#[tokio::test]
#[ignore = "ends its process; the test above starts it"]
async fn runs_in_a_process_of_its_own() {
    let (Ok(url), Some(folder)) = (std::env::var(DATABASE), std::env::var_os(FOLDER)) else { return };
    server::crash::watch(&PathBuf::from(folder)).expect("crashes are watched");
    let store = Store::open_and_migrate(&url).await.expect("the database");
    runner(&store, Clock::system()).drain().await.expect("never");
}

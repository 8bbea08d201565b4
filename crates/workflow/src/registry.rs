//! Registry of the implementations of steps.

use crate::{Step, StepType};
use std::{collections::HashMap, sync::Arc};

/// The steps this node knows, by kind of workflow and name of step.
#[derive(Clone, Default)]
pub struct Registry(HashMap<String, HashMap<String, Arc<dyn Step>>>);

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step.
    ///
    /// # Panics
    /// When the step is there already, since one of the two would never run.
    #[must_use]
    pub fn with(mut self, workflow: &str, StepType { name, .. }: StepType, step: impl Step) -> Self {
        let before = self.0.entry(workflow.to_owned()).or_default().insert(name.to_owned(), Arc::new(step));
        assert!(before.is_none(), "the step {workflow}/{name} is registered twice");
        self
    }

    /// Adds the steps of another registry, of other kinds of workflows.
    ///
    /// # Panics
    /// When both know steps of one kind.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for (kind, steps) in other.0 {
            assert!(self.0.insert(kind.clone(), steps).is_none(), "the steps of {kind} are registered twice");
        }
        self
    }

    pub(crate) fn find(&self, kind: &str, name: &str) -> Option<Arc<dyn Step>> {
        self.0.get(kind)?.get(name).cloned()
    }
}

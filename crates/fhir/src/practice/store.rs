//! Resources by type and id, in memory and in one file.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Resources = BTreeMap<String, BTreeMap<String, Arc<Value>>>;

pub(super) struct Store {
    file: Option<PathBuf>,
    resources: Resources,
}

impl Store {
    pub(super) fn open(file: Option<&Path>, sample: impl FnOnce() -> Vec<Value>) -> io::Result<Self> {
        let file = file.map(Path::to_owned);
        let known = match &file {
            Some(file) if file.exists() => Some(serde_json::from_slice(&fs::read(file)?)?),
            _ => None,
        };
        let mut store = Self { file, resources: Resources::new() };
        match known {
            Some(Value::Array(known)) => known.into_iter().for_each(|one| put(&mut store.resources, one)),
            Some(_) => return Err(io::ErrorKind::InvalidData.into()),
            None => {
                let mut resources = Resources::new();
                sample().into_iter().for_each(|one| put(&mut resources, one));
                store.replace(resources)?;
            }
        }
        Ok(store)
    }

    pub(super) fn get(&self, kind: &str, id: &str) -> Option<&Arc<Value>> {
        self.resources.get(kind)?.get(id)
    }

    /// The resources of a type, by their ids.
    pub(super) fn all(&self, kind: &str) -> impl Iterator<Item = &Arc<Value>> {
        self.resources.get(kind).into_iter().flat_map(BTreeMap::values)
    }

    /// Adds or replaces a resource. In the file first, so that nothing is confirmed that is lost.
    pub(super) fn put(&mut self, resource: Value) -> io::Result<()> {
        let mut next = self.resources.clone();
        put(&mut next, resource);
        self.replace(next)
    }

    fn replace(&mut self, resources: Resources) -> io::Result<()> {
        if let Some(file) = &self.file {
            save(file, &resources)?;
        }
        self.resources = resources;
        Ok(())
    }
}

fn put(resources: &mut Resources, resource: Value) {
    let text = |field: &str| resource.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, id) = (text("resourceType"), text("id"));
    resources.entry(kind).or_default().insert(id, Arc::new(resource));
}

fn save(file: &Path, resources: &Resources) -> io::Result<()> {
    let all: Vec<&Value> = resources.values().flat_map(BTreeMap::values).map(Arc::as_ref).collect();
    let beside = file.with_extension("new");
    let mut written = File::create(&beside)?;
    written.write_all(json!(all).to_string().as_bytes())?;
    written.sync_all()?;
    fs::rename(&beside, file)
}

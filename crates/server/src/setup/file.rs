//! The configuration file as written by setup: comments and unknown keys stay, and readers always see either the
//! complete old file or the complete new one.

use anyhow::{Context, Result, bail};
use platform::Config;
use std::{
    fs,
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

/// An existing or new configuration file.
pub struct ConfigFile {
    pub path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads the file; a missing one is empty.
    pub fn open(path: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => bail!("{} cannot be read: {error}", path.display()),
        };
        let document = text.parse().with_context(|| format!("{} is no TOML file", path.display()))?;
        Ok(Self { path: path.to_owned(), document })
    }

    /// The value of a key such as `http.public_url`, as people write it.
    pub fn get(&self, key: &str) -> Option<String> {
        let mut item = self.document.as_item();
        for part in key.split('.') {
            item = item.get(part)?;
        }
        match item.as_value()? {
            Value::String(text) => Some(text.value().clone()),
            Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
            other => Some(other.to_string().trim().to_owned()),
        }
    }

    /// Sets a key, or removes it together with tables that become empty.
    pub fn set(&mut self, key: &str, value: Option<Value>) {
        let parts: Vec<&str> = key.split('.').collect();
        let table = self.document.as_table_mut();
        match value {
            Some(value) => put(table, &parts, value),
            None => remove(table, &parts),
        }
    }

    /// The configuration from this file and the environment.
    pub fn config(&self) -> Result<Config> {
        Ok(Config::load_text(&self.document.to_string(), &self.path)?)
    }

    /// Writes the file.
    pub fn save(&self) -> Result<()> {
        write_whole(&self.path, self.document.to_string().as_bytes(), 0o640)
    }

    /// A separate file beside this one, for a secret.
    pub fn secret_path(&self, name: &str) -> PathBuf {
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        folder.join(name)
    }
}

fn put(table: &mut Table, parts: &[&str], value: Value) {
    match parts {
        [] => {}
        [last] => table[*last] = Item::Value(value),
        [first, rest @ ..] => {
            let inner = table.entry(first).or_insert_with(|| Item::Table(Table::new()));
            if !inner.is_table() {
                *inner = Item::Table(inner.clone().into_table().unwrap_or_default());
            }
            if let Some(inner) = inner.as_table_mut() {
                put(inner, rest, value);
            }
        }
    }
}

fn remove(table: &mut Table, parts: &[&str]) {
    match parts {
        [] => {}
        [last] => drop(table.remove(last)),
        [first, rest @ ..] => {
            let Some(inner) = table.get_mut(first).and_then(Item::as_table_mut) else { return };
            remove(inner, rest);
            if inner.is_empty() {
                table.remove(first);
            }
        }
    }
}

/// Writes a file atomically: first a temporary one beside it, then renamed. An existing file keeps its mode.
///
/// # Errors
/// If the folder is not writable.
pub fn write_whole(path: &Path, content: &[u8], mode: u32) -> Result<()> {
    let cannot = || format!("{} cannot be written", path.display());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(cannot)?;
    let mode = fs::metadata(path).map_or(mode, |there| there.permissions().mode() & 0o777);
    let beside = path.with_extension(format!("new.{}", std::process::id()));
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&beside)
        .and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| fs::File::open(folder)?.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(cannot)
}

/// A list of texts as a value of the file.
pub fn list(text: &str) -> Value {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.collect::<Array>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_setup_does_not_know_stays_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("carepost.toml");
        fs::write(&path, "# Ours.\nmode = \"demo\"\n[log]\njson = true # for the collector\n")
            .expect("a file");
        let mut file = ConfigFile::open(&path).expect("the file");
        file.set("mode", Some("production".into()));
        file.set("email.server.host", Some("mail.example".into()));
        file.set("http.trusted_proxies", Some(list("10.0.0.1, ::1")));
        file.set("blobs.s3.bucket", Some("documents".into()));
        file.set("blobs.s3.bucket", None);
        file.save().expect("it is written");
        let file = ConfigFile::open(&path).expect("the file");
        assert_eq!(file.get("email.server.host").as_deref(), Some("mail.example"));
        assert_eq!(file.get("http.trusted_proxies").as_deref(), Some("10.0.0.1, ::1"));
        let text = fs::read_to_string(&path).expect("the file");
        assert!(
            text.starts_with("# Ours.\nmode = \"production\"") && text.contains("# for the collector"),
            "{text}"
        );
    }

    #[test]
    fn a_secret_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("master.key");
        write_whole(&path, b"secret", 0o600).expect("it is written");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing stays beside it");
    }
}

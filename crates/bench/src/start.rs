//! Part `start`: time until a restarted node answers.

use crate::{
    process::{Place, spawn},
    table::Table,
};
use anyhow::Result;
use std::time::Instant;

const RUNS: usize = 5;

pub async fn measure(table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = Place { folder: folder.path(), database: None, master_key: None };
    let start = async || -> Result<f64> {
        let begun = Instant::now();
        let mut process = spawn(&place)?;
        process.answers().await?;
        let seconds = begun.elapsed().as_secs_f64();
        process.stop()?;
        Ok(seconds)
    };
    table.note("first start, with sample data", format!("{:.2} s", start().await?));
    let mut slowest = 0.0_f64;
    for _ in 0..RUNS {
        slowest = slowest.max(start().await?);
    }
    table.at_most(format!("second start, slowest of {RUNS}"), slowest, 1.0, "s");
    Ok(())
}

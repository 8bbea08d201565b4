//! The demo data.

use anyhow::Result;
use platform::App;

/// Loads the demo data once; `false` when it was there.
pub async fn seed(_app: &App) -> Result<bool> {
    Ok(false)
}

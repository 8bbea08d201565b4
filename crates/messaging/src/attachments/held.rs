//! Files that cannot be opened yet, because they wait for the malware scanner, or at all, because they are in quarantine.

use crate::{files, workflows::platform_error};
use chrono::Duration;
use platform::{App, Error, Result};
use store::entities::attachment::{self, ScanState};
use workflow::StepError;

/// Interval of steps that wait for the scan of a file.
const LOOK_AGAIN: Duration = Duration::seconds(10);

const BEING_CHECKED: &str = "The file is being checked for malware. Please try again in a moment.";

/// Why a file cannot be opened, as a sentence for people.
pub fn words(state: ScanState, finding: Option<&str>) -> Option<String> {
    match state {
        ScanState::Waiting => Some(BEING_CHECKED.into()),
        ScanState::Infected => {
            let name = finding.unwrap_or("unknown");
            Some(format!("The file is in quarantine and cannot be opened. Scan result: {name}."))
        }
        ScanState::NotScanned | ScanState::Clean | ScanState::Released => None,
    }
}

/// Refuses a file that waits for the scanner or is in quarantine.
pub fn require_open(row: &attachment::Model) -> Result<()> {
    match words(row.scan_state, row.scan_finding.as_deref()) {
        Some(words) => Err(Error::Conflict(words.into())),
        None => Ok(()),
    }
}

/// Like [`require_open`], for a step: waits until the file is scanned.
pub fn require_open_in_step(app: &App, row: &attachment::Model) -> Result<(), StepError> {
    match row.scan_state {
        ScanState::Waiting => Err(StepError::Wait { until: app.clock.now() + LOOK_AGAIN }),
        ScanState::Infected => Err(StepError::failed("A file is in quarantine.")),
        ScanState::NotScanned | ScanState::Clean | ScanState::Released => Ok(()),
    }
}

/// The bytes of a file of a message, unless it is closed to all. Permissions are checked in [`super::opening`].
pub async fn read(app: &App, row: &attachment::Model) -> Result<bytes::Bytes> {
    require_open(row)?;
    files::read(app, row.organization_id, row.blob_id).await
}

/// Like [`read`], for a step.
pub async fn read_in_step(app: &App, row: &attachment::Model) -> Result<bytes::Bytes, StepError> {
    require_open_in_step(app, row)?;
    files::read(app, row.organization_id, row.blob_id).await.map_err(platform_error)
}

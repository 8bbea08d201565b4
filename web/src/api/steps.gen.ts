// Written by scripts/gen-api.mjs from openapi.json. Do not edit.
export const STEP_LABELS: Record<string, string> = {
  "AwaitNotices": "Await the notices",
  "Deliver": "Deliver",
  "FollowFax": "Follow the fax",
  "Notify": "Send the notices",
  "Open": "Open the mail",
  "OpenFax": "Open the fax",
  "OpenInterface": "Open the interface message",
  "RenderFax": "Render the fax",
  "SubmitFax": "Submit the fax"
};

/** The event types of reports, in the order shown. */
export const EVENT_TYPES = [
  'Delivered',
  'Exported',
  'Forwarded',
  'Replied',
  'Deleted',
  'Bounced',
  'Failed',
  'Processed',
  'Received',
] as const;

/** Maximum number of events in one file. */
export const REPORT_SIZE = 10_000;

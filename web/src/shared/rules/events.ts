/** What reports tell of messages, in the order in which it is offered. */
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

/** Most events of one file. */
export const REPORT_SIZE = 10_000;

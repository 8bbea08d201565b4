/** Messages are counted up to this number. */
export const COUNT_CAP = 10_000;

const STATUSES = [
  'Sent',
  'Received',
  'Pending',
  'Signed',
  'Suspended',
  'Deleted',
  'Removed',
  'Forwarded',
  'Replied',
  'Processed',
  'Uploaded',
  'Triaged',
  'Failed',
];

/** Label of a status; a draft that is ready to send is "saved". */
export const statusName = (status: number, isDraft: boolean) => (status === 0 && isDraft ? 'Saved' : (STATUSES[status] ?? String(status)));

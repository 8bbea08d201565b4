/** Labels of the events, in the order in which they are offered. */
export const EVENTS = [
  { value: 'message.received', label: 'Message received' },
  { value: 'message.processed', label: 'Message processed' },
  { value: 'message.exported', label: 'Message exported' },
  { value: 'message.delivered', label: 'Message delivered' },
  { value: 'message.failed', label: 'Delivery failed' },
  { value: 'message.bounced', label: 'Message bounced' },
  { value: 'message.uncertain', label: 'Fax uncertain' },
  { value: 'message.forwarded', label: 'Message forwarded' },
  { value: 'message.replied', label: 'Message answered' },
  { value: 'message.deleted', label: 'Message deleted' },
] as const;

export const eventLabel = (name: string) =>
  name === 'webhook.test' ? 'Test' : (EVENTS.find((event) => event.value === name)?.label ?? name);

export const AUTHENTICATION = [
  { value: 'None', label: 'Signature only' },
  { value: 'Basic', label: 'User name and password' },
  { value: 'Bearer', label: 'Token' },
] as const;

/** The state of a webhook in one word. */
export function stateOf({
  isActive,
  pausedAt,
  failingSince,
}: {
  isActive: boolean;
  pausedAt?: string | null;
  failingSince?: string | null;
}) {
  if (!isActive) return { state: 'Inactive', text: 'Off' };
  if (pausedAt) return { state: 'Failed', text: 'Paused' };
  if (failingSince) return { state: 'Pending', text: 'Failing' };
  return { state: 'Active', text: 'On' };
}

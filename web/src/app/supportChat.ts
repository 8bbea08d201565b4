import type { Profile } from '@/api/types';

/** The chat with the operator's support, loaded only if the server provides a workspace. */

type Messenger = ((...call: unknown[]) => void) & { q?: unknown[][] };
declare global {
  interface Window {
    Intercom?: Messenger;
  }
}

type Person = Pick<Profile, 'userId'> &
  Partial<Pick<Profile, 'intercomAppId' | 'intercomUserHash' | 'organizationId' | 'organizationName'>>;
let bootedFor: string | undefined;

/** Starts the chat of a user in an organization, once each. */
export function startSupportChat({ userId, intercomAppId, intercomUserHash, organizationId, organizationName }: Person) {
  const person = [userId, organizationId].join('.');
  if (!intercomAppId || bootedFor === person) return;
  if (bootedFor) window.Intercom?.('shutdown');
  bootedFor = person;
  messenger(intercomAppId)('boot', {
    app_id: intercomAppId,
    user_id: userId,
    user_hash: intercomUserHash ?? undefined,
    company: organizationId ? { id: organizationId, name: organizationName } : undefined,
  });
}

/** Ends the chat, and forgets who it was with. */
export function stopSupportChat() {
  if (!bootedFor) return;
  bootedFor = undefined;
  window.Intercom?.('shutdown');
}

/** The service's function, or one that queues the calls until it is loaded. */
function messenger(appId: string): Messenger {
  if (window.Intercom) return window.Intercom;
  const waiting: Messenger = (...call) => void (waiting.q ??= []).push(call);
  window.Intercom = waiting;
  const script = document.createElement('script');
  script.async = true;
  script.src = `https://widget.intercom.io/widget/${encodeURIComponent(appId)}`;
  document.head.append(script);
  return waiting;
}

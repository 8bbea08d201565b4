/** Browser storage under one prefix. Storage may be refused (private windows); then values live for the page only. */

const PREFIX = 'carepost.';
const fallback = new Map<string, string>();

function slot(kind: 'session' | 'local') {
  const area = () => (kind === 'session' ? window.sessionStorage : window.localStorage);
  return {
    get(key: string): string | null {
      try {
        return area().getItem(PREFIX + key);
      } catch {
        return fallback.get(kind + key) ?? null;
      }
    },
    set(key: string, value: string | null) {
      try {
        if (value === null) area().removeItem(PREFIX + key);
        else area().setItem(PREFIX + key, value);
      } catch {
        if (value === null) fallback.delete(kind + key);
        else fallback.set(kind + key, value);
      }
    },
    /** Removes all keys with this prefix. */
    clear(start: string) {
      for (const key of fallback.keys()) if (key.startsWith(kind + start)) fallback.delete(key);
      try {
        for (const key of Object.keys(area())) if (key.startsWith(PREFIX + start)) area().removeItem(key);
      } catch {
        // Nothing was kept there.
      }
    },
  };
}

export const sessionStore = slot('session');
export const localStore = slot('local');

export function readJson<T>(store: ReturnType<typeof slot>, key: string): T | null {
  const text = store.get(key);
  if (!text) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

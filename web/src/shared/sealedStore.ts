import { sessionStore } from './storage';

/**
 * Unsaved input may name patients, so it is kept only in this tab and only encrypted. The key cannot be exported, stays in this
 * browser, and is destroyed at sign-out. Where the browser offers no cryptography (a page without TLS), nothing is kept.
 */

const PREFIX = 'sealed.';
const DATABASE = 'carepost';
const STORE = 'keys';
const KEY_NAME = 'drafts';

const finished = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser storage refused.'));
  });

async function keyStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  return (await finished(opening)).transaction(STORE, mode).objectStore(STORE);
}

export type KeyVault = {
  load: () => Promise<CryptoKey | undefined>;
  save: (key: CryptoKey) => Promise<void>;
  destroy: () => Promise<void>;
};

const browserVault: KeyVault = {
  load: async () => finished<CryptoKey | undefined>((await keyStore('readonly')).get(KEY_NAME)),
  save: async (key) => {
    await finished((await keyStore('readwrite')).put(key, KEY_NAME));
  },
  destroy: async () => {
    await finished((await keyStore('readwrite')).delete(KEY_NAME));
  },
};

const toText = (bytes: Uint8Array) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
const toBytes = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

export function sealedStore(vault: KeyVault = browserVault) {
  // A write in progress must not bring back text that was discarded meanwhile.
  let epoch = 0;
  const usable = () => typeof crypto !== 'undefined' && crypto.subtle !== undefined;

  async function keyForWriting(): Promise<CryptoKey> {
    const known = await vault.load();
    if (known) return known;
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    await vault.save(key);
    return key;
  }

  return {
    /** Null if there is nothing, or it cannot be decrypted. */
    async read<T>(name: string): Promise<T | null> {
      const kept = sessionStore.get(PREFIX + name);
      if (!kept || !usable()) return null;
      try {
        const key = await vault.load();
        if (!key) return null;
        const bytes = toBytes(kept);
        const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes.slice(0, 12) }, key, bytes.slice(12));
        return JSON.parse(new TextDecoder().decode(plain)) as T;
      } catch {
        return null;
      }
    },
    async write(name: string, value: unknown): Promise<void> {
      if (!usable()) return;
      const started = epoch;
      try {
        const iv = crypto.getRandomValues(new Uint8Array(12));
        const plain = new TextEncoder().encode(JSON.stringify(value));
        const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await keyForWriting(), plain));
        const both = new Uint8Array(iv.length + sealed.length);
        both.set(iv);
        both.set(sealed, iv.length);
        if (started === epoch) sessionStore.set(PREFIX + name, toText(both));
      } catch {
        // Keeping input is a convenience; the page works without storage too.
      }
    },
    forget(name: string) {
      epoch++;
      sessionStore.set(PREFIX + name, null);
    },
    /** At sign-out: without the key nothing stored can be read again. */
    async destroy(): Promise<void> {
      epoch++;
      sessionStore.clear(PREFIX);
      if (typeof indexedDB === 'undefined' && vault === browserVault) return;
      await vault.destroy().catch(() => {});
    },
  };
}

/** The one store of unsaved text. */
export const unsaved = sealedStore();

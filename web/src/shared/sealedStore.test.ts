import { webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type KeyVault, sealedStore } from './sealedStore';

function memoryVault(): KeyVault {
  let kept: CryptoKey | undefined;
  return {
    load: async () => kept,
    save: async (key) => {
      kept = key;
    },
    destroy: async () => {
      kept = undefined;
    },
  };
}

beforeAll(() => {
  vi.stubGlobal('crypto', webcrypto);
});

describe('unsaved text', () => {
  test('comes back as it was', async () => {
    const store = sealedStore(memoryVault());
    await store.write('a', { body: 'Ms. Halloran, 07/02/1979' });
    expect(await store.read('a')).toEqual({ body: 'Ms. Halloran, 07/02/1979' });
  });
  test('is never in the browser storage in plain text', async () => {
    const store = sealedStore(memoryVault());
    await store.write('a', { body: 'Halloran' });
    expect(sessionStorage).toHaveLength(1);
    expect(JSON.stringify(Object.values(sessionStorage))).not.toContain('Halloran');
  });
  test('cannot be opened with the key of another browser', async () => {
    await sealedStore(memoryVault()).write('a', 1);
    const other = sealedStore(memoryVault());
    await other.write('b', 2);
    expect(await other.read('a')).toBeNull();
  });
  test('is gone for good after sign-out', async () => {
    const vault = memoryVault();
    const store = sealedStore(vault);
    await store.write('a', 1);
    await store.destroy();
    expect(sessionStorage).toHaveLength(0);
    expect(await vault.load()).toBeUndefined();
  });
  test('stays deleted even if a write was in progress', async () => {
    const store = sealedStore(memoryVault());
    const writing = store.write('a', 1);
    store.forget('a');
    await writing;
    expect(await store.read('a')).toBeNull();
  });
});

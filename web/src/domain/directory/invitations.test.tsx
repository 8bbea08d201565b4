import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { sessionStore } from '@/shared/storage';
import { answer } from '@/test/answers';
import { renderApp } from '@/test/render';
import { FindProviderDialog } from './FindProviderDialog';

test.each([
  ['true', false],
  ['false', true],
  ['1', true],
])('a brand hides invitations by the text true: with %s its people are offered one is %s (MSG-R-013)', async (text, isOffered) => {
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/users/profiledata', { userId: 'u', roles: ['User'], organizations: [], brandId: 'b' } as never);
  let release = () => {};
  const waits = new Promise<void>((done) => (release = done));
  answer('get', '/api/entitysettings/Brand/{brandId}', async () => {
    await waits;
    return { settings: { hideProviderInvitations: text } } as never;
  });
  renderApp(<FindProviderDialog onClose={() => {}} />);
  const offer = () => screen.queryByRole('button', { name: /Don't see the provider you're looking for\?/ });
  // Until the settings are known, it is there.
  await waitFor(() => expect(offer()).toBeInTheDocument());
  release();
  await waitFor(() => expect(sessionStore.get('brandSettings.b')).toContain(text));
  await waitFor(() => expect(offer() !== null).toBe(isOffered));
});

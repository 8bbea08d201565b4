import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
import { held } from '@/test/held';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { setOwner } from './owner';
import { usePreference } from './usePreference';

function Size() {
  const [size, setSize] = usePreference('pageSize', 10);
  return <button onClick={() => setSize(50)}>{size} rows</button>;
}

test('a preference comes from the server and is saved there (SES-R-020, SES-S-024)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  let saved: unknown;
  server.use(
    http.get('*/api/users/current', () => HttpResponse.json({ userPreferences: { screens: { pageSize: 25 } } })),
    http.put('*/api/account/preferences/screens/pageSize', async ({ request }) => {
      saved = await request.json();
      return new HttpResponse(null, { status: 204 });
    }),
  );
  renderApp(<Size />);
  await userEvent.click(await screen.findByRole('button', { name: '25 rows' }));
  expect(screen.getByRole('button', { name: '50 rows' })).toBeInTheDocument();
  await waitFor(() => expect(saved).toEqual({ value: 50 }));
});

test('a preference is known at once in the next session of a browser, under its person (MSG-R-014)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  setOwner('u', 'o');
  answer('put', '/api/account/preferences/screens/{name}', null);
  // The server's has not arrived yet.
  held('*/api/users/current', {});
  const { unmount } = renderApp(<Size />);
  await userEvent.click(screen.getByRole('button', { name: '10 rows' }));
  unmount();
  expect(Object.keys(localStorage)).toEqual([expect.stringMatching(/^carepost\.preferences\..*u.*\.pageSize$/)]);
  renderApp(<Size />);
  expect(screen.getByRole('button', { name: '50 rows' })).toBeInTheDocument();
});

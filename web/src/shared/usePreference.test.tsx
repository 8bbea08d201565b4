import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
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

import { notifications } from '@mantine/notifications';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { RetryPage } from './RetryPage';

const cause = {
  retryStep: 'Deliver',
  cause: 'The server of the recipient could not be reached.',
  count: 312,
  first: '2026-11-18T09:00:00Z',
  last: '2026-11-18T10:00:00Z',
};

/** Retries what failed for the one cause, which is answered like this. */
async function retry(answer: () => Response) {
  server.use(
    http.get('*/api/workflows/retries', () => HttpResponse.json({ items: [] })),
    http.get('*/api/workflows/failures', () => HttpResponse.json({ items: [cause], isCapped: false })),
    http.post('*/api/workflows/retry', answer),
  );
  renderScreen(<RetryPage />);
  const causes = within(await screen.findByRole('list', { name: 'Causes' }));
  await userEvent.click(await causes.findByRole('button', { name: 'Retry' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Retry steps' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Retry' }));
}

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
});

test('a retry that was taken is said to be submitted (ADA-R-281)', async () => {
  await retry(() => HttpResponse.json({ id: '0198f1aa-7a10-7000-8000-000000000031' }));
  expect(await screen.findByText('Submitted for retry')).toBeInTheDocument();
});

test('a retry that was refused says why behind “Error:” (ADA-R-282)', async () => {
  await retry(() => HttpResponse.json({ title: 'No', status: 409, message: 'Such a retry is running already.' }, { status: 409 }));
  expect(await screen.findByText('Error: Such a retry is running already.')).toBeInTheDocument();
});

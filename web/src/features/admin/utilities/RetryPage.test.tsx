import { notifications } from '@mantine/notifications';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { choose, dialog, fill, press } from '@/test/acts';
import { answer } from '@/test/answers';
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

/** Retries the failures of the one cause, with this answer. */
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

test('a retry by list says what is missing, and asks before it begins (ADA-S-047, ADA-R-277, ADA-R-278, ADA-R-279, ADA-T-084, ADA-T-085, ADA-T-086)', async () => {
  answer('get', '/api/workflows/retries', { items: [] } as never);
  answer('get', '/api/workflows/failures', { items: [], isCapped: false });
  const counted = answer('post', '/api/workflows/retry/count', { steps: 2 });
  const started = answer('post', '/api/workflows/retry', {} as never);
  renderScreen(<RetryPage />);
  const part = await screen.findByRole('region', { name: 'By list' });
  await press('Retry', part);
  for (const text of ['Type is missing.', 'Step Type is missing.', 'Workflow Ids are missing.'])
    expect(await within(part).findByText(text)).toBeInTheDocument();
  expect(counted).toEqual([]);
  await choose('Type', /Send/i, part);
  await choose('Step type', 'Deliver', part);
  fill('Workflow ids', 'one, two, three', part);
  await press('Retry', part);
  const question = await dialog('Retry workflows');
  expect(question).toHaveTextContent(/^.*2 steps of 3 workflows will be retried\./);
  expect(started).toEqual([]);
  await press('Retry', question);
  expect(await screen.findByText('Submitted for retry')).toBeInTheDocument();
  expect(started[0]!.body).toEqual({ type: 'send', retryStep: 'Deliver', workflowIds: ['one', 'two', 'three'] });
});

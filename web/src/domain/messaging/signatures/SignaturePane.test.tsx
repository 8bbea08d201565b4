import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { attachment } from '@/test/fixtures';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { SignaturePane } from './SignaturePane';

vi.mock('@/app/session', () => ({ useProfile: () => ({ userId: 'u' }) }));
vi.mock('@/shared/hubs', async (original) => ({ ...(await original<object>()), useHubEvents: () => {} }));

const signer = {
  id: 's',
  signer: { id: 'p', name: 'Priya Nandakumar' },
  requestedBy: { id: 'u', name: 'Dana Whitfield' },
  state: 'Waiting',
  askedOn: '2026-11-20T10:00:00Z',
  isOwn: false,
  canBeCancelled: false,
  isOutdated: false,
  files: [],
};

test('signatures that could not be loaded can be asked for again', async () => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  let isDown = true;
  server.use(
    http.get('*/api/messages/m1/signers', () =>
      isDown
        ? HttpResponse.json({}, { status: 400 })
        : HttpResponse.json({ items: [signer], documents: 'x', files: [], consent: '', signedPdfs: [] }),
    ),
  );
  renderApp(<SignaturePane message={{ id: 'm1', subject: 'Letter', direction: 'Intake', attachments: [attachment()] }} />);
  expect(screen.getByRole('status', { name: 'Loading the signatures' })).toBeInTheDocument();
  expect(await screen.findByRole('alert')).toHaveTextContent('The signatures could not be loaded.');
  isDown = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Priya Nandakumar')).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
});

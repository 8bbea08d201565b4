import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { TermsDialog } from './TermsDialog';

vi.mock('@/app/session', () => ({ useProfile: () => ({ orgIsIdProofed: true }) }));
vi.mock('@/shared/ui/AppLink', () => ({ useGo: () => () => {} }));

const REPLACED = 'These terms have been replaced by a newer version.';

test('terms that were replaced meanwhile are loaded again; after identity proofing they can be closed (SES-R-084, SES-T-004)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  let version = '1.0';
  server.use(
    http.get('*/api/account/terms', () =>
      HttpResponse.json({ type: 'standard', version, html: `<h2>Words of ${version}</h2>`, brandName: 'Carepost', isAccepted: false }),
    ),
    http.post('*/api/account/terms', () => {
      version = '2.0';
      return HttpResponse.json({ status: 409, message: REPLACED }, { status: 409 });
    }),
  );
  renderApp(<TermsDialog onDone={() => expect.unreachable('nothing was accepted')} />);
  const agreed = () => screen.findByLabelText('I agree to terms and conditions');
  expect(await screen.findByRole('button', { name: 'Close' })).toBeDisabled();
  await userEvent.click(await agreed());
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(await screen.findByText(REPLACED)).toBeInTheDocument();
  expect(await screen.findByRole('heading', { name: 'Words of 2.0' })).toBeInTheDocument();
  expect(await agreed()).not.toBeChecked();
});

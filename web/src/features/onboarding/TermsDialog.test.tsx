import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Terms } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { TermsDialog } from './TermsDialog';

const person = vi.hoisted(() => ({ orgIsIdProofed: false }));
const go = vi.hoisted(() => vi.fn());
vi.mock('@/app/session', () => ({ useProfile: () => person }));
vi.mock('@/shared/ui/AppLink', () => ({ useGo: () => go }));

const REPLACED = 'These terms have been replaced by a newer version.';

const terms = (over: Partial<Terms> = {}): Terms => ({
  type: 'standard',
  version: '1.0',
  html: '<h2>Protected health information</h2>',
  brandName: 'Carepost',
  isAccepted: false,
  ...over,
});
const button = (name: string) => screen.getByRole('button', { name });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  person.orgIsIdProofed = false;
  go.mockClear();
});

test('the terms are read and agreed to before anything else (SES-S-028, SES-R-078, SES-R-079, SES-R-082, SES-R-083, SES-T-001, SES-T-003)', async () => {
  answer('get', '/api/account/terms', terms());
  const accepted = answer('post', '/api/account/terms', terms({ isAccepted: true }));
  const done = vi.fn();
  renderApp(<TermsDialog onDone={done} />);
  expect(await screen.findByRole('dialog', { name: 'Terms of service' })).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Protected health information' })).toBeVisible();
  expect(button('Next')).toBeDisabled();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(screen.getByLabelText('I agree to terms and conditions'));
  await userEvent.click(button('Next'));
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1));
  expect(accepted.map((a) => a.body)).toEqual([{ type: 'standard', version: '1.0' }]);
});

test('the terms are printed in a window of their own, and a window that is not allowed is told (SES-R-080, SES-T-002)', async () => {
  answer('get', '/api/account/terms', terms());
  const opened = vi.spyOn(window, 'open').mockReturnValue(window);
  renderApp(<TermsDialog onDone={() => {}} />);
  await screen.findByRole('dialog');
  await userEvent.click(button('Print TOS'));
  expect(opened).toHaveBeenCalledWith('/print?job=terms', '_blank');
  expect(screen.queryByText(/Please allow pop-ups/)).toBeNull();
  opened.mockReturnValue(null);
  await userEvent.click(button('Print TOS'));
  expect(await screen.findByText(/Please allow pop-ups/)).toBeVisible();
  opened.mockRestore();
});

test('the terms of a brand that has its own are only acknowledged (SES-S-029, SES-R-081)', async () => {
  answer('get', '/api/account/terms', terms({ type: 'brand', brandName: 'Harborline Exchange' }));
  renderApp(<TermsDialog onDone={() => {}} />);
  await screen.findByRole('dialog', { name: 'Terms of service' });
  expect(screen.queryByLabelText('Text of the terms')).toBeNull();
  expect(screen.queryByLabelText('I agree to terms and conditions')).toBeNull();
  expect(button('Next')).toBeDisabled();
  await userEvent.click(screen.getByLabelText('I acknowledge the terms and conditions of Harborline Exchange'));
  expect(button('Next')).toBeEnabled();
});

test('the terms of a reseller replace the usual ones (SES-S-030, SES-R-067, SES-R-085)', async () => {
  answer('get', '/api/account/terms', terms({ type: 'reseller', html: '<h2>Your agreement</h2>' }));
  const accepted = answer('post', '/api/account/terms', terms({ type: 'reseller', isAccepted: true }));
  renderApp(<TermsDialog onDone={() => {}} />);
  const shown = await screen.findByRole('dialog', { name: 'Terms of service of your partner' });
  expect(shown).toHaveTextContent('Your organization receives Carepost through a partner.');
  expect(screen.getByRole('heading', { name: 'Your agreement' })).toBeVisible();
  await userEvent.click(screen.getByLabelText('I agree to terms and conditions'));
  await userEvent.click(button('Next'));
  await vi.waitFor(() => expect(accepted[0]?.body).toMatchObject({ type: 'reseller' }));
});

test('who cannot read the terms can sign out', async () => {
  refusal('get', '/api/account/terms', 404);
  renderApp(<TermsDialog onDone={() => {}} />);
  expect(await screen.findByText('The terms could not be loaded')).toBeVisible();
  await userEvent.click(button('Sign out'));
  expect(go).toHaveBeenCalledWith('/account/logout');
});

test('terms that were replaced meanwhile are loaded again; after identity proofing they can be closed (SES-R-084, SES-T-004)', async () => {
  person.orgIsIdProofed = true;
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

import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Standing } from '@/api/types';
import { createQueryClient } from '@/app/queryClient';
import { server } from '@/test/setup';
import { Onboarding } from './Onboarding';

const person = vi.hoisted(() => ({
  userId: 'u',
  organizationId: 'o',
  isAdmin: true,
  orgIsAcceptedEULA: true,
  orgIsIdProofed: false,
  idProofedAttemptDate: '2026-11-01T09:00:00Z' as string | null,
}));
vi.mock('@/app/session', () => ({ useProfile: () => person, refreshProfile: async () => person }));
// Starts at once, with a valid form.
vi.mock('./rules', async (rules) => ({ ...(await rules<object>()), START_MS: 0, identityChecks: {} }));
vi.mock('@/shared/ui/AppLink', () => ({ useGo: () => () => {} }));

const ANSWERED = 'These questions have already been answered.';
const FAILED = 'We could not verify your identity';
const standing = (over: Partial<Standing>): Standing => ({
  quizId: null,
  decision: null,
  asksQuestions: true,
  documentRefused: false,
  attemptsLeft: 2,
  ...over,
});
const quiz = (id: string, text: string) => ({
  quizId: id,
  questions: [{ questionId: `${id}.1`, questionText: text, answerChoice: [{ value: 'Here' }, { value: 'There' }] }],
  expiresAt: '2030-01-01T00:00:00Z',
  secondsLeft: 600,
  attemptsLeft: 2,
});
const conflict = (message: string, status = 409) => HttpResponse.json({ message }, { status });

let now = standing({});
const loaded = vi.fn();
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  person.idProofedAttemptDate = '2026-11-01T09:00:00Z';
  loaded.mockClear();
  server.use(
    http.get('*/api/identityproofing/decision', () => {
      loaded();
      return HttpResponse.json(now);
    }),
  );
});

const draw = () =>
  render(
    <QueryClientProvider client={createQueryClient({ onRefusedPage: () => {} })}>
      <MantineProvider env="test">
        <Notifications limit={1} autoClose={5000} />
        <Onboarding />
      </MantineProvider>
    </QueryClientProvider>,
  );
const dialog = (name: string) => screen.findByRole('dialog', { name }, { timeout: 3000 });
const answer = async () => {
  await userEvent.click(await screen.findByRole('radio', { name: 'Here' }, { timeout: 3000 }));
  await userEvent.click(screen.getByRole('button', { name: 'Submit Answers' }));
};

test('answers given elsewhere lead to the next step, with the server’s message', async () => {
  now = standing({ quizId: 'q1' });
  server.use(
    http.get('*/api/identityproofing/quizzes/:id', ({ params }) =>
      HttpResponse.json(quiz(String(params.id), params.id === 'q1' ? 'Where?' : 'Whence?')),
    ),
    http.post('*/api/identityproofing/quizzes/q1', () => {
      now = standing({ quizId: 'q2' });
      return conflict(ANSWERED);
    }),
    http.post('*/api/identityproofing/quizzes/q2', () => {
      now = standing({ decision: 'UnderReview' });
      return conflict('Your document is already under review.');
    }),
  );
  draw();
  await answer();
  expect(await screen.findByText('1. Whence?')).toBeInTheDocument();
  expect(await screen.findByText(ANSWERED)).toBeInTheDocument();
  await answer();
  expect(await dialog('Thank you')).toHaveTextContent('under review');
});

test('questions that are gone lead to the next step', async () => {
  now = standing({ quizId: 'q1' });
  server.use(
    http.get('*/api/identityproofing/quizzes/q1', () => {
      now = standing({ decision: 'Failed' });
      return conflict(ANSWERED);
    }),
  );
  draw();
  await dialog(FAILED);
  expect(await screen.findByText(ANSWERED)).toBeInTheDocument();
  expect(loaded).toHaveBeenCalledTimes(2);
});

test('questions that the server still has are loaded again only by a button', async () => {
  now = standing({ quizId: 'q1' });
  const read = vi.fn(() => conflict(ANSWERED));
  server.use(http.get('*/api/identityproofing/quizzes/q1', read));
  draw();
  await screen.findByText('The questions could not be loaded', undefined, { timeout: 3000 });
  await vi.waitFor(() => expect(loaded).toHaveBeenCalledTimes(2));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(loaded).toHaveBeenCalledTimes(3));
  expect(read).toHaveBeenCalledTimes(2);
});

test('after too many attempts a photo ID is asked for', async () => {
  now = standing({});
  person.idProofedAttemptDate = null;
  sessionStorage.setItem('carepost.onboarding.u.o', 'identity');
  server.use(
    http.post('*/api/identityproofing', () => {
      now = standing({ decision: 'Failed', attemptsLeft: 0 });
      return conflict('There were too many attempts today.', 429);
    }),
  );
  draw();
  await dialog('Submit your identity');
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  await dialog(FAILED);
  expect(await screen.findByText('There were too many attempts today.')).toBeInTheDocument();
});

test('a photo ID is not asked for any more when one is under review', async () => {
  now = standing({ decision: 'Failed' });
  server.use(
    http.post('*/api/identityproofing/document', () => {
      now = standing({ decision: 'UnderReview' });
      return conflict('Your document is already under review.');
    }),
  );
  draw();
  await dialog(FAILED);
  await userEvent.upload(
    document.querySelector<HTMLInputElement>('input[type=file]')!,
    new File(['x'], 'id.pdf', { type: 'application/pdf' }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await dialog('Thank you')).toHaveTextContent('under review');
  expect(await screen.findByText('Your document is already under review.')).toBeInTheDocument();
});

test('SES-R-071 where no questions are asked the description comes first, then the photo ID, and a refusal says why', async () => {
  person.idProofedAttemptDate = null;
  sessionStorage.setItem('carepost.onboarding.u.o', 'intro');
  now = standing({ asksQuestions: false });
  server.use(
    http.post('*/api/identityproofing', () => HttpResponse.json(standing({ decision: 'Failed', asksQuestions: false }))),
    http.post('*/api/identityproofing/document', () => {
      now = standing({ decision: 'Failed', asksQuestions: false, documentRefused: true, refusalReason: 'The date cannot be read.' });
      return conflict('Please load the page again.');
    }),
  );
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Next' }, { timeout: 3000 }));
  const form = await dialog('Submit your identity');
  expect(form).not.toHaveTextContent('SSN');
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  await dialog('Send your photo ID');
  const file = new File(['x'], 'id.pdf', { type: 'application/pdf' });
  await userEvent.upload(document.querySelector<HTMLInputElement>('input[type=file]')!, file);
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await dialog(FAILED)).toHaveTextContent('The date cannot be read.');
});

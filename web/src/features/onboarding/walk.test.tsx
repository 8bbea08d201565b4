import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Standing } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { Onboarding } from './Onboarding';

const fresh = vi.hoisted(() => ({
  userId: 'u',
  organizationId: 'o',
  organizationName: 'Fernhill',
  fullName: 'Fern Hadley',
  domain: 'fernhill.direct.carepost.example',
  isAdmin: true,
  orgIsAcceptedEULA: true,
  orgIsIdProofed: false,
  orgIsActivated: false,
  orgIsCancelled: false,
  idProofedAttemptDate: null as string | null,
  activationNoticeDismissed: false,
}));
const person = vi.hoisted(() => ({ now: {} as typeof fresh, refresh: vi.fn() }));
vi.mock('@/app/session', () => ({
  useProfile: () => person.now,
  refreshProfile: async () => {
    person.refresh();
    return person.now;
  },
}));

const open: Standing = { quizId: null, decision: null, asksQuestions: true, documentRefused: false, attemptsLeft: 3 };
const failed: Standing = { ...open, decision: 'Failed', attemptsLeft: 0 };
const quizOf = (quizId: string, attemptsLeft = 2) => ({
  quizId,
  expiresAt: '2030-01-01T00:00:00Z',
  secondsLeft: 600,
  attemptsLeft,
  questions: ['Where?', 'When?'].map((questionText, n) => ({
    questionId: `${quizId}.${n}`,
    questionText,
    answerChoice: [
      { value: 'This', selected: false },
      { value: 'That', selected: false },
    ],
  })),
});

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  person.now = { ...fresh };
  person.refresh.mockClear();
  answer('get', '/api/identityproofing/decision', open);
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const begin = async () => {
  const router = renderScreen(<Onboarding />, '/account/dashboard');
  await pass(1100);
  return router;
};
const at = (step: string) => sessionStorage.setItem('carepost.onboarding.u.o', step);
const dialog = (name: string) => screen.findByRole('dialog', { name });
// Whether an element is hidden takes long to find out.
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden: true }));
const field = (name: string) => screen.getByRole('textbox', { name, hidden: true });
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const leaveField = async (element: HTMLElement) => {
  fireEvent.blur(element);
  await pass(50);
};
const ssn = () => screen.getByLabelText('SSN');
const state = async (name: string) => {
  const choice = screen.getAllByRole('combobox', { name: 'State', hidden: true }).at(-1)!;
  fireEvent.click(choice);
  fireEvent.click(await screen.findByRole('option', { name, hidden: true }));
};
const describeOneself = async () => {
  fill('First Name', 'Fern');
  fill('Last Name', 'Hadley');
  fill('Date of Birth', '03/14/75');
  await leaveField(field('Date of Birth'));
  fill('Address', '12 Birch Lane');
  fill('City', 'Larkfield');
  await state('Ohio');
  fill('Zip', '43999');
};
const toForm = async () => {
  at('identity');
  const router = await begin();
  await dialog('Submit your identity');
  return router;
};

test('the first step opens a second after the frame (SES-R-064)', async () => {
  renderScreen(<Onboarding />, '/account/dashboard');
  await pass(900);
  expect(screen.queryByRole('dialog')).toBeNull();
  await pass(200);
  expect(await dialog('Welcome')).toBeVisible();
});

test('the welcome says what activation means (SES-S-031, SES-R-086, SES-R-087)', async () => {
  await begin();
  const shown = await dialog('Welcome');
  expect(shown).toHaveTextContent('Thank you for choosing us, Fern.');
  expect(shown).toHaveTextContent('We verify your identity');
  expect(shown).toHaveTextContent('fernhill.direct.carepost.example, is submitted to the national provider address book');
  press('Next');
  expect(await dialog('Verify your identity')).toBeVisible();
});

test('the verification follows the welcome and has a notice about HIPAA; the identity follows it, all over the dashboard (SES-S-032, SES-R-029, SES-R-070, SES-R-071, SES-R-088, SES-R-089)', async () => {
  const router = await begin();
  press('Next');
  expect(await dialog('Verify your identity')).toHaveTextContent('HIPAA');
  press('Next');
  expect(await dialog('Submit your identity')).toBeVisible();
  expect(router.state.location.pathname).toBe('/account/dashboard');
});

test('whoever stops goes on at the same step, and nothing of the identity is kept in the browser (SES-S-033)', async () => {
  await toForm();
  await describeOneself();
  for (const name of ['Unit', 'Phone Number']) expect(field(name)).toBeInTheDocument();
  const kept = JSON.stringify({ ...sessionStorage, ...localStorage });
  expect(kept).toContain('identity');
  for (const typed of ['Fern', 'Birch', '43999']) expect(kept).not.toContain(typed);
});

const all = 'First Name, Last Name, Date of Birth, Address, City, State, Zip';
test('an identity needs a name, a date of birth and an address, and each field says so (SES-R-229, SES-R-231, SES-R-233, SES-R-239, SES-R-240, SES-R-241, SES-R-242, SES-T-061, SES-T-062, SES-T-063, SES-T-065, SES-T-066, SES-T-067, SES-T-068)', async () => {
  await toForm();
  press('Submit');
  await screen.findByText('First Name is required.');
  expect(screen.getAllByText(/ is required\.$/).map((e) => e.textContent)).toEqual(all.split(', ').map((name) => `${name} is required.`));
});

test('what is missing is said when the form is sent, and the first such field has the focus (SES-R-248)', async () => {
  const sent = answer('post', '/api/identityproofing', open);
  await toForm();
  fill('First Name', 'Fern');
  expect(screen.queryByText(/is required/)).toBeNull();
  press('Submit');
  await waitFor(() => expect(field('Last Name')).toHaveFocus());
  expect(sent).toHaveLength(0);
});

test('the fields of an identity are as long as the server takes them, and a date shows how it is to be written (SES-R-230, SES-R-232, SES-R-235, SES-R-243, SES-R-244, SES-R-245, SES-T-070)', async () => {
  await toForm();
  const names = ['First Name', 'Last Name', 'Date of Birth', 'Address', 'Unit', 'City', 'Zip'];
  const characters = names.map((name) => field(name).getAttribute('maxlength'));
  expect(characters).toEqual(['255', '255', '10', '255', '255', '255', '10']);
  expect(field('Date of Birth')).toHaveAttribute('placeholder', 'MM/DD/YYYY');
});

test('a social security number of another form is refused when it is left (SES-R-238, SES-T-064)', async () => {
  await toForm();
  fireEvent.change(ssn(), { target: { value: '123-456-789' } });
  await leaveField(ssn());
  expect(screen.getByText('Please enter your SSN in one of the following formats: xxx-xx-xxxx or xxxxxxxxx')).toBeVisible();
  fireEvent.change(ssn(), { target: { value: '987654321' } });
  await leaveField(ssn());
  expect(ssn()).toHaveValue('987-65-4321');
  expect(screen.queryByText(/Please enter your SSN/)).toBeNull();
});

test('a street address is no P.O. Box (SES-R-289, SES-T-074)', async () => {
  await toForm();
  fill('Address', 'P.O. Box 12');
  await leaveField(field('Address'));
  expect(screen.getByText('Street address cannot be a P.O. Box')).toBeVisible();
});

test('an error of the server appears under its field, and what was typed stays (SES-R-251, SES-T-069)', async () => {
  refusal('post', '/api/identityproofing', 422, { modelState: { firstName: ['First Name is invalid'] } });
  await toForm();
  await describeOneself();
  press('Submit');
  expect(await screen.findByText('First Name is invalid')).toBeVisible();
  await waitFor(() => expect(field('First Name')).toHaveFocus());
  expect(field('City')).toHaveValue('Larkfield');
});

test('an identity is sent with the date in full and without a former address (SES-R-234, SES-R-246)', async () => {
  const sent = answer('post', '/api/identityproofing', open);
  await toForm();
  await describeOneself();
  expect(field('Date of Birth')).toHaveValue('03/14/1975');
  press('Submit');
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toMatchObject({
    dateOfBirth: '03/14/1975',
    currentAddress: { city: 'Larkfield', state: 'OH' },
    formerAddress: null,
  });
});

test('a former address can be told: it opens and closes, and is checked once it is begun (SES-S-034, SES-R-247)', async () => {
  await toForm();
  const toggle = screen.getByRole('button', { name: 'Former address' });
  expect(screen.queryByRole('group', { name: 'Former address' })).toBeNull();
  fireEvent.click(toggle);
  const former = within(screen.getByRole('group', { name: 'Former address' }));
  for (const name of ['Address', 'Unit', 'City', 'Zip']) expect(former.getByRole('textbox', { name })).toBeVisible();
  fireEvent.click(toggle);
  expect(screen.queryByRole('group', { name: 'Former address' })).toBeNull();
  fireEvent.click(toggle);
  const city = within(screen.getByRole('group', { name: 'Former address' })).getByRole('textbox', { name: 'City' });
  fireEvent.change(city, { target: { value: 'Marlow' } });
  press('Submit');
  expect(await within(screen.getByRole('group', { name: 'Former address' })).findByText('Zip is required.')).toBeVisible();
});

test('a former address that is the current one is noticed when a field is left (SES-R-250)', async () => {
  await toForm();
  await describeOneself();
  fireEvent.click(screen.getByRole('button', { name: 'Former address' }));
  const former = (name: string) => within(screen.getByRole('group', { name: 'Former address' })).getByRole('textbox', { name });
  const tell = (name: string, value: string) => fireEvent.change(former(name), { target: { value } });
  tell('Address', '12 birch lane');
  tell('City', 'Larkfield');
  await state('Ohio');
  tell('Zip', '43999');
  await leaveField(former('Zip'));
  expect(screen.getByText(/The former address is the same as the current one/)).toBeVisible();
  tell('City', 'Tansy Green');
  await leaveField(former('City'));
  expect(screen.queryByText(/The former address is the same/)).toBeNull();
});

const toQuiz = async () => {
  person.now.idProofedAttemptDate = '2026-11-01T09:00:00Z';
  answer('get', '/api/identityproofing/decision', { ...open, quizId: 'q1', attemptsLeft: 2 });
  answer('get', '/api/identityproofing/quizzes/{quizId}', ({ path }) => quizOf(path.quizId!));
  await begin();
  await screen.findByText('1. Where?');
};
const choose = (...answers: string[]) => {
  for (const [n, group] of screen.getAllByRole('radiogroup').entries())
    fireEvent.click(within(group).getByRole('radio', { name: answers[n]! }));
  press('Submit Answers');
};

test('an identity about which there are questions is followed by them (SES-R-072)', async () => {
  answer('post', '/api/identityproofing', { ...open, quizId: 'q1' });
  answer('get', '/api/identityproofing/quizzes/{quizId}', quizOf('q1'));
  await toForm();
  await describeOneself();
  press('Submit');
  expect(await dialog('A few questions about you')).toHaveTextContent('Where?');
});

test('each question has one answer, and none may be left out (SES-S-035, SES-R-091, SES-R-092, SES-T-007)', async () => {
  const sent = answer('post', '/api/identityproofing/quizzes/{quizId}', open);
  await toQuiz();
  const [where] = screen.getAllByRole('radiogroup');
  fireEvent.click(within(where!).getByRole('radio', { name: 'This' }));
  fireEvent.click(within(where!).getByRole('radio', { name: 'That' }));
  expect(within(where!).getByRole('radio', { name: 'This' })).not.toBeChecked();
  press('Submit Answers');
  expect(await screen.findByText('Please answer every question.')).toBeVisible();
  expect(sent).toHaveLength(0);
  choose('This', 'That');
  await waitFor(() => expect(sent).toHaveLength(1));
  const given = sent[0]!.body.questions?.map((q) => q.answerChoice!.filter((c) => c.selected).map((c) => c.value));
  expect(given).toEqual([['This'], ['That']]);
});

test('as long as the server has further questions they are asked, and then the decision is shown (SES-R-073, SES-R-074, SES-R-093)', async () => {
  const next = [{ ...open, quizId: 'q2' }, { ...open, quizId: 'q3' }, failed];
  const sent = answer('post', '/api/identityproofing/quizzes/{quizId}', () => next.shift()!);
  await toQuiz();
  const told: boolean[] = [];
  for (const quizId of ['q1', 'q2', 'q3']) {
    await waitFor(() => expect(document.querySelector(`input[name="${quizId}.0"]`)).not.toBeNull());
    told.push(screen.queryByText(/Not all answers were right/) !== null);
    choose('This', 'This');
    await waitFor(() => expect(sent.at(-1)?.path.quizId).toBe(quizId));
  }
  expect(told).toEqual([false, true, true]);
  expect(await dialog('We could not verify your identity')).toBeVisible();
});

test('when the time for the questions is over others come, whatever was chosen', async () => {
  const sent = answer('post', '/api/identityproofing/quizzes/{quizId}', { ...open, quizId: 'q2' });
  await toQuiz();
  expect(screen.getByRole('timer')).toHaveTextContent('10:00');
  await pass(61_000);
  expect(screen.getByRole('timer')).toHaveTextContent('8:59');
  await pass(540_000);
  expect(screen.getByText(/The time for these questions is over/)).toBeVisible();
  press('Continue');
  await waitFor(() => expect(document.querySelector('input[name="q2.0"]')).not.toBeNull());
  expect(sent.map((s) => s.body)).toEqual([{ questions: [] }]);
});

test('a proven identity is congratulated and told of the days until activation; then the profile is read anew (SES-S-036, SES-R-075, SES-R-095, SES-R-096, SES-R-105, SES-T-008)', async () => {
  answer('post', '/api/identityproofing/quizzes/{quizId}', { ...open, decision: 'Passed' });
  await toQuiz();
  choose('This', 'This');
  const shown = await dialog('Congratulations!');
  expect(shown).toHaveTextContent('Your identity is verified.');
  expect(shown).toHaveTextContent('submits to the national provider address book. This takes 2-3 business days. We will send you an email');
  expect(person.refresh).not.toHaveBeenCalled();
  person.now.orgIsIdProofed = true;
  fireEvent.click(within(shown).getAllByRole('button', { name: 'Close' }).at(-1)!);
  expect(await dialog('Welcome!')).toBeVisible();
  expect(person.refresh).toHaveBeenCalledTimes(1);
});

const proven = () => Object.assign(person.now, { orgIsIdProofed: true });

test('until the activation a notice tells how long it takes, once in a browser session (SES-S-039, SES-R-106, SES-R-107, SES-R-108, SES-R-111, SES-R-113, SES-T-013, SES-T-014, SES-T-015)', async () => {
  proven();
  const dismissed = answer('delete', '/api/account/activationnotice', null);
  await begin();
  const shown = await dialog('Welcome!');
  expect(shown).toHaveTextContent('This takes 2-3 business days, and we will send you an email');
  expect(within(shown).getByLabelText("Don't show this message again")).not.toBeChecked();
  expect(sessionStorage.getItem('carepost.activationDelay.u.o')).toBe('seen');
  press('Ok');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(dismissed).toHaveLength(0);
  cleanup();
  await begin();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the notice is put away for good on request', async () => {
  proven();
  const dismissed = answer('delete', '/api/account/activationnotice', null);
  await begin();
  fireEvent.click(within(await dialog('Welcome!')).getByLabelText("Don't show this message again"));
  press('Ok');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(dismissed).toHaveLength(1);
});

const toPhoto = async (standing = failed) => {
  person.now.idProofedAttemptDate = '2026-11-01T09:00:00Z';
  answer('get', '/api/identityproofing/decision', standing);
  return begin();
};
const browse = (name: string, size = 1) => {
  const file = new File(['x'], name, { type: 'application/pdf' });
  Object.defineProperty(file, 'size', { value: size });
  fireEvent.change(document.querySelector('input[type=file]')!, { target: { files: [file] } });
};

test('a failed decision asks for a photo ID, which has to be chosen and of a size that is taken (SES-S-038, SES-R-099, SES-R-100, SES-R-101, SES-T-010, SES-T-011)', async () => {
  const sent = answer('post', '/api/identityproofing/document', { ...failed, decision: 'UnderReview' });
  await toPhoto();
  expect(await dialog('We could not verify your identity')).toHaveTextContent('government photo ID');
  expect(screen.getByRole('button', { name: 'Browse' })).toBeVisible();
  press('Submit');
  expect(await screen.findByText('Please select a file.')).toBeVisible();
  browse('id.pdf', 10 * 1024 * 1024 + 1);
  expect(screen.getByText('Your file exceeds the maximum (10MB) allowed size.')).toBeVisible();
  press('Submit');
  browse('id.pdf');
  expect(screen.queryByText(/exceeds the maximum/)).toBeNull();
  expect(sent).toHaveLength(0);
  press('Submit');
  expect(await dialog('Thank you')).toBeVisible();
  expect(sent).toHaveLength(1);
});

test('a file of another kind is refused with the words of the server', async () => {
  const text = 'Please choose a PDF, JPEG, PNG or TIFF file.';
  refusal('post', '/api/identityproofing/document', 422, { modelState: { file: [text] } });
  await toPhoto();
  await dialog('We could not verify your identity');
  browse('id.pdf');
  press('Submit');
  expect(await screen.findByText(text)).toBeVisible();
});

test('closing a failed decision signs out, and it opens again later (SES-R-102, SES-R-103)', async () => {
  const router = await toPhoto();
  await dialog('We could not verify your identity');
  press('Close');
  expect(router.state.location.pathname).toBe('/account/logout');
  cleanup();
  await begin();
  expect(await dialog('We could not verify your identity')).toBeVisible();
});

test('a photo ID under review is thanked for (SES-S-037, SES-R-097, SES-R-098, SES-T-009)', async () => {
  await toPhoto({ ...failed, decision: 'UnderReview' });
  const shown = await dialog('Thank you');
  expect(shown).toHaveTextContent('Your document is under review.');
  fireEvent.click(within(shown).getAllByRole('button', { name: 'Close' }).at(-1)!);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

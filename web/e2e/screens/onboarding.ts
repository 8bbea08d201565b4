import type { Page } from '@playwright/test';
import type { Data } from '../data';
import { expect } from '../support';
import { answer, button, dialog, unroute, type View } from './kit';

const PROFILE = '**/api/users/profiledata';
type Begin = { name: string; opens: string; title: string; profile: object; more?: (page: Page) => Promise<unknown>; locked?: boolean };
const forget = (page: Page) =>
  page.evaluate(() => {
    for (const key of Object.keys(sessionStorage)) if (/onboarding|activationDelay/.test(key)) sessionStorage.removeItem(key);
  });
/** A dialog that opens over the dashboard automatically. Locked ones are checked with their page. */
const begins = ({ name, opens, title, profile, more, locked = true }: Begin): View => ({
  name,
  opens: [opens],
  show: async (page) => {
    await answer(page, PROFILE, (shown) => ({ ...shown, ...profile }));
    await more?.(page);
    await page.reload();
    await expect(dialog(page, title)).toBeVisible();
    return locked ? undefined : dialog(page, title);
  },
  after: async (page) => {
    await forget(page);
    await unroute(page);
  },
});
const UNPROVEN = { orgIsIdProofed: false, idProofedAttemptDate: null };
const ATTEMPTED = { orgIsIdProofed: false, idProofedAttemptDate: '2026-11-01T09:00:00Z' };
const decides = (over: object) => (page: Page) =>
  page.route('**/api/identityproofing/decision', (route) =>
    route.fulfill({ json: { decision: null, quizId: null, asksQuestions: true, documentRefused: false, attemptsLeft: 2, ...over } }),
  );
const QUIZ = '019aa0e0-0000-7000-8000-000000000001';
const QUESTIONS = ['On which of these streets do you live?', 'In which month were you born?'].map((questionText, i) => ({
  questionId: `q${i + 1}`,
  questionText,
  answerChoice: ['Alder Hollow Road', 'Main Street', 'March', 'None of these'].map((value) => ({ value, selected: false })),
}));
const asksQuestions = async (page: Page) => {
  await decides({ quizId: QUIZ })(page);
  await page.route(`**/api/identityproofing/quizzes/${QUIZ}`, (route) =>
    route.fulfill({
      json: { quizId: QUIZ, questions: QUESTIONS, expiresAt: '2026-11-20T10:00:00Z', secondsLeft: 540, attemptsLeft: 2 },
    }),
  );
};
const TERMS = '**/api/account/terms';
const NOT_ACCEPTED = { orgIsAcceptedEULA: false };
export const beginning: View[] = [
  begins({ name: 'terms', opens: 'TermsDialog', title: 'Terms of service', profile: NOT_ACCEPTED }),
  begins({
    name: 'terms of a brand',
    opens: 'TermsDialog',
    title: 'Terms of service',
    profile: NOT_ACCEPTED,
    more: (page) => answer(page, TERMS, (terms) => ({ ...terms, type: 'brand' })),
  }),
  begins({
    name: 'terms of a reseller',
    opens: 'TermsDialog',
    title: 'Terms of service of your partner',
    profile: NOT_ACCEPTED,
    more: (page) => answer(page, TERMS, (terms) => ({ ...terms, type: 'reseller' })),
  }),
  begins({ name: 'welcome', opens: 'WelcomeDialog', title: 'Welcome', profile: UNPROVEN }),
  {
    ...begins({ name: 'verification', opens: 'VerificationDialog', title: 'Welcome', profile: UNPROVEN }),
    show: async (page) => {
      await begins({ name: '', opens: '', title: 'Welcome', profile: UNPROVEN, more: decides({}) }).show(page, {} as Data, () =>
        Promise.reject(),
      );
      await button(page, 'Next').click();
      await expect(dialog(page, 'Verify your identity')).toBeVisible();
    },
  },
  {
    ...begins({ name: 'identity', opens: 'IdentityDialog', title: 'Welcome', profile: UNPROVEN }),
    show: async (page) => {
      await begins({ name: '', opens: '', title: 'Welcome', profile: UNPROVEN, more: decides({}) }).show(page, {} as Data, () =>
        Promise.reject(),
      );
      await button(page, 'Next').click();
      await button(page, 'Next').click();
      await button(page, 'Former address').click();
      await button(page, 'Submit').click();
      await expect(page.getByText('First Name is required.')).toBeVisible();
    },
  },
  begins({ name: 'questions', opens: 'QuizDialog', title: 'A few questions about you', profile: ATTEMPTED, more: asksQuestions }),
  begins({
    name: 'passed',
    opens: 'PassedDialog',
    title: 'Congratulations!',
    profile: ATTEMPTED,
    more: decides({ decision: 'Passed' }),
  }),
  begins({
    name: 'under review',
    opens: 'UnderReviewDialog',
    title: 'Thank you',
    profile: ATTEMPTED,
    more: decides({ decision: 'UnderReview' }),
    locked: false,
  }),
  begins({
    name: 'failed',
    opens: 'PhotoDialog',
    title: 'We could not verify your identity',
    profile: ATTEMPTED,
    more: decides({ decision: 'Failed' }),
  }),
  begins({
    name: 'activation takes some days',
    opens: 'ActivationDelayDialog',
    title: 'Welcome!',
    profile: { orgIsActivated: false },
    locked: false,
  }),
  begins({
    name: 'cancelled, for its people',
    opens: 'CancelledDialog',
    title: 'This organization is cancelled',
    profile: { orgIsCancelled: true, isAdmin: false },
  }),
  begins({
    name: 'in its grace period',
    opens: 'GraceDialog',
    title: 'Your subscription is cancelled',
    profile: { orgIsInGracePeriod: true, gracePeriodEndDate: '2026-12-24T09:00:00Z' },
    locked: false,
  }),
  begins({
    name: 'cancelled, for its administrators',
    opens: 'ReactivateDialog',
    title: 'Reactivate organization',
    profile: { orgIsCancelled: true },
  }),
];

import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { IntakeRule } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { IntakeRulesPage } from './IntakeRulesPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ userId: 'd' }) }));

const RULES = '/api/settings/intakerules';
const rule = (name: string, over: Partial<IntakeRule> = {}) =>
  ({
    id: name,
    name,
    isEnabled: true,
    position: 0,
    version: 1,
    sources: [],
    senders: [],
    recipients: [],
    subjects: ['knee'],
    documentTypes: [],
    patient: 'Any',
    patientNames: [],
    people: ['d'],
    tags: ['orthopedics'],
    documentType: '',
    isUrgent: true,
    stops: false,
    ...over,
  }) as IntakeRule;
let rules: IntakeRule[];

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  rules = [rule('Knees'), rule('Hips', { position: 1 })];
  answer('get', RULES, () => ({ items: rules, totalCount: rules.length, totalIsCapped: false }));
  answer('get', '/api/users/assignable', { items: [{ id: 'd', name: 'Dana Whitfield' }] } as never);
  answer('get', '/api/users/{id}/documentsources', { items: [] } as never);
  answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
});
const choose = async (name: string, item: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

test('a rule is made of what it looks for and what it does; the server says what it lacks', async () => {
  refusal('post', RULES, 422, { modelState: { isUrgent: ['An urgent message needs a reviewer.'] } });
  renderScreen(<IntakeRulesPage />);
  expect(await screen.findAllByText('Assign to Dana Whitfield, tag orthopedics, urgent')).toHaveLength(2);
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const form = within(await screen.findByRole('dialog', { name: 'New intake rule' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Shoulders' } });
  await userEvent.type(form.getByLabelText('Subject contains', { selector: 'input' }), 'arm{Enter}');
  await userEvent.click(form.getByLabelText('Mark as urgent'));
  const create = () => userEvent.click(form.getByRole('button', { name: 'Create' }));
  await create();
  expect(await form.findByText('An urgent message needs a reviewer.')).toBeInTheDocument();
  const made = answer('post', RULES, rule('Shoulders') as never);
  await userEvent.click(form.getByRole('combobox', { name: 'Assign to' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Dana Whitfield' }));
  await create();
  expect(await screen.findByText('The intake rule was created.')).toBeInTheDocument();
  expect(made[0]!.body).toMatchObject({ name: 'Shoulders', subjects: ['arm'], people: ['d'], isUrgent: true, patient: 'Any' });
});

test('a rule is tried on what came in: which messages it meets, why, and what it would do', async () => {
  const match = {
    id: 'm1',
    sourceType: 'DirectMessage',
    subject: 'Knee of last week',
    receivedDate: '2026-11-20T10:00:00Z',
    fromName: 'Summit',
    fromAddress: 'a@summit.example',
    patientName: '',
    matches: [{ ruleId: 'Knees', name: 'Knees', reasons: ['The subject contains “knee”'] }],
    people: ['d'],
    tags: ['orthopedics'],
    documentType: '',
    isUrgent: true,
  };
  const asked = answer('post', `${RULES}/dryrun`, { items: [match], examined: 40, nextCursor: 'next' } as never);
  renderScreen(<IntakeRulesPage />);
  await choose('Knees', 'Try it');
  const tried = within(await screen.findByRole('dialog', { name: 'Try “Knees”' }));
  expect(await tried.findByRole('link', { name: 'Knee of last week' })).toHaveAttribute('href', '/intake/m1');
  expect(tried.getByText('The subject contains “knee”.')).toBeInTheDocument();
  expect(tried.getByText('Assign to Dana Whitfield, tag orthopedics, urgent')).toBeInTheDocument();
  expect(tried.getByText('1 match among the newest 40 messages so far')).toBeInTheDocument();
  await userEvent.click(tried.getByRole('button', { name: 'Look further back' }));
  await expect.poll(() => asked.map((a) => a.body.cursor)).toEqual([undefined, 'next']);
  expect(asked[0]!.body.rule).toMatchObject({ name: 'Knees', subjects: ['knee'] });
});

test('a rule is moved among those that are tried before and after it', async () => {
  const asked = answer('put', `${RULES}/order`, null as never);
  renderScreen(<IntakeRulesPage />);
  await choose('Knees', 'Move down');
  expect(await screen.findByText('“Knees” is now tried later.')).toBeInTheDocument();
  expect(asked.map((a) => a.body)).toEqual([{ ids: ['Hips', 'Knees'] }]);
});

import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { EhrConnection, FilingDryRunRow, IntakeRule } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { ehrConnection } from '@/test/charts';
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
    fileToChart: null,
    filingProblem: '',
    ...over,
  }) as IntakeRule;
const chart = (id: string, name: string, over: Partial<EhrConnection> = {}) =>
  ehrConnection({ id, name, offered: ['patientLookup', 'documentUpload'], unused: [], ...over });
let rules: IntakeRule[];
const filing = { integrationId: 'c1', minimumPercent: 97, marksProcessed: false };

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  rules = [rule('Knees'), rule('Hips', { position: 1 })];
  answer('get', RULES, () => ({ items: rules, totalCount: rules.length, totalIsCapped: false }));
  answer('get', '/api/users/assignable', { items: [{ id: 'd', name: 'Dana Whitfield' }] } as never);
  answer('get', '/api/users/{id}/documentsources', { items: [] } as never);
  answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
  answer('get', '/api/integrations', { items: [chart('c1', 'Maple Street EHR')] });
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

test('a rule that files says so, why it cannot, and keeps its certainty in the form', async () => {
  const problem = 'Maple Street EHR is switched off, so this rule files nothing.';
  rules = [rule('Knees', { fileToChart: filing, filingProblem: problem })];
  answer('get', `${RULES}/{id}`, () => rules[0]!);
  renderScreen(<IntakeRulesPage />);
  expect(await screen.findByText(/urgent, file to Maple Street EHR from 97%/)).toBeInTheDocument();
  expect(screen.getByText(problem)).toBeInTheDocument();
  await choose('Knees', 'Edit');
  const form = within(await screen.findByRole('dialog', { name: 'Edit intake rule' }));
  const percent = form.getByLabelText('Minimum certainty (percent)');
  expect(percent).toHaveValue('97');
  fireEvent.change(percent, { target: { value: '89' } });
  await userEvent.click(form.getByRole('button', { name: 'Save Changes' }));
  expect(await form.findByText('Please enter a certainty from 90 to 99 percent.')).toBeInTheDocument();
  const refused = 'Each person signs in at this EHR, so a rule cannot file there.';
  const saved = refusal('put', `${RULES}/{id}`, 422, { modelState: { integrationId: [refused] } });
  fireEvent.change(percent, { target: { value: '99' } });
  await userEvent.click(form.getByRole('button', { name: 'Save Changes' }));
  expect(await form.findByText(refused)).toBeInTheDocument();
  expect(saved[0]!.body).toMatchObject({ fileToChart: { ...filing, minimumPercent: 99 } });
});

test('only charts where a rule can file by itself are offered, and the chosen one', async () => {
  const personal = chart('c2', 'Personal EHR', { authentication: 'Person' });
  const desk = chart('c3', 'Referral desk', { offered: ['documentSend'] });
  const lookup = chart('c4', 'Lookup only', { unused: ['documentUpload'] });
  answer('get', '/api/integrations', { items: [chart('c1', 'Maple Street EHR'), personal, desk, lookup] });
  rules = [rule('Knees', { fileToChart: { ...filing, integrationId: 'c2' } })];
  answer('get', `${RULES}/{id}`, () => rules[0]!);
  renderScreen(<IntakeRulesPage />);
  await choose('Knees', 'Edit');
  const form = within(await screen.findByRole('dialog', { name: 'Edit intake rule' }));
  await userEvent.click(form.getByRole('combobox', { name: 'File to chart' }));
  await screen.findByRole('option', { name: 'Maple Street EHR' });
  expect(screen.getByRole('option', { name: 'Personal EHR' })).toBeInTheDocument();
  expect(screen.queryByRole('option', { name: /Referral desk|Lookup only/ })).toBeNull();
});

test('trying to file says to whom, why not, and where a person decided otherwise', async () => {
  rules = [rule('Knees', { fileToChart: filing })];
  const row = (id: string, over: Partial<FilingDryRunRow>): FilingDryRunRow => ({
    id,
    receivedDate: '2026-11-20T10:00:00Z',
    sourceType: 'Fax',
    fromAddress: 'a@summit.example',
    fromName: 'Summit',
    subject: `Knee ${id}`,
    patientName: 'Tenney, Marisol',
    ruleName: 'Knees',
    wouldFile: true,
    chartPatient: 'Tenney, Marisol J',
    percent: 99,
    reason: '',
    byPerson: null,
    ...over,
  });
  const refused = row('2', { wouldFile: false, reason: 'the birth date differs', percent: null });
  const asked = answer('post', `${RULES}/dryrun/chart`, {
    items: [row('1', { byPerson: 'Other' }), refused],
    examined: 40,
    isCut: true,
  });
  renderScreen(<IntakeRulesPage />);
  await choose('Knees', 'Try filing');
  const tried = within(await screen.findByRole('dialog', { name: 'Try filing by “Knees”' }));
  expect(await tried.findByText('Would be filed to Tenney, Marisol J, 99% certain')).toBeInTheDocument();
  expect(tried.getByText('Would not be filed: the birth date differs')).toBeInTheDocument();
  expect(tried.getByText('Differs: a person filed it to another patient')).toHaveAttribute('data-loud');
  expect(tried.getByText('1 of 2 messages would be filed; 1 differs from what a person filed')).toBeInTheDocument();
  expect(tried.getByText(/These are the newest 50; there are more/)).toBeInTheDocument();
  expect(asked[0]!.body.rule).toMatchObject({ name: 'Knees', fileToChart: filing });
});

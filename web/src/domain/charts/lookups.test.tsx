import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { ChartOrder, ChartVisit } from '@/api/types';
import { answer } from '@/test/answers';
import { connection } from '@/test/charts';
import { renderApp } from '@/test/render';
import { OrderLookupDialog } from './OrderLookupDialog';
import { type ReviewChoice, ReviewerLookupDialog } from './ReviewerLookupDialog';
import { VisitLookupDialog } from './VisitLookupDialog';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

const button = (name: string) => screen.getByRole('button', { name });
const row = (name: RegExp) => screen.findByRole('row', { name });

const order = (over: Partial<ChartOrder> = {}): ChartOrder => ({
  id: 'o1',
  date: '2026-09-22',
  description: 'Echocardiogram',
  status: 'active',
  isRevoked: false,
  ...over,
});
const visit = (over: Partial<ChartVisit> = {}): ChartVisit => ({
  id: 'v1',
  date: '2026-09-22',
  provider: 'Dr. Okafor',
  description: 'Follow-up',
  status: 'finished',
  isCancelled: false,
  orders: [order()],
  ...over,
});

function openVisits(items: ChartVisit[]) {
  const asked = answer('post', '/api/integrations/visits', { items });
  const onSelect = vi.fn();
  renderApp(<VisitLookupDialog connection={connection()} patientId="p1" selected={null} onSelect={onSelect} onClose={() => {}} />);
  return { asked, onSelect };
}

test('a visit is chosen among those of the patient, with provider and orders; not a cancelled one (MSG-R-109, MSG-S-032)', async () => {
  const { asked, onSelect } = openVisits([visit(), visit({ id: 'v2', provider: 'Dr. Lindqvist', isCancelled: true })]);
  expect(await row(/09\/22\/2026 Dr\. Okafor Follow-up Echocardiogram/)).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ integrationId: 'ehr', patientId: 'p1' });
  const cancelled = await row(/Cancelled.*Lindqvist/);
  await userEvent.dblClick(cancelled);
  expect(button('Select')).toBeDisabled();
  expect(onSelect).not.toHaveBeenCalled();
  await userEvent.click(await row(/Okafor/));
  await userEvent.click(button('Select'));
  expect(onSelect).toHaveBeenCalledWith(visit());
});

test('arrow keys pass a cancelled visit, so that the chosen one is in focus', async () => {
  openVisits([visit(), visit({ id: 'v2', provider: 'Dr. Ames', isCancelled: true }), visit({ id: 'v3', provider: 'Dr. Lindqvist' })]);
  (await row(/Okafor/)).focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(await row(/Lindqvist/)).toHaveFocus();
  expect(await row(/Lindqvist/)).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowUp}');
  expect(await row(/Okafor/)).toHaveFocus();
});

test('a patient without visits has none to choose (MSG-R-423, MSG-T-099)', async () => {
  openVisits([]);
  expect(await screen.findByText('No visits available.')).toBeInTheDocument();
});

function openOrders(items: ChartOrder[], selected: string[] = []) {
  const asked = answer('post', '/api/integrations/orders', { items });
  const [onSelect, onRemove] = [vi.fn(), vi.fn()];
  renderApp(
    <OrderLookupDialog
      connection={connection()}
      patientId="p1"
      visitId="v1"
      selected={selected}
      onSelect={onSelect}
      onRemove={onRemove}
      onClose={() => {}}
    />,
  );
  return { asked, onSelect, onRemove };
}

test('several orders of a visit are chosen, and a revoked one is marked (MSG-R-103, MSG-R-104, MSG-S-028)', async () => {
  const { asked, onSelect } = openOrders([order(), order({ id: 'o2', description: 'Lipid panel' }), order({ id: 'o3', isRevoked: true })]);
  await userEvent.click(await row(/Echocardiogram 09\/22\/2026 active/));
  expect(asked[0]!.body).toEqual({ integrationId: 'ehr', patientId: 'p1', visitId: 'v1' });
  expect(await row(/Revoked/)).toBeInTheDocument();
  await userEvent.keyboard('{ArrowDown} ');
  expect(button('Remove')).toBeDisabled();
  expect(button('Cancel')).toBeEnabled();
  await userEvent.click(button('Select'));
  expect(onSelect).toHaveBeenCalledWith(['o1', 'o2']);
});

test('orders that were chosen are removed (MSG-R-104)', async () => {
  const { onRemove } = openOrders([order()], ['o1']);
  await userEvent.click(button('Remove'));
  expect(onRemove).toHaveBeenCalledOnce();
});

test('a visit without orders has none to choose (MSG-R-424, MSG-T-100)', async () => {
  openOrders([]);
  expect(await screen.findByText('No orders available for this visit.')).toBeInTheDocument();
});

const OKAFOR = { externalId: 'r1', firstName: 'Ada', lastName: 'Okafor', username: 'aokafor' };
const withGroups = connection({ capabilities: ['reviewerLookup', 'reviewerGroupLookup'] });

function openReviewers({
  at = connection(),
  selected = {} as ReviewChoice,
  people = [OKAFOR],
  groups = [{ id: 'Group/g1', groupName: 'Cardiology pool' }],
} = {}) {
  const asked = answer('post', '/api/integrations/reviewers', { items: people });
  answer('get', '/api/integrations/reviewergroups', { items: groups });
  const [onSelect, onRemove] = [vi.fn(), vi.fn()];
  renderApp(<ReviewerLookupDialog connection={at} selected={selected} onSelect={onSelect} onRemove={onRemove} onClose={() => {}} />);
  return { asked, onSelect, onRemove };
}
const urgent = () => screen.getByRole('checkbox', { name: 'Urgent' });
const toGroups = () => userEvent.click(screen.getByRole('tab', { name: 'Reviewer Group' }));

test('a reviewer is chosen with a note and urgency, which needs one (MSG-R-105, MSG-R-107, MSG-R-108, MSG-S-029, MSG-S-030)', async () => {
  const { asked, onSelect } = openReviewers();
  const ada = await row(/Okafor Ada aokafor/);
  expect(asked[0]!.body).toEqual({ integrationId: 'ehr', search: '' });
  expect(screen.queryByRole('tab', { name: 'Reviewer Group' })).toBeNull();
  expect(urgent()).toBeDisabled();
  expect(button('Remove')).toBeDisabled();
  expect(button('Select')).toBeDisabled();
  await userEvent.click(ada);
  await userEvent.click(urgent());
  fireEvent.change(screen.getByRole('textbox', { name: 'Notes' }), { target: { value: 'Before noon' } });
  expect(screen.getByText('Characters remaining: 489')).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Notes' })).toHaveAttribute('maxlength', '500');
  await userEvent.click(button('Select'));
  expect(onSelect).toHaveBeenCalledWith({ reviewerId: 'r1', reviewerNote: 'Before noon', urgent: true });
});

test('Enter chooses a reviewer', async () => {
  openReviewers();
  (await row(/Okafor Ada/)).focus();
  await userEvent.keyboard('{Enter}');
  expect(await row(/Okafor Ada/)).toHaveAttribute('aria-selected', 'true');
});

test('a reviewer that was chosen is removed, and urgency goes with the last one (MSG-R-108, MSG-S-029)', async () => {
  const { onRemove } = openReviewers({ selected: { reviewerId: 'r1', urgent: true } });
  expect(urgent()).toBeChecked();
  await userEvent.click(await screen.findByRole('button', { name: 'No reviewer' }));
  expect(urgent()).not.toBeChecked();
  expect(urgent()).toBeDisabled();
  await userEvent.click(button('Remove'));
  expect(onRemove).toHaveBeenCalledOnce();
});

test('where the EHR has groups, choosing one clears the urgent flag (MSG-R-106, MSG-R-215, MSG-S-031, MSG-T-029)', async () => {
  const { onSelect } = openReviewers({ at: withGroups, selected: { reviewerId: 'r1', urgent: true } });
  await toGroups();
  await userEvent.click(await row(/Cardiology pool/));
  expect(urgent()).not.toBeChecked();
  await userEvent.click(button('Select'));
  expect(onSelect).toHaveBeenCalledWith({ reviewerId: 'r1', groupReviewerId: 'Group/g1', reviewerNote: null, urgent: false });
});

test('urgency goes with the reviewer, not over to a group (MSG-R-215)', async () => {
  openReviewers({ at: withGroups, selected: { reviewerId: 'r1', groupReviewerId: 'Group/g1', urgent: true } });
  await userEvent.click(await screen.findByRole('button', { name: 'No reviewer' }));
  expect(urgent()).not.toBeChecked();
  expect(urgent()).toBeEnabled();
});

test('an EHR with groups only has no tab of reviewers (MSG-R-106)', async () => {
  openReviewers({ at: connection({ capabilities: ['reviewerGroupLookup'] }) });
  expect(await row(/Cardiology pool/)).toBeInTheDocument();
  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Reviewer Group']);
});

test('lists without reviewers and groups say so (MSG-R-425, MSG-R-426, MSG-T-101, MSG-T-102)', async () => {
  openReviewers({ at: withGroups, people: [], groups: [] });
  expect(await screen.findByText('No users match the given criteria.')).toBeInTheDocument();
  await toGroups();
  const panel = await screen.findByRole('tabpanel', { name: 'Reviewer Group' });
  await waitFor(() => expect(within(panel).getByText('No groups are available.')).toBeInTheDocument());
});

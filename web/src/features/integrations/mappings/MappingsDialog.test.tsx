import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { EhrMapping } from '@/api/types';
import { choose, dialog, press, shows } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { ehrConnection } from '@/test/charts';
import { renderScreen } from '@/test/render';
import { MappingsDialog } from './MappingsDialog';

const MAPPINGS = '/api/integrations/{id}/mappings';
const DANA = { id: 'u-1', name: 'Dana Whitfield' };
const PRIYA = { id: 'u-2', name: 'Priya Nair' };
const line = (externalId: string, externalName: string, over: Partial<EhrMapping> = {}): EhrMapping => ({
  kind: 'Person',
  externalId,
  externalName,
  userName: '',
  users: [],
  isGone: false,
  ...over,
});
const items = [
  line('r-1', 'Ama Osei', { userName: '1234567893' }),
  line('r-2', 'Dana Whitfield', { suggestion: DANA }),
  line('r-3', 'Priya Nair', { users: [PRIYA] }),
  line('r-4', 'Old Reviewer', { isGone: true }),
  line('Group/g', 'Cardiology pool', { kind: 'Group' }),
];
const onClose = vi.fn();
const open = async () => {
  renderScreen(<MappingsDialog connection={ehrConnection()} onClose={onClose} />);
  const shown = await dialog('People of Maple Street EHR');
  return shown;
};

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  onClose.mockReset();
  answer('get', '/api/users/assignable', { items: [DANA, PRIYA] } as never);
  answer('get', MAPPINGS, { items, isCut: false });
});

test('suggestions are accepted, colleagues chosen and gone people removed; only changed lines are saved', async () => {
  const saved = answer('put', MAPPINGS, { items, isCut: false });
  const shown = await open();
  const people = within(await within(shown).findByRole('list', { name: 'People' }));
  expect(people.getAllByRole('listitem')).toHaveLength(4);
  expect(people.getByText('1234567893')).toBeInTheDocument();
  expect(people.getByText('No longer in the EHR')).toBeInTheDocument();
  expect(within(shown).getByRole('button', { name: 'Save' })).toBeDisabled();
  await press('Accept all suggestions (1)', shown);
  await choose('Ama Osei here', 'Priya Nair', shown);
  // It was mapped to somebody who no longer works here.
  await press('Remove Old Reviewer', shown);
  await userEvent.click(within(shown).getByRole('tab', { name: /^Groups/ }));
  await choose('Cardiology pool here', 'Dana Whitfield', shown);
  expect(within(shown).getByText('4 changes')).toBeInTheDocument();
  await press('Save', shown);
  await shows('The people of the EHR were saved.');
  expect(saved[0]!.body.items).toEqual([
    { kind: 'Person', externalId: 'r-1', userIds: ['u-2'] },
    { kind: 'Person', externalId: 'r-2', userIds: ['u-1'] },
    { kind: 'Person', externalId: 'r-4', userIds: [] },
    { kind: 'Group', externalId: 'Group/g', userIds: ['u-1'] },
  ]);
  expect(onClose).toHaveBeenCalled();
});

test('a search looks at names and numbers, and closing asks before changes are lost', async () => {
  const shown = await open();
  await press('Dana Whitfield? Use for Dana Whitfield', shown);
  await userEvent.type(within(shown).getByRole('textbox', { name: 'Search people' }), '12345');
  await waitFor(() => expect(within(shown).getAllByRole('listitem')).toHaveLength(1));
  await press('Cancel', shown);
  expect(onClose).not.toHaveBeenCalled();
  await press('Discard', await dialog('Discard your changes?'));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});

test('where people sign in at the EHR themselves, the list asks for that', async () => {
  refusal('get', MAPPINGS, 409, { reason: 'LoginRequired' });
  const shown = await open();
  await press('Sign in', shown);
  expect(await dialog('Maple Street EHR Login')).toBeInTheDocument();
  expect(screen.queryByRole('list', { name: 'People' })).toBeNull();
});

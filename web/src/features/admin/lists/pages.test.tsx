import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { ListEntry } from '@/api/types';
import { answer, type AnswerOf, refusal } from '@/test/answers';
import { fromMenu, dialog, fill, press, shows, textbox, sizesOffered } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { ApplicationsPage, OrganizationTypesPage } from './pages';
import { ReservedWordsPage } from './ReservedWordsPage';
import { SpecialtiesPage } from './SpecialtiesPage';

type ReservedWord = AnswerOf<'get', '/api/reservedwords/{id}'>;
type Specialty = AnswerOf<'get', '/api/admin/organizationspecialties/{id}'>;

const titles = () => screen.getAllByRole('columnheader', { hidden: true }).map((c) => c.textContent);
const page = <T,>(items: T[], totalCount = items.length) => ({ items, totalCount, totalIsCapped: false });

const WORDS = '/api/reservedwords';
let words: ReservedWord[];
let listed: { query: URLSearchParams }[];
const reserved = (over: Partial<ReservedWord> = {}): ReservedWord => ({ id: 'w', name: 'admin', profanity: true, version: 3, ...over });
beforeEach(() => {
  words = [reserved()];
  listed = answer('get', WORDS, () => page(words, 95));
  answer('get', `${WORDS}/{id}`, () => words[0]!);
});

test('reserved words are found, filtered by profanity, turned around and paged (ADA-S-049, ADA-R-333, ADA-R-334, ADA-R-335, ADA-R-336)', async () => {
  renderConsole(<ReservedWordsPage />);
  await screen.findByRole('row', { name: /admin/ });
  const asked = () => Object.fromEntries(listed.at(-1)!.query);
  expect(asked()).toEqual({ sortDir: 'asc', pageNumber: '1', pageSize: '10' });
  expect(sizesOffered()).toEqual(['10', '25', '50', '100']);
  await press('Next page');
  await waitFor(() => expect(asked().pageNumber).toBe('2'));
  fireEvent.click(screen.getByRole('button', { name: 'Word' }));
  await waitFor(() => expect(asked().sortDir).toBe('desc'));
  await waitFor(() => expect(screen.getByRole('columnheader', { name: 'Word' })).toHaveAttribute('aria-sort', 'descending'));
  fireEvent.click(screen.getAllByRole('button', { name: 'Profanity' })[0]!);
  fireEvent.click(await screen.findByRole('radio', { name: 'No' }));
  await waitFor(() => expect(asked().profanity).toBe('false'));
  fireEvent.change(screen.getByLabelText('Search reserved words'), { target: { value: 'adm' } });
  await waitFor(() => expect(asked()).toEqual({ search: 'adm', profanity: 'false', sortDir: 'desc', pageNumber: '1', pageSize: '10' }));
});

test('a reserved word is created, changed and deleted (ADA-S-050)', async () => {
  words = [];
  renderConsole(<ReservedWordsPage />);
  await press('Create');
  const form = await dialog('New reserved word');
  fill('Word', '-no-', form);
  await press('Create', form);
  await shows('Please enter a word of letters, digits and inner hyphens that is valid in a subdomain.');
  fill('Word', 'admin', form);
  fireEvent.click(within(form).getByRole('checkbox', { name: /^Profanity/ }));
  const posted = answer('post', WORDS, () => (words = [reserved()])[0]!);
  await press('Create', form);
  await shows('The reserved word was created.');
  expect(posted[0]!.body).toEqual({ name: 'admin', profanity: true });
  expect(await screen.findByRole('row', { name: /admin/ })).toHaveTextContent('Yes');
  await fromMenu('admin', 'Edit');
  const edit = await dialog('Edit reserved word');
  await waitFor(() => expect(textbox('Word', edit)).toHaveValue('admin'));
  fireEvent.click(within(edit).getByRole('checkbox', { name: /^Profanity/ }));
  const put = answer('put', `${WORDS}/{id}`, () => (words = [reserved({ profanity: false })])[0]!);
  await press('Save Changes', edit);
  await shows('The reserved word was saved.');
  expect(put[0]!.body).toEqual({ name: 'admin', profanity: false, version: 3 });
  await waitFor(() => expect(screen.getByRole('row', { name: /admin/ })).toHaveTextContent('No'));
  await fromMenu('admin', 'Delete');
  const deleted = answer('delete', `${WORDS}/{id}`, null);
  await press('Delete', await dialog('Delete reserved word'));
  await shows('The reserved word was deleted.');
  expect(deleted[0]!.path.id).toBe('w');
});

test('a specialty is listed with its id, and is created, found, renamed and deleted (ADB-S-036, ADB-R-239, ADB-R-240, ADB-R-241, ADB-R-242)', async () => {
  const SPECIALTIES = '/api/admin/organizationspecialties';
  const cardiology: Specialty = { id: 's-1', name: 'Cardiology', isRetired: false, version: 2 };
  let specialties: Specialty[] = [];
  const asked = answer('get', SPECIALTIES, () => page(specialties, specialties.length * 95));
  answer('get', `${SPECIALTIES}/{id}`, () => specialties[0]!);
  renderConsole(<SpecialtiesPage />);
  await press('Create');
  const form = await dialog('New specialty');
  fill('Name', 'Cardiology', form);
  const posted = answer('post', SPECIALTIES, () => (specialties = [cardiology])[0]!);
  fireEvent.keyDown(textbox('Name', form), { key: 'Enter', ctrlKey: true });
  await shows('The specialty was created.');
  expect(posted[0]!.body).toEqual({ name: 'Cardiology', isRetired: false });
  expect(await screen.findByRole('row', { name: /Cardiology/ })).toHaveTextContent('s-1');
  expect(titles()).toEqual(['Name', 'Status', 'ID', 'Actions']);
  await press('Next page');
  await waitFor(() => expect(asked.at(-1)!.query.get('pageStart')).toBe('10'));
  fireEvent.change(screen.getByLabelText('Search specialties'), { target: { value: 'cardio' } });
  await waitFor(() => expect(Object.fromEntries(asked.at(-1)!.query)).toEqual({ search: 'cardio', pageStart: '0', pageSize: '10' }));
  await fromMenu('Cardiology', 'Edit');
  const edit = await dialog('Edit specialty');
  await waitFor(() => expect(textbox('Name', edit)).toHaveValue('Cardiology'));
  fill('Name', 'Heart', edit);
  const put = answer('put', `${SPECIALTIES}/{id}`, () => (specialties = [{ ...cardiology, name: 'Heart' }])[0]!);
  await press('Save Changes', edit);
  await shows('The specialty was saved.');
  expect(put[0]!.body).toEqual({ name: 'Heart', isRetired: false, version: 2 });
  await screen.findByRole('row', { name: /Heart/ });
  await fromMenu('Heart', 'Delete');
  const deleted = answer('delete', `${SPECIALTIES}/{id}`, null);
  await press('Delete', await dialog('Delete specialty'));
  await shows('The specialty was deleted.');
  expect(deleted[0]!.path.id).toBe('s-1');
});

test('an entry of the vocabulary is retired, and one that is in use is not deleted', async () => {
  const LIST = '/api/admin/lists/{list}';
  let entry: ListEntry = { id: 'e', name: 'Sleep center', code: '', isRetired: false, version: 1 };
  const asked = answer('get', LIST, () => page([entry]));
  answer('get', `${LIST}/{id}`, () => entry);
  renderConsole(<OrganizationTypesPage />);
  expect(await screen.findByRole('row', { name: /Sleep center/ })).toHaveTextContent('Offered');
  expect(asked[0]!.path.list).toBe('organizationtypes');
  await fromMenu('Sleep center', 'Edit');
  const edit = await dialog('Edit organization type');
  await waitFor(() => expect(textbox('Name', edit)).toHaveValue('Sleep center'));
  fireEvent.click(within(edit).getByRole('checkbox', { name: /^Retired/ }));
  const put = answer('put', `${LIST}/{id}`, () => (entry = { ...entry, isRetired: true }));
  await press('Save Changes', edit);
  await waitFor(() => expect(screen.getByRole('row', { name: /Sleep center/ })).toHaveTextContent('Retired'));
  expect(put[0]).toMatchObject({ path: { list: 'organizationtypes', id: 'e' }, body: { isRetired: true, version: 1 } });
  const why = '2 organizations use this entry, so it cannot be deleted.';
  refusal('delete', `${LIST}/{id}`, 409, { message: why });
  await fromMenu('Sleep center', 'Delete');
  await press('Delete', await dialog('Delete organization type'));
  await shows(why);
});

test('an application keeps all licence types until somebody chooses among them (ADB-R-080)', async () => {
  const LIST = '/api/admin/lists/{list}';
  const entry = (id: string, name: string, more: Partial<ListEntry> = {}): ListEntry => ({
    id,
    name,
    code: '',
    isRetired: false,
    version: 1,
    ...more,
  });
  const scanner = entry('s', 'Scanner', { licenseTypeIds: ['t1', 't2'] });
  const types = [entry('t1', 'Standard'), entry('t2', 'Trial'), entry('t3', 'Lifetime', { isRetired: true })];
  answer('get', LIST, ({ path }) => page(path.list === 'licencetypes' ? types : [scanner]));
  answer('get', `${LIST}/{id}`, scanner);
  renderConsole(<ApplicationsPage />);
  await press('Create');
  const form = await dialog('New application');
  fill('Name', 'Printer', form);
  for (const name of ['Standard', 'Trial']) expect(await within(form).findByText(name)).toBeInTheDocument();
  expect(within(form).queryByText('Lifetime')).toBeNull();
  const posted = answer('post', LIST, entry('p', 'Printer'));
  await press('Create', form);
  await waitFor(() => expect(posted[0]!.body).toEqual({ name: 'Printer', licenseTypeIds: null, isRetired: false }));
  await fromMenu('Scanner', 'Edit');
  const edit = await dialog('Edit application');
  const trial = (await within(edit).findByText('Trial')).parentElement!;
  fireEvent.click(trial.querySelector('button')!);
  const put = answer('put', `${LIST}/{id}`, scanner);
  await press('Save Changes', edit);
  await waitFor(() => expect(put[0]!.body).toMatchObject({ name: 'Scanner', licenseTypeIds: ['t1'], version: 1 }));
});

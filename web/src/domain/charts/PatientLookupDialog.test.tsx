import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Patient } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { connection, looked, patientsFound, tenney } from '@/test/charts';
import { renderApp } from '@/test/render';
import { PatientLookupDialog } from './PatientLookupDialog';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));
afterEach(() => vi.useRealTimers());

const TENNEY: Patient = { firstName: 'Marisol', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' };
const MARLON = tenney({ id: 'p2', firstName: 'Marlon', middleName: '', gender: 'M', medicalRecordNumber: 'MS-29904' });

const finds = (items = [tenney(), MARLON], over = {}) => answer('post', '/api/integrations/patients', patientsFound(items, over));
function open(over: Partial<Parameters<typeof PatientLookupDialog>[0]> = {}) {
  const [onFound, onClose] = [vi.fn(), vi.fn()];
  const { unmount } = renderApp(
    <PatientLookupDialog connection={connection()} current={TENNEY} onFound={onFound} onClose={onClose} {...over} />,
  );
  return { onFound, onClose, unmount };
}
const row = (name: RegExp) => screen.findByRole('row', { name });
const field = (name: string) => screen.getByRole('textbox', { name });
const button = (name: string) => screen.getByRole('button', { name });
const write = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the search', () => {
  test('begins with the patient at hand, in the name, and shows all that tells patients apart (MSG-R-101, MSG-R-102, MSG-S-026)', async () => {
    const asked = finds([
      tenney({
        formerNames: ['Rivera'],
        streetAddress1: '12 Elm St',
        city: 'Larkfield',
        admitDate: '2026-09-22',
        dischargeDate: '2026-09-23',
      }),
      tenney({ id: 'p2', isActive: false, isDeceased: true }),
    ]);
    open();
    await waitFor(() => expect(field('Name')).toHaveFocus());
    const first = await row(/Rivera/);
    expect(asked[0]!.body).toMatchObject({ integrationId: 'ehr', name: 'Tenney, Marisol', birthDate: '1961-03-14' });
    for (const text of ['03/14/1961', 'F', 'MS-40718', '12 Elm St, Larkfield', '09/22/2026', '09/23/2026'])
      expect(within(first).getByText(text)).toBeInTheDocument();
    expect(await row(/Inactive.*Deceased/)).toBeInTheDocument();
    expect(screen.getByRole('status')).toHaveTextContent('2 patients, answered in 212 ms.');
    expect(screen.queryByRole('button', { name: 'Add Patient' })).toBeNull();
    expect(button('Cancel')).toBeEnabled();
    expect(button('Select')).toBeDisabled();
  });

  test('marks values that differ from the patient at hand', async () => {
    finds();
    open();
    const differing = within(await row(/Marlon/)).getAllByText(/\(differs\)/);
    expect(differing.map((mark) => mark.parentElement!.textContent)).toEqual(['Marlon (differs)', 'M (differs)']);
    expect(within(await row(/Marisol/)).queryByText(/\(differs\)/)).toBeNull();
  });

  test('waits 500 ms after a name, and for three letters (MSG-R-311, MSG-R-314)', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const asked = finds();
    open({ current: {} });
    expect(screen.getByRole('status')).toHaveTextContent('Enter at least 3 letters of the name, or the birth date.');
    write('Name', 'Te');
    await pass(600);
    expect(screen.getByText('Please enter at least 3 characters.')).toBeInTheDocument();
    write('Name', 'Ten');
    await pass(400);
    expect(asked).toHaveLength(0);
    await pass(200);
    await waitFor(() => expect(asked.map(({ body }) => body.name)).toEqual(['Ten']));
  });

  test('begins at once with Enter, with a date that was just typed', async () => {
    const asked = finds();
    open({ current: {} });
    await userEvent.type(field('Birth date'), '031461{Enter}');
    await row(/Marisol/);
    expect(asked.map(({ body }) => body.birthDate)).toEqual(['1961-03-14']);
  });

  test('by details waits 750 ms, and for two letters of each name and the MRN (MSG-R-100, MSG-R-308, MSG-R-309, MSG-R-310, MSG-R-314, MSG-S-027)', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const asked = finds();
    open({ current: {}, variant: 'details' });
    for (const name of ['Last name', 'First name', 'MRN']) {
      write(name, 'x');
      await pass(800);
      expect(screen.getByText('Please enter at least 2 characters.')).toBeInTheDocument();
      write(name, '');
    }
    await pass(800);
    expect(asked).toHaveLength(0);
    write('Last name', 'Te');
    write('Patient ID', '7');
    await userEvent.click(screen.getByRole('checkbox', { name: 'Show inactive' }));
    await pass(600);
    expect(asked).toHaveLength(0);
    await pass(300);
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]!.body).toMatchObject({ lastName: 'Te', patientId: '7', showInactive: true });
    expect(asked[0]!.body.name).toBeUndefined();
  });

  test('takes the names along to the details', async () => {
    finds();
    open();
    await userEvent.click(button('Detailed search'));
    expect([field('Last name'), field('First name')].map((f) => (f as HTMLInputElement).value)).toEqual(['Tenney', 'Marisol']);
    await userEvent.click(button('Search by name and birth date'));
    expect(field('Name')).toHaveValue('Tenney, Marisol');
  });

  test('asks for a facility where the EHR needs one (MSG-R-313)', async () => {
    const asked = finds();
    answer('get', '/api/integrations/facilities', { items: [{ id: 'f1', name: 'Main Street' }] });
    open({ connection: connection({ requiresFacility: true, capabilities: ['patientLookup', 'facilityLookup'] }) });
    expect(await screen.findByText('Please choose a facility.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('combobox', { name: /^Facility/ }));
    await userEvent.click(await screen.findByRole('option', { name: 'Main Street' }));
    await row(/Marisol/);
    expect(asked.map(({ body }) => body.facility)).toEqual(['f1']);
  });

  test('says that nobody was found, that there are more, or why it failed', async () => {
    finds([]);
    open();
    expect(await screen.findByText('No patients match the given criteria.')).toBeInTheDocument();
    finds([tenney()], { isCut: true });
    write('Name', 'Tenn');
    expect(await screen.findByText(/There are more: please narrow the search\./)).toBeInTheDocument();
    refusal('post', '/api/integrations/patients', 502, { message: 'Maple Street EHR: it did not answer.' });
    write('Name', 'Tenne');
    expect(await screen.findByText('Maple Street EHR: it did not answer.')).toBeInTheDocument();
  });

  test('drops a late answer to earlier words, from which nobody can be chosen meanwhile', async () => {
    let late = () => {};
    const first = new Promise<void>((done) => (late = done));
    answer('post', '/api/integrations/patients', async ({ body }) => {
      if (body.name !== 'Tenn') return patientsFound([tenney()]);
      await first;
      return patientsFound([MARLON]);
    });
    open();
    await userEvent.click(await row(/Marisol/));
    write('Name', 'Tenn');
    expect(button('Select')).toBeDisabled();
    await screen.findByText('Searching…');
    write('Name', 'Tenney');
    late();
    expect(await row(/Marisol/)).toBeInTheDocument();
    await waitFor(() => expect(button('Select Tenney, Marisol J')).toBeEnabled());
    expect(screen.queryByText('Marlon')).toBeNull();
  });
});

describe('a patient', () => {
  test('is chosen by keys, and read with all details', async () => {
    finds();
    const read = answer('get', '/api/integrations/patients/{id}', { patient: looked(), isActive: true, isDeceased: false });
    const { onFound, onClose } = open();
    await row(/Marisol/);
    await userEvent.click(field('Name'));
    await userEvent.keyboard('{ArrowDown}');
    expect(await row(/Marisol/)).toHaveFocus();
    expect(button('Select Tenney, Marisol J')).toBeEnabled();
    await userEvent.keyboard('{ArrowDown}');
    expect(button('Select Tenney, Marlon')).toBeEnabled();
    await userEvent.keyboard('/');
    expect(field('Name')).toHaveFocus();
    expect(field('Name')).toHaveValue('Tenney, Marisol');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await waitFor(() => expect(onFound).toHaveBeenCalledWith(looked()));
    expect(onClose).toHaveBeenCalled();
    expect(read.map(({ path, query }) => [path.id, query.get('integrationId')])).toEqual([['p1', 'ehr']]);
  });

  const canAdd = () => connection({ capabilities: ['patientLookup', 'patientCreate'] });
  const add = () => userEvent.click(button('Add Patient'));

  test('is added to the EHR, after a look at those who are alike (MSG-R-102)', async () => {
    finds();
    const asked = answer('post', '/api/integrations/patients/add', { patient: looked(), isActive: true, isDeceased: false });
    const refused = refusal('post', '/api/integrations/patients/add', 422, {
      modelState: { acceptsDuplicates: ['The EHR has a patient with this last name and birth date. Please look at them first.'] },
    });
    const { onFound } = open({ connection: canAdd(), current: { ...TENNEY, city: 'Larkfield', knownPatientId: 'k', visitId: 'v' } });
    await row(/Marisol/);
    await add();
    const question = await screen.findByRole('dialog', { name: 'Add Patient' });
    expect(await within(question).findByText('Tenney, Marisol J · 03/14/1961 · F · MRN MS-40718')).toBeInTheDocument();
    expect(refused[0]!.body.patient).toEqual({ ...TENNEY, city: 'Larkfield' });
    expect(refused[0]!.body.acceptsDuplicates).toBe(false);
    answer('post', '/api/integrations/patients/add', ({ body }) => {
      asked.push({ path: {}, query: new URLSearchParams(), body });
      return { patient: looked(), isActive: true, isDeceased: false };
    });
    await userEvent.click(within(question).getByRole('button', { name: 'Add Patient' }));
    await waitFor(() => expect(onFound).toHaveBeenCalledWith(looked()));
    expect(asked.map(({ body }) => body.acceptsDuplicates)).toEqual([true]);
  });

  test('who is added after the dialog was closed is not chosen', async () => {
    finds();
    let late = () => {};
    const waits = new Promise<void>((done) => (late = done));
    const answered = vi.fn();
    answer('post', '/api/integrations/patients/add', async () => {
      await waits;
      answered();
      return { patient: looked(), isActive: true, isDeceased: false };
    });
    const { onFound, unmount } = open({ connection: canAdd() });
    await row(/Marisol/);
    await add();
    unmount();
    late();
    await waitFor(() => expect(answered).toHaveBeenCalled());
    await new Promise((done) => setTimeout(done, 50));
    expect(onFound).not.toHaveBeenCalled();
  });

  test('whom the EHR lacks something of shows it among the details', async () => {
    finds();
    refusal('post', '/api/integrations/patients/add', 422, { modelState: { gender: ['The EHR needs this for a new patient.'] } });
    open({ connection: canAdd(), current: { lastName: 'Tenney' } });
    await row(/Marisol/);
    await add();
    expect(await screen.findByText('The EHR needs this for a new patient.')).toBeInTheDocument();
    expect(screen.getByRole('combobox', { name: 'Gender' })).toHaveAttribute('aria-invalid', 'true');
  });
});

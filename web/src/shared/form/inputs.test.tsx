import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { isEditableName } from '../rules/fields';
import { renderApp } from '@/test/render';
import { DateInput } from './DateInput';
import { FaxInput, ListSelect, NpiInput, PasswordField, PatternInput, PhoneInput, TagInput, TagSelect, UniqueInput } from './inputs';

function Host({ keepInvalid = false }) {
  const [date, setDate] = useState('');
  return (
    <>
      <DateInput label="Birth date" value={date} onChange={setDate} keepInvalid={keepInvalid} />
      <output>{date}</output>
    </>
  );
}
const date = () => screen.getByRole('textbox', { name: 'Birth date' });

test('a date field parses its digits on blur (SES-S-058, SES-R-254)', async () => {
  renderApp(<Host />);
  await userEvent.type(date(), '0a3141961');
  expect(date()).toHaveValue('03/14/1961');
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  await userEvent.tab();
  expect(screen.getByRole('status')).toHaveTextContent('1961-03-14');
});

test('a date field ignores text that is no date, or passes it on for validation', async () => {
  const { unmount } = renderApp(<Host />);
  await userEvent.type(date(), '13452026');
  await userEvent.tab();
  expect(date()).toHaveValue('');
  unmount();
  renderApp(<Host keepInvalid />);
  await userEvent.type(date(), '13452026');
  await userEvent.tab();
  expect(screen.getByRole('status')).toHaveTextContent('13/45/2026');
  expect(date()).toHaveValue('13/45/2026');
});

test('a date field parses pasted text', async () => {
  renderApp(<Host />);
  await userEvent.click(date());
  await userEvent.paste('3/14/61');
  expect(date()).toHaveValue('03/14/1961');
});

test('the calendar ends today, unless later dates make sense (MSG-S-070, MSG-R-327, SES-R-253)', () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const { container } = renderApp(
    <>
      <DateInput label="Birth date" />
      <DateInput label="Visit date" allowFuture />
    </>,
  );
  expect([...container.querySelectorAll('input[type=date]')].map((i) => i.getAttribute('max'))).toEqual(['2026-11-20', null]);
  expect(date()).toHaveAttribute('placeholder', 'MM/DD/YYYY');
  expect(date()).toHaveAttribute('maxlength', '10');
  vi.useRealTimers();
});

test('a telephone field shows its mask', async () => {
  const change = vi.fn();
  renderApp(<PhoneInput label="Telephone" onChange={change} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Telephone' }), '5550100142');
  expect(screen.getByRole('textbox', { name: 'Telephone' })).toHaveValue('(555) 010-0142');
});

test('a foreign telephone number is shown unchanged, a domestic one without its prefix', () => {
  renderApp(
    <>
      <PhoneInput label="Here" value="+15550100156" />
      <PhoneInput label="Abroad" value="+445550100142" />
      <PhoneInput label="Near" value="+4512345678" />
    </>,
  );
  expect(screen.getByRole('textbox', { name: 'Here' })).toHaveValue('(555) 010-0156');
  expect(screen.getByRole('textbox', { name: 'Abroad' })).toHaveValue('+445550100142');
  expect(screen.getByRole('textbox', { name: 'Near' })).toHaveValue('+4512345678');
});

test('a list choice takes the first match with Enter and drops what is not in the list (SES-S-059, SES-R-259, SES-R-260)', async () => {
  const change = vi.fn();
  renderApp(<ListSelect label="State" data={['Ohio', 'Oregon', 'Texas']} onChange={change} />);
  const field = screen.getByRole('combobox', { name: 'State' });
  await userEvent.type(field, 'or{Enter}');
  expect(field).toHaveValue('Oregon');
  await userEvent.clear(field);
  await userEvent.type(field, 'Nowhere');
  await userEvent.tab();
  expect(field).not.toHaveValue('Nowhere');
});

test('a list choice takes the first match with Tab (SES-R-261)', async () => {
  renderApp(<ListSelect label="State" data={['Ohio', 'Oregon', 'Texas']} />);
  await userEvent.type(screen.getByRole('combobox', { name: 'State' }), 'te');
  await userEvent.tab();
  expect(screen.getByRole('combobox', { name: 'State' })).toHaveValue('Texas');
});

test('a list choice is kept while its list loads, and reset when the user clears it (SES-R-262)', async () => {
  const change = vi.fn();
  function Host({ data }: { data: string[] }) {
    const [v, set] = useState<string | null>('Texas');
    return (
      <ListSelect
        label="State"
        data={data}
        value={v}
        onChange={(next) => {
          change(next);
          set(next);
        }}
      />
    );
  }
  const { unmount } = renderApp(<Host data={[]} />);
  await userEvent.click(screen.getByRole('combobox', { name: 'State' }));
  await userEvent.tab();
  expect(change).not.toHaveBeenCalled();
  unmount();
  renderApp(<Host data={['Ohio', 'Texas']} />);
  expect(screen.getByRole('combobox', { name: 'State' })).toHaveValue('Texas');
  await userEvent.clear(screen.getByRole('combobox', { name: 'State' }));
  await userEvent.tab();
  expect(change).toHaveBeenLastCalledWith(null);
});

function Tags({ force = false, suggest }: { force?: boolean; suggest: (text: string) => Promise<{ value: string }[]> }) {
  const [tags, setTags] = useState<string[]>(['ann@x.example']);
  return (
    <>
      <TagSelect
        label="To"
        queryKey="to"
        value={tags}
        onChange={setTags}
        suggest={suggest}
        forceSelection={force}
        isWhole={(text) => text.includes('@')}
      />
      <output>{tags.join('|')}</output>
    </>
  );
}

test('a tag field suggests what is not chosen yet, and takes trimmed free text (SES-S-061, SES-R-265, SES-R-266)', async () => {
  const suggest = vi.fn(async () => [{ value: 'ann@x.example' }, { value: 'anton@x.example' }]);
  renderApp(<Tags suggest={suggest} />);
  await userEvent.type(screen.getByRole('combobox', { name: 'To' }), 'an');
  expect(await screen.findByRole('option', { name: 'anton@x.example' })).toBeInTheDocument();
  expect(screen.queryByRole('option', { name: 'ann@x.example' })).toBeNull();
  expect(suggest).toHaveBeenCalledTimes(1);
  await userEvent.clear(screen.getByRole('combobox', { name: 'To' }));
  await userEvent.type(screen.getByRole('combobox', { name: 'To' }), '  bo@x.example {Enter}');
  expect(screen.getByRole('status')).toHaveTextContent('ann@x.example|bo@x.example');
});

test('a tag field shows 15 suggestions at the most (MSG-R-072)', async () => {
  renderApp(<Tags suggest={async () => Array.from({ length: 20 }, (_, i) => ({ value: `a${i}@x.example` }))} />);
  await userEvent.type(screen.getByRole('combobox', { name: 'To' }), 'a');
  await screen.findByRole('option', { name: 'a0@x.example' });
  expect(screen.getAllByRole('option')).toHaveLength(15);
});

test('free text that has suggestions does not become a tag, however fast it is entered (SES-S-061, SES-R-265)', async () => {
  renderApp(<Tags suggest={async (text) => (text.startsWith('su') ? [{ value: 'summit@x.example' }, { value: 'sue@x.example' }] : [])} />);
  const field = screen.getByRole('combobox', { name: 'To' });
  await userEvent.type(field, 'sum{Enter}');
  expect(await screen.findByRole('option', { name: 'summit@x.example' })).toBeInTheDocument();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByRole('status')).toHaveTextContent(/^ann@x.example$/);
  expect(field).toHaveValue('sum');
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(screen.getByRole('status')).toHaveTextContent('ann@x.example|summit@x.example');
  await userEvent.type(field, 'nobody{Enter}');
  await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('summit@x.example|nobody'));
  expect(field).toHaveValue('');
});

test('old suggestions stay until the new ones load, and cannot be highlighted meanwhile', async () => {
  const answers = new Map<string, () => void>();
  const suggest = (text: string) =>
    new Promise<{ value: string }[]>((resolve) =>
      answers.set(text, () => resolve([{ value: `${text}@x.example` }, { value: 'bo@x.example' }])),
    );
  renderApp(<Tags suggest={suggest} />);
  const field = screen.getByRole('combobox', { name: 'To' });
  await userEvent.type(field, 'a');
  await waitFor(() => answers.get('a')!());
  expect(await screen.findByRole('option', { name: 'a@x.example' })).toBeInTheDocument();
  await userEvent.type(field, 'n');
  await waitFor(() => expect(answers.has('an')).toBe(true));
  expect(screen.getByRole('option', { name: 'a@x.example' })).toBeInTheDocument();
  await userEvent.keyboard('{ArrowDown}');
  expect(field).not.toHaveAttribute('aria-activedescendant');
  answers.get('an')!();
  expect(await screen.findByRole('option', { name: 'an@x.example' })).toBeInTheDocument();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(screen.getByRole('status')).toHaveTextContent('ann@x.example|an@x.example');
});

test('a tag field with forced selection takes no free text', async () => {
  renderApp(<Tags force suggest={async () => []} />);
  await userEvent.type(screen.getByRole('combobox', { name: 'To' }), 'bo@x.example{Enter}');
  await userEvent.tab();
  expect(screen.getByRole('status')).toHaveTextContent(/^ann@x.example$/);
});

test('an NPI is validated on blur (SES-S-063, SES-R-293)', async () => {
  renderApp(<NpiInput label="NPI" />);
  await userEvent.type(screen.getByRole('textbox', { name: 'NPI' }), '1234567890');
  expect(screen.queryByText('Please enter a valid value for this field.')).toBeNull();
  await userEvent.tab();
  expect(screen.getByText('Please enter a valid value for this field.')).toBeInTheDocument();
});

test('a value that is taken shows an error a second after typing (MSG-S-074, MSG-R-339, MSG-R-340, MSG-T-075)', async () => {
  const isTaken = vi.fn(async () => true);
  function Unique() {
    const [v, set] = useState('');
    return <UniqueInput label="Version" queryKey="v" value={v} onChange={set} isTaken={isTaken} />;
  }
  renderApp(<Unique />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Version' }), '2.1');
  expect(isTaken).not.toHaveBeenCalled();
  expect(await screen.findByText('This value already exists.', {}, { timeout: 2000 })).toBeInTheDocument();
  expect(isTaken).toHaveBeenCalledTimes(1);
});

test('a field with a pattern ignores other input, and is trimmed on blur (MSG-R-343, MSG-R-356, MSG-R-357)', async () => {
  function Name() {
    const [v, set] = useState('');
    return <PatternInput label="Name" allows={isEditableName} value={v} onChange={set} />;
  }
  renderApp(<Name />);
  const field = screen.getByRole('textbox', { name: 'Name' });
  await userEvent.type(field, 'Front*Desk  ');
  expect(field).toHaveValue('FrontDesk  ');
  await userEvent.tab();
  expect(field).toHaveValue('FrontDesk');
});

test('a fax number keeps its digits only, an address stays as it is (MSG-R-345)', async () => {
  function Fax() {
    const [v, set] = useState('');
    return <FaxInput label="Fax" value={v} onChange={set} />;
  }
  renderApp(<Fax />);
  const field = screen.getByRole('textbox', { name: 'Fax' });
  await userEvent.click(field);
  await userEvent.paste('(555) 010-0142');
  expect(field).toHaveValue('5550100142');
  await userEvent.clear(field);
  await userEvent.paste('a.b@x.example');
  expect(field).toHaveValue('a.b@x.example');
});

test('free tags are trimmed, empty ones dropped, and no more than the limit is taken (ADA-S-067, SES-S-060, SES-R-263, SES-R-264, MSG-R-342)', async () => {
  function Codes() {
    const [v, set] = useState<string[]>([]);
    return (
      <>
        <TagInput label="Codes" maxTags={2} value={v} onChange={set} />
        <output>{v.join('|')}</output>
      </>
    );
  }
  renderApp(<Codes />);
  await userEvent.type(screen.getByRole('combobox', { name: 'Codes' }), '  A {Enter}   {Enter}B{Enter}C{Enter}');
  expect(screen.getByRole('status')).toHaveTextContent(/^A\|B$/);
  expect(screen.getByText('You can enter at most 2. Remove one to add another.')).toBeInTheDocument();
});

test('a password can be shown (MSG-S-076, MSG-R-360)', async () => {
  renderApp(<PasswordField label="Password" />);
  const field = screen.getByLabelText('Password');
  expect(field).toHaveAttribute('type', 'password');
  await userEvent.click(field.parentElement!.parentElement!.querySelector('button')!);
  expect(field).toHaveAttribute('type', 'text');
});

test('an error of a masked field is announced to screen readers (SES-S-069)', () => {
  const { unmount } = renderApp(<PhoneInput label="Phone" error="Please enter a valid value for this field." />);
  expect(screen.getByRole('textbox', { name: 'Phone' })).toHaveAttribute('aria-invalid', 'true');
  unmount();
  renderApp(<PhoneInput label="Phone" />);
  expect(screen.getByRole('textbox', { name: 'Phone' })).not.toHaveAttribute('aria-invalid');
});

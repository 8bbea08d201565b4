import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { AttachmentMeta } from '@/api/types';
import { showDate, isoDate } from '@/shared/rules/dates';
import { choose } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { attachment } from '@/test/fixtures';
import { renderApp } from '@/test/render';
import { MetaFields } from './MetaFields';
import { attachmentErrors } from './rules';

const MESSAGE_DAY = '2026-01-15';
const today = () => new Date();

/** The fields as on the screen of a received message. */
function Fields({ initial }: { initial: AttachmentMeta }) {
  const [value, setValue] = useState(initial);
  const errors = attachmentErrors(attachment({ attachmentMeta: value }), {
    mode: 'intake',
    settings: { nonPatientExport: true },
    today: today(),
  });
  return (
    <MetaFields
      value={value}
      onChange={(change) => setValue((old) => ({ ...old, ...change }))}
      errors={errors}
      messageDate={`${MESSAGE_DAY}T12:00:00Z`}
    />
  );
}
const date = () => screen.getByRole('textbox', { name: 'Document date' });
const optionsOf = async (name: string) => {
  await userEvent.click(screen.getByRole('combobox', { name }));
  return (await screen.findAllByRole('option')).map((option) => option.textContent);
};

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('all document types are offered, by name, up to 1000 (MSG-R-397, MSG-R-449)', async () => {
  const asked = answer('get', '/api/documenttypes', { items: [{ id: '1', name: 'Consultation' }], totalCount: 1 } as never);
  renderApp(<Fields initial={{}} />);
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(Object.fromEntries(asked[0]!.query)).toEqual({ sort: 'asc', page: '1', size: '1000' });
  expect(await optionsOf('Document type')).toEqual(['Consultation']);
});

test('document types that cannot be loaded are told (MSG-R-428, MSG-T-104)', async () => {
  refusal('get', '/api/documenttypes', 400, { message: 'The connected system does not answer.' });
  renderApp(<Fields initial={{}} />);
  expect(await screen.findByText('DocumentTypes - The connected system does not answer.')).toBeInTheDocument();
});

test('the document date is that of the message, today, or one to choose, and lies not in the future (MSG-S-071, MSG-R-184, MSG-R-185, MSG-R-186, MSG-R-187, MSG-R-305, MSG-T-060)', async () => {
  answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
  renderApp(<Fields initial={{ documentDateType: 'selected', documentDate: '2025-12-24' }} />);
  expect(await optionsOf('Date from')).toEqual(['Original File Date', "Today's Date", 'Select a Date']);
  await userEvent.click(screen.getByRole('option', { name: "Today's Date" }));
  expect(date()).toHaveValue(showDate(isoDate(today())));
  await choose('Date from', 'Select a Date');
  expect(date()).toHaveValue('');
  await waitFor(() => expect(date()).toHaveFocus());
  await choose('Date from', 'Original File Date');
  expect(date()).toHaveValue('01/15/2026');
  fireEvent.change(date(), { target: { value: '01/01/2099' } });
  fireEvent.blur(date());
  expect(await screen.findByText('Document Date must be equal or less than today.')).toBeInTheDocument();
  expect(date()).toBeInvalid();
});

test('a document has one of three confidentialities and up to 255 characters of description (MSG-S-072, MSG-R-150, MSG-R-153)', async () => {
  answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
  renderApp(<Fields initial={{}} />);
  expect(await optionsOf('Confidentiality')).toEqual(['Normal', 'Restricted', 'Very Restricted']);
  expect(screen.getByRole('textbox', { name: 'Description' })).toHaveAttribute('maxlength', '255');
});

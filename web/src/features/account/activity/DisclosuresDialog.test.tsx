import { notifications } from '@mantine/notifications';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { saveFile } from '@/shared/saveFile';
import { fill, press } from '@/test/acts';
import { answer } from '@/test/answers';
import { renderApp } from '@/test/render';
import { DisclosuresDialog } from './DisclosuresDialog';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const DISCLOSURES = '/api/patients/disclosures';
const PATIENT = { lastName: 'Halloran', firstName: 'Bridget', birthDate: '1979-07-02' };

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  vi.mocked(saveFile).mockClear();
});

test('who the patient is stays out of the address, and a file without lines says so', async () => {
  const asked = answer('post', DISCLOSURES, null);
  const close = vi.fn();
  renderApp(<DisclosuresDialog onClose={close} />);
  fill('Last name', 'Halloran');
  fill('Date of birth', '7/2/1979');
  await press('Download');
  expect(asked).toEqual([]);
  fill('First name', 'Bridget');
  await press('Download');
  await waitFor(() => expect(close).toHaveBeenCalled());
  expect([asked[0]!.body, asked[0]!.query.toString()]).toEqual([PATIENT, '']);
  expect(saveFile).toHaveBeenCalledWith(expect.anything(), expect.stringMatching(/Z\.csv$/));
  expect(
    await screen.findByText('Nothing about this patient was sent in the last six years. The file contains only headings.'),
  ).toBeInTheDocument();
});

test('disclosures are asked for as a document to keep', async () => {
  const asked = answer('post', DISCLOSURES, null);
  renderApp(<DisclosuresDialog onClose={() => {}} />);
  for (const [label, text] of [
    ['Last name', 'Halloran'],
    ['First name', 'Bridget'],
    ['Date of birth', '7/2/1979'],
  ] as const)
    fill(label, text);
  await userEvent.click(screen.getByRole('radio', { name: 'Document to keep (PDF)' }));
  await press('Download');
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), expect.stringMatching(/Z\.pdf$/)));
  expect([asked[0]!.body, asked[0]!.query.get('asPdf')]).toEqual([PATIENT, 'true']);
});

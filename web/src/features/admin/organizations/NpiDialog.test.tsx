import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { NpiResult } from '@/api/types';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { NpiDialog } from './NpiDialog';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

/** The register answers every search alike; returns the numbers searched for. */
function register(...items: Partial<Omit<NpiResult, 'basic'> & { basic: Partial<NpiResult['basic']> }>[]) {
  const searched: (string | null)[] = [];
  server.use(
    http.get('*/api/admin/organizations/npi', ({ request }) => {
      searched.push(new URL(request.url).searchParams.get('npiNumber'));
      return HttpResponse.json({ items });
    }),
  );
  return searched;
}
async function search(number: string) {
  const onChoose = vi.fn();
  renderApp(<NpiDialog start="" onClose={() => {}} onChoose={onChoose} />);
  const field = screen.getByRole('textbox', { name: 'NPI' });
  expect(field).toHaveAttribute('maxlength', '10');
  await userEvent.type(field, number);
  return onChoose;
}
const select = () => screen.getByRole('button', { name: 'Select' });

test('a number is searched once typing stops, and an empty result is shown (ADA-R-245, ADA-R-246, ADA-R-248, ADA-R-249, ADA-T-112)', async () => {
  const searched = register();
  await search('1234567893');
  expect(await screen.findByText('There are no results matching your criteria', {}, { timeout: 10_000 })).toBeInTheDocument();
  expect(searched).toEqual(['1234567893']);
  expect(select()).toBeDisabled();
});

test('a result for another number cannot be chosen (ADA-R-247, ADA-R-250, ADA-T-111, ADA-T-113)', async () => {
  register({ number: '1111111112', basic: { organizationName: 'Elsewhere' }, addresses: [] });
  await search('1245319599');
  const words = 'Result does not match: Searched for 1245319599. Result was 1111111112.';
  expect(await screen.findByText(words, {}, { timeout: 10_000 })).toBeInTheDocument();
  expect(screen.getByText('There are no addresses associated with this NPI.')).toBeInTheDocument();
  expect(select()).toBeDisabled();
});

test('the register’s entry is shown, and the number is chosen but not saved (ADA-S-018, ADA-R-013, ADA-R-251, ADA-T-114)', async () => {
  const basic = {
    organizationName: 'Quayside Clinic',
    authorizedOfficialFirstName: 'Ines',
    authorizedOfficialMiddleName: 'M',
    authorizedOfficialLastName: 'Quill',
    authorizedOfficialTelephoneNumber: '5550100155',
    organizationalSubpart: 'NO',
    status: 'A',
  };
  const addresses = [{ address_1: '7 Quay Street', address_2: 'Suite 9', city: 'Harborline', state: 'OH', postalCode: '43998' }];
  register({ number: '1497758544', basic, addresses });
  const onChoose = await search('1497758544');
  expect(await screen.findByText('Quayside Clinic', {}, { timeout: 10_000 })).toBeInTheDocument();
  for (const text of ['Ines M Quill', '(555) 010-0155', 'Active', 'NO', '7 Quay Street, Suite 9, Harborline, OH 43998'])
    expect(screen.getByText(text)).toBeInTheDocument();
  await userEvent.click(select());
  expect(onChoose).toHaveBeenCalledWith('1497758544');
  expect(await screen.findByText("Click 'Save Changes' to apply the new NPI.")).toBeInTheDocument();
});

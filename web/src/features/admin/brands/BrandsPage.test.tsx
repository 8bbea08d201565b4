import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { BrandsPage } from './BrandsPage';

const row = {
  id: 'b1',
  name: 'bluestem',
  displayName: 'Bluestem Exchange',
  color: '#1F5FA8',
  hosts: ['bluestem.example'],
  organizations: 2,
};
const png = new File(['picture'], 'logo.png', { type: 'image/png' });
const LOGO = `data:image/png;base64,${btoa('picture')}`;
const chooseLogo = (file: File) => fireEvent.change(screen.getByLabelText('Logo'), { target: { files: [file] } });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/brands', { items: [row], totalCount: 1, totalIsCapped: false } as never);
});

test('an operator makes a brand with a colour, a logo that is a picture, and host names', async () => {
  const made = answer('post', '/api/brands', row as never);
  renderScreen(<BrandsPage />);
  expect(await screen.findByText('bluestem.example')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const form = within(await screen.findByRole('dialog', { name: 'New brand' }));
  const write = (name: RegExp, value: string) => fireEvent.change(form.getByLabelText(name), { target: { value } });
  write(/^Name/, 'Bluestem Exchange');
  write(/^Short name/, 'bluestem');
  write(/^Colour/, '#1F5FA8');
  chooseLogo(new File(['no'], 'notes.txt', { type: 'text/plain' }));
  expect(await form.findByText('Please choose a PNG or JPEG picture.')).toBeInTheDocument();
  chooseLogo(png);
  expect(await form.findByAltText('The chosen logo')).toHaveAttribute('src', LOGO);
  expect(form.queryByText('Please choose a PNG or JPEG picture.')).toBeNull();
  await userEvent.type(form.getByLabelText('Host names', { selector: 'input' }), 'b.example{Enter}');
  await userEvent.click(form.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('The brand was created.')).toBeInTheDocument();
  expect(made[0]!.body).toMatchObject({ name: 'bluestem', color: '#1F5FA8', logo: LOGO, hosts: ['b.example'] });
});

test('an operator says what the fax covers of a brand print', async () => {
  answer('get', '/api/brands/{id}/faxcover', { id: 'b1', logo: LOGO, notice: 'For you.', version: 7 });
  const saved = answer('put', '/api/brands/{id}/faxcover', { id: 'b1', logo: '', notice: '', version: 8 });
  renderScreen(<BrandsPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Bluestem Exchange' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Fax cover' }));
  const cover = within(await screen.findByRole('dialog', { name: 'Fax cover' }));
  const notice = await cover.findByRole('textbox', { name: 'Confidentiality notice' });
  expect(notice).toHaveValue('For you.');
  fireEvent.change(notice, { target: { value: 'For the addressee alone.' } });
  await userEvent.click(cover.getByRole('button', { name: 'Remove' }));
  await userEvent.click(cover.getByRole('button', { name: 'Save Changes' }));
  expect(await screen.findByText('The fax cover was saved.')).toBeInTheDocument();
  expect(saved).toMatchObject([{ path: { id: 'b1' }, body: { logo: '', notice: 'For the addressee alone.', version: 7 } }]);
});

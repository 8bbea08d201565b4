import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import * as copy from '@/shared/copy';
import * as files from '@/shared/saveFile';
import { choose, press } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { renderConsole } from '@/test/console';
import { own } from './fixtures';
import { OwnAuthority } from './OwnAuthority';

test('the certificate is shown by its fingerprint and its time, and saved as it is', async () => {
  answer('get', '/api/admin/trust/authority', own);
  const save = vi.spyOn(files, 'saveFile').mockImplementation(() => {});
  renderConsole(<OwnAuthority />);
  const shown = await screen.findByRole('region', { name: 'Certificate of this installation' });
  for (const words of [own.subject, 'AB:CD:EF', 'Nov 20, 2026 to Nov 15, 2046']) expect(shown).toHaveTextContent(words);
  await press('Download certificate', shown);
  const [blob, name] = save.mock.calls[0]!;
  expect([await blob.text(), name]).toEqual([own.certificate, expect.stringMatching(/authority.*\.pem$/)]);
});

test('partners are told an address for a test once one is chosen', async () => {
  answer('get', '/api/admin/trust/authority', own);
  const copied = vi.spyOn(copy, 'copyText').mockResolvedValue();
  const save = vi.spyOn(files, 'saveFile').mockImplementation(() => {});
  renderConsole(<OwnAuthority />);
  const part = await screen.findByRole('region', { name: 'For partners' });
  const text = within(part).getByLabelText('Text for partners');
  expect(text).toHaveTextContent('below direct.clinic.example');
  expect(text).not.toHaveTextContent('records@');
  await choose('Test address', 'records@summit.direct.clinic.example', part);
  expect(text).toHaveTextContent('test message to records@summit.direct.clinic.example');
  await press('Copy text', part);
  expect(copied.mock.calls[0]![0]).toBe(text.textContent);
  await press('Download text', part);
  expect(await save.mock.calls.at(-1)![0].text()).toBe(text.textContent);
});

test('what could not be loaded can be tried again', async () => {
  refusal('get', '/api/admin/trust/authority', 404);
  renderConsole(<OwnAuthority />);
  expect(await screen.findByText('The certificate could not be loaded')).toBeInTheDocument();
});

import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { queryClient } from '@/app/session';
import { answer } from '@/test/answers';
import { preferencesQuery } from '@/shared/usePreference';
import { attachment, message, releaseType } from '@/test/fixtures';
import { click, field, form, FROM, openRelease, releaseServer } from '@/test/release';
import { capabilitiesQuery } from '../api';

// Documents are drawn by the browser only.
vi.mock('@/domain/messaging/viewer/Viewer', () => ({ Viewer: () => null }));

const SAM = 'records@summit.direct.example';
const received = (over: Parameters<typeof message>[0] = {}) =>
  message({
    id: 'in',
    direction: 'Intake',
    isDraft: false,
    subject: 'Lab results',
    fromAddress: SAM,
    toAddress: FROM,
    body: 'One',
    ...over,
  });
const dialog = (name: string) => screen.findByRole('dialog', { name });

const forward = (files: ReturnType<typeof attachment>[]) => {
  const copy = message({ id: 'copy', subject: 'Lab results', originalObjectId: 'in', mode: 'forward', attachments: files });
  const server = releaseServer({ messages: [received({ attachments: files }), copy] });
  const copied = answer('post', '/api/messages/{id}/copy', copy as never);
  const removed = answer('delete', '/api/messages/{id}/attachments/{attachmentId}', ({ path }) => {
    const left = server.kept.get('copy')!.attachments.filter((a) => a.id !== path.attachmentId);
    server.kept.set('copy', { ...copy, attachments: left });
    return null as never;
  });
  return { copied, removed, ...openRelease('/release/forward/in') };
};
const files = () => screen.getByRole('region', { name: 'Attachments' });

test('a message without files is forwarded without a question, as a copy of its own (MSG-R-079, MSG-R-167, MSG-R-241, MSG-R-384, MSG-T-001)', async () => {
  const { copied, where } = forward([]);
  await form();
  expect(copied.map(({ path }) => path.id)).toEqual(['in']);
  expect(where()).toBe('/release/forward/draft/copy');
  expect(screen.getByRole('heading', { name: 'Forward' })).toBeInTheDocument();
  expect(field('Subject')).toHaveValue('FW: Lab results');
});

test.each([
  ['Include', []],
  ['Remove', ['a1', 'a2']],
])('whoever forwards files chooses: %s (MSG-R-092, MSG-S-024, MSG-T-015, MSG-T-016)', async (choice, gone) => {
  const { copied, removed } = forward([attachment(), attachment({ id: 'a2', fileName: 'Report.pdf' })]);
  const box = await dialog('Include the attachments?');
  expect(copied).toHaveLength(0);
  await userEvent.click(within(box).getByRole('button', { name: choice }));
  await form();
  expect(removed.map(({ path }) => path.attachmentId)).toEqual(gone);
  await waitFor(() => expect(within(files()).queryAllByRole('button', { name: /^Remove / })).toHaveLength(2 - gone.length));
});

const reply = (original = received()) => {
  const server = releaseServer({ messages: [original] });
  const replied = answer('post', '/api/messages/{id}/reply', original as never);
  return { ...server, replied, ...openRelease('/release/reply/in') };
};

test('a reply waits for its original, and for nothing that it does not need (MSG-R-242, MSG-S-019)', async () => {
  let send = () => {};
  const sent = new Promise<void>((done) => (send = done));
  const known = answer('get', '/api/integrations/capabilities', () => new Promise(() => {}));
  reply();
  const asked = answer('get', '/api/messages/{id}', () => sent.then(() => received() as never));
  await waitFor(() => expect([asked.length, known.length]).toEqual([1, 1]));
  expect(screen.getByRole('status', { name: 'Loading' })).toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: 'Subject' })).toBeNull();
  send();
  await form();
  expect(field('Subject')).toHaveValue('RE: Lab results');
});

test.each([
  [true, 2],
  [false, 1],
])(
  'where document types are looked up elsewhere (%j), a reply reads them anew (MSG-R-067, MSG-S-019)',
  async (documentTypeLookup, reads) => {
    let say = () => {};
    const said = new Promise<void>((done) => (say = done));
    answer('get', '/api/integrations/capabilities', () => said.then(() => ({ documentTypeLookup }) as never));
    reply();
    const types = answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
    await form();
    await click('Attach and describe…');
    await dialog('Attach a new file');
    await waitFor(() => expect(types).toHaveLength(1));
    say();
    await waitFor(() => expect(queryClient.getQueryState(capabilitiesQuery.queryKey)?.status).toBe('success'));
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(types).toHaveLength(reads);
  },
);

test('a reply goes to the sender alone, without type and patient, and its documents stay beside it (MSG-R-168, MSG-R-268)', async () => {
  answer('get', '/api/integrations/capabilities', {} as never);
  const { created } = reply(received({ attachments: [attachment()] }));
  await form();
  expect(screen.getAllByRole('button', { name: /^Remove .*@/ }).map((b) => b.getAttribute('aria-label'))).toEqual([`Remove ${SAM}`]);
  expect(field('Subject')).toHaveValue('RE: Lab results');
  expect(files()).toHaveTextContent('No attachments added.');
  expect(screen.getByRole('region', { name: 'Original message' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Review and send' }));
  const box = await dialog('Review and send');
  expect(within(box).queryByLabelText('Comments')).toBeNull();
  expect(within(box).getByLabelText('Reason for disclosure')).toBeInTheDocument();
  expect(created[0]!.body).toMatchObject({ toAddresses: [SAM], releaseTypeId: null, originalObjectId: 'in' });
});

test('Ctrl+Enter sends a reply that only its sender gets, without a review (MSG-R-236)', async () => {
  answer('get', '/api/integrations/capabilities', {} as never);
  const { replied, sent, where } = reply();
  await form();
  await waitFor(() => expect(field('Message')).toHaveFocus());
  await userEvent.keyboard('Thank you.{Control>}{Enter}{/Control}');
  expect(await screen.findByText('The message was sent successfully.')).toBeInTheDocument();
  expect(replied.map(({ body }) => body.body)).toEqual([expect.stringMatching(/^Thank you\./)]);
  expect(sent).toHaveLength(0);
  await waitFor(() => expect(where()).toBe('/intake/in'));
});

test('a new referral opens as one, whatever was sent last', async () => {
  const types = [releaseType({ id: 't3', name: 'Other' }), releaseType({ classificationCode: '57133-1' })];
  releaseServer({ types });
  queryClient.setQueryData(preferencesQuery.queryKey, { userPreferences: { screens: { releaseType: 't3' } } } as never);
  const { unmount } = openRelease('/release/new');
  await form();
  expect(screen.getByRole('combobox', { name: 'Release type' })).toHaveValue('Other');
  unmount();
  openRelease('/release/new?referral=true');
  await form();
  expect(screen.getByRole('combobox', { name: 'Release type' })).toHaveValue('Referral');
  expect(field('Subject')).toHaveValue('Referral');
});

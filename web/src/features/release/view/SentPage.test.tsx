import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import type { Delivery } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { attachment, message } from '@/test/fixtures';
import { BRIDGET, click, form, openRelease, ready, releaseServer, SUMMIT } from '@/test/release';

// Documents are drawn by the browser only.
vi.mock('@/domain/messaging/viewer/Viewer', () => ({ Viewer: () => null }));

const delivery = (over: Partial<Delivery>): Delivery =>
  ({ id: over.address!, address: SUMMIT, kind: 'DirectMessage', role: 'To', state: 'Delivered', ...over }) as Delivery;
const sent = (over: Parameters<typeof message>[0] = {}) =>
  message({
    isDraft: false,
    subject: 'Right knee',
    status: 'Sent',
    patient: BRIDGET,
    reasonForDisclosure: 'Treatment',
    attachments: [attachment()],
    deliveries: [delivery({ address: SUMMIT })],
    isReadyForDeliverySummary: true,
    ...over,
  });
const open = async (over: Parameters<typeof message>[0] = {}, known: Parameters<typeof releaseServer>[0] = {}) => {
  const server = releaseServer({ messages: [sent(over)], ...known });
  const at = openRelease('/release/m1');
  await screen.findByRole('heading', { name: 'Delivery' });
  return { ...server, ...at };
};
const button = (name: string) => screen.queryByRole('button', { name });
const dialog = (name: string) => screen.findByRole('dialog', { name });
const inside = (box: HTMLElement, name: string) => within(box).getByRole('button', { name });

describe('a sent release', () => {
  test('is only looked at: its patient and its files do not change any more (MSG-S-016, MSG-R-172, MSG-R-173)', async () => {
    await open();
    expect(screen.getByText('Halloran, Bridget, 07/02/1979')).toBeInTheDocument();
    expect(screen.getByText('Treatment')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: /Visit note\.pdf/ })).toBeInTheDocument();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(document.querySelector('input[type=file]')).toBeNull();
    expect(button('Remove Visit note.pdf')).toBeNull();
  });

  test('is forwarded, deleted and summarized by everybody, and its activity is for administrators (MSG-S-020, MSG-R-098, MSG-R-111, MSG-R-113, MSG-T-017)', async () => {
    const { where } = await open({}, { roles: ['User'] });
    expect(['Activity', 'More', 'Delete', 'Forward'].map((name) => button(name) !== null)).toEqual([false, true, true, true]);
    await click('Forward');
    await dialog('Include the attachments?');
    expect(where()).toBe('/release/forward/m1');
  });

  test('shows an administrator who did what with it (MSG-R-113, MSG-T-017)', async () => {
    await open();
    answer('get', '/api/audit/types', { items: [] });
    const entry = { id: 'e', createdBy: 'Dana Whitfield', eventType: 'MessageSent', createdOn: '2026-11-20T10:00:00Z' };
    const asked = answer('get', '/api/audit/{type}/{id}', { items: [entry], totalCount: 1, totalIsCapped: false } as never);
    await click('Activity');
    expect(await screen.findByRole('cell', { name: 'Dana Whitfield' })).toBeInTheDocument();
    expect(asked[0]!.path).toMatchObject({ type: 'message', id: 'm1' });
  });

  test('has a delivery summary once it is ready (MSG-R-115, MSG-R-117)', async () => {
    await open({ isReadyForDeliverySummary: false });
    expect(button('More')).toBeNull();
  });

  test('is deleted once that is confirmed, which leads back to the list (MSG-S-039, MSG-R-112, MSG-R-417, MSG-T-091)', async () => {
    const { removed, where } = await open();
    await click('Delete');
    const box = await dialog('Delete Message');
    expect(box).toHaveTextContent('Right knee');
    expect(box).toHaveTextContent('Are you sure?');
    expect(inside(box, 'Cancel')).toBeInTheDocument();
    expect(removed).toHaveLength(0);
    await userEvent.click(inside(box, 'OK'));
    expect(await screen.findByText('Message has been deleted')).toBeInTheDocument();
    expect(removed.map(({ path }) => path.id)).toEqual(['m1']);
    await waitFor(() => expect(where()).toBe('/release'));
  });

  test('that is a draft still opens to be written on (MSG-S-015)', async () => {
    releaseServer({ messages: [ready()] });
    const { where } = openRelease('/release/m1');
    await form();
    expect(where()).toBe('/release/draft/m1');
  });
});

describe('its delivery summary', () => {
  const ask = async () => {
    await click('More');
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Send Delivery Summary to Intake' }));
    return dialog('Send Delivery Summary to Intake');
  };
  const TO_INTAKE = '/api/messages/{id}/deliverysummary/sendtointake';

  test('goes into the Intake once that is confirmed, and the question closes (SES-S-056, SES-R-196, SES-R-197, SES-R-198, SES-R-199, SES-R-201, SES-T-040, SES-T-041, SES-T-078)', async () => {
    await open();
    let done = () => {};
    const until = new Promise<void>((resolve) => (done = resolve));
    const asked = answer('post', TO_INTAKE, () => until.then(() => null as never));
    await userEvent.click(inside(await ask(), 'Cancel'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked).toHaveLength(0);
    const box = await ask();
    await userEvent.click(inside(box, 'Confirm'));
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]!.body).toBeUndefined();
    expect(inside(box, 'Confirm')).toHaveAttribute('data-loading', 'true');
    done();
    const said = 'Your Delivery Summary is being generated. To view the document, go to My Intake.';
    expect(await screen.findByText(said)).toBeInTheDocument();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('that could not be made says so, and is asked about still (SES-R-200, SES-T-077)', async () => {
    await open();
    refusal('post', TO_INTAKE, 500);
    const box = await ask();
    await userEvent.click(inside(box, 'Confirm'));
    expect(await screen.findByText('The system encountered an error while generating the delivery summary.')).toBeInTheDocument();
    expect(box).toBeInTheDocument();
  });
});

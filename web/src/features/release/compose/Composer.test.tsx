import { notifications } from '@mantine/notifications';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withdrawUndo } from '@/shared/undo';
import { answer, refusal } from '@/test/answers';
import { attachment, message, releaseType } from '@/test/fixtures';
import { click, errorLines, field, form, FROM, openRelease, ready, releaseServer, SUMMIT } from '@/test/release';

const autosave = vi.hoisted(() => ({ later: vi.fn() }));
// Saves when a test says so: the pause in typing belongs to the hook.
vi.mock('@/domain/messaging/useAutosave', () => ({
  useAutosave: ({ pending, save }: { pending: () => unknown; save: (value: unknown) => Promise<unknown> }) => ({
    ...autosave,
    flush: async () => {
      const value = pending();
      if (value !== null) await save(value);
      return true;
    },
    state: 'idle',
    errors: {},
  }),
}));
beforeEach(() => {
  vi.clearAllMocks();
  withdrawUndo();
  notifications.clean();
});
afterEach(() => vi.useRealTimers());

const WRONG = 'Please enter a valid value for this field.';
const write = (name: string, value: string) => {
  fireEvent.change(field(name), { target: { value } });
  fireEvent.blur(field(name));
};
const combobox = (name: string) => screen.getByRole('combobox', { name });
const choose = async (name: string, option: string) => {
  fireEvent.click(combobox(name));
  fireEvent.click(await screen.findByRole('option', { name: option }));
};
const addTo = (address: string) => userEvent.type(combobox('To'), `${address}{Enter}`);
const openNew = async (known: Parameters<typeof releaseServer>[0] = {}) => {
  const server = releaseServer(known);
  const at = openRelease('/release/new');
  await form();
  return { ...server, ...at };
};
const openDraft = async (over: Parameters<typeof ready>[0] = {}, known: Parameters<typeof releaseServer>[0] = {}, search = '') => {
  const server = releaseServer({ messages: [ready(over)], ...known });
  const at = openRelease(`/release/draft/m1${search}`);
  await form();
  return { ...server, ...at };
};
const dialog = (name: string) => screen.findByRole('dialog', { name });
const inside = (box: HTMLElement, name: string) => within(box).getByRole('button', { name });
const review = async () => {
  await click('Review and send');
  return dialog('Review and send');
};

describe('a release that is written', () => {
  test('has a type, both ends, the text or a look at its files, and a form to send them in (MSG-S-014, MSG-S-048, MSG-S-049, MSG-S-053, MSG-S-055, MSG-R-068, MSG-R-074, MSG-R-076, MSG-R-078, MSG-R-118, MSG-R-136, MSG-T-041, MSG-T-042, MSG-T-043, MSG-T-044)', async () => {
    await openNew();
    for (const name of ['Saved addresses', 'Directory', 'Attach and describe…', 'Save', 'Discard'])
      expect(screen.getByRole('button', { name })).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Patient' })).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Attachments' })).toHaveTextContent('No attachments added.');
    const sendAs = screen.getByRole('radiogroup', { name: 'Send attachments as' });
    expect(
      within(sendAs)
        .getAllByRole('radio')
        .map((r) => r.parentElement!.textContent),
    ).toEqual(['Original', 'PDF', 'CDA']);
    await userEvent.click(combobox('Release type'));
    expect((await screen.findAllByRole('option')).map((o) => o.textContent)).toEqual(['Referral', 'Cardiology referral']);
    await userEvent.keyboard('{Escape}');
    await choose('From', 'referrals@larkfield.direct.example');
    await userEvent.click(screen.getByRole('radio', { name: 'Attachment preview' }));
    expect(screen.getByText('Attach a file to see it here.')).toBeInTheDocument();
    expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull();
    await userEvent.click(screen.getByRole('radio', { name: 'Message' }));
    expect(field('Message')).toBeInTheDocument();
  });

  test('is told all that keeps it from being sent, and its first gap has the focus (MSG-R-265, MSG-R-267, MSG-R-269, MSG-R-270, MSG-R-298, MSG-S-054, MSG-T-051, MSG-T-052, MSG-T-053, MSG-T-061)', async () => {
    const { created } = await openNew({ sources: [] });
    await click('Review and send');
    expect(await screen.findByText('Please fix the following errors before sending.')).toBeInTheDocument();
    expect(errorLines()).toEqual([
      '"Release Type" is required.',
      '"From" address is required.',
      '"To" address is required.',
      '"Patient Details" information is required.',
    ]);
    await waitFor(() => expect(combobox('Release type')).toHaveFocus());
    expect(created).toHaveLength(0);
    await choose('Release type', 'Referral');
    expect(errorLines()).not.toContain('"Release Type" is required.');
  });

  test('takes subject and both ends from a quick release, and fixes these (MSG-R-069, MSG-R-073, MSG-R-243)', async () => {
    await openNew();
    await choose('Release type', 'Cardiology referral');
    expect(combobox('From')).toBeDisabled();
    expect(combobox('From')).toHaveValue('referrals@larkfield.direct.example');
    expect(combobox('To')).toHaveAttribute('readonly');
    expect(screen.getByText('office@trivalley.direct.example')).toBeInTheDocument();
    expect(field('Subject')).toHaveValue('Cardiology referral');
  });

  test('marks an address that is not valid until it is gone (MSG-R-274, MSG-T-054)', async () => {
    await openNew();
    await addTo('nobody@no-such-practice');
    expect(await screen.findByText(/This address is not valid\./)).toHaveTextContent('nobody@no-such-practice');
    await userEvent.click(screen.getByRole('button', { name: 'Remove nobody@no-such-practice' }));
    expect(screen.queryByText(/This address is not valid\./)).toBeNull();
  });

  test('has 15 addresses suggested 300 ms after the first character (MSG-S-050, MSG-R-070, MSG-R-071, MSG-R-396, MSG-R-448)', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await openNew();
    const asked = answer('post', '/api/contacts/_search', {
      items: [{ name: 'Ann Lee', company: 'Summit Orthopedics', value: SUMMIT }],
    } as never);
    fireEvent.focus(combobox('To'));
    fireEvent.change(combobox('To'), { target: { value: 's' } });
    await act(() => vi.advanceTimersByTimeAsync(200));
    expect(asked).toHaveLength(0);
    await act(() => vi.advanceTimersByTimeAsync(150));
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]!.body).toEqual({ search: 's', pageStart: 1, pageSize: 15 });
    const option = await screen.findByRole('option', { name: /Ann Lee/ });
    expect(option).toHaveTextContent(`Ann Lee · Summit Orthopedics${SUMMIT}`);
    fireEvent.click(option);
    expect(screen.getByRole('button', { name: `Remove ${SUMMIT}` })).toBeInTheDocument();
  });

  test('has a patient with a visit; what is wrong there is told once its field is left, and stays in view (MSG-S-034, MSG-R-294, MSG-R-331, MSG-R-332, MSG-R-341)', async () => {
    const { saved } = await openDraft();
    const isTold = () => screen.queryAllByText(WRONG).length > 0;
    write('Birth date', '13/45/1979');
    expect(isTold()).toBe(true);
    write('Birth date', '070279');
    expect(isTold()).toBe(false);
    await userEvent.type(field('Telephone'), '8005550142');
    expect(isTold()).toBe(false);
    await userEvent.tab();
    expect(isTold()).toBe(true);
    await userEvent.clear(field('Telephone'));
    await userEvent.type(field('Telephone'), '5550100142{Tab}');
    expect(isTold()).toBe(false);
    await click('Middle name, address and visit');
    await screen.findByRole('textbox', { name: 'Middle name' });
    write('City', 'x'.repeat(36));
    expect(field('City')).toHaveAccessibleDescription('At most 35 characters; these are 36.');
    write('City', 'Larkfield');
    write('Visit ID', 'V-1182');
    write('Visit date', '13/45/2026');
    await click('Middle name, address and visit');
    expect(screen.getByText(WRONG)).toBeVisible();
    write('Visit date', '11/19/2026');
    await click('Save');
    await screen.findByText(/^Draft saved at/);
    expect(saved.at(-1)!.body.patient).toMatchObject({
      birthDate: '1979-07-02',
      telephone: '5550100142',
      visitId: 'V-1182',
      visitDate: '2026-11-19',
    });
  });
});

describe('the draft of a release', () => {
  test('is made by the first file, before anything is asked about that (MSG-R-212, MSG-R-232, MSG-R-233)', async () => {
    const { created } = await openNew();
    let answerNow = () => {};
    const late = answer('put', '/api/messages', () => new Promise((done) => (answerNow = () => done(message({ id: 'new' }) as never))));
    expect(created).toHaveLength(0);
    await click('Attach and describe…');
    await waitFor(() => expect(late).toHaveLength(1));
    expect(screen.queryByRole('dialog')).toBeNull();
    answerNow();
    expect(await dialog('Attach a new file')).toBeInTheDocument();
  });

  test('is made by the first review, and saved by the next (MSG-R-234, MSG-R-235)', async () => {
    const { created, saved } = await openNew();
    await choose('Release type', 'Referral');
    await addTo(SUMMIT);
    write('First name', 'Bridget');
    write('Last name', 'Halloran');
    write('Birth date', '07/02/1979');
    await choose('Gender', 'Female');
    expect(created).toHaveLength(0);
    await userEvent.click(inside(await review(), 'Cancel'));
    write('Subject', 'Right knee');
    await review();
    expect(created).toHaveLength(1);
    expect(saved.map(({ path, body }) => [path.id, body.subject])).toEqual([['new', 'Right knee']]);
  });

  test('is saved while it is written', async () => {
    const { created, where } = await openNew();
    expect(autosave.later).not.toHaveBeenCalled();
    write('Subject', 'Right knee');
    expect(autosave.later).toHaveBeenCalledTimes(1);
    expect(created).toHaveLength(0);
    expect(where()).toBe('/release/new');
  });

  test('is not saved where the server refuses it; the errors are listed one per line, that of the recipients first (MSG-R-408, MSG-R-409, MSG-T-049)', async () => {
    await openDraft();
    refusal('put', '/api/messages/{id}', 422, {
      modelState: { subject: ['The subject is too long.'], toAddress: ['The address is blocked.'], 'patient.telephone': [WRONG] },
    });
    await click('Save');
    expect(await screen.findByText('Please fix the following errors before sending.')).toBeInTheDocument();
    expect(errorLines()).toEqual(['The address is blocked.', 'The subject is too long.', `Telephone: ${WRONG}`]);
    refusal('put', '/api/messages/{id}', 400, { message: 'First line.\nSecond line.' });
    await click('Save');
    await waitFor(() => expect(errorLines()).toEqual(['First line.', 'Second line.']));
  });

  test('is deleted once its discarding is confirmed (MSG-R-386, MSG-R-416, MSG-T-090)', async () => {
    const { removed, where } = await openDraft();
    await click('Discard');
    expect(removed).toHaveLength(0);
    await userEvent.click(inside(await dialog('Discard this release?'), 'Discard'));
    expect(await screen.findByText('The draft was deleted successfully.')).toBeInTheDocument();
    expect(removed.map(({ path }) => path.id)).toEqual(['m1']);
    await waitFor(() => expect(where()).toBe('/release'));
  });

  test('that cannot be discarded stays, and its writer is told (MSG-R-410, MSG-T-082)', async () => {
    const { where } = await openDraft();
    refusal('delete', '/api/messages/{id}', 500);
    await click('Discard');
    await userEvent.click(inside(await dialog('Discard this release?'), 'Discard'));
    expect(await screen.findByText('The message was not discarded successfully.')).toBeInTheDocument();
    expect(where()).toBe('/release/draft/m1');
  });
});

describe('leaving', () => {
  const leave = () => userEvent.click(screen.getByRole('link', { name: 'Intake' }));

  test('a release with an address to send from asks whether to save it, discard it or stay (MSG-S-023, MSG-R-091, MSG-R-238, MSG-T-013, MSG-T-014)', async () => {
    const { created, where } = await openNew();
    write('Subject', 'Right knee');
    await leave();
    await userEvent.click(inside(await dialog('Save this draft?'), 'Keep editing'));
    expect(where()).toBe('/release/new');
    expect(field('Subject')).toHaveValue('Right knee');
    await leave();
    await userEvent.click(inside(await dialog('Save this draft?'), 'Save'));
    await screen.findByText('The Intake');
    expect(created.map(({ body }) => body.subject)).toEqual(['Right knee']);
  });

  test('and discarding deletes the draft that was made meanwhile (MSG-R-240)', async () => {
    const { removed } = await openNew();
    await click('Attach and describe…');
    await userEvent.click(inside(await dialog('Attach a new file'), 'Cancel'));
    write('Subject', 'Right knee');
    await leave();
    await userEvent.click(inside(await dialog('Save this draft?'), 'Discard'));
    await screen.findByText('The Intake');
    expect(removed.map(({ path }) => path.id)).toEqual(['new']);
  });

  test('a release without an address to send from asks nothing, and its text waits among the drafts (MSG-R-239)', async () => {
    const { created } = await openNew({ sources: [] });
    write('Subject', 'Nowhere from');
    await leave();
    await screen.findByText('The Intake');
    await waitFor(() => expect(created.map(({ body }) => body.subject)).toEqual(['Nowhere from']));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('sending', () => {
  const file = {
    ...ready().attachments[0],
    id: 'a1',
    messageId: 'm1',
    fileName: 'Visit note.pdf',
    sizeInBytes: 1024,
    attachmentMeta: { documentDate: '2026-01-15', confidentiality: 'Normal' },
  } as never;

  test('is confirmed in a review of both ends, the files and the reason for it (MSG-S-021, MSG-R-080, MSG-R-081, MSG-R-082, MSG-R-083, MSG-R-085, MSG-R-468, MSG-T-004, MSG-T-005)', async () => {
    const { sent } = await openDraft({ attachments: [file] });
    const box = await review();
    for (const text of ['Right knee', FROM, SUMMIT]) expect(box).toHaveTextContent(text);
    expect(within(box).getByRole('row', { name: /Visit note/ })).toHaveTextContent('Visit note.pdf01/15/20261 k');
    expect(within(box).queryByLabelText('Track Fax Responses')).toBeNull();
    await userEvent.type(within(box).getByLabelText('Comments'), 'Soon');
    await userEvent.type(within(box).getByLabelText('Reason for disclosure'), 'Care');
    await userEvent.click(inside(box, 'Cancel'));
    expect(sent).toHaveLength(0);
    const again = await review();
    expect(within(again).getByLabelText('Comments')).toHaveValue('Soon');
    await userEvent.click(inside(again, 'Confirm'));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]!.body).toMatchObject({ subject: 'Right knee', comments: 'Soon', reasonForDisclosure: 'Care' });
  });

  test('that failed says why and can be tried again, and leads back to where it began (MSG-R-237, MSG-R-407, MSG-R-415, MSG-T-081, MSG-T-089)', async () => {
    const { where } = await openDraft({}, {}, '?returnUrl=%2Frelease%3Fview%3Dsent');
    const box = await review();
    const confirm = () => userEvent.click(inside(box, 'Confirm'));
    refusal('post', '/api/messages/{id}/send', 500);
    await confirm();
    await within(box).findByText('There was an error sending your message. Please contact support.');
    refusal('post', '/api/messages/{id}/send', 400, { message: 'The mail gateway is being changed.' });
    await confirm();
    await within(box).findByText('The mail gateway is being changed.');
    answer('post', '/api/messages/{id}/send', ready() as never);
    await confirm();
    expect(await screen.findByText('The message was sent successfully.')).toBeInTheDocument();
    await waitFor(() => expect(where()).toBe('/release?view=sent'));
  });

  test('leads to the list where nothing else is named (MSG-R-237)', async () => {
    const { where } = await openDraft();
    await userEvent.click(inside(await review(), 'Confirm'));
    await waitFor(() => expect(where()).toBe('/release'));
  });

  test('a draft that cannot be sent now leaves the review as it was typed', async () => {
    await openDraft();
    const box = await review();
    await userEvent.type(within(box).getByLabelText('Reason for disclosure'), 'Surgery');
    refusal('post', '/api/messages/{id}/send', 409, { message: 'Your organization is not verified yet.' });
    await userEvent.click(inside(box, 'Confirm'));
    await within(box).findByText('Your organization is not verified yet.');
    expect(within(box).getByLabelText('Reason for disclosure')).toHaveValue('Surgery');
  });

  test.each([
    ['+17405550120', ['AutomatedCarePlans'], true],
    ['+17405550120', [], false],
    [SUMMIT, ['AutomatedCarePlans'], false],
  ])('to %s with the features %j: responses to a fax can be tracked is %j (MSG-R-084, MSG-T-006)', async (to, features, isOffered) => {
    await openDraft({ toAddresses: [to] }, { features, types: [releaseType()] });
    answer('post', '/api/directory/validate', {
      items: [{ address: to, isValid: true, kind: 'Fax', isNew: false }],
    });
    const box = await review();
    expect(within(box).queryByLabelText('Track Fax Responses') !== null).toBe(isOffered);
  });
});

describe('a release that was sent', () => {
  const HELD = { id: 'm1', status: 'Pending', heldUntil: '2026-11-20T10:00:12Z' } as never;

  test('is held back for a while, and comes back as a draft by Undo', async () => {
    const { sent, kept, where } = await openDraft();
    answer('post', '/api/messages/{id}/send', HELD);
    const back = answer('post', '/api/messages/{id}/takeback', () => kept.get('m1') as never);
    const box = await review();
    await userEvent.click(inside(box, 'Confirm'));
    expect(await screen.findByText('Sending in 10 s.')).toBeInTheDocument();
    expect(screen.queryByText('The message was sent successfully.')).toBeNull();
    expect(where()).toBe('/release');
    await click('Undo');
    await waitFor(() => expect(where()).toBe('/release/draft/m1'));
    expect(back.map((b) => b.path.id)).toEqual(['m1']);
    expect(sent).toEqual([]);
  });

  test.each([
    ['has left', false],
    ['was taken back in another window', true],
  ])('is told to be sent only once it has left: %s (MSG-R-415, MSG-T-089)', async (_what, isDraft) => {
    const { kept } = await openDraft();
    answer('post', '/api/messages/{id}/send', HELD);
    const box = await review();
    vi.useFakeTimers({ shouldAdvanceTime: true });
    fireEvent.click(inside(box, 'Confirm'));
    expect(await screen.findByText('Sending in 10 s.')).toBeInTheDocument();
    const asked = answer('get', '/api/messages/{id}', () => ({ ...kept.get('m1'), isDraft }) as never);
    await act(() => vi.advanceTimersByTimeAsync(9000));
    expect(asked).toHaveLength(0);
    await act(() => vi.advanceTimersByTimeAsync(3500));
    await waitFor(() => expect(asked).toHaveLength(1));
    if (isDraft) await act(() => vi.advanceTimersByTimeAsync(1000));
    else await screen.findByText('The message was sent successfully.');
    expect(screen.queryByText('The message was sent successfully.') !== null).toBe(!isDraft);
  });

  test('becomes a referral that is followed, once it says why', async () => {
    const cda = attachment({ isStructured: true, fileName: 'Note.xml', mimeType: 'text/xml' });
    await openDraft({ attachments: [cda] });
    const referred = answer('post', '/api/conversations', {} as never);
    const box = await review();
    await userEvent.click(within(box).getByRole('checkbox', { name: 'Track as referral' }));
    await userEvent.click(inside(box, 'Confirm'));
    expect(await within(box).findByText('Please say why the patient is referred.')).toBeInTheDocument();
    await userEvent.type(within(box).getByRole('textbox', { name: 'Reason' }), 'Murmur');
    await userEvent.click(inside(box, 'Confirm'));
    await waitFor(() =>
      expect(referred.map((r) => r.body)).toEqual([{ messageId: 'm1', reason: 'Murmur', dueDate: null, acceptsPatient: false }]),
    );
  });

  test('with a document that names another patient leaves once somebody has looked at both', async () => {
    const bea = { firstName: 'Bea', lastName: 'Osei', birthDate: '1970-02-03', gender: 'F' };
    const { sent } = await openDraft({ attachments: [attachment({ fileName: 'Note.pdf' })] });
    const documents = [{ attachmentId: 'a1', fileName: 'Note.pdf', patient: bea, fields: ['name' as const, 'birthDate' as const] }];
    answer('get', '/api/messages/{id}/patient/differences', { items: documents });
    const box = await review();
    const seen = within(await within(box).findByRole('region', { name: 'The document and the patient differ' }));
    expect(seen.getByText('Name and birth date are not the same.', { exact: false })).toBeInTheDocument();
    expect(seen.getByRole('table', { name: 'Note.pdf' })).toHaveTextContent('02/03/1970');
    await userEvent.click(inside(box, 'Confirm'));
    expect(await seen.findByText('Please check both and confirm that it is the same patient.')).toBeInTheDocument();
    expect(sent).toEqual([]);
    await userEvent.click(seen.getByRole('checkbox'));
    await userEvent.click(inside(box, 'Confirm'));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ body: { acceptsPatient: true } });
  });

  test('tells who is taken out with a release type, and brings them back', async () => {
    await openDraft({ releaseTypeId: 't2', toAddresses: ['office@trivalley.direct.example'] });
    await choose('Release type', 'Referral');
    expect(
      await screen.findByText('office@trivalley.direct.example was removed with the release type “Cardiology referral”.'),
    ).toBeInTheDocument();
    await click('Undo');
    expect(await screen.findByText('office@trivalley.direct.example')).toBeInTheDocument();
  });
});

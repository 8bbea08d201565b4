import { MantineProvider, Menu } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Attachment } from '@/api/types';
import { askForUpgrade } from '@/app/upgrade';
import { notify } from '@/shared/notify';
import { attachment } from '@/test/fixtures';
import * as calls from './api';
import { ConversionMenu, targetsOf, useConversions } from './conversions';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));
vi.mock('@/shared/hubs', () => ({ connectHub: () => ({ send: () => {}, close: () => {} }) }));
vi.mock('./api', { spy: true });
vi.mock('@/app/upgrade', () => ({ askForUpgrade: vi.fn() }));

type Answer = Awaited<ReturnType<typeof calls.getMetadata>>;
const scan = (over: Partial<Attachment> = {}) => attachment({ fileName: 'Scan.tif', mimeType: 'image/tiff', ...over }) as Answer;
const changed = vi.fn();
const show = (file: Attachment) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <ConversionMenu attachment={file} onChanged={changed} />
      </MantineProvider>
    </QueryClientProvider>,
  );
const choose = async (item: string) => {
  await userEvent.click(screen.getByRole('button', { name: 'Convert Scan.tif' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

test('what a file can become follows from what it is', () => {
  expect(targetsOf(scan())).toEqual(['Pdf', 'Cda']);
  expect(targetsOf(attachment())).toEqual(['Cda']);
  expect(targetsOf(scan({ fileName: 'Summary.xml', mimeType: 'text/xml', isStructured: true }))).toEqual(['Pdf']);
  expect(targetsOf(scan({ fileName: 'Letter.docx', mimeType: 'application/msword', isConvertible: false }))).toEqual([]);
  expect(targetsOf(scan({ transformStatus: 'Pending' }))).toEqual([]);
});

test('a conversion that runs is looked at every 5 s up to 20 s, then it has timed out (MSG-R-193, MSG-R-194, MSG-R-195, MSG-R-196)', async () => {
  vi.useFakeTimers();
  const look = vi.fn<typeof calls.getMetadata>().mockResolvedValue(scan({ previewAvailable: 'Processing' }));
  const end = vi.fn();
  calls.whenSettled(scan(), look).catch(end);
  await vi.advanceTimersByTimeAsync(4900);
  expect(look).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(look).toHaveBeenCalledTimes(3);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(look).toHaveBeenCalledTimes(4);
  expect(end).toHaveBeenCalledWith(new Error('The request timed out. Please try again.'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(look).toHaveBeenCalledTimes(4);
});

test('the converted file takes the place of the original, and a failure says why', async () => {
  vi.mocked(calls.convertAttachment).mockResolvedValue(scan({ transformStatus: 'Pending' }));
  const settled = vi.mocked(calls.whenSettled).mockResolvedValueOnce(scan({ fileName: 'Scan.pdf', isRestorable: true }));
  show(scan());
  await choose('Convert to PDF');
  await waitFor(() => expect(notify).toHaveBeenCalledWith('success', 'Scan.pdf was created.'));
  expect(changed.mock.calls.map(([file]) => file.fileName)).toEqual(['Scan.tif', 'Scan.pdf']);
  settled.mockResolvedValueOnce(scan({ transformStatus: 'Failed', transformError: 'The file is damaged and cannot be shown.' }));
  await choose('Convert to C-CDA');
  await waitFor(() => expect(notify).toHaveBeenCalledWith('error', 'The file is damaged and cannot be shown.'));
});

test('the original is restored once somebody is sure (MSG-S-040, MSG-R-214, MSG-R-421, MSG-R-438, MSG-T-096, MSG-T-116, MSG-T-117)', async () => {
  const restore = vi.mocked(calls.restoreAttachment).mockResolvedValue(scan());
  show(scan({ isRestorable: true }));
  await choose('Restore the original');
  expect(await screen.findByRole('dialog', { name: 'Restore Attachment' })).toHaveTextContent(
    'You are about to restore the attachment to its original state. Are you sure?',
  );
  expect(restore).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(notify).toHaveBeenCalledWith('success', 'Original attachment restored.'));
  expect(changed).toHaveBeenCalledTimes(1);
});

test('a restore that fails says so (MSG-R-429, MSG-T-105)', async () => {
  vi.mocked(calls.restoreAttachment).mockRejectedValue(new TypeError('Failed to fetch'));
  show(scan({ isRestorable: true }));
  await choose('Restore the original');
  await userEvent.click(await screen.findByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(notify).toHaveBeenCalledWith('error', 'Error restoring attachment.'));
  expect(changed).not.toHaveBeenCalled();
});

/** The menu of a file of the Intake, under a plan without C-CDA. */
function Lacking({ file }: { file: Attachment }) {
  return (
    <Menu opened>
      <Menu.Target>
        <button type="button">Menu</button>
      </Menu.Target>
      <Menu.Dropdown>{useConversions(changed, true).items(file)}</Menu.Dropdown>
    </Menu>
  );
}

test('a plan that lacks C-CDA is offered to be upgraded before anything is converted (MSG-R-020, MSG-R-362)', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <Lacking file={scan()} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole('menuitem', { name: /C-CDA/ }));
  expect(askForUpgrade).toHaveBeenCalledTimes(1);
  expect(calls.convertAttachment).not.toHaveBeenCalled();
});

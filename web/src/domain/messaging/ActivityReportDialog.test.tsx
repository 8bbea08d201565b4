import { notifications } from '@mantine/notifications';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { saveFile } from '@/shared/saveFile';
import { fill, press } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { ActivityReportDialog } from './ActivityReportDialog';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const TYPES = ['Delivered', 'Exported', 'Forwarded', 'Replied', 'Deleted', 'Bounced', 'Failed', 'Processed', 'Received'];
const REPORT = '/api/messages/eventsreport';

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  vi.mocked(saveFile).mockClear();
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 15, 30) });
  return () => vi.useRealTimers();
});

test('whole days and all events are asked for, and the file is named by the time in UTC (SES-C-053, SES-R-352, SES-R-353, SES-R-354, SES-R-355, SES-R-357, MSG-R-456)', async () => {
  const asked = answer('get', REPORT, null);
  const close = vi.fn();
  renderApp(<ActivityReportDialog onClose={close} />);
  await press('Download');
  await waitFor(() => expect(close).toHaveBeenCalled());
  expect(Object.fromEntries(asked[0]!.query)).toEqual({
    start: new Date(2026, 9, 21).toISOString(),
    end: new Date(2026, 10, 21, 23, 59, 59, 999).toISOString(),
    eventTypes: TYPES.join(','),
    pageSize: '10000',
  });
  const time = `${new Date(2026, 10, 21, 15, 30).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  expect(saveFile).toHaveBeenCalledWith(expect.anything(), `Carepost_activity_${time}.csv`);
  expect(await screen.findByText('The activity report was saved.')).toBeInTheDocument();
});

test('the events to be reported are chosen by name, and the file can be a document to keep (SES-T-051, SES-T-052, SES-T-053, SES-T-054, SES-T-055, SES-T-056, SES-T-057, SES-T-058, SES-T-059)', async () => {
  const asked = answer('get', REPORT, null);
  renderApp(<ActivityReportDialog onClose={() => {}} />);
  const boxes = screen.getAllByRole<HTMLInputElement>('checkbox');
  expect(boxes.map((box) => box.labels?.[0]?.textContent)).toEqual(TYPES);
  for (const box of boxes) if (box.value !== 'Forwarded') await userEvent.click(box);
  await userEvent.click(screen.getByRole('radio', { name: 'Document to keep (PDF)' }));
  await press('Download');
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), expect.stringMatching(/Z\.pdf$/)));
  expect([asked[0]!.query.get('eventTypes'), asked[0]!.query.get('asPdf')]).toEqual(['Forwarded', 'true']);
});

test('days that cannot be and no event at all are refused before anything is asked', async () => {
  const asked = answer('get', REPORT, null);
  renderApp(<ActivityReportDialog onClose={() => {}} />);
  for (const box of screen.getAllByRole('checkbox')) await userEvent.click(box);
  fill('Start Date', '12/31/2099');
  await press('Download');
  expect(await screen.findByText('Start Date must be smaller or equal than End Date.')).toBeInTheDocument();
  expect(screen.getByText('Choose at least one event.')).toBeInTheDocument();
  expect(asked).toEqual([]);
});

test('a report that cannot be had says so with its status, and what was chosen stays (MSG-R-433, MSG-T-110)', async () => {
  refusal('get', REPORT, 503);
  const close = vi.fn();
  renderApp(<ActivityReportDialog onClose={close} />);
  await press('Download');
  expect(await screen.findByText('Unable to download the report file. Status: 503')).toBeInTheDocument();
  expect(close).not.toHaveBeenCalled();
  expect(saveFile).not.toHaveBeenCalled();
});

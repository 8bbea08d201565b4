import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { InteroperabilitySettings } from '@/api/types';
import { queryClient } from '@/app/session';
import { AppLink } from '@/shared/ui/AppLink';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { DocumentsPage } from './DocumentsPage';

const settings: InteroperabilitySettings = {
  exportMode: 'save_as',
  exportOption: 'standard',
  exportDirectoryType: 'single_directory',
  exportVisitDirectory: false,
  nonPatientExport: true,
  gaps: 'ask',
  suppressDefaultFaxCoverSheet: false,
  suppressFaxMetadataPages: false,
  deliverySummaryEnableDownload: false,
  returnAssignmentsAfterHours: null,
  recordNumberAuthorities: [],
  linkCertainPatients: false,
  version: 4,
};

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  queryClient.clear();
  answer('get', '/api/settings/interoperability', settings);
});
const open = () =>
  renderScreen(
    <>
      <AppLink href="/account/users">Users</AppLink>
      <DocumentsPage />
    </>,
    '/account/settings/documents',
  );
const choose = async (name: string) => userEvent.click(await screen.findByRole('radio', { name }));
const visits = () => screen.getByRole('switch', { name: /A folder for each visit/ });
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save settings' }));

test('an administrator says how processed documents are saved, as what and into which folders (MSG-R-157, MSG-R-158, MSG-R-159, MSG-R-372)', async () => {
  const saved = answer('put', '/api/settings/interoperability', ({ body }) => ({ ...settings, ...body, version: 5 }) as never);
  open();
  await choose('A clinical document (XDS-SD) around the file');
  expect(visits()).toBeDisabled();
  await choose('A folder for each patient');
  await userEvent.click(visits());
  await save();
  expect(await screen.findByText('The document settings were saved.')).toBeInTheDocument();
  expect(saved[0]!.body).toEqual({
    ...settings,
    exportOption: 'xds-sd_cda',
    exportDirectoryType: 'patient_folder',
    exportVisitDirectory: true,
  });
  await userEvent.type(screen.getByLabelText('Own record numbers', { selector: 'input:not([type=hidden])' }), '1.2.840.7{Enter}');
  await choose('Print');
  expect(screen.queryByRole('radio', { name: 'A folder for each patient' })).toBeNull();
  await save();
  await waitFor(() => expect(saved.at(-1)!.body).toMatchObject({ exportMode: 'print', recordNumberAuthorities: ['1.2.840.7'] }));
});

test('whoever leaves with settings that are not saved is asked', async () => {
  const router = open();
  await choose('Print');
  await userEvent.click(screen.getByRole('link', { name: 'Users' }));
  expect(await screen.findByRole('dialog')).toHaveTextContent('Document settings');
  expect(router.state.location.pathname).toBe('/account/settings/documents');
});

test('settings that a colleague has saved meanwhile are not saved over unseen', async () => {
  open();
  await choose('Print');
  refusal('put', '/api/settings/interoperability', 409, { reason: 'Changed in the meantime.', message: 'Changed by somebody.' });
  answer('get', '/api/settings/interoperability', { ...settings, exportOption: 'xds-sd_cda', version: 5 });
  await save();
  const banner = within(await screen.findByRole('alert'));
  expect(banner.getByText(/Saved as/)).toBeInTheDocument();
  expect(screen.getByRole('radio', { name: 'Print' })).toBeChecked();
});

import { apiOf, dialog, PATIENT, pdf, receive, toast, unique } from './helpers';
import { authenticate, expect, test } from './support';

test('messages are exported in the background, saved as one archive, and stand in the list after a reload (MSG-S-067, MSG-R-469)', async ({
  page,
  request,
}) => {
  const words = unique('Exported');
  const ids: string[] = [];
  for (const n of [1, 2]) {
    const id = await receive(request, { subject: `${words} ${n}`, files: [pdf(`Report ${n}.pdf`)] });
    await apiOf(request, 'dana').setPatient(id, PATIENT);
    ids.push(id);
  }
  await apiOf(request, 'dana').post('/api/messages/bulk', { act: 'type', ids, documentType: 'Progress note' });
  await authenticate(page, 'dana');
  await page.goto('/intake');
  for (const n of [1, 2])
    await page
      .getByRole('row', { name: `${words} ${n}` })
      .getByRole('checkbox')
      .check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const asks = dialog(page, 'Export 2 messages');
  await expect(asks.getByRole('radio', { name: 'Original files' })).toBeChecked();
  const saved = page.waitForEvent('download');
  await asks.getByRole('button', { name: 'Export' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^carepost_native-export_\d{8}T\d{6}Z\.zip$/);
  await expect(toast(page, 'Export of 2 messages is done.')).toBeVisible();
  for (const id of ids) {
    const message = await apiOf(request, 'dana').get<{ processedType: string }>(`/api/messages/${id}`);
    expect(message.processedType).toBe('NativeExport');
  }

  await page.reload();
  await page.getByRole('button', { name: /^Background tasks/ }).click();
  const list = dialog(page, 'Background tasks');
  const row = list.getByRole('listitem').filter({ hasText: 'Export of 2 messages' }).first();
  await expect(row.getByText(/^Ready\./)).toBeVisible();
  const again = page.waitForEvent('download');
  await row.getByRole('button', { name: 'Download' }).click();
  await again;
  await list.getByRole('button', { name: 'Clear' }).click();
  await expect(list.getByText('No exports')).toBeVisible();
});

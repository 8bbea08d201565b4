import { apiOf, dialog, PATIENT, pdf, receive, unique } from './helpers';
import { expect, signIn, test, WORK_MS, told } from './support';

test('messages are exported in the background, saved as one archive, and stand in the list after a reload (MSG-S-067, MSG-R-469)', async ({
  page,
  request,
}) => {
  const dana = apiOf(request, 'dana');
  const words = unique('Exported');
  const ids: string[] = [];
  for (const n of [1, 2]) {
    const id = await receive(request, { subject: `${words} ${n}`, files: [pdf(`Report ${n}.pdf`)] });
    await dana.setPatient(id, PATIENT);
    ids.push(id);
  }
  await dana.post('/api/messages/bulk', { act: 'type', ids, documentType: 'Progress note' });
  await signIn(page, 'dana', '/intake');
  for (const n of [1, 2])
    await page
      .getByRole('row', { name: `${words} ${n}` })
      .getByRole('checkbox')
      .check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saved = page.waitForEvent('download', { timeout: WORK_MS });
  const box = dialog(page, 'Export 2 messages');
  await box.getByRole('checkbox', { name: 'File the exported messages' }).check();
  await box.getByRole('button', { name: 'Export' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^carepost_native-export_\d{8}T\d{6}Z\.zip$/);
  await told(page, 'Export of 2 messages is done.');
  const typeOf = async (id: string) => (await dana.get<{ processedType: string }>(`/api/messages/${id}`)).processedType;
  await expect.poll(() => Promise.all(ids.map(typeOf))).toEqual(['NativeExport', 'NativeExport']);

  await page.reload();
  await page.getByRole('button', { name: /^Background tasks/ }).click();
  const row = dialog(page, 'Background tasks').getByRole('listitem').filter({ hasText: 'Export of 2 messages' }).first();
  await expect(row.getByText(/^Ready\./)).toBeVisible();
  const again = page.waitForEvent('download');
  await row.getByRole('button', { name: 'Download' }).click();
  expect((await again).suggestedFilename()).toMatch(/\.zip$/);
});

import type { APIRequestContext } from '@playwright/test';
import { apiOf, dialog, SUMMIT, TEXT, unique } from './helpers';
import { expect, signIn, test } from './support';

/** A message that has arrived: its subject, and its id where it was sent from. */
async function sent(request: APIRequestContext) {
  const subject = unique('Workflow');
  const id = await apiOf(request, 'dana').send({ subject, to: [SUMMIT], files: [TEXT] });
  await apiOf(request, 'sam').received(subject);
  return { subject, id };
}

test('an operator finds out by its id what became of a message (ADA-S-044)', async ({ page, request }) => {
  const { id } = await sent(request);
  await signIn(page, 'ops', '/admin/utils');
  const part = page.getByRole('region', { name: 'Message', exact: true });
  await part.getByLabel('Message id').fill(id);
  await part.getByRole('button', { name: 'Look up' }).click();
  const found = part.getByRole('listitem').filter({ hasText: id });
  await expect(found).toContainText('Larkfield Family Medicine, Release');
  await expect(found.getByRole('row').filter({ hasText: 'Deliver' })).toContainText('Completed');
});

test('an operator sees the names in a message for a reason alone, and the organization sees that they looked (ADB-S-017, ADB-S-019)', async ({
  page,
  request,
}) => {
  const { subject, id } = await sent(request);
  const newest = '/odata/mailmessages?$filter=IsDraft%20eq%20false&$orderby=MailMessageId%20desc&$top=100';
  const { value } = await apiOf(request, 'ops').get<{ value: { MailMessageId: number; MessageId: string }[] }>(newest);
  const number = value.find((m) => m.MessageId === id)!.MailMessageId;
  await signIn(page, 'ops', '/admin/messages?size=100');
  await page.getByRole('button', { name: `More about ${number}`, exact: true }).click();
  await page.getByRole('tab', { name: 'Attachments' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Attachments' });
  await expect(panel.getByText('Subject and names are hidden.')).toBeVisible();
  await expect(page.getByText(subject)).toHaveCount(0);
  await panel.getByRole('button', { name: 'Show names' }).click();
  await dialog(page, 'Show names').getByLabel('Reason').fill('Support case 20417');
  await dialog(page, 'Show names').getByRole('button', { name: 'Show' }).click();
  await expect(panel.getByText(subject)).toBeVisible();
  await expect(panel.getByRole('cell', { name: TEXT.name, exact: true }).first()).toBeVisible();

  await signIn(page, 'dana', `/release/${id}`);
  await page.getByRole('button', { name: 'Activity' }).click();
  const looked = dialog(page, 'Activity').getByRole('row').filter({ hasText: 'Ola Brandt' });
  await expect(looked).toContainText('Viewed');
});

import { apiOf, ccda, dialog, LARKFIELD, SUMMIT, unique } from './helpers';
import { expect, signIn, test, WORK_MS } from './support';

type Tracked = { id: string; reason: string; conversationStatus: string };

const tracked = async (request: Parameters<typeof apiOf>[0], name: 'dana' | 'sam', reason: string) => {
  const { items } = await apiOf(request, name).post<{ items: Tracked[] }>('/api/conversations/tracked', {});
  return items.find((r) => r.reason === reason);
};

test('a referral is sent from a draft, accepted by the other side and cancelled, and its sender sees whose turn it is', async ({
  page,
  request,
}) => {
  const reason = unique('Knee pain');
  await apiOf(request, 'dana').draft({
    subject: reason,
    to: [SUMMIT],
    patient: { firstName: 'Teo', lastName: 'Castellanos', birthDate: '1988-04-17', gender: 'M' },
    files: [ccda()],
    more: { fromAddress: LARKFIELD, releaseType: 'Referral' },
  });
  await signIn(page, 'dana', '/referrals');
  await page.getByRole('button', { name: 'From a draft' }).click();
  const form = dialog(page, 'New referral');
  await form.getByRole('combobox', { name: 'Draft' }).click();
  await page.getByRole('option', { name: new RegExp(reason) }).click();
  await form.getByRole('textbox', { name: 'Reason' }).fill(reason);
  await form.getByRole('button', { name: 'Send referral' }).click();
  const row = page.locator('[aria-label="Referrals"] tbody tr', { hasText: reason });
  await expect(row).toContainText('Waiting for them');
  await expect.poll(async () => (await tracked(request, 'sam', reason))?.id, { timeout: WORK_MS }).toBeTruthy();
  const theirs = (await tracked(request, 'sam', reason))!;
  await apiOf(request, 'sam').post(`/api/conversations/${theirs.id}/respond`, { responseAction: 'Accept' });
  const state = async () => (await tracked(request, 'dana', reason))?.conversationStatus;
  await expect.poll(state, { timeout: WORK_MS }).toBe('Accepted');
  await page.goto('/referrals');
  await expect(row).toContainText('Accepted');
  await row.click();
  const panel = page.getByRole('region', { name: 'Referral' });
  await expect(panel.getByText('Referral requested')).toBeVisible();
  await panel.getByRole('button', { name: 'Cancel referral' }).click();
  await dialog(page, 'Cancel referral').getByRole('button', { name: 'Cancel referral' }).click();
  await expect(panel.getByText('Cancelled').first()).toBeVisible();
});

import { expect, signIn, test } from './support';

test('an operator finds a workflow, sees its steps, message, files and events (ADB-S-022, ADB-S-023, ADB-S-024, ADB-S-025, ADB-R-181, ADB-R-190)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/workflows?status=Completed&type=release');
  const list = page.getByRole('table', { name: 'Workflows' });
  await list
    .getByRole('button', { name: /^More about/ })
    .first()
    .click();
  await expect(page.getByRole('table', { name: 'Steps of the workflow' }).getByText('Deliver').first()).toBeVisible();
  for (const name of ['Message', 'Attachment events', 'Events'])
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Retry Deliver' })).toHaveCount(0);
});

test('an operator looks at messages by keyboard, and sees names for a reason alone (ADB-S-017, ADB-S-018, ADB-S-019, ADB-S-020, ADB-S-021, ADB-R-150, ADB-R-153, ADB-R-155, ADB-R-156, ADB-R-157, ADB-R-158, ADB-R-159, ADB-R-160, ADB-R-161, ADB-R-162, ADB-R-166, ADB-R-175, ADB-R-177, ADB-R-179, ADB-T-031, ADB-T-032, ADB-T-033, ADB-T-034)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/messages?size=10');
  await expect(page.getByRole('table', { name: 'Messages' }).getByRole('row')).toHaveCount(11);
  const tabs = page.getByRole('tab', { name: 'Attachments' });
  await page.keyboard.press('+');
  await expect(tabs).toHaveCount(10);
  await page.keyboard.press('-');
  await expect(tabs).toHaveCount(0);
  await page
    .getByRole('button', { name: /^More about/ })
    .first()
    .click();
  await expect(page.getByRole('tab', { name: 'Workflows' })).toHaveAttribute('aria-selected', 'true');
  await tabs.click();
  const panel = page.getByRole('tabpanel', { name: 'Attachments' });
  await expect(panel.getByText('Subject and names are hidden.')).toBeVisible();
  await panel.getByRole('button', { name: 'Show names' }).click();
  const dialog = page.getByRole('dialog', { name: 'Show names' });
  await dialog.getByLabel('Reason').fill('Support case 20417');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await expect(panel.getByText('Subject and names are hidden.')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Events' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Events' })).toBeVisible();
});

test('an operator sees the channels, what is wrong, and the nodes (ADB-S-026, ADB-S-027, ADB-S-028, ADB-S-029, ADB-S-030, ADB-S-031, ADB-S-032, ADB-R-003, ADB-R-198, ADB-R-211, ADB-R-214)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/dashboard/messaging');
  await expect(page.getByRole('rowheader', { name: 'Direct outbound' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'System alerts' })).toBeVisible();
  await page.getByRole('button', { name: 'Open workflows' }).click();
  await expect(page.getByRole('table', { name: 'Workflows' })).toBeVisible();
  await page.goto('/admin/statistics');
  await expect(page.getByRole('img', { name: /^Messages:/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Nodes at work' }).getByText('At work').first()).toBeVisible();
});

import type { Page } from '@playwright/test';
import { expect } from '../support';
import { answer, button, dialog, menu, narrow, popover, unroute, wide, type View } from './kit';

const profileMenu = async (page: Page) => {
  await button(page, /^Profile:/).click();
  return menu(page);
};
const PROFILE = '**/api/users/profiledata';
export const frame: View[] = [
  { name: 'profile menu', opens: ['ProfileMenu'], at: wide, show: profileMenu },
  {
    name: 'activity report',
    opens: ['ActivityReportDialog'],
    show: async (page) => {
      await button(page, 'Activity report').click();
      return dialog(page, 'Activity report');
    },
  },
  {
    name: 'organizations',
    opens: ['OrgSwitcher'],
    at: wide,
    show: async (page) => {
      await button(page, /^Organization:/).click();
      return popover(page);
    },
  },
  {
    name: 'shortcuts',
    opens: ['ShortcutHelp'],
    at: wide,
    show: async (page) => {
      await button(page, 'Keyboard shortcuts').click();
      return dialog(page, 'Keyboard shortcuts');
    },
  },
  {
    name: 'notices',
    opens: ['Notices'],
    show: async (page) => {
      await button(page, /^Notices/).click();
      return popover(page);
    },
  },
  {
    name: 'background tasks',
    opens: ['TaskList'],
    at: wide,
    show: async (page) => {
      await button(page, /^Background tasks/).click();
      return dialog(page, 'Background tasks');
    },
  },
  {
    name: 'command palette',
    opens: ['CommandPalette'],
    at: wide,
    show: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Find actions/ }).fill('orth');
      await expect(page.getByRole('listbox', { name: 'Found' }).getByRole('option').first()).toBeVisible();
      return dialog(page, 'Search or jump to…');
    },
  },
  {
    name: 'rail',
    at: wide,
    show: async (page) => {
      await button(page, 'Collapse sidebar').click();
      await expect(button(page, 'Open sidebar')).toBeVisible();
    },
    after: (page) => button(page, 'Open sidebar').click(),
  },
  {
    name: 'menu',
    opens: ['MenuDrawer'],
    at: narrow,
    show: async (page) => {
      await button(page, 'Menu').click();
      return dialog(page, 'Menu');
    },
  },
  {
    name: 'command palette from the menu',
    at: narrow,
    show: async (page) => {
      await button(page, 'Menu').click();
      await button(page, 'Search or jump to…').click();
      return dialog(page, 'Search or jump to…');
    },
  },
  {
    name: 'upgrade',
    opens: ['UpgradeDialog'],
    show: async (page) => {
      await answer(page, PROFILE, (profile) => ({ ...profile, uiResources: { releaseRoute: ['plan-upgrade-prompt'] } }));
      await page.goto('/release/new');
      return dialog(page, 'Upgrade your plan');
    },
    after: unroute,
  },
  {
    name: 'idle',
    opens: ['IdleSignOut'],
    at: wide,
    show: async (page) => {
      await answer(page, PROFILE, (profile) => ({ ...profile, idleTimeoutSeconds: 50 }));
      await page.reload();
      return dialog(page, 'Are you still there?');
    },
    after: unroute,
  },
];

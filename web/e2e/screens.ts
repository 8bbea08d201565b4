import type { Locator, Page } from '@playwright/test';
import type { FileRoutesByFullPath } from '../src/routeTree.gen';
import type { Data } from './data';
import { expect } from './support';

/** `nobody` has not signed in. */
export type Who = 'nobody' | 'dana' | 'priya' | 'sam' | 'nia' | 'mara' | 'ops' | 'rita';
export type Size = 'wide' | 'medium' | 'narrow';
export const SIZES: Record<Size, { width: number; height: number }> = {
  wide: { width: 1440, height: 900 },
  medium: { width: 1000, height: 800 },
  narrow: { width: 390, height: 844 },
};

/** Something that a person can open or bring about on a screen. */
export type View = {
  name: string;
  /** Components whose dialog, drawer, menu or popover this opens: see `layersIn` of the test. */
  opens?: string[];
  /** Both wide and narrow unless told. */
  at?: Size[];
  /** Begins with the screen as it loads. */
  fresh?: boolean;
  /** Brings it about; answers what lies over the screen, which Escape closes. */
  show: (page: Page, data: Data, as: (who: Who) => Promise<Page>) => Promise<Locator | void>;
  after?: (page: Page, as: (who: Who) => Promise<Page>) => Promise<unknown>;
};
export type Screen = {
  as: Who;
  /** What is special about it, when a route has several. */
  about?: string;
  path: (data: Data) => string;
  /** In view once there is data. */
  ready: (page: Page) => Locator;
  views?: View[];
  /** Not meant for other sizes. */
  at?: Size[];
};
/** A route without a screen of its own. */
export type Redirect = { as: Who; path: (data: Data) => string; leadsTo: RegExp };

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name, exact: true });
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { level: 1, name });
const menu = (page: Page) => page.getByRole('menu');
/** Named by the button that opens it. */
const popover = (page: Page) => page.locator('.mantine-Popover-dropdown').filter({ visible: true });
const options = (page: Page) => page.getByRole('listbox').filter({ visible: true });
const rowsOf = (name: string) => (page: Page) =>
  page.getByRole('table', { name }).locator('tbody tr[data-opens]').or(page.getByRole('list', { name }).getByRole('listitem')).first();
const firstMenu = (page: Page) => button(page, /^Actions for/).first();
const firstRowMenu = async (page: Page) => {
  await firstMenu(page).click();
  return menu(page);
};
const fromRowMenu = async (page: Page, item: string) => {
  await firstMenu(page).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const wide: Size[] = ['wide'];
const narrow: Size[] = ['narrow'];

/** The answer of a call, changed. */
async function answer(page: Page, path: string, change: (body: Record<string, unknown>) => Record<string, unknown>) {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) });
  });
}
const failing = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 500, json: { title: 'Internal error' } }));
const hanging = (page: Page, path: string) => page.route(path, () => {});
const unroute = (page: Page) => page.unrouteAll({ behavior: 'ignoreErrors' });

// ── The frame around every screen ──

const profileMenu = async (page: Page) => {
  await button(page, /^Profile:/).click();
  return menu(page);
};
const PROFILE = '**/api/users/profiledata';
const frame: View[] = [
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
    opens: ['Shell'],
    at: narrow,
    show: async (page) => {
      await button(page, 'Menu').click();
      return dialog(page, 'Menu');
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

// ── One's own account ──

const withPassword = async (page: Page, label: string) => {
  await page.getByRole('dialog').getByRole('textbox', { name: 'Your password' }).fill('Carepost-demo-2026');
  await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
};
const profileViews: View[] = [
  {
    name: 'password again',
    opens: ['PasswordDialog'],
    show: async (page) => {
      await button(page, 'Switch on').click();
      return dialog(page, 'Switch codes by e-mail on');
    },
  },
  {
    name: 'authenticator app',
    opens: ['BeforeSetup'],
    at: wide,
    show: async (page) => {
      await button(page, 'Set up').click();
      return dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'first code',
    opens: ['FirstCode'],
    show: async (page) => {
      await button(page, 'Set up').click();
      await withPassword(page, 'Continue');
      await expect(page.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
      return dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'recovery codes',
    opens: ['CodesDialog'],
    show: async (page) => {
      const recoveryCodes = Array.from({ length: 10 }, (_, i) => `abcd-efgh-jkm${i}-npqr`.replace('1', 'x'));
      await page.route('**/api/account/secondfactor/email', (route) => route.fulfill({ json: { recoveryCodes } }));
      await button(page, 'Switch on').click();
      await withPassword(page, 'Switch on');
      await expect(dialog(page, 'Your recovery codes')).toBeVisible();
    },
    after: async (page) => {
      await button(page, 'I have kept them').click();
      await unroute(page);
    },
  },
  {
    name: 'sign out everywhere',
    opens: ['Sessions'],
    at: wide,
    show: async (page) => {
      await button(page, 'Sign out everywhere').click();
      return dialog(page, 'Sign out everywhere');
    },
  },
];

// ── Intake ──

const INTAKE = 'Intake messages';
const intakeViews: View[] = [
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete Message');
    },
  },
  ...['Received', 'Status', 'Source', 'To', 'Processed as'].map(
    (filter): View => ({
      name: `filter ${filter}`,
      opens: ['FilterShell'],
      at: wide,
      show: async (page) => {
        await page
          .locator('.cp-filter')
          .getByRole('button', { name: new RegExp(`^${filter}`) })
          .click();
        return popover(page);
      },
    }),
  ),
  {
    name: 'filters',
    opens: ['PhoneIntake'],
    at: narrow,
    show: async (page) => {
      await button(page, /^Filters/).click();
      return dialog(page, 'Filters');
    },
  },
  {
    name: 'assign',
    opens: ['AssignDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Assign');
      return dialog(page, 'Assign 1 message');
    },
  },
  {
    name: 'selection',
    at: wide,
    show: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toBeVisible();
    },
  },
  {
    name: 'search',
    at: narrow,
    show: async (page) => {
      await button(page, 'Search').click();
      await expect(page.getByRole('searchbox', { name: 'Filter messages' })).toBeVisible();
    },
  },
  {
    name: 'filters set, nothing found',
    show: async (page) => {
      await page.goto('/intake?status=Failed&source=Fax,Upload&processed=Printed&view=mine&from=2000-01-01');
      await expect(page.getByRole('heading', { name: 'No message matches these filters' })).toBeVisible();
    },
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/{intake,messages}');
      await page.goto('/intake');
      await expect(page.getByRole('heading', { name: 'The messages could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'loading',
    show: async (page) => {
      await hanging(page, '**/api/{intake,messages}');
      await page.goto('/intake');
      await expect(page.locator('.cp-bone').first()).toBeVisible();
    },
    after: unroute,
  },
];

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name });
const pageDrawn = (page: Page) => page.locator('.react-pdf__Page canvas').first();
const panes: View[] = [
  {
    name: 'patient',
    at: narrow,
    show: async (page) => {
      await tab(page, /^Patient/).click();
      await expect(page.getByRole('textbox', { name: /Last name/ })).toBeVisible();
    },
  },
  {
    name: 'details',
    at: narrow,
    show: async (page) => {
      await tab(page, 'Details').click();
      await expect(page.getByRole('heading', { name: 'Attachments' })).toBeVisible();
    },
  },
];
const messageViews: View[] = [
  {
    name: 'zoom',
    opens: ['PdfView'],
    at: wide,
    show: async (page) => {
      await button(page, /^Zoom:/).click();
      return menu(page);
    },
  },
  {
    name: 'export',
    opens: ['MessageHeader'],
    at: wide,
    show: async (page) => {
      await button(page, 'Export').click();
      return menu(page);
    },
  },
  {
    name: 'menu of a file',
    opens: ['AttachmentList'],
    at: wide,
    show: firstRowMenu,
  },
  {
    name: 'export',
    opens: ['PhoneActions'],
    at: narrow,
    show: async (page) => {
      await button(page, 'Export').click();
      return menu(page);
    },
  },
  {
    name: 'more',
    opens: ['PhoneActions'],
    at: narrow,
    show: async (page) => {
      await button(page, 'More').click();
      return menu(page);
    },
  },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Delete').click();
      return dialog(page, 'Delete Message');
    },
  },
  {
    name: 'activity',
    opens: ['ActivityDialog'],
    show: async (page) => {
      if (await tab(page, 'Details').isVisible()) await tab(page, 'Details').click();
      await button(page, 'Show all').click();
      await expect(dialog(page, 'Activity').getByRole('table').locator('tbody tr').first()).toBeVisible();
      return dialog(page, 'Activity');
    },
  },
  ...panes,
  {
    name: 'find, and a wrong birth date',
    at: wide,
    show: async (page) => {
      await button(page, 'Find in document').click();
      await page.getByRole('textbox', { name: 'Find in document' }).fill('the');
      await expect(page.getByText(/\d+ on \d+ page/)).toBeVisible();
      await page.getByRole('textbox', { name: 'Birth date' }).fill('13452026');
      await page.keyboard.press('Tab');
      await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    },
  },
  {
    name: 'somebody else has it open',
    fresh: true,
    show: async (page, data, as) => {
      await (await as('priya')).goto(`/intake/${data.pdf}`);
      await expect(page.locator('.cp-presence')).toBeVisible();
    },
    after: async (_, as) => (await as('priya')).goto('/intake'),
  },
  {
    name: 'patient and details in a drawer',
    opens: ['MessageView'],
    at: ['medium'],
    show: async (page) => {
      await button(page, 'Patient and details').click();
      return dialog(page, 'Patient and details');
    },
  },
];

const fileViews = (names: string[]): View[] =>
  names.map((name) => ({
    name,
    at: wide,
    show: async (page) => {
      await page.locator('.cp-att-open').filter({ hasText: name }).click();
      await expect(pageDrawn(page).or(page.getByRole('heading', { name: 'This document could not be opened' }))).toBeVisible();
    },
  }));
const summaryViews: View[] = [
  {
    name: 'sections',
    show: async (page) => {
      await tab(page, 'CDA Explorer').click();
      await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
    },
  },
  {
    name: 'patient of the document',
    opens: ['FromDocument'],
    at: wide,
    show: async (page) => {
      const name = page.getByRole('textbox', { name: /First name/ });
      await answer(page, '**/attachments/*/patient', (patient) => ({ ...patient, firstName: 'Somebody', lastName: 'Else' }));
      await expect(name).toBeVisible();
      await button(page, 'From document').click();
      return dialog(page, 'Overwrite patient details');
    },
    after: unroute,
  },
];
const mixedViews: View[] = [
  ...fileViews(['Visit note.txt', 'Damaged.pdf']),
  {
    name: 'its words',
    at: wide,
    show: async (page) => {
      await button(page, 'Open').click();
    },
  },
];

// ── Release ──

const nonPhiFax = async (page: Page) => {
  await button(page, 'More ways to send').click();
  await page.getByRole('menuitem', { name: 'Non-PHI fax' }).click();
  return dialog(page, 'Non-PHI fax');
};
const releaseViews: View[] = [
  {
    name: 'more ways to send',
    opens: ['ReleasePage'],
    show: async (page) => {
      await button(page, 'More ways to send').click();
      return menu(page);
    },
  },
  { name: 'non-PHI fax', opens: ['NonPhiForm'], show: nonPhiFax },
  {
    name: 'non-PHI fax, own numbers not loaded',
    opens: ['NonPhiFaxDialog'],
    fresh: true,
    show: async (page) => {
      await failing(page, '**/api/documentsources/release?*');
      const box = await nonPhiFax(page);
      await expect(button(page, 'Try again')).toBeVisible({ timeout: 15_000 });
      return box;
    },
    after: unroute,
  },
  {
    name: 'non-PHI fax with errors',
    show: async (page) => {
      const box = await nonPhiFax(page);
      await button(page, 'Send fax').click();
      await expect(page.getByText('Missing file attachment.')).toBeVisible();
      return box;
    },
  },
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete Message');
    },
  },
  {
    name: 'filter Status',
    opens: ['FilterShell'],
    show: async (page) => {
      await button(page, 'Status').click();
      return popover(page);
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search releases').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No release matches these filters' })).toBeVisible();
    },
    // Words are kept for the next visit.
    after: (page) => button(page, 'Clear filters').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/messages?*');
      await page.goto('/release');
      await expect(page.getByRole('heading', { name: 'The releases could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const savedAddresses = async (page: Page) => {
  await button(page, 'Saved addresses').click();
  return dialog(page, 'Saved addresses');
};
const ADDRESSES = '**/api/directaddresscache';
const foundInDirectory = async (page: Page) => {
  await button(page, 'Directory').click();
  const box = dialog(page, 'Find Provider');
  await box.getByLabel('City').fill('Larkfield');
  await box.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(box.locator('tbody tr').first()).toBeVisible();
  return box;
};
const newReleaseViews: View[] = [
  {
    name: 'errors before sending',
    show: async (page) => {
      await button(page, 'Review and send').click();
      await expect(page.getByText('Please fix the following errors before sending.')).toBeVisible();
    },
  },
  {
    name: 'release types',
    fresh: true,
    show: async (page) => {
      await page.locator('#release-releaseType').click();
      return options(page);
    },
  },
  {
    name: 'suggested addresses',
    show: async (page) => {
      await page.locator('#release-to').pressSequentially('summit');
      await expect(page.getByRole('option').first()).toBeVisible();
      return options(page);
    },
  },
  {
    name: 'an address that is not valid, Cc and Bcc',
    fresh: true,
    show: async (page) => {
      await button(page, 'Cc and Bcc').click();
      await page.locator('#release-to').fill('records@summit-ortho');
      await page.keyboard.press('Enter');
      await expect(page.getByText('This address is not valid.')).toBeVisible();
    },
  },
  { name: 'saved addresses', opens: ['SavedAddressesDialog'], show: savedAddresses },
  {
    name: 'directory',
    opens: ['FindProviderDialog'],
    show: async (page) => {
      await button(page, 'Directory').click();
      return dialog(page, 'Find Provider');
    },
  },
  { name: 'directory, found', show: foundInDirectory },
  {
    name: 'directory, phone numbers',
    opens: ['HoverPopover'],
    show: async (page) => {
      await foundInDirectory(page);
      await button(page, /^Phone numbers of/)
        .first()
        .click();
      await expect(popover(page)).toBeVisible();
      return dialog(page, 'Find Provider');
    },
  },
  {
    name: 'invitation',
    opens: ['InviteDialog'],
    show: async (page) => {
      await button(page, 'Directory').click();
      await page.getByText("Don't see the provider").click();
      await dialog(page, 'Build Your Network').getByRole('button', { name: 'Send', exact: true }).click();
      await expect(page.getByText('Full name is required.')).toBeVisible();
      return dialog(page, 'Build Your Network');
    },
    after: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'saved addresses, loading',
    opens: ['SavedAddressesDialog'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await hanging(page, ADDRESSES);
      return savedAddresses(page);
    },
    after: unroute,
  },
  {
    name: 'saved addresses, not loaded',
    opens: ['SavedAddressesDialog'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await failing(page, ADDRESSES);
      const box = await savedAddresses(page);
      await expect(button(page, 'Try again')).toBeVisible();
      return box;
    },
    after: unroute,
  },
  {
    name: 'discard',
    opens: ['Composer'],
    fresh: true,
    show: async (page) => {
      await button(page, 'Discard').click();
      return dialog(page, 'Discard this release?');
    },
  },
  {
    name: 'leave',
    opens: ['LeaveDialog'],
    show: async (page) => {
      await page.locator('#release-from').click();
      await page.getByRole('option').first().click();
      await page.getByRole('textbox', { name: 'Subject' }).fill('Right knee');
      await button(page, 'Back').click();
      return dialog(page, 'Save this draft?');
    },
    // What was typed would come back with the next visit.
    after: async (page) => {
      await button(page, 'Back').click();
      await dialog(page, 'Save this draft?').getByRole('button', { name: 'Discard' }).click();
      await expect(page).toHaveURL(/\/release$/);
    },
  },
  {
    name: 'form not loaded',
    show: async (page) => {
      await failing(page, '**/api/releasetypes');
      await page.goto('/release/new');
      await expect(page.getByRole('heading', { name: 'The form could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const attachDialog = async (page: Page) => {
  await button(page, /Drop files here/).click();
  return dialog(page, 'Attach a new file');
};
async function upload(page: Page, file: Data['clinical']) {
  const box = await attachDialog(page);
  await box.locator('input[type=file]').setInputFiles(file);
  if (!file.name.endsWith('.xml')) {
    await box.getByRole('combobox', { name: 'Confidentiality' }).click();
    await page.getByRole('option', { name: 'Normal' }).click();
  }
  await button(page, 'Attach').click();
}
const UPLOADS = '**/api/messages/*/attachments';
const TEXT = { name: 'Second note.txt', mimeType: 'text/plain', buffer: Buffer.from('Right knee pain.') };
const draftViews: View[] = [
  {
    name: 'review',
    opens: ['ReviewDialog'],
    show: async (page) => {
      await button(page, 'Review and send').click();
      return dialog(page, 'Review and send');
    },
  },
  {
    name: 'attach',
    opens: ['AttachDialog'],
    show: async (page) => {
      const box = await attachDialog(page);
      await box.locator('input[type=file]').setInputFiles([{ name: 'viewer.exe', mimeType: '', buffer: Buffer.from('x') }]);
      await button(page, 'Attach').click();
      await expect(box.getByRole('alert').first()).toBeVisible();
      return box;
    },
  },
  {
    name: 'edit a file',
    opens: ['EditAttachmentDialog'],
    show: async (page) => {
      await button(page, /^Edit /)
        .first()
        .click();
      return dialog(page, 'Edit attachment');
    },
  },
  {
    name: 'remove a file',
    opens: ['Attachments'],
    show: async (page) => {
      await button(page, /^Remove .*txt/)
        .first()
        .click();
      return dialog(page, 'Delete Attachment');
    },
  },
  {
    name: 'preview of a file',
    show: async (page) => {
      await page.getByText('Attachment preview').click();
      await expect(pageDrawn(page)).toBeVisible();
    },
  },
  {
    name: 'upload under way',
    fresh: true,
    show: async (page) => {
      await hanging(page, UPLOADS);
      await upload(page, TEXT);
      await expect(page.getByText(/^\d+% of/)).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'upload that failed',
    fresh: true,
    show: async (page) => {
      await failing(page, UPLOADS);
      await upload(page, TEXT);
      await expect(button(page, /^Try again:/)).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'patient of the document',
    opens: ['OverwriteDialog'],
    at: wide,
    fresh: true,
    show: async (page, data) => {
      await upload(page, data.clinical);
      return dialog(page, 'Overwrite patient details?');
    },
    // What was attached goes again.
    after: async (page) => {
      await button(page, 'Remove Summary of care.xml').click();
      await button(page, 'OK').click();
      await expect(page.getByText('Attachment has been deleted.')).toBeVisible();
    },
  },
];

const sentViews: View[] = [
  {
    name: 'more',
    opens: ['SentPage'],
    at: narrow,
    show: async (page) => {
      await button(page, 'More').click();
      return menu(page);
    },
  },
  {
    name: 'activity',
    opens: ['ActivityDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Activity').click();
      return dialog(page, 'Activity');
    },
  },
  {
    name: 'delivery summary',
    opens: ['SentPage', 'SummaryDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'More').click();
      await page.getByRole('menuitem', { name: 'Send Delivery Summary to Intake' }).click();
      return dialog(page, 'Send Delivery Summary to Intake');
    },
  },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Delete').click();
      return dialog(page, 'Delete Message');
    },
  },
];

// ── Console ──

const organizationsViews: View[] = [
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  ...[
    ['Delete Organization', 'DeleteOrganizationDialog'],
    ['Activation Status', 'ActivationDialog'],
  ].map(
    ([item, component]): View => ({
      name: item!,
      opens: [component!],
      show: async (page) => {
        await fromRowMenu(page, item!);
        return dialog(page, item!);
      },
    }),
  ),
  {
    name: 'clear cancellation',
    opens: ['ClearCancellationDialog'],
    show: async (page) => {
      await page.goto('/admin/organizations?cancelling=true');
      await fromRowMenu(page, 'Clear Cancellation');
      return dialog(page, 'Clear Cancellation');
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search organizations').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No organization matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/organizations?*');
      await page.goto('/admin/organizations');
      await expect(page.getByRole('heading', { name: 'The organizations could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const dashboardViews: View[] = [
  {
    name: 'almost set up, and much to look at',
    show: async (page) => {
      const traffic = Array.from({ length: 30 }, (_, i) => ({
        date: `2026-11-${String(i + 1).padStart(2, '0')}`,
        received: (i * 37) % 91,
        sent: (i * 17) % 40,
      }));
      const users = { active: 3, invited: 2, disabled: 1, allowedUsers: 5 };
      await answer(page, '**/api/account/dashboard?*', (shown) => ({ ...shown, traffic, users, idProofedDate: null, isActivated: false }));
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Almost set up' })).toBeVisible();
      await expect(page.getByText('2 people have not accepted the invitation yet')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'figures not loaded',
    show: async (page) => {
      await failing(page, '**/api/account/dashboard?*');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The figures could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const usersViews: View[] = [
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search users').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'no room in the plan',
    show: async (page) => {
      await answer(page, '**/api/users?*', (list) => ({ ...list, allowedUsers: 4, numberOfUsers: 4 }));
      await page.goto('/account/users');
      await expect(page.getByText('All places of your plan are taken.')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/users?*');
      await page.goto('/account/users');
      await expect(page.getByRole('heading', { name: 'The users could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const userViews: View[] = [
  {
    name: 'disable',
    opens: ['ActDialog'],
    show: async (page) => {
      await button(page, 'Disable').click();
      return dialog(page, 'Disable User');
    },
  },
  {
    name: 'leaving what is not saved',
    opens: ['LeaveGuard'],
    show: async (page) => {
      await page.getByRole('textbox', { name: 'First name' }).fill('Prya');
      await button(page, 'Cancel').click();
      return dialog(page, 'Leave without saving?');
    },
    after: async (page) => {
      await button(page, 'Cancel').click();
      await button(page, 'Leave').click();
      await expect(page).toHaveURL(/account\/users$/);
    },
  },
  {
    name: 'changed by somebody else',
    fresh: true,
    show: async (page) => {
      await page.route('**/api/users/*', async (route) => {
        if (route.request().method() === 'PUT')
          return route.fulfill({ status: 409, json: { message: 'Somebody else has changed this user.' } });
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), version: Date.now() % 100_000 } });
      });
      await button(page, 'Save Changes').click();
      await expect(page.getByText('This user has changed.')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'many addresses',
    fresh: true,
    show: async (page) => {
      await answer(page, '**/api/users/*/documentsources', (list) => {
        const [first] = list.items as { documentSourceId: string; fullAddress: string }[];
        return { items: Array.from({ length: 30 }, (_, i) => ({ ...first, documentSourceId: `${i}`, status: i % 5 === 0 ? 0 : 1 })) };
      });
      await page.reload();
      await expect(page.getByLabel('Search addresses')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'of another organization too',
    fresh: true,
    show: async (page) => {
      await answer(page, '**/api/users/*', (user) => ({ ...user, canChangePerson: false, isLocked: true }));
      await page.reload();
      await expect(page.getByText('Only this person can change this').first()).toBeVisible();
    },
    after: unroute,
  },
];

const npi: View = {
  name: 'NPI search',
  opens: ['NpiDialog'],
  show: async (page) => {
    await button(page, 'NPI Search').click();
    return dialog(page, 'NPI Search');
  },
};
const choices: View = {
  name: 'choices',
  show: async (page) => {
    await page.getByRole('combobox', { name: 'State' }).click();
    return options(page);
  },
};
const invalid: View = {
  name: 'fields to mend',
  show: async (page) => {
    await button(page, 'Save Changes').click();
    await expect(page.getByText('There are invalid fields on this page.')).toBeVisible();
  },
};

// ── Networks ──

const networksViews: View[] = [
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  {
    name: 'new network',
    opens: ['NewNetworkDialog'],
    show: async (page) => {
      await button(page, 'Create').click();
      return dialog(page, 'New Network');
    },
  },
  {
    name: 'delete network',
    opens: ['AskDialog'],
    show: async (page) => {
      await fromRowMenu(page, 'Delete Network');
      return dialog(page, 'Delete Network');
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search networks').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No network matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/networks?*');
      await page.goto('/admin/networks');
      await expect(page.getByRole('heading', { name: 'The networks could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const CALL = {
  id: '01a1fd08-6075-7265-ae99-30d6ee3abf79',
  direction: 'Sent',
  at: '2026-11-20T15:04:00Z',
  ownNumber: '740-555-0110',
  otherNumber: '740-555-0120',
  otherId: '',
  attempt: 1,
  provider: 'embedded',
  pages: 2,
  ofPages: 3,
  rate: 14400,
  seconds: 42,
  outcome: 'RemoteHangUp',
  words: "The recipient's fax machine ended the call early.",
};
const faxLogViews: View[] = [
  {
    name: 'calls',
    show: async (page) => {
      await page.route('**/api/fax/log?*', (route) => route.fulfill({ json: { items: [CALL], totalCount: 1, totalIsCapped: false } }));
      await page.goto('/account/fax');
      await expect(page.getByText('Remote hang-up').first()).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search numbers').fill('000000');
      await expect(page.getByRole('heading', { name: 'No call matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
];
/** The message as if it had gone by fax. */
async function byFax(page: Page, id: string, more = {}) {
  let delivery = '';
  await answer(page, `**/api/messages/${id}`, (m) => {
    const [first] = m.deliveries as { id: string }[];
    delivery = first!.id;
    return { ...m, deliveries: [{ ...first, kind: 'Fax', address: '+17405550197' }] };
  });
  const call = { ...CALL, number: 1, fromNumber: '740-555-0110', state: 'Finished', firstPage: 1, confirmedPages: 0 };
  const ended = { startedAt: CALL.at, endedAt: CALL.at, explanation: CALL.words, words: 'The line was cut', log: 'T.30 log' };
  await page.route(`**/api/messages/${id}/fax`, (route) =>
    route.fulfill({
      json: {
        items: [
          {
            deliveryId: delivery,
            toNumber: '740-555-0197',
            fromNumber: '740-555-0110',
            pages: 3,
            confirmedPages: 0,
            now: CALL.words,
            canSendAgain: true,
            canCancel: false,
            ...more,
            attempts: [{ ...call, ...ended }],
          },
        ],
      },
    }),
  );
  await page.goto(`/release/${id}`);
}
const accountMenu = (page: Page) => button(page, 'More for Within this installation');
const faxNumberViews: View[] = [
  { name: 'card menu', at: narrow, show: firstRowMenu },
  {
    name: 'add a number',
    opens: ['NumberDialog'],
    show: async (page) => {
      await button(page, 'Add number').click();
      return dialog(page, 'Add fax number');
    },
  },
  {
    name: 'delete a number',
    opens: ['NumbersTab'],
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete the fax number?');
    },
  },
  {
    name: 'actions for the account',
    opens: ['FaxAccounts'],
    show: async (page) => {
      await accountMenu(page).click();
      return page.getByRole('menuitem', { name: 'Delete account' });
    },
  },
  {
    name: 'delete the account',
    opens: ['FaxAccounts'],
    show: async (page) => {
      await accountMenu(page).click();
      await page.getByRole('menuitem', { name: 'Delete account' }).click();
      return dialog(page, 'Delete the fax account?');
    },
  },
  {
    name: 'an account at a service',
    opens: ['AccountForm'],
    show: async (page) => {
      await button(page, 'Add account eFax').click();
      return dialog(page, 'eFax account');
    },
  },
  {
    name: 'where a service may call',
    opens: ['CallbackDialog'],
    show: async (page) => {
      const callbackUrl = 'https://carepost.example/api/fax/callbacks/1f8a';
      await page.route('**/api/efax/account', (route) => route.fulfill({ json: { callbackUrl } }));
      await button(page, 'Add account eFax').click();
      for (const label of ['Application ID', 'Application key', 'User ID']) await page.getByLabel(label).fill('abc');
      await button(page, 'Save').click();
      await expect(page.getByText(callbackUrl)).toBeVisible();
    },
    after: unroute,
  },
];
const UNKNOWN = {
  id: '01a1fd08-fca9-7499-a6cf-4e686fef5c7d',
  organizationId: '01a1fd08-fca9-7499-a6cf-4e686fef5c7e',
  organizationName: 'Summit Orthopedics',
  called: '740-555-0160',
  caller: '740-555-0110',
  senderId: '+17405550110',
  pages: 2,
  receivedAt: '2026-11-20T15:04:00Z',
};
const unknownFax = async (page: Page) => {
  const queue = { items: [UNKNOWN], totalCount: 1, totalIsCapped: false };
  await page.route('**/api/admin/faxqueue?*', (route) => route.fulfill({ json: queue }));
  await page.route('**/api/admin/documentsources?*', (route) =>
    route.fulfill({ json: { items: [], totalCount: 0, totalIsCapped: false } }),
  );
  await page.goto('/admin/fax');
  await expect(firstMenu(page)).toBeVisible();
};
const faxQueueViews: View[] = [
  {
    name: 'assign',
    opens: ['AssignFaxDialog'],
    show: async (page) => {
      await unknownFax(page);
      await fromRowMenu(page, 'Assign to a number');
      return dialog(page, 'Fax from 740-555-0110');
    },
    after: unroute,
  },
  {
    name: 'take out',
    opens: ['DiscardFaxDialog'],
    show: async (page) => {
      await unknownFax(page);
      await fromRowMenu(page, 'Take out of the queue');
      return dialog(page, 'Fax from 740-555-0110');
    },
    after: unroute,
  },
];
const ENTRY = {
  id: '0192f0a0-0000-7000-8000-000000000002',
  responderType: 'ChildLocation',
  organizationId: '2.16.840.1.113883.3.9999.1',
  homeCommunityId: '',
  displayName: 'Larkfield West',
  legalName: '',
  otherNames: ['Larkfield Annex'],
  parentOrgId: '2.16.840.1.113883.3.9999',
  purposeOfUseCodes: ['TREATMENT'],
  address: '418 Orchard Lane',
  city: 'Harborline',
  state: 'OH',
  zipCode: '43998',
  country: 'US',
  isActive: false,
  initiatorOnly: false,
  isParent: false,
};
const ENTRIES = '**/api/admin/organizations/*/directoryentries';
const withEntry = async (page: Page) => {
  await page.route(ENTRIES, (route) => route.fulfill({ json: { items: [ENTRY] } }));
  await page.reload();
  await expect(firstMenu(page)).toBeVisible();
};
const carequalityViews: View[] = [
  {
    name: 'add an entry',
    opens: ['DirectoryEntryDialog'],
    show: async (page) => {
      await button(page, 'Add').click();
      return dialog(page, 'Add Directory Entry');
    },
  },
  {
    name: 'entries',
    show: async (page) => {
      await withEntry(page);
      return firstRowMenu(page);
    },
    after: unroute,
  },
  {
    name: 'activate an entry',
    opens: ['EntryActivityDialog'],
    show: async (page) => {
      await withEntry(page);
      await fromRowMenu(page, 'Activate');
      return dialog(page, 'Activate Directory Entry');
    },
    after: unroute,
  },
  {
    name: 'failed',
    show: async (page) => {
      await failing(page, ENTRIES);
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The directory entries could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const reportsViews: View[] = [
  {
    name: 'messages',
    opens: ['MessagesReportDialog'],
    show: async (page) => {
      await button(page, /^Messages/).click();
      await page.getByRole('textbox', { name: 'Start Date' }).fill('');
      await button(page, 'Download').click();
      await expect(page.getByText('There are invalid fields on this page.')).toBeVisible();
      return dialog(page, 'Messages');
    },
  },
  {
    name: 'unassigned addresses',
    opens: ['UnassignedAddressesDialog'],
    show: async (page) => {
      await button(page, /^Unassigned Addresses/).click();
      return dialog(page, 'Unassigned Addresses');
    },
  },
];
const organizationViews: View[] = [
  {
    name: 'add an organization',
    opens: ['AddOrganizationDialog'],
    show: async (page) => {
      await button(page, 'Add organization').click();
      return dialog(page, 'Add an Organization');
    },
  },
  {
    name: 'organizations to choose from',
    show: async (page) => {
      await button(page, 'Add organization').click();
      await page.getByRole('combobox', { name: 'Organization' }).fill('lark');
      await expect(options(page).getByRole('option').first()).toBeVisible();
      return options(page);
    },
    after: (page) => button(page, 'Cancel').click(),
  },
];
const addAdministrator: View = {
  name: 'add an administrator',
  opens: ['AddAdminDialog'],
  show: async (page) => {
    await button(page, 'Add administrator').click();
    return dialog(page, 'Add an Administrator');
  },
};
const SERVICE_ACCOUNT = '**/serviceaccounts';
const serviceAccountViews: View[] = [
  {
    name: 'new token',
    opens: ['TokenDialog'],
    show: async (page) => {
      await button(page, 'New token').click();
      await button(page, 'Make a new token').click();
      await expect(dialog(page, 'Token of the service account')).toBeVisible();
    },
    after: (page) => button(page, 'I have kept it').click(),
  },
  {
    name: 'addresses to mend',
    show: async (page) => {
      await page.getByRole('combobox', { name: 'Addresses' }).pressSequentially('somewhere,');
      await button(page, 'Save addresses').click();
      await expect(page.getByText('somewhere is no address and no network.')).toBeVisible();
    },
    after: (page) => page.evaluate(() => sessionStorage.clear()),
  },
  {
    name: 'none',
    fresh: true,
    show: async (page) => {
      await page.route(SERVICE_ACCOUNT, (route) => route.fulfill({ status: 404, json: { title: 'Not Found' } }));
      await page.reload();
      await expect(button(page, 'Create service account')).toBeVisible();
    },
    after: unroute,
  },
];
const network = (as: Who, about: string, ready: Screen['ready'], views?: View[]): Screen => ({
  as,
  about: `${about} for ${as}`,
  path: (data) => `/networks/${data.network}/${about}`,
  ready,
  views,
});
const NETWORK = heading('Meridian Exchange');

// ── The beginning and the end of an organization ──

type Begin = { name: string; opens: string; title: string; profile: object; more?: (page: Page) => Promise<unknown>; locked?: boolean };
const forget = (page: Page) =>
  page.evaluate(() => {
    for (const key of Object.keys(sessionStorage)) if (/onboarding|activationDelay/.test(key)) sessionStorage.removeItem(key);
  });
/** A dialog that opens over the dashboard by itself. Those that are locked are looked at with their page. */
const begins = ({ name, opens, title, profile, more, locked = true }: Begin): View => ({
  name,
  opens: [opens],
  show: async (page) => {
    await answer(page, PROFILE, (shown) => ({ ...shown, ...profile }));
    await more?.(page);
    await page.reload();
    await expect(dialog(page, title)).toBeVisible();
    return locked ? undefined : dialog(page, title);
  },
  after: async (page) => {
    await forget(page);
    await unroute(page);
  },
});
const UNPROVEN = { orgIsIdProofed: false, idProofedAttemptDate: null };
const ATTEMPTED = { orgIsIdProofed: false, idProofedAttemptDate: '2026-11-01T09:00:00Z' };
const decides = (over: object) => (page: Page) =>
  page.route('**/api/identityproofing/decision', (route) =>
    route.fulfill({ json: { decision: null, quizId: null, asksQuestions: true, attemptsLeft: 2, ...over } }),
  );
const QUIZ = '019aa0e0-0000-7000-8000-000000000001';
const QUESTIONS = ['On which of these streets do you live?', 'In which month were you born?'].map((questionText, i) => ({
  questionId: `q${i + 1}`,
  questionText,
  answerChoice: ['Alder Hollow Road', 'Main Street', 'March', 'None of these'].map((value) => ({ value, selected: false })),
}));
const asksQuestions = async (page: Page) => {
  await decides({ quizId: QUIZ })(page);
  await page.route(`**/api/identityproofing/quizzes/${QUIZ}`, (route) =>
    route.fulfill({
      json: { quizId: QUIZ, questions: QUESTIONS, expiresAt: '2026-11-20T10:00:00Z', secondsLeft: 540, attemptsLeft: 2 },
    }),
  );
};
const TERMS = '**/api/account/terms';
const NOT_ACCEPTED = { orgIsAcceptedEULA: false };
const beginning: View[] = [
  begins({ name: 'terms', opens: 'TermsDialog', title: 'Terms of service', profile: NOT_ACCEPTED }),
  begins({
    name: 'terms of a brand',
    opens: 'TermsDialog',
    title: 'Terms of service',
    profile: NOT_ACCEPTED,
    more: (page) => answer(page, TERMS, (terms) => ({ ...terms, type: 'brand' })),
  }),
  begins({
    name: 'terms of a reseller',
    opens: 'TermsDialog',
    title: 'Terms of service of your partner',
    profile: NOT_ACCEPTED,
    more: (page) => answer(page, TERMS, (terms) => ({ ...terms, type: 'reseller' })),
  }),
  begins({ name: 'welcome', opens: 'WelcomeDialog', title: 'Welcome', profile: UNPROVEN }),
  {
    ...begins({ name: 'verification', opens: 'VerificationDialog', title: 'Welcome', profile: UNPROVEN }),
    show: async (page) => {
      await begins({ name: '', opens: '', title: 'Welcome', profile: UNPROVEN, more: decides({}) }).show(page, {} as Data, () =>
        Promise.reject(),
      );
      await button(page, 'Next').click();
      await expect(dialog(page, 'Verify your identity')).toBeVisible();
    },
  },
  {
    ...begins({ name: 'identity', opens: 'IdentityDialog', title: 'Welcome', profile: UNPROVEN }),
    show: async (page) => {
      await begins({ name: '', opens: '', title: 'Welcome', profile: UNPROVEN, more: decides({}) }).show(page, {} as Data, () =>
        Promise.reject(),
      );
      await button(page, 'Next').click();
      await button(page, 'Next').click();
      await button(page, 'Former address').click();
      await button(page, 'Submit').click();
      await expect(page.getByText('First Name is required.')).toBeVisible();
    },
  },
  begins({ name: 'questions', opens: 'QuizDialog', title: 'A few questions about you', profile: ATTEMPTED, more: asksQuestions }),
  begins({
    name: 'passed',
    opens: 'PassedDialog',
    title: 'Congratulations!',
    profile: ATTEMPTED,
    more: decides({ decision: 'Passed' }),
  }),
  begins({
    name: 'under review',
    opens: 'UnderReviewDialog',
    title: 'Thank you',
    profile: ATTEMPTED,
    more: decides({ decision: 'UnderReview' }),
    locked: false,
  }),
  begins({
    name: 'failed',
    opens: 'FailedDialog',
    title: 'We could not verify your identity',
    profile: ATTEMPTED,
    more: decides({ decision: 'Failed' }),
  }),
  begins({
    name: 'activation takes some days',
    opens: 'ActivationDelayDialog',
    title: 'Welcome!',
    profile: { orgIsActivated: false },
    locked: false,
  }),
  begins({
    name: 'cancelled, for its people',
    opens: 'CancelledDialog',
    title: 'This organization is cancelled',
    profile: { orgIsCancelled: true, isAdmin: false },
  }),
  begins({
    name: 'in its grace period',
    opens: 'GraceDialog',
    title: 'Your subscription is cancelled',
    profile: { orgIsInGracePeriod: true, gracePeriodEndDate: '2026-12-24T09:00:00Z' },
    locked: false,
  }),
  begins({
    name: 'cancelled, for its administrators',
    opens: 'ReactivateDialog',
    title: 'Reactivate organization',
    profile: { orgIsCancelled: true },
  }),
];

const inGrace = (page: Page) =>
  answer(page, '**/api/subscriptionplans/subscriptions?*', (shown) => ({
    ...shown,
    status: 'GracePeriod',
    endDate: '2026-12-24T09:00:00Z',
  }));
const planViews: View[] = [
  {
    name: 'change',
    opens: ['Present'],
    show: async (page) => {
      await page.getByRole('radio', { name: 'Professional' }).click();
      await button(page, 'Change plan').click();
      return dialog(page, 'Change plan');
    },
  },
  {
    name: 'cancel',
    opens: ['CancelDialog'],
    show: async (page) => {
      await button(page, 'Cancel subscription').click();
      await dialog(page, 'Cancel subscription').getByRole('button', { name: 'Cancel subscription' }).click();
      await expect(page.getByText('Please tell us why you are leaving.')).toBeVisible();
      return dialog(page, 'Cancel subscription');
    },
  },
  {
    name: 'grace period',
    fresh: true,
    show: async (page) => {
      await inGrace(page);
      await page.reload();
      await expect(button(page, 'Keep the subscription')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'not loaded',
    fresh: true,
    show: async (page) => {
      await failing(page, '**/api/subscriptionplans/subscriptions?*');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The plan could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const NEW = heading('New release');
const included = (page: Page) => dialog(page, 'Include the attachments?');

/** Every route of the route tree with all that can be seen on it. */
export const screens: Record<keyof FileRoutesByFullPath, Redirect | Screen | Screen[]> = {
  '/': { as: 'dana', path: () => '/', leadsTo: /\/account\/dashboard$/ },
  '/$': { as: 'priya', path: () => '/no/such/page', leadsTo: /\/intake$/ },
  '/callback': { as: 'dana', path: () => '/callback', leadsTo: /\/account\/dashboard$/ },
  '/access-denied': { as: 'nobody', path: () => '/access-denied', ready: heading('Access denied') },
  '/auth-error': { as: 'nobody', path: () => '/auth-error', ready: heading('Sign-in did not work') },
  '/unauthorized': { as: 'nobody', path: () => '/unauthorized', ready: heading('Not authorized') },
  '/demo/mailbox': {
    as: 'nobody',
    path: () => '/demo/mailbox',
    ready: (page) => page.getByRole('navigation', { name: 'E-mails' }).or(page.getByRole('heading', { name: 'No e-mail yet' })),
  },
  '/unsupportedbrowser': { as: 'nobody', path: () => '/unsupportedbrowser', ready: heading('This browser is too old') },
  '/account/login/': {
    as: 'nobody',
    path: () => '/account/login',
    ready: (page) => button(page, 'Sign in'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Sign in').click();
          await expect(page.getByText('Please enter your username.')).toBeVisible();
        },
      },
      ...(['app', 'email', 'recovery'] as const).map(
        (method): View => ({
          name: `second step: ${method}`,
          fresh: true,
          show: async (page) => {
            const challenge = { challenge: 'x', methods: [method, 'app', 'recovery'].filter((m, i, all) => all.indexOf(m) === i) };
            await page.route('**/api/account/login', (route) => route.fulfill({ json: { ...challenge, email: 'd•••@c•••.example' } }));
            await page.route('**/api/account/login/email', (route) => route.fulfill({ json: { resendAfter: 30 } }));
            await page.getByLabel('Username').fill('dana@carepost.example');
            await page.getByRole('textbox', { name: 'Password' }).fill('something');
            await button(page, 'Sign in').click();
            await expect(heading('One more step')(page)).toBeVisible();
            await button(page, 'Sign in').click();
            await expect(page.getByText(method === 'recovery' ? 'Please enter the code.' : 'The code has 6 digits.')).toBeVisible();
          },
          after: unroute,
        }),
      ),
    ],
  },
  '/account/forgot': {
    as: 'nobody',
    path: () => '/account/forgot',
    ready: heading('Forgot your password?'),
    views: [
      {
        name: 'sent',
        show: async (page) => {
          const message = 'If there is an account with this user name, an e-mail is on its way to it.';
          await page.route('**/api/account/password/forgot', (route) => route.fulfill({ json: { message } }));
          await page.getByLabel('Username').fill('nobody@carepost.example');
          await button(page, 'Send the link').click();
          await expect(page.getByText(message)).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/account/password': {
    as: 'nobody',
    path: () => '/account/password',
    ready: (page) => button(page, 'Send me a new link'),
    views: [
      {
        name: 'new password',
        show: async (page) => {
          const state = { purpose: 'reset', userName: 'dana@carepost.example', shortest: 15 };
          await page.route('**/api/account/password/link', (route) => route.fulfill({ json: state }));
          await page.goto('/account/login');
          await page.goto('/account/password#token');
          await button(page, 'Set the password').click();
          await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
        },
        after: async (page) => {
          await unroute(page);
          await page.goto('/account/login');
        },
      },
    ],
  },
  '/account/register/': {
    as: 'nobody',
    path: () => '/account/register',
    ready: (page) => button(page, 'Register'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Register').click();
          await expect(page.getByText('Username is not valid')).toBeVisible();
        },
      },
    ],
  },
  '/account/register/confirm': {
    as: 'nobody',
    path: () => '/account/register/confirm',
    ready: (page) => button(page, 'Register again'),
    views: [
      {
        name: 'new password',
        show: async (page) => {
          const link = { organization: 'Quayside Pediatrics', userName: 'dana@quayside.example', shortest: 15 };
          await page.route('**/api/account/register/link', (route) => route.fulfill({ json: link }));
          await page.goto('/account/login');
          await page.goto('/account/register/confirm#token');
          await button(page, 'Open the account').click();
          await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
        },
        after: async (page) => {
          await unroute(page);
          await page.goto('/account/login');
        },
      },
    ],
  },
  '/account/profile': {
    as: 'priya',
    path: () => '/account/profile',
    ready: (page) => button(page, 'Sign out everywhere'),
    views: profileViews,
  },
  '/account/fax/': { as: 'dana', path: () => '/account/fax', ready: (page) => button(page, 'Save as CSV'), views: faxLogViews },
  '/account/fax/numbers': {
    as: 'dana',
    path: () => '/account/fax/numbers',
    ready: rowsOf('Fax numbers'),
    views: faxNumberViews,
  },
  '/account/fax/settings': {
    as: 'dana',
    path: () => '/account/fax/settings',
    ready: (page) => button(page, 'Save settings'),
    views: [
      {
        name: 'errors',
        show: async (page) => {
          await page.getByLabel('Area code').fill('7');
          await button(page, 'Save settings').click();
          await expect(page.getByText('An area code has three digits.')).toBeVisible();
        },
      },
    ],
  },
  '/admin/fax': { as: 'ops', path: () => '/admin/fax', ready: (page) => page.getByRole('heading', { level: 1 }), views: faxQueueViews },
  '/admin/reports': (['ops', 'rita'] as const).map((as) => ({
    as,
    about: as,
    path: () => '/admin/reports',
    ready: heading('Reports'),
    views: as === 'ops' ? reportsViews : [],
  })),
  '/account/settings/security': {
    as: 'dana',
    path: () => '/account/settings/security',
    ready: (page) => button(page, 'Save settings'),
    views: [
      {
        name: 'addresses',
        show: async (page) => {
          await page.getByRole('switch', { name: 'Allow only these addresses' }).check();
          await button(page, 'Save settings').click();
          await expect(page.getByText('Please enter at least one address, or allow all.')).toBeVisible();
        },
      },
      {
        name: 'lock out',
        opens: ['SecurityForm'],
        fresh: true,
        at: wide,
        show: async (page) => {
          await page.route('**/api/account/settings/security', (route) =>
            route.request().method() === 'PUT'
              ? route.fulfill({ status: 422, json: { modelState: { confirmLockOut: ['Please confirm.'] } } })
              : route.fallback(),
          );
          await button(page, 'Save settings').click();
          return dialog(page, 'Your own address is not in the list');
        },
        after: unroute,
      },
    ],
  },
  '/account/settings/sso': {
    as: 'dana',
    path: () => '/account/settings/sso',
    ready: (page) => button(page, 'Save single sign-on'),
    views: [
      {
        name: 'errors',
        show: async (page) => {
          await button(page, 'Save single sign-on').click();
          await expect(page.getByText('Please enter the client ID that the provider gave you.')).toBeVisible();
        },
      },
      {
        name: 'kept',
        opens: ['Remove'],
        fresh: true,
        show: async (page) => {
          const connection = {
            name: 'larkfield-ehr',
            issuer: 'https://login.larkfield.example',
            clientId: 'carepost',
            hasClientSecret: true,
            isEnabled: true,
            signInAddress: 'https://carepost.example/account/login/larkfield-ehr',
            linkedPeople: 3,
          };
          const json = { connection, redirectAddress: 'https://carepost.example/callback' };
          await page.route('**/api/account/settings/sso', (route) => route.fulfill({ json }));
          await page.reload();
          await button(page, 'Remove').click();
          return dialog(page, 'Remove single sign-on');
        },
        after: unroute,
      },
      {
        name: 'not loaded',
        fresh: true,
        show: async (page) => {
          await failing(page, '**/api/account/settings/sso');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The settings could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/account/users/': { as: 'dana', path: () => '/account/users', ready: rowsOf('Users'), views: usersViews },
  '/account/users/add': {
    as: 'dana',
    path: () => '/account/users/add',
    ready: (page) => button(page, 'Send Invitation'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Send Invitation').click();
          await expect(page.getByText('Username is not valid')).toBeVisible();
        },
      },
    ],
  },
  '/account/users/$id': {
    as: 'dana',
    path: (data) => `/account/users/${data.person}`,
    ready: (page) => page.getByRole('table', { name: 'Activity' }).locator('tbody tr').first(),
    views: userViews,
  },
  '/account/login/$connection': {
    as: 'nobody',
    path: () => '/account/login/clinic',
    ready: (page) => button(page, 'Continue with clinic'),
    views: [
      {
        name: 'unknown',
        show: async (page) => {
          await button(page, 'Continue with clinic').click();
          await expect(page.getByText('There is no single sign-on of this name.')).toBeVisible();
        },
      },
    ],
  },
  '/account/logout': { as: 'nobody', path: () => '/account/logout', ready: heading('You are signed out') },
  '/print': [
    { as: 'dana', path: (data) => `/print?job=${data.printJob}`, ready: pageDrawn, at: wide },
    { as: 'dana', about: 'terms', path: () => '/print?job=terms', ready: heading('Terms of service'), at: wide },
  ],
  '/account/dashboard': [
    {
      as: 'dana',
      path: () => '/account/dashboard',
      ready: (page) => page.getByRole('heading', { name: 'Latest in Intake' }),
      views: dashboardViews,
    },
    {
      as: 'dana',
      about: 'what stands around every page',
      path: () => '/account/dashboard',
      ready: (page) => page.getByRole('heading', { name: 'Latest in Intake' }),
      views: [...frame, ...beginning],
    },
    {
      as: 'nia',
      about: 'not activated',
      path: () => '/account/dashboard',
      ready: (page) => page.getByText('Your organization is not activated yet.'),
    },
  ],
  '/account/settings/plan': {
    as: 'sam',
    path: () => '/account/settings/plan',
    ready: (page) => page.getByRole('heading', { name: 'Present plan' }),
    views: planViews,
  },
  '/intake/': [
    { as: 'dana', path: () => '/intake?from=2000-01-01', ready: rowsOf(INTAKE), views: intakeViews },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/intake',
      ready: (page) => page.getByRole('heading', { name: 'No messages yet' }),
    },
  ],
  '/intake/$id': [
    { as: 'dana', about: 'PDF', path: (data) => `/intake/${data.pdf}`, ready: pageDrawn, views: messageViews },
    {
      as: 'dana',
      about: 'C-CDA',
      path: (data) => `/intake/${data.summary}`,
      ready: (page) => page.frameLocator('iframe').locator('body *').first(),
      views: summaryViews,
    },
    { as: 'dana', about: 'scan', path: (data) => `/intake/${data.scan}`, ready: pageDrawn },
    { as: 'dana', about: 'picture, text, damaged file', path: (data) => `/intake/${data.mixed}`, ready: pageDrawn, views: mixedViews },
  ],
  '/release/': [
    { as: 'dana', path: () => '/release', ready: rowsOf('Releases'), views: releaseViews },
    { as: 'dana', about: 'drafts', path: () => '/release?view=drafts', ready: rowsOf('Releases') },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/release',
      ready: (page) => page.getByRole('heading', { name: 'Nothing released yet' }),
    },
  ],
  '/release/$id': [
    {
      as: 'dana',
      about: 'delivered',
      path: (data) => `/release/${data.delivered}`,
      ready: (page) => page.getByRole('heading', { name: 'Delivery' }),
      views: sentViews,
    },
    {
      as: 'dana',
      about: 'failed',
      path: (data) => `/release/${data.failed}`,
      ready: (page) => page.getByRole('heading', { name: 'Delivery' }),
      views: [
        {
          name: 'by fax',
          opens: ['FaxCalls'],
          fresh: true,
          show: async (page, data) => {
            await byFax(page, data.failed);
            await button(page, 'Show 1 call').click();
            await button(page, 'Send again').click();
            return dialog(page, 'Send the fax again?');
          },
          after: unroute,
        },
        {
          name: 'by fax, under way',
          opens: ['CancelFax'],
          fresh: true,
          show: async (page, data) => {
            const cancelProblem = 'The fax could not be cancelled and goes on. The call was answered already.';
            await byFax(page, data.failed, { now: 'Sending page 2 of 3', canSendAgain: false, canCancel: true, cancelProblem });
            await button(page, 'Cancel fax').click();
            return dialog(page, 'Cancel the fax?');
          },
          after: unroute,
        },
      ],
    },
  ],
  '/release/new': { as: 'dana', path: () => '/release/new', ready: NEW, views: newReleaseViews },
  '/release/draft/$id': {
    as: 'dana',
    path: (data) => `/release/draft/${data.draft}`,
    ready: (page) => page.getByRole('button', { name: 'Edit Visit note.txt' }),
    views: draftViews,
  },
  '/release/forward/$id': {
    as: 'dana',
    path: (data) => `/release/forward/${data.pdf}`,
    ready: included,
    views: [{ name: 'attachments', opens: ['IncludeDialog'], show: async (page) => included(page) }],
  },
  '/release/forward/draft/$id': { as: 'dana', path: (data) => `/release/forward/draft/${data.forward}`, ready: heading('Forward') },
  '/release/reply/$id': {
    as: 'dana',
    path: (data) => `/release/reply/${data.pdf}`,
    ready: included,
    views: [
      {
        name: 'answer',
        show: async (page) => {
          await button(page, 'Remove').click();
          await expect(page.getByRole('heading', { level: 1, name: 'Reply' })).toBeVisible();
        },
      },
    ],
  },
  '/admin/': { as: 'ops', path: () => '/admin', leadsTo: /\/admin\/dashboard\/messaging$/ },
  '/admin/dashboard/messaging': (['ops', 'rita'] as const).map((as) => ({
    as,
    about: as,
    path: () => '/admin/dashboard/messaging',
    ready: heading('Messaging health'),
  })),
  '/admin/organizations/': { as: 'ops', path: () => '/admin/organizations', ready: rowsOf('Organizations'), views: organizationsViews },
  '/admin/organizations/$id/': { as: 'ops', path: (data) => `/admin/organizations/${data.organization}`, leadsTo: /\/details$/ },
  '/admin/organizations/add/': { as: 'ops', path: () => '/admin/organizations/add', leadsTo: /\/add\/details$/ },
  '/admin/organizations/$id/$tab': [
    {
      as: 'ops',
      about: 'details',
      path: (data) => `/admin/organizations/${data.organization}/details`,
      ready: heading('Larkfield Family Medicine'),
      views: [choices, npi],
    },
    {
      as: 'ops',
      about: 'contact',
      path: (data) => `/admin/organizations/${data.organization}/contact`,
      ready: heading('Larkfield Family Medicine'),
    },
    {
      as: 'ops',
      about: 'carequality',
      path: (data) => `/admin/organizations/${data.organization}/carequality`,
      ready: (page) => page.getByRole('heading', { name: 'Directory entries' }),
      views: carequalityViews,
    },
    {
      as: 'ops',
      about: 'fax',
      path: (data) => `/admin/organizations/${data.organization}/fax`,
      ready: (page) => button(page, 'Add account HylaFAX'),
      views: [
        {
          name: 'actions for the account',
          show: (page) =>
            accountMenu(page)
              .click()
              .then(() => menu(page)),
        },
        {
          name: 'modems',
          opens: ['AccountForm'],
          show: async (page) => {
            await button(page, 'Add account HylaFAX').click();
            return dialog(page, 'HylaFAX account');
          },
        },
      ],
    },
  ],
  '/admin/organizations/add/$tab': [
    {
      as: 'ops',
      about: 'details',
      path: () => '/admin/organizations/add/details',
      ready: heading('Add Organization'),
      views: [npi, invalid],
    },
    { as: 'ops', about: 'contact', path: () => '/admin/organizations/add/contact', ready: heading('Add Organization') },
  ],
  '/admin/networks/': { as: 'ops', path: () => '/admin/networks', ready: rowsOf('Networks'), views: networksViews },
  '/networks/$id/': { as: 'mara', path: (data) => `/networks/${data.network}`, leadsTo: /\/details$/ },
  '/networks/$id/$tab': [
    network('ops', 'details', NETWORK),
    network('ops', 'organizations', NETWORK, organizationViews),
    network('ops', 'administrators', NETWORK, [addAdministrator]),
    network('mara', 'details', (page) => page.getByRole('region', { name: 'Single sign-on' })),
    network('mara', 'organizations', (page) => page.getByText('The operator adds and removes organizations.')),
    network('mara', 'features', (page) => page.getByRole('list', { name: 'Within SingleSignOn' })),
    network('mara', 'serviceaccount', (page) => page.getByRole('region', { name: 'Allowed addresses' }), serviceAccountViews),
  ],
};

import { expect, type Locator, type Page, test as base } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

export const PASSWORD = 'Carepost-demo-2026';
export const account = (name: string) => `${name}@carepost.example`;

/** Every page of a test: no error in the console, no request to another place. */
export const test = base.extend<{ watched: undefined }>({
  watched: [
    async ({ page, baseURL }, use) => {
      const problems: string[] = [];
      page.on('pageerror', (e) => problems.push(e.message));
      page.on('console', (m) => m.type() === 'error' && !/status of (4|5)\d\d|WebSocket/.test(m.text()) && problems.push(m.text()));
      page.on('request', (r) => {
        const allowed = [baseURL!, 'data:', 'blob:', 'about:'].some((p) => r.url().startsWith(p));
        if (!allowed) problems.push(`foreign request: ${r.url()}`);
      });
      await use(undefined);
      // A screen may still ask for something when its test is over.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };

export async function signIn(page: Page, name: string, path = '/account/login') {
  await page.goto(path);
  await page.getByLabel('Username').fill(account(name));
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).not.toHaveURL(/account\/login/);
}

/** In the Intake list, looks for a subject and opens the first message that has it. */
export async function openFound(page: Page, subject: string) {
  const rows = page.locator('[aria-label="Intake messages"] tbody tr[data-opens]');
  await page.getByLabel('Filter messages').fill(subject);
  await expect(rows.filter({ hasText: subject }).first()).toBeVisible();
  // The rows of before stand until the search has answered.
  await expect(rows.filter({ hasNotText: subject })).toHaveCount(0);
  await rows.first().locator('td').nth(3).click();
  await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}$/);
}

/** The rules that another colour scheme can break. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Waits for the end of every change of colour or place: half-way through, contrast means nothing. */
const settled = (page: Page) =>
  page.evaluate(async () => {
    const running = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.all(running.map((a) => a.finished.catch(() => {})));
  });

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
type Axe = { run: (context: Element, options: RunOptions) => Promise<AxeResults> };

/** No finding of WCAG 2.0 to 2.2, levels A and AA, on the page or within a part of it. */
export async function accessible(page: Page, name: string, only: { rules?: string[]; without?: string[]; within?: Locator } = {}) {
  const options: RunOptions = {
    runOnly: only.rules ? { type: 'rule', values: only.rules } : { type: 'tag', values: LEVELS },
    rules: Object.fromEntries((only.without ?? []).map((rule) => [rule, { enabled: false }])),
    // Nothing is told of what is well, which takes longer than finding it.
    resultTypes: ['violations'],
    // Frames hold documents without scripts, in which axe cannot run: see `documentsAccessible`.
    iframes: false,
  };
  await settled(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const part = only.within ?? page.locator(':root');
  const run = (element: Element, how: RunOptions) => (window as unknown as { axe: Axe }).axe.run(element, how);
  const { violations } = await part.evaluate(run, options).catch((cause: unknown) => {
    throw new Error(`${name} could not be looked at`, { cause });
  });
  const findings = violations.map(
    (v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} (${n.any[0]?.message ?? ''})`).join(' || ')}`,
  );
  expect.soft(findings, name).toEqual([]);
}

/** The documents that the page shows in frames, each on a page of its own. */
export async function documentsAccessible(page: Page, name: string) {
  for (const html of await page.locator('iframe').evaluateAll((frames) => frames.map((f) => (f as HTMLIFrameElement).srcdoc))) {
    const own = await page.context().newPage();
    await own.setContent(html);
    await accessible(own, `${name}, the document`, { without: ['document-title'] });
    await own.close();
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Locator, type Page, test as base } from '@playwright/test';
import { type Data, prepare } from './data';
import { screens } from './screens/index';
import { narrow, type Screen, SIZES, type Size, type View, type Who } from './screens/kit';
import { accessible, documentsAccessible } from './axe';
import { expect, listen, settled, signIn } from './support';

// All that opens on a page, in each size and colour scheme, beside the other browser.
base.describe.configure({ timeout: 300_000 });

/** Sessions end after 15 minutes without activity. */
const REST = 8 * 60_000;

/** The page of an account; the others rest, unless both are needed beside each other. */
type As = (who: Who, beside?: boolean) => Promise<Page>;

/** Errors of the pages since the last screen. */
const broken: string[] = [];

/** A signed-in page per account for all tests: signing in takes longer than looking at a screen. */
const test = base.extend<object, { data: Data; as: As }>({
  data: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from it that nothing else is wanted.
    async ({}, use, { project }) => {
      // Data come from the demonstration of a running server.
      const { data, clean } = await prepare(project.use.baseURL!);
      await use(data);
      await clean();
    },
    { scope: 'worker' },
  ],
  as: [
    async ({ browser }, use, { project }) => {
      const pages = new Map<Who, { page: Page; used: number }>();
      await use(async (who, beside = false) => {
        // A hidden page makes no requests.
        if (!beside) for (const [name, { page }] of pages) if (name !== who) await page.goto('about:blank');
        const known = pages.get(who);
        if (known && Date.now() - known.used < REST) {
          known.used = Date.now();
          return known.page;
        }
        await known?.page.context().close();
        const context = await browser.newContext({ baseURL: project.use.baseURL, viewport: SIZES.wide, reducedMotion: 'reduce' });
        await listen(context);
        const page = await context.newPage();
        page.on('pageerror', (e) => void broken.push(e.message));
        // Nobody answers the browser's print dialog.
        await page.addInitScript(() => {
          window.print = () => {};
        });
        if (who !== 'nobody') await signIn(page, who);
        pages.set(who, { page, used: Date.now() });
        return page;
      });
      for (const { page } of pages.values()) await page.context().close();
    },
    { scope: 'worker' },
  ],
});

/** A part is looked at within its page once, in the narrow, where there is less of it. */
async function check(page: Page, name: string, size: Size, layer?: Locator) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(overflow, `${size}: ${name} fits the window`).toBe(0);
  await accessible(page, `${size}: ${name}`, { layer, alone: size !== 'narrow' });
  if (size === 'wide' && !layer) await documentsAccessible(page, name);
}

async function open(page: Page, screen: Screen, data: Data) {
  await page.goto(screen.path(data));
  await expect(screen.ready(page)).toBeVisible();
  // The tab says what is on the screen, and then the product.
  await expect.soft(page).toHaveTitle(/ · /);
}

/** Answers whether the screen is unchanged: its layer was closed. */
async function look(page: Page, view: View, size: Size, data: Data, pageOf: As) {
  const as = (who: Who) => pageOf(who, true);
  const layer = await view.show(page, data, as);
  if (layer) await expect(layer).toBeVisible();
  await check(page, view.name, size, layer ?? undefined);
  if (layer) {
    await page.keyboard.press('Escape');
    await expect(layer).toBeHidden();
  }
  await view.after?.(page, as);
  return layer !== undefined;
}

for (const [route, entry] of Object.entries(screens)) {
  for (const screen of [entry].flat()) {
    if ('leadsTo' in screen) {
      test(`${route} has no screen of its own`, async ({ as, data }) => {
        const page = await as(screen.as);
        await page.goto(screen.path(data));
        await expect(page).toHaveURL(screen.leadsTo);
      });
      continue;
    }
    test(`${route} is accessible${screen.about ? `: ${screen.about}` : ''}`, async ({ as, data }) => {
      const page = await as(screen.as);
      let isOpen = false;
      for (const size of Object.keys(SIZES) as Size[]) {
        const views = (screen.views ?? []).filter((v) => (v.at ?? narrow).includes(size));
        if ((size === 'medium' && views.length === 0) || screen.at?.includes(size) === false) continue;
        await page.setViewportSize(SIZES[size]);
        // Opened once, and then its window is resized.
        if (!isOpen) await open(page, screen, data);
        else await settled(page);
        isOpen = true;
        await expect(screen.ready(page)).toBeVisible();
        if (size !== 'medium') await check(page, 'as it opens', size);
        for (const view of views) {
          if (view.fresh) await open(page, screen, data);
          isOpen = (await look(page, view, size, data, as)) && !view.fresh && isOpen;
        }
      }
      expect(broken.splice(0)).toEqual([]);
    });
  }
}

// ── Nothing is left out ──

const source = join(import.meta.dirname, '../src');
/** Building blocks of other components. */
const PARTS = ['Dialog', 'FormDialog', 'MoreMenu'].map((name) => `shared/ui/${name}.tsx`);
const LAYER = /<(?:Dialog|ConfirmDialog|FormDialog|MoreMenu|Modal|Modal\.Root|Drawer|Drawer\.Root|Menu|Popover)(?=[\s>])/g;
const COMPONENT = /^(?:export )?(?:default )?(?:function|const) ([A-Z]\w*)/gm;

const sources = () =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
    .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }));

/** The number of dialogs, drawers, menus and popovers of each component. A component that nothing uses opens none. */
function layers(): Map<string, number> {
  const all = sources();
  const words = all.flatMap(({ text }) => text.match(/\b[A-Z]\w*/g) ?? []);
  const isUsed = (name: string) => words.indexOf(name) !== words.lastIndexOf(name);
  const found = new Map<string, number>();
  for (const { file, text } of all) {
    if (PARTS.includes(file)) continue;
    const components = [...text.matchAll(COMPONENT)];
    for (const layer of text.matchAll(LAYER)) {
      const name = components.findLast((c) => c.index < layer.index)?.[1] ?? file;
      if (isUsed(name)) found.set(name, (found.get(name) ?? 0) + 1);
    }
  }
  return found;
}

test('every route of the route tree is looked at', () => {
  const tree = readFileSync(join(source, 'routeTree.gen.ts'), 'utf8');
  const block = /interface FileRoutesByFullPath \{([^}]*)\}/.exec(tree)![1]!;
  const routes = [...block.matchAll(/'([^']+)':/g)].map((m) => m[1]!);
  expect(routes.length).toBeGreaterThan(20);
  expect(Object.keys(screens).sort()).toEqual(routes.sort());
});

test('every dialog, drawer, menu and popover is opened', () => {
  const views = Object.values(screens).flatMap((entry) =>
    [entry].flat().flatMap((screen) => ('views' in screen ? (screen.views ?? []) : [])),
  );
  const opened = views.flatMap((view) => view.opens ?? []);
  const wanted = layers();
  expect(wanted.size).toBeGreaterThan(20);
  const missing = [...wanted].filter(([name, count]) => opened.filter((o) => o === name).length < count);
  expect(missing).toEqual([]);
  expect(opened.filter((name) => !wanted.has(name))).toEqual([]);
});

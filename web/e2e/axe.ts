import type { Locator, Page } from '@playwright/test';
import axe, { type AxeResults, type ElementContext, type RunOptions, type Spec } from 'axe-core';
import { expect } from './support';

/** The rules about colours, which take most of the time. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Left out of these levels by axe: names that speech control can say, and landmarks around everything. */
const MORE_RULES = ['label-content-name-mismatch', 'region'];
/** Menus and lists of choices open in portals, outside every landmark, and cover what is below them. */
const NOT_WITH_LAYERS = ['region', 'target-size'];
type Scheme = 'light' | 'dark';
type Axe = { run: (context: ElementContext, options: RunOptions) => Promise<AxeResults>; configure: (spec: Spec) => void };

/** Waits for the end of every change of colour or place: half-way through, contrast means nothing. */
const settled = (page: Page) =>
  page.evaluate(async () => {
    const running = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.all(running.map((a) => a.finished.catch(() => {})));
  });

/** As the app does when somebody chooses the scheme, without a render. */
async function paint(page: Page, scheme: Scheme) {
  await page.evaluate((wanted) => document.documentElement.setAttribute('data-mantine-color-scheme', wanted), scheme);
  await settled(page);
}

/** Loads axe into a page that has none; `only`: the rules about colours look at what this selector matches. */
async function load(page: Page, only?: string) {
  if (await page.evaluate(() => 'axe' in window)) return;
  await page.evaluate(axe.source);
  const rules = only ? COLOUR_RULES.map((id) => ({ id, selector: id === 'link-in-text-block' ? `a[href]${only}` : only })) : [];
  await page.evaluate((how) => (window as unknown as { axe: Axe }).axe.configure(how), { rules });
}

async function run(page: Page, name: string, within: Locator | undefined, options: RunOptions) {
  const all: RunOptions = {
    // Passes are not reported: that takes longer than finding them.
    resultTypes: ['violations'],
    // Frames hold documents without scripts, in which axe cannot run: see `documentsAccessible`.
    iframes: false,
    ...options,
  };
  const look = async (element: Element, how: RunOptions) => (await (window as unknown as { axe: Axe }).axe.run(element, how)).violations;
  const violations = await (within ?? page.locator(':root')).evaluate(look, all).catch((cause: unknown) => {
    throw new Error(`${name} could not be looked at: ${String(cause)}`, { cause });
  });
  const findings = violations.map(
    (v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} (${n.any[0]?.message ?? ''})`).join(' || ')}`,
  );
  expect.soft(findings, name).toEqual([]);
}

/** Styles of text whose colours were looked at, as `unseen` names them. */
const seen: Record<Scheme, Set<string>> = { light: new Set(), dark: new Set() };
const UNSEEN = 'data-unseen';

/**
 * Marks the texts in view whose style no earlier screen showed, and answers these styles: the colours of a text follow
 * from the classes and states of itself and the elements around it, so that a style needs to be looked at once.
 */
async function unseen(within: Locator, scheme: Scheme): Promise<string[]> {
  const found = await within.evaluate((root, mark) => {
    const STATES = ['data-', 'aria-selected', 'aria-current', 'aria-pressed', 'aria-invalid', 'aria-disabled', 'disabled', 'type'];
    const styleOf = (e: Element) => {
      const states = Array.from(e.attributes)
        .filter((a) => STATES.some((s) => a.name.startsWith(s)) && a.name !== mark && !/id|index|path|cursor|opens/.test(a.name))
        .map((a) => (a.value.length < 12 ? `${a.name}=${a.value}` : a.name));
      return `${e.tagName}.${e.getAttribute('class') ?? ''}[${states.sort().join()}]`;
    };
    const hasText = (e: Element) =>
      Array.from(e.childNodes).some((n) => n.nodeType === Node.TEXT_NODE && n.textContent?.trim()) || e.matches('input, textarea');
    const names: string[] = [];
    for (const element of document.querySelectorAll(`[${mark}]`)) element.removeAttribute(mark);
    for (const element of root.querySelectorAll('*')) {
      if (!hasText(element) || !element.checkVisibility()) continue;
      let name = '';
      for (let e: Element | null = element, depth = 0; e && depth < 4; e = e.parentElement, depth++) name += ` < ${styleOf(e)}`;
      element.setAttribute(mark, String(names.length));
      names.push(name);
    }
    return names;
  }, UNSEEN);
  const fresh = new Set(found.filter((name) => !seen[scheme].has(name)));
  const known = found.map((name) => !fresh.delete(name));
  await within.evaluate(
    (_, [mark, isKnown]) => {
      for (const element of document.querySelectorAll(`[${mark}]`))
        if (isKnown[Number(element.getAttribute(mark))]) element.removeAttribute(mark);
    },
    [UNSEEN, known] as const,
  );
  return found.filter((_, index) => !known[index]);
}

/**
 * No finding of WCAG 2.0 to 2.2, levels A and AA, in both colour schemes. `layer` lies over the page and is where new
 * colours are looked for; `alone`: nothing else is looked at.
 */
export async function accessible(
  page: Page,
  name: string,
  { without = [], layer, alone = false }: { without?: string[]; layer?: Locator; alone?: boolean } = {},
) {
  await load(page, `[${UNSEEN}]`);
  await settled(page);
  const isCovered = layer || (await page.getByRole('tooltip').count()) > 0;
  const rules = {
    ...Object.fromEntries(MORE_RULES.map((rule) => [rule, { enabled: true }])),
    ...Object.fromEntries([...without, ...(isCovered ? NOT_WITH_LAYERS : [])].map((rule) => [rule, { enabled: false }])),
  };
  const texts = layer ?? page.locator('body');
  const looked = async (scheme: Scheme, styles: string[], options: RunOptions) => {
    await run(page, `${name}, ${scheme}`, alone ? layer : undefined, options);
    for (const style of styles) seen[scheme].add(style);
  };
  await looked('light', await unseen(texts, 'light'), { runOnly: { type: 'tag', values: LEVELS }, rules });
  const styles = await unseen(texts, 'dark');
  if (styles.length === 0) return;
  await paint(page, 'dark');
  await looked('dark', styles, { runOnly: { type: 'rule', values: COLOUR_RULES } });
  await paint(page, 'light');
}

/** The documents that the page shows in frames, each on a page of its own. */
export async function documentsAccessible(page: Page, name: string) {
  for (const html of await page.locator('iframe').evaluateAll((frames) => frames.map((f) => (f as HTMLIFrameElement).srcdoc))) {
    const own = await page.context().newPage();
    await own.setContent(html);
    const rules = { 'document-title': { enabled: false } };
    await load(own);
    await run(own, `${name}, the document`, undefined, { runOnly: { type: 'tag', values: LEVELS }, rules });
    await own.close();
  }
}

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FullConfig, FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';

/**
 * Decides whether a run with second tries is good. A second try is there for a test that waited in vain on a busy machine, and
 * for nothing else: an error of the page or the server, a wrong value, a test tagged @critical, and a run in which many fail are
 * refused at their first try. Tests that passed at the second try are listed at the end, to be fixed or moved down a level.
 */

/** The annotation of a test during which the page or the server made an error. */
export const DEFECT = 'defect';
const CRITICAL = '@critical';
/** The most tests of a run that may pass at their second try. */
const FLAKY_LIMIT = 3;
/** With more failures at the first try there are no second tries. */
const FAILED_LIMIT = 6;
/** Lines of the page that are shown for a failure. */
const SNAPSHOT_LINES = 60;

const results = join(import.meta.dirname, '../test-results');
/** Written by the reporter, and read by the workers before a second try. */
const refusedFile = join(results, 'refused');
const verdictFile = join(results, 'verdict.txt');

/** Whether a run is refused already, so that second tries are for nothing. */
export function isRefused(): boolean {
  try {
    return readFileSync(refusedFile, 'utf8') !== '';
  } catch {
    return false;
  }
}

// oxlint-disable-next-line no-control-regex -- Playwright colours its messages.
const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, '');
const wordsOf = (error: TestError) => plain(error.message ?? String(error.value ?? ''));
/** Whether an error says that something did not come in time. A value that is wrong at once is no such error. */
export const waitedInVain = (message: string) =>
  /\bTimeout(:| \d+ms exceeded)|Timed out \d+ms|Test timeout of \d+ms exceeded|Timeout of \d+ms exceeded|waiting for/.test(message);

type Try = { errors: string[]; defects: string[] };
/** Why a failure gets no second try; null if it may have one. */
export function refusalOf(first: Try, tags: string[]): string | null {
  if (first.defects.length > 0) return `an error of the page or the server: ${first.defects[0]}`;
  if (tags.includes(CRITICAL)) return `${CRITICAL} tests get no second try`;
  const wrong = first.errors.find((message) => !waitedInVain(message));
  return wrong === undefined ? null : `wrong, not late: ${wrong.split('\n')[0]}`;
}

type Failure = { name: string; seconds: string; expected: string; screenshot: string; load: string; refusal: string | null; page: string };

export default class Verdict implements Reporter {
  private readonly failures = new Map<TestCase, Failure>();
  private hasSecondTries = false;

  onBegin(config: FullConfig) {
    this.hasSecondTries = config.projects.some((p) => p.retries > 0);
    mkdirSync(results, { recursive: true });
    for (const file of [refusedFile, verdictFile]) rmSync(file, { force: true });
  }

  onTestEnd(test: TestCase, result: TestResult) {
    if (result.retry > 0 || result.status === test.expectedStatus || result.status === 'skipped') return;
    const defects = result.annotations.filter((a) => a.type === DEFECT).map((a) => a.description ?? '');
    const errors = result.errors.map(wordsOf);
    const refusal = refusalOf({ errors, defects }, test.tags);
    const screenshot = result.attachments.find((a) => a.name === 'screenshot')?.path;
    this.failures.set(test, {
      name: `${basename(test.location.file)}:${test.location.line}`,
      seconds: (result.duration / 1000).toFixed(1),
      expected: (errors[0] ?? result.status).split('\n').slice(0, 6).join(' · ').slice(0, 400),
      screenshot: screenshot ?? 'none',
      load: loadavg()[0]!.toFixed(1),
      refusal,
      page: screenshot ? pageOf(dirname(screenshot)) : '',
    });
    if (this.failures.size > FAILED_LIMIT) writeFileSync(refusedFile, `more than ${FAILED_LIMIT} tests failed`);
  }

  async onEnd(): Promise<{ status: FullResult['status'] } | undefined> {
    if (!this.hasSecondTries || this.failures.size === 0) return undefined;
    const flaky = [...this.failures].filter(([test, f]) => test.outcome() === 'flaky' && f.refusal === null).map(([, f]) => f);
    const refused = [...this.failures].filter(([test, f]) => test.outcome() !== 'flaky' || f.refusal !== null);
    const lines = [
      ...refused.flatMap(([test, f]) => {
        const why = f.refusal ?? (test.outcome() === 'flaky' ? '' : 'failed twice');
        return [`REFUSED: ${f.name}, ${f.seconds} s, ${why}; ${f.expected}; screenshot ${f.screenshot}; load ${f.load}.`, f.page];
      }),
      ...flaky.map(
        (f, n) =>
          `FLAKY ${n + 1} of ${FLAKY_LIMIT}: ${f.name}, ${f.seconds} s, ${f.expected}; screenshot ${f.screenshot}; load ${f.load}. ` +
          'Mend or move it next.',
      ),
    ].filter(Boolean);
    if (this.failures.size > FAILED_LIMIT) lines.push(`REFUSED: ${this.failures.size} tests failed at the first try; ${FAILED_LIMIT} may.`);
    if (flaky.length > FLAKY_LIMIT) lines.push(`REFUSED: ${flaky.length} tests passed at the second try only; ${FLAKY_LIMIT} may.`);
    writeFileSync(verdictFile, `${lines.join('\n')}\n`);
    // Other failures, such as a file that does not load, stay failed.
    const isGood = refused.length === 0 && this.failures.size <= FAILED_LIMIT && flaky.length <= FLAKY_LIMIT;
    return isGood ? undefined : { status: 'failed' };
  }

  printsToStdio() {
    return false;
  }
}

/** The page at a test's failure, as recorded by Playwright. */
function pageOf(folder: string): string {
  const file = readdirSync(folder).find((name) => name.startsWith('error-context'));
  if (!file) return '';
  const [, snapshot = ''] = readFileSync(join(folder, file), 'utf8').split('# Page snapshot');
  const [shown = ''] = snapshot.split('\n# ');
  return shown.trim().split('\n').slice(0, SNAPSHOT_LINES).join('\n');
}

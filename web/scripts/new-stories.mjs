/**
 * Runs stories that are new or changed five times, without a second try: npm run e2e:new
 *
 * A story is known by the text of its test. Those that passed five times are listed in e2e/steady.tsv, which is committed with
 * them; on a machine of CI the list is only read.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TIMES = 5;
const folder = join(import.meta.dirname, '../e2e');
const listFile = join(folder, 'steady.tsv');
const HEAD = 'file\thash\ttest';

/** The tests of a file: a call of `test` or `isolated` up to the line that closes it at the same depth. */
function testsOf(file) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const indent = /^(\s*)(?:test|isolated)\((?:$|['"`])/.exec(line)?.[1];
    if (indent === undefined) return [];
    // `}) => {` closes the fixtures, not the test.
    const end = lines.findIndex((l, n) => n > at && [`${indent}});`, `${indent});`].includes(l));
    const text = lines.slice(at, end + 1).join('\n');
    const title = /['"`](.+?)['"`],?/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
    return [{ file, line: at + 1, hash, title: title.slice(0, 60) }];
  });
}

const specs = readdirSync(folder).filter((name) => name.endsWith('.spec.ts') && name !== 'accessibility.spec.ts');
const tests = specs.sort().flatMap(testsOf);
const keyOf = ({ file, hash }) => `${file}\t${hash}`;
const known = new Set(
  readFileSync(listFile, 'utf8')
    .split('\n')
    .slice(1)
    .map((row) => row.split('\t').slice(0, 2).join('\t')),
);

/** Writes those tests that are there and steady; lines of tests that went are left out. */
function write(steady) {
  const rows = tests.filter((t) => steady.has(keyOf(t))).map((t) => `${keyOf(t)}\t${t.title}`);
  writeFileSync(listFile, `${[HEAD, ...rows].join('\n')}\n`);
}

const fresh = tests.filter((t) => !known.has(keyOf(t)));
if (process.argv.includes('--list')) {
  for (const { file, line, title } of fresh) console.log(`${file}:${line} ${title}`);
} else if (fresh.length > 0) {
  console.log(`${fresh.length} of ${tests.length} stories are new or changed: each runs ${TIMES} times.`);
  const which = fresh.map(({ file, line }) => `e2e/${file}:${line}`);
  const how = ['--project=stories', `--repeat-each=${TIMES}`, '--retries=0', '--reporter=list', '--output=test-results/new'];
  const { status } = spawnSync('npx', ['playwright', 'test', ...how, ...which], { stdio: 'inherit', cwd: join(folder, '..') });
  if (status !== 0) process.exit(1);
  if (process.env.CI !== 'true') write(new Set([...known, ...fresh.map(keyOf)]));
} else if (process.env.CI !== 'true') write(known);

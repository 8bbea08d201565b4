/**
 * Writes what is generated and not in the repository: src/api/*.gen.ts from openapi.json, and src/routeTree.gen.ts from
 * src/routes. `npm ci` does so, and each script of package.json that reads these files. It takes no time if neither they
 * nor their sources have changed since.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const web = join(import.meta.dirname, '..');
process.chdir(web);

const routeFiles = () =>
  readdirSync('src/routes', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const GENERATORS = ['scripts/gen.mjs', 'tools/codegen/api.mjs', 'tools/codegen/limits.mjs', 'package-lock.json'];
/** What is generated together, from what, and how. */
const KINDS = {
  api: {
    sources: () => ['../openapi.json'],
    files: ['schema', 'limits', 'steps', 'permissions'].map((name) => `src/api/${name}.gen.ts`),
    async write() {
      const { apiFiles } = await import('../tools/codegen/api.mjs');
      for (const [file, text] of Object.entries(await apiFiles('../openapi.json'))) replace(file, text);
    },
  },
  routes: {
    sources: () => ['tsr.config.json', ...routeFiles()],
    files: ['src/routeTree.gen.ts'],
    async write() {
      const { Generator, getConfig } = await import('@tanstack/router-generator');
      await new Generator({ config: getConfig({}, web), root: web }).run();
    },
  },
};

/** Replaces a file as a whole, for those who read it now. One that is the same keeps its time, so that nothing is built again. */
function replace(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const whole = `${file}-${process.pid}`;
  writeFileSync(whole, text);
  renameSync(whole, file);
}

/** A digest of the names and contents of files, of which some may not exist yet. */
function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`\0${file}\0`).update(existsSync(file) ? readFileSync(file) : '');
  return hash.digest('hex');
}

// `npm ci` removes it with the folder.
const STAMP = 'node_modules/.generated.json';
const known = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : {};
const now = {};
for (const [kind, { sources, files, write }] of Object.entries(KINDS)) {
  // Taken before the sources are read: if they change meanwhile, the next run writes again.
  const from = digest([...sources(), ...GENERATORS]);
  if (known[kind]?.from !== from || known[kind].files !== digest(files)) await write();
  now[kind] = { from, files: digest(files) };
}
replace(STAMP, JSON.stringify(now));

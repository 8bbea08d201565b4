// What src/api holds of openapi.json: the types of all calls, the limits of the fields, and the names of the steps.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { limitsOf } from './gen-limits.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const HEAD = '// Written by scripts/gen.mjs from openapi.json. Do not edit.\n';

/** The generated files of an API description: the text of each by its path. */
export function apiFiles(descriptionFile) {
  const description = JSON.parse(readFileSync(descriptionFile, 'utf8'));
  // The generator needs an older TypeScript, and so it is installed in a folder of its own.
  const generator = at('../tools/codegen/node_modules/openapi-typescript/bin/cli.js');
  // A field that the server fills in by default may be left out of a request.
  const command = [generator, descriptionFile, '--default-non-nullable=false'];
  /** What operators call the steps of workflows. */
  const labels = description['x-step-labels'];
  return {
    'src/api/schema.gen.ts': execFileSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 2 ** 28 }),
    'src/api/limits.gen.ts': HEAD + limitsOf(description),
    'src/api/steps.gen.ts': `${HEAD}export const STEP_LABELS: Record<string, string> = ${JSON.stringify(labels, null, 2)};\n`,
  };
}

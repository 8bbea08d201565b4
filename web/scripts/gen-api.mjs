// Writes src/api/schema.gen.ts, src/api/limits.gen.ts and src/api/steps.gen.ts from the committed openapi.json. The generator needs an older TypeScript,
// so it lives in tools/codegen with a lock of its own (`npm --prefix tools/codegen ci` first).
// A field that the server fills in by default may be left out of a request.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeLimits } from './gen-limits.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(
  process.execPath,
  [
    at('../tools/codegen/node_modules/openapi-typescript/bin/cli.js'),
    at('../../openapi.json'),
    '-o',
    at('../src/api/schema.gen.ts'),
    '--default-non-nullable=false',
  ],
  {
    stdio: 'inherit',
  },
);
writeLimits(at('../../openapi.json'), at('../src/api/limits.gen.ts'));

/** What operators call the steps of workflows. */
const labels = JSON.parse(readFileSync(at('../../openapi.json'), 'utf8'))['x-step-labels'];
writeFileSync(
  at('../src/api/steps.gen.ts'),
  `// Written by scripts/gen-api.mjs from openapi.json. Do not edit.\nexport const STEP_LABELS: Record<string, string> = ${JSON.stringify(labels, null, 2)};\n`,
);

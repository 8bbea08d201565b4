// Writes src/api/schema.gen.ts and src/api/limits.gen.ts from the committed openapi.json. The generator needs an older TypeScript,
// so it lives in tools/codegen with a lock of its own (`npm --prefix tools/codegen ci` first).
// A field that the server fills in by default may be left out of a request.
import { execFileSync } from 'node:child_process';
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

// What src/api holds of openapi.json: the types of all calls, the limits of the fields, the names of the steps, and the permissions.
// openapi-typescript needs an older TypeScript than the web app, so this folder has packages of its own.
import { readFileSync } from 'node:fs';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { limitsOf } from './limits.mjs';

const HEAD = '// Written by scripts/gen.mjs from openapi.json. Do not edit.\n';

/** The generated files of an API description: the text of each by its path. */
export async function apiFiles(file) {
  const description = JSON.parse(readFileSync(file, 'utf8'));
  // A field that the server fills in by default may be left out of a request.
  const types = await openapiTS(description, { defaultNonNullable: false });
  const { permissions, stepLabels } = description['x-carepost'];
  const granted = Object.fromEntries(permissions.map(({ name, granted }) => [name, granted]));
  return {
    'src/api/schema.gen.ts': COMMENT_HEADER + astToString(types),
    'src/api/limits.gen.ts': HEAD + limitsOf(description),
    'src/api/steps.gen.ts': `${HEAD}export const STEP_LABELS: Record<string, string> = ${JSON.stringify(stepLabels, null, 2)};\n`,
    'src/api/permissions.gen.ts': `${HEAD}export const PERMISSIONS = ${JSON.stringify(permissions, null, 2)} as const;\n\n/** Those of a new member. */\nexport const NEW_PERMISSIONS = ${JSON.stringify(granted, null, 2)};\n`,
  };
}

// src/api/limits.gen.ts: what openapi.json demands of the fields of each request body, one constant per schema,
// so that a form carries only the limits of its own fields.

/** Bodies come as JSON only where a form is sent; files have no fields. */
const bodyOf = (operation) => operation.requestBody?.content?.['application/json']?.schema;

/** Follows a reference, and sees through "this or null". */
function resolve(schema, schemas) {
  if (schema?.$ref) return resolve(schemas[nameOf(schema)], schemas);
  const variants = schema?.oneOf ?? schema?.anyOf;
  if (!variants) return schema ?? {};
  const others = variants.filter((v) => v.type !== 'null');
  if (others.length !== 1) return {};
  return { ...resolve(others[0], schemas), nullable: others.length < variants.length };
}
const nameOf = (schema) => schema.$ref.split('/').pop();
const typesOf = (schema) => [schema.type].flat().filter(Boolean);

/** The schemas of objects that request bodies consist of, by name. */
function requestSchemas(paths, schemas) {
  const found = new Set();
  const visit = (schema) => {
    if (!schema || typeof schema !== 'object') return;
    if (schema.$ref) {
      const name = nameOf(schema);
      if (found.has(name)) return;
      found.add(name);
      return visit(schemas[name]);
    }
    for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(part);
    for (const property of Object.values(schema.properties ?? {})) visit(property);
    visit(schema.items);
    visit(schema.additionalProperties);
  };
  for (const path of Object.values(paths)) for (const operation of Object.values(path)) visit(bodyOf(operation));
  return [...found].sort();
}

function limitOf(property, isListed, schemas) {
  const schema = resolve(property, schemas);
  const types = typesOf(schema);
  const isNullable = schema.nullable || types.includes('null');
  if (types.includes('array')) {
    // An entry must be filled; the list may be empty.
    const { required: _, ...entry } = limitOf(schema.items, false, schemas) ?? {};
    return Object.keys(entry).length ? entry : null;
  }
  const isFreeText = types.includes('string') && !schema.enum && !['uuid', 'date', 'date-time'].includes(schema.format);
  // A text that may be empty is not required, even where its name has to be sent.
  const isRequired = !isNullable && (isFreeText ? (schema.minLength ?? 0) > 0 : isListed && !types.includes('boolean'));
  const { minLength, maxLength, pattern, format, minimum, maximum } = schema;
  const limit = {
    ...(isRequired && { required: true }),
    ...(minLength > 0 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern && { pattern }),
    ...(isFreeText && format && { format }),
    ...(types.includes('integer') && minimum > 0 && { minimum }),
    ...(types.includes('integer') && maximum !== undefined && { maximum }),
    ...(schema.enum && { enum: schema.enum.filter((v) => v !== null) }),
    ...(schema['x-characters'] && { characters: schema['x-characters'] }),
    ...((schema['x-message'] ?? schema['x-lines']) && { message: schema['x-message'] ?? schema['x-lines'] }),
  };
  return Object.keys(limit).length ? limit : null;
}

const propertiesOf = (schema, schemas) => {
  const parts = (schema.allOf ?? []).map((part) => propertiesOf(resolve(part, schemas), schemas));
  return Object.assign(
    {},
    ...parts,
    ...Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const limit = limitOf(property, (schema.required ?? []).includes(name), schemas);
      return limit ? { [name]: limit } : {};
    }),
  );
};

/** The limits of an API description, as TypeScript. */
export function limitsOf({ paths, components, 'x-carepost': { formLimits } }) {
  // Schemas that documents share with forms: a form takes less.
  for (const [name, fields] of Object.entries(formLimits))
    for (const [field, maxLength] of Object.entries(fields)) components.schemas[name].properties[field].maxLength = maxLength;
  const lines = requestSchemas(paths, components.schemas)
    .map((name) => [name, propertiesOf(components.schemas[name], components.schemas)])
    .filter(([, limits]) => Object.keys(limits).length)
    .map(([name, limits]) => `export const ${name} = ${JSON.stringify(limits, null, 2)} as const satisfies Limits;\n`);
  return `import type { Limits } from './limits';\n\n${lines.join('\n')}`;
}

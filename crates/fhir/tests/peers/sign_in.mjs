// The sign-in of an EHR for tests: oidc-provider. The first line of its standard input is the list of its clients. Prints
// the base address of the EHR, and ends with its standard input.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

const server = createServer();
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

createInterface({ input: process.stdin })
  .once('line', (line) => {
    start(JSON.parse(line));
    console.log(`${issuer}/fhir`);
  })
  .on('close', () => process.exit());

function start(clients) {
  const provider = new Provider(issuer, {
    clients,
    cookies: { keys: ['a key of the test'] },
    scopes: ['openid', 'offline_access', 'user/*.cruds', 'system/Patient.rs', 'system/DocumentReference.cruds'],
    claims: { openid: ['sub'], fhirUser: ['fhirUser'] },
    conformIdTokenClaims: false,
    clientAuthMethods: ['none', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['ES384'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, fhirUser: `Practitioner/${sub}` }) }),
    pkce: { required: () => true },
    // SMART asks for no consent again, which OpenID Connect wants before it gives offline access.
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    features: { clientCredentials: { enabled: true }, revocation: { enabled: true } },
  });
  const answer = provider.callback();
  server.on('request', async (request, response) => {
    if (request.url !== '/fhir/.well-known/smart-configuration') return answer(request, response);
    const known = await fetch(`${issuer}/.well-known/openid-configuration`);
    response.setHeader('content-type', 'application/json');
    response.end(await known.text());
  });
}

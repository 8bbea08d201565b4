// An OpenID Connect provider for tests: `node sign-in-provider.mjs REDIRECT_ADDRESS`. Prints its address, and ends with
// its standard input. Somebody signs in by name alone: `kim` is kim@carepost.example with a verified address; a name
// such as `kim+unverified` has one that nobody verified, `kim+silent` none at all. The ways in `LOGINS` are of the same person:
// `kim+mfa` is kim, who showed several factors. With `hold` on its standard input it says
// `held`, then `asked` for each request, and answers none until it is told to `go`.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import Provider from 'oidc-provider';

const [redirect] = process.argv.slice(2);
if (!redirect) throw new Error('the redirect address is missing');

const server = createServer();
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const HOUR = 3600;
const ago = (seconds) => Math.floor(Date.now() / 1000) - seconds;
const LOGINS = {
  password: () => ({ amr: ['pwd'] }),
  mfa: () => ({ amr: ['pwd', 'mfa'] }),
  old: () => ({ amr: ['pwd', 'mfa'], ts: ago(2 * HOUR) }),
  gold: () => ({ acr: 'urn:example:gold' }),
  silver: () => ({ acr: 'urn:example:silver' }),
};

/** Who has signed in with what is typed, and how. */
const loginOf = (typed) => {
  const [name, how] = typed.split('+');
  const login = LOGINS[how];
  return login ? { accountId: name, ...login() } : { accountId: typed };
};

const claimsOf = (sub) => {
  const [name, how] = sub.split('+');
  const address = { email: `${name}@carepost.example`, email_verified: how !== 'unverified' };
  return how === 'silent' ? { sub } : { sub, ...address };
};

const provider = new Provider(issuer, {
  clients: [
    { client_id: 'carepost', client_secret: 'a secret of the test', redirect_uris: [redirect] },
    { client_id: 'public', token_endpoint_auth_method: 'none', redirect_uris: [redirect] },
  ],
  acrValues: ['urn:example:gold', 'urn:example:silver'],
  claims: { openid: ['sub', 'acr', 'amr', 'auth_time'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => claimsOf(sub) }),
  cookies: { keys: ['a key of the test'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  // Everybody agrees to what this client asks for.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

const answer = provider.callback();
const form =
  '<!doctype html><title>Sign in</title><form method="post"><label>Name <input name="name"></label><button>Go on</button><button name="no" value="1">No</button></form>';

let held = null;
let go = () => {};

server.on('request', async (request, response) => {
  if (held) console.log('asked');
  await held;
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  const { params } = await provider.interactionDetails(request, response);
  const given = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
  const name = given.get('name') || params.login_hint;
  if (given.get('no')) return provider.interactionFinished(request, response, { error: 'access_denied' });
  if (name) return provider.interactionFinished(request, response, { login: loginOf(name) });
  response.setHeader('content-type', 'text/html');
  response.end(form);
});

async function text(request) {
  let all = '';
  for await (const chunk of request) all += chunk;
  return all;
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'go') {
      held = null;
      return go();
    }
    held = new Promise((done) => {
      go = done;
    });
    console.log('held');
  })
  .on('close', () => process.exit());
console.log(issuer);

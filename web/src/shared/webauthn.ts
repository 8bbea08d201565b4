import type { PasskeyQuestion } from '@/api/types';

/** Passkeys are bound to a domain name: they do not work with an IP address, without TLS, or in older browsers. */
export const passkeysSupported = () =>
  window.isSecureContext &&
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|^\[/.test(location.hostname);

type Options = PasskeyQuestion['options'];
/** The answer in the JSON form of the standard. */
type Answer = Record<string, never>;

const json = (credential: Credential | null) => (credential as PublicKeyCredential).toJSON() as unknown as Answer;

/** Asks the user for a passkey. Rejects with `NotAllowedError` when they decline. */
export async function askPasskey(options: Options): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  return json(await navigator.credentials.get({ publicKey }));
}

export async function createPasskey(options: Options): Promise<Answer> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  return json(await navigator.credentials.create({ publicKey }));
}

export const hasDeclined = (error: unknown) => error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name);

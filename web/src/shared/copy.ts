import { notify } from './notify';

/** Copies a text and says so. Browsers refuse it on pages without TLS. */
export async function copyText(text: string, done: string) {
  try {
    await navigator.clipboard.writeText(text);
    notify('success', done);
  } catch {
    notify('error', 'This browser does not allow copying. Please select the text and copy it yourself.');
  }
}

import { now } from './clock';

/** Browsers that cannot would open the file in the page's place. */
export const canSaveFiles = () => typeof URL.createObjectURL === 'function' && 'download' in HTMLAnchorElement.prototype;

/** The current time in UTC for a file name, which must not contain colons. */
export const timestampName = (extension: string) => `${now().toISOString().slice(0, 19).replaceAll(':', '-')}Z.${extension}`;

/** Saves a file on the user's computer. */
export function saveFile(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

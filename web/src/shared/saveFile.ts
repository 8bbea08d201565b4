/** Browsers that cannot would open the file in the page's place. */
export const canSaveFiles = () => typeof URL.createObjectURL === 'function' && 'download' in HTMLAnchorElement.prototype;

/** Saves a file on the person's machine. */
export function saveFile(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

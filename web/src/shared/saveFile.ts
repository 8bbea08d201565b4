import { now } from './clock';
import { downloadName } from './format';

/** Browsers that cannot would open the file in the page's place. */
export const canSaveFiles = () => typeof URL.createObjectURL === 'function' && 'download' in HTMLAnchorElement.prototype;

let brand = 'Carepost';
/** The brand in the names of files made by the product. */
export const nameFilesAfter = (name: string) => {
  brand = name;
};

/** The name of a file that the product makes: brand, kind and the time in UTC. A document that somebody sent keeps its own. */
export const madeName = (kind: string, extension: string) => downloadName(brand, kind, extension, now());

/** Saves a file on the user's computer. */
export function saveFile(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

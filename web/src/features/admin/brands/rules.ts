/** Most bytes of a logo. */
const MAX_LOGO = 512 * 1024;

/** Error of a picture before upload; the server checks the content. */
export function checkLogo({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (type !== 'image/png' && type !== 'image/jpeg') return 'Please choose a PNG or JPEG picture.';
  return size > MAX_LOGO ? 'A logo may have at most 512 KiB.' : null;
}

/** Colours to begin with. */
export const SWATCHES = ['#0B6570', '#1F5FA8', '#4A3FA3', '#7C3671', '#A3324B', '#8A4B12', '#3F6B21', '#3A4652'];

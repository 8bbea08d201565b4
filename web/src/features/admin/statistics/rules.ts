/** The points of a line in a box of this size, from left to right; gaps where there is no value. */
export function lineOf(values: (number | null)[], width: number, height: number): string {
  const most = Math.max(1, ...values.map((v) => v ?? 0));
  const step = width / Math.max(1, values.length - 1);
  let pen = 'M';
  const parts = values.map((value, n) => {
    if (value === null) {
      pen = 'M';
      return '';
    }
    const point = `${pen}${(n * step).toFixed(1)} ${(height - (height * value) / most).toFixed(1)}`;
    pen = 'L';
    return point;
  });
  return parts.join('');
}

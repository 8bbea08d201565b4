/** Formats of displayed values. All times are shown in the reader's own time zone. */

const time = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' });
const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit' });
/* Intl puts a narrow space before AM and PM, which does not line up in tables. */
const plain = (s: string) => s.replace(/[\u202f\u00a0]/g, ' ');
const sameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString();

/** `Today at 8:14 AM`, otherwise `Nov 19, 2026`. */
export function formatWhen(iso: string | null | undefined, now = new Date()): string {
  if (!iso) return '';
  const d = new Date(iso);
  return sameDay(d, now) ? `Today at ${plain(time.format(d))}` : day.format(d);
}

/** `since today at 8:14 AM`, otherwise `since Nov 19, 2026`: within a sentence. */
export const formatSince = (iso: string, now?: Date) => `since ${formatWhen(iso, now).replace(/^T/, 't')}`;

/** `8:14 AM` today, otherwise `Nov 09`: recent activity and phones. */
export function formatRecent(iso: string | null | undefined, now = new Date()): string {
  if (!iso) return '';
  const d = new Date(iso);
  return sameDay(d, now) ? plain(time.format(d)) : shortDay.format(d);
}

/** `Nov 19, 2026` */
export const formatDay = (iso: string) => day.format(new Date(iso));
export const formatTime = (iso: string) => plain(time.format(new Date(iso)));
/** `Nov 19, 2026, 8:14 AM`, for tooltips and audit tables. */
export const formatDateTime = (iso: string | null | undefined) =>
  iso ? `${day.format(new Date(iso))}, ${plain(time.format(new Date(iso)))}` : '';

/** `1 k` to `1,023 k`, then `1.2 MB`: of every file, everywhere. */
export function formatSize(bytes: number): string {
  const k = Math.max(1, Math.ceil(bytes / 1024));
  if (k < 1024) return `${k.toLocaleString('en-US')} k`;
  return `${(bytes / 1024 ** 2).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}

/** Ten digits as (xxx) xxx-xxxx, otherwise nothing. */
export function formatPhone(value: string | null | undefined): string {
  const d = (value ?? '').replace(/\D/g, '');
  return d.length === 10 ? `(${d.slice(0, 3)}) ${d.slice(3, 6)}-${d.slice(6)}` : '';
}

/** 10 to 13 digits with dashes, counted from the end; anything else unchanged. */
export function formatFax(value: string | null | undefined): string {
  const text = value ?? '';
  const d = text.replace(/\D/g, '');
  if (d.length < 10 || d.length > 13 || /[A-Za-z@]/.test(text)) return text;
  const head = d.slice(0, -10);
  return [head, d.slice(-10, -7), d.slice(-7, -4), d.slice(-4)].filter(Boolean).join('-');
}

export const formatSsn = (value: string) => {
  const d = value.replace(/\D/g, '');
  return d.length === 9 ? `${d.slice(0, 3)}-${d.slice(3, 5)}-${d.slice(5)}` : value;
};

/** An address as people read it: fax numbers with dashes, Direct addresses as they are. */
export const formatAddress = (value: string) => (value.includes('@') ? value : formatFax(value));

export const truncate = (text: string, max = 80) => (text.length > max ? `${text.slice(0, max).trimEnd()} ...` : text);

/** `1,312`, or `10,000+` when counting stopped at the cap. Any whole number is shown so. */
export const formatCount = (count: number, capped = false, cap?: number) => {
  if (cap !== undefined && count > cap) return `${cap.toLocaleString('en-US')}+`;
  return `${count.toLocaleString('en-US')}${capped ? '+' : ''}`;
};

/** Semicolon-separated addresses as a list. */
export const splitAddresses = (value: string | null | undefined) =>
  (value ?? '')
    .split(';')
    .map((a) => a.trim())
    .filter(Boolean);

/** `brand_type_20261120T101500Z.ext` for files made by the application. */
export function downloadName(brand: string, type: string, extension: string, now = new Date()): string {
  const clean = (s: string) => s.replace(/[^A-Za-z0-9.-]+/g, '-').replace(/^-+|-+$/g, '');
  const stamp = now.toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
  return `${clean(brand)}_${clean(type)}_${stamp}.${extension}`;
}

export const plural = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const initials = (name: string) =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .map((w) => w[0]!.toUpperCase())
    .slice(0, 2)
    .join('');

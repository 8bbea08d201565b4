import { isIpv4 } from '@/shared/rules/fields';

const ADDRESSES_MAX = 200;

/** The browser's URL parser validates IPv6 addresses. */
const isIpv6 = (value: string) => /^[0-9a-f:.]+$/i.test(value) && value.includes(':') && URL.canParse(`http://[${value}]/`);

/** An address, or a network such as 10.0.0.0/8 or 2001:db8::/32. */
export function isNetworkAddress(value: string): boolean {
  const [address = '', length, ...more] = value.trim().split('/');
  const most = isIpv4(address) ? 32 : isIpv6(address) ? 128 : -1;
  if (most < 0 || more.length) return false;
  return length === undefined || (/^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= most);
}

/** An error that names the first invalid entries. */
export function checkAddresses(addresses: readonly string[]): string | null {
  if (addresses.length > ADDRESSES_MAX) return 'Please enter at most 200 addresses.';
  const wrong = addresses.filter((a) => !isNetworkAddress(a));
  if (!wrong.length) return null;
  const named = wrong.slice(0, 3).join(', ');
  return `${named}${wrong.length > 3 ? ' and others are' : wrong.length > 1 ? ' are' : ' is'} neither an address nor a network.`;
}

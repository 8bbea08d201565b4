import { expect, test } from 'vitest';
import { checkAddresses, isNetworkAddress } from './addresses';

test('addresses and networks of both kinds are known by how they are written', () => {
  for (const good of ['192.0.2.1', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', '2001:DB8::/32', '::1', '::ffff:192.0.2.1', ' 192.0.2.1 '])
    expect(isNetworkAddress(good)).toBe(true);
  for (const bad of [
    '',
    'somewhere',
    '300.1.1.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/08',
    '2001:db8::/129',
    'gg::1',
    '10.0.0',
    '::1]',
    '<script>',
  ])
    expect(isNetworkAddress(bad)).toBe(false);
});

test('what is no address is named', () => {
  expect(checkAddresses(['192.0.2.1', '10.0.0.0/8'])).toBeNull();
  expect(checkAddresses(['192.0.2.1', 'there'])).toBe('there is neither an address nor a network.');
  expect(checkAddresses(['here', 'there'])).toBe('here, there are neither an address nor a network.');
  expect(checkAddresses(['a', 'b', 'c', 'd'])).toBe('a, b, c and others are neither an address nor a network.');
  expect(checkAddresses(Array.from({ length: 201 }, (_, i) => `10.0.0.${i}`))).toBe('Please enter at most 200 addresses.');
});

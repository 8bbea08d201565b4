import { expect, test } from 'vitest';
import {
  anyFilled,
  checkCharacters,
  checkStreet,
  DEFAULT_FIELD_ERROR,
  isLoinc,
  streetError,
  cleanTags,
  directAddressError,
  isDirectAddress,
  isEditableName,
  isFaxNumber,
  isIpv4,
  isNpi,
  isPhone,
  isSecureUrl,
  isUsername,
  stripFax,
} from './fields';

test('an NPI has 10 digits, or 15 beginning with 80840, and a Luhn check digit; empty is valid (SES-R-290, SES-R-291, SES-R-292, SES-R-294, MSG-R-346, MSG-R-347, MSG-R-348)', () => {
  expect(isNpi('')).toBe(true);
  expect(isNpi('1234567893')).toBe(true);
  expect(isNpi('808401234567893')).toBe(true);
  for (const wrong of ['1234567890', '123456789', '808411234567893', '808401234567890', 'abcdefghij']) expect(isNpi(wrong)).toBe(false);
});

test('each mistake in a Direct address has its message (MSG-R-328, MSG-R-329, MSG-R-330, MSG-T-070, MSG-T-071, MSG-T-072)', () => {
  expect(directAddressError("o'brien_1+x@brannoc.direct.example")).toBeNull();
  expect(directAddressError('front desk@brannoc.example')).toBe('Direct Address contains invalid character.');
  expect(directAddressError('a@b@c')).toBe('Direct Address contains invalid character.');
  expect(directAddressError('a..b@brannoc.example')).toBe("Direct Address can't have consecutive period character.");
  expect(directAddressError('.a@brannoc.example')).toBe("Direct Address can't start or end with period character.");
  expect(directAddressError('a@brannoc.example.')).toBe("Direct Address can't start or end with period character.");
  expect(isDirectAddress('front@brannoc')).toBe(false);
  expect(isDirectAddress('front@brannoc.example')).toBe(true);
});

test('a phone number has an optional leading digit and ten more and no toll-free area, or is one of another country (MSG-R-331, MSG-R-332)', () => {
  for (const right of ['(555) 010-0142', '1-555-010-0142', '+44 20 7946 0018']) expect(isPhone(right)).toBe(true);
  for (const wrong of ['800-555-0142', '1 877 555 0142', '555-0142', '22 555 010 0142', '555 010 0142 x7', '442079460018', '+441'])
    expect(isPhone(wrong)).toBe(false);
});

test('a fax number has 7 or more digits and may have an extension', () => {
  for (const good of ['5550142', '1-555-010-0142', '+1 (555) 010-0142', '5550142 x12']) expect(isFaxNumber(good)).toBe(true);
  for (const wrong of ['555014', 'front@brannoc.example', 'fax 5550142']) expect(isFaxNumber(wrong)).toBe(false);
});

test('fax numbers keep only their digits, addresses are unchanged', () => {
  expect(stripFax('+1 (555) 010-0142')).toBe('15550100142');
  expect(stripFax('front@brannoc.example')).toBe('front@brannoc.example');
});

test('a secure URL is https with a host, localhost or an address; http only on this machine (SES-R-284, SES-R-285, SES-R-286, SES-R-287, SES-R-288, MSG-R-349, MSG-R-350)', () => {
  for (const good of ['https://ehr.example.org', 'https://localhost:8443/hook', 'https://10.0.0.7/x?y=1', 'http://localhost:3000'])
    expect(isSecureUrl(good)).toBe(true);
  for (const wrong of ['http://ehr.example.org', 'ehr.example.org', 'https://', 'https://a b', 'ftp://localhost'])
    expect(isSecureUrl(wrong)).toBe(false);
});

test('a street address cannot be a P.O. Box (MSG-R-351, MSG-T-077)', () => {
  for (const box of ['P.O. Box 12', 'PO Box 12', 'p o box 9', 'Post Office Box 3'])
    expect(checkStreet(box)).toBe('Street address cannot be a P.O. Box');
  for (const street of ['27 Orchard Row', '9 PO Boxwood Lane', 'Łódzka 5/7']) expect(streetError(street)).toBeNull();
  for (const street of ['418 22', '418 <b>Orchard</b>']) expect(streetError(street)).toBe(DEFAULT_FIELD_ERROR);
});

test('a user name looks like an e-mail address (MSG-R-352)', () => {
  expect(isUsername('dana@carepost.example')).toBe(true);
  for (const wrong of ['dana', 'dana@', 'dana@carepost', 'da na@carepost.example']) expect(isUsername(wrong)).toBe(false);
});

test('small checks of text (MSG-R-336, MSG-R-337, MSG-R-338, MSG-R-355, MSG-T-073, MSG-T-074)', () => {
  expect(checkCharacters('Dr. O’Neil ☎')).toBe('Invalid characters in field: ’ ☎');
  expect(checkCharacters('Room 12, (left)')).toBeNull();
  expect(isEditableName('Front desk_2.0')).toBe(true);
  expect(isEditableName('Front/desk')).toBe(false);
  expect(isIpv4('10.0.0.7')).toBe(true);
  for (const wrong of ['10.0.0', '10.0.0.256', '10.0.0.07']) expect(isIpv4(wrong)).toBe(false);
  expect(anyFilled(['', '  ', null])).toBe(false);
  expect(anyFilled(['', 'x'])).toBe(true);
  expect(cleanTags([' a ', '', 'a', 'b '])).toEqual(['a', 'b']);
});

test('the last digit of a LOINC code checks the others', () => {
  for (const code of ['11488-4', '57133-1', '8-3']) expect(isLoinc(code)).toBe(true);
  for (const code of ['11488-3', '114884', '11488-44', '12345678-9']) expect(isLoinc(code)).toBe(false);
});

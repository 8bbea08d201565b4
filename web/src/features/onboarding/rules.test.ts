import { describe, expect, test } from 'vitest';
import { checkSsn, emptyIdentity, identityChecks, inputOf, isDuplicateAddress, showSeconds, stepFor } from './rules';

const begun = {
  isAdmin: true,
  mustAcceptTerms: false,
  orgIsAcceptedEULA: true,
  orgIsIdProofed: true,
  orgIsActivated: true,
  orgIsCancelled: false,
  idProofedAttemptDate: null,
  activationNoticeDismissed: false,
};

describe('the sequence of onboarding', () => {
  test('goes from the terms over identity to activation (SES-R-065)', () => {
    const fresh = { ...begun, orgIsAcceptedEULA: false, orgIsIdProofed: false, orgIsActivated: false };
    const accepted = { ...fresh, orgIsAcceptedEULA: true };
    const attempted = { ...accepted, idProofedAttemptDate: '2026-11-20T09:00:00Z' };
    const proven = { ...attempted, orgIsIdProofed: true };
    const steps = [fresh, accepted, attempted, proven, { ...proven, orgIsActivated: true }].map((p) => stepFor(p, null, false));
    expect(steps).toEqual(['terms', 'welcome', 'decision', 'activation', null]);
  });
  test('asks nobody for their identity who is no administrator (SES-R-063)', () => {
    expect(stepFor({ ...begun, isAdmin: false, orgIsIdProofed: false }, 'identity', false)).toBeNull();
  });
  test('is for administrators of organizations that are not cancelled (SES-R-062)', () => {
    expect(stepFor({ ...begun, isAdmin: false, orgIsAcceptedEULA: false }, null, false)).toBeNull();
    expect(stepFor({ ...begun, orgIsCancelled: true, orgIsAcceptedEULA: false }, null, false)).toBeNull();
  });
  test('asks everybody for terms that were activated, whatever is done already (ADA-R-206)', () => {
    for (const isAdmin of [true, false]) expect(stepFor({ ...begun, isAdmin, mustAcceptTerms: true }, null, true)).toBe('terms');
  });
  test('starts with the terms, even after identity proofing (SES-R-066)', () => {
    expect(stepFor({ ...begun, orgIsAcceptedEULA: false, orgIsIdProofed: false }, 'identity', false)).toBe('terms');
    expect(stepFor({ ...begun, orgIsAcceptedEULA: false }, null, false)).toBe('terms');
  });
  test('continues with the welcome, or with the decision after an attempt (SES-R-068, SES-R-069)', () => {
    expect(stepFor({ ...begun, orgIsIdProofed: false }, null, false)).toBe('welcome');
    expect(stepFor({ ...begun, orgIsIdProofed: false }, 'identity', false)).toBe('identity');
    expect(stepFor({ ...begun, orgIsIdProofed: false, idProofedAttemptDate: '2026-11-20T09:00:00Z' }, 'identity', false)).toBe('decision');
  });
  test('ends with the activation notice, which either flag hides (SES-R-076, SES-R-077)', () => {
    expect(stepFor({ ...begun, orgIsActivated: false }, null, false)).toBe('activation');
    expect(stepFor({ ...begun, orgIsActivated: false }, null, true)).toBeNull();
    expect(stepFor({ ...begun, orgIsActivated: false, activationNoticeDismissed: true }, null, false)).toBeNull();
    expect(stepFor(begun, null, false)).toBeNull();
  });
});

describe('the identity form', () => {
  test('takes a social security number with dashes or without (SES-R-236, SES-R-237, SES-R-238)', () => {
    expect([checkSsn(''), checkSsn('123456789'), checkSsn('123-45-6789')]).toEqual([null, null, null]);
    for (const wrong of ['12345678', '123-456789', '12-345-6789', '123 45 6789']) expect(checkSsn(wrong)).toMatch(/^Please enter your SSN/);
  });
  test('asks for the former address once any of it is filled (SES-R-246)', () => {
    const values = emptyIdentity();
    expect(identityChecks.formerAddress.zip('', values)).toBeNull();
    expect(inputOf(values).formerAddress).toBeNull();
    values.formerAddress.city = 'Marlow';
    expect(identityChecks.formerAddress.zip('', values)).toBe('Zip is required.');
    expect(inputOf(values).formerAddress?.city).toBe('Marlow');
  });
  test('says that the street is missing (SES-R-239, SES-T-065)', () => {
    expect(identityChecks.currentAddress.addressLine('')).toBe('Address is required.');
  });
  test('says that the city is missing (SES-R-240, SES-T-066)', () => {
    expect(identityChecks.currentAddress.city(' ')).toBe('City is required.');
  });
  test('says that the state is missing (SES-T-067)', () => {
    expect(identityChecks.currentAddress.state('')).toBe('State is required.');
  });
  test('says that the zip code is missing (SES-R-242, SES-T-068)', () => {
    expect(identityChecks.currentAddress.zip('')).toBe('Zip is required.');
  });
  test('refuses names that are none, as the server does (SES-R-251, SES-T-069, MSG-R-437, MSG-T-115)', () => {
    for (const fine of ['Ana', 'O’Neil', 'Jean-Luc', 'José María', 'St. John']) expect(identityChecks.firstName(fine)).toBeNull();
    for (const wrong of ['12345', '<b>', '-', 'R2D2']) expect(identityChecks.firstName(wrong)).toBe('First Name is invalid');
    expect(identityChecks.lastName("Robert'); DROP TABLE")).toBe('Last Name is invalid');
  });
  test('needs neither social security number nor telephone nor a former address (SES-R-249)', () => {
    const { ssn, phoneNumber, formerAddress } = identityChecks;
    expect([ssn(''), phoneNumber(''), formerAddress.city('', emptyIdentity())]).toEqual([null, null, null]);
  });
  test('sends the date of birth as it is written (SES-R-234)', () => {
    expect(inputOf({ ...emptyIdentity(), dateOfBirth: '1975-03-14' }).dateOfBirth).toBe('03/14/1975');
    expect(identityChecks.dateOfBirth('13/45/1975')).toBe('Date of Birth is invalid');
  });
  test('detects the same address given twice, however it is written (SES-R-250)', () => {
    const at = { addressLine: '12 Birch Lane', addressUnit: '', city: 'Larkfield', state: 'OH', zip: '43999' };
    expect(isDuplicateAddress({ ...emptyIdentity(), currentAddress: at, formerAddress: { ...at, addressLine: '12 birch lane.' } })).toBe(
      true,
    );
    expect(isDuplicateAddress({ ...emptyIdentity(), currentAddress: at, formerAddress: { ...at, zip: '43998' } })).toBe(false);
    expect(isDuplicateAddress(emptyIdentity())).toBe(false);
  });
});

test('the time that is left is shown in minutes and seconds', () => {
  expect([showSeconds(600), showSeconds(65), showSeconds(0)]).toEqual(['10:00', '1:05', '0:00']);
});

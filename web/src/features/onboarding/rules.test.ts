import { describe, expect, test } from 'vitest';
import { checkSsn, emptyIdentity, identityChecks, inputOf, isDuplicateAddress, showSeconds, stepFor } from './rules';

const begun = {
  isAdmin: true,
  orgIsAcceptedEULA: true,
  orgIsIdProofed: true,
  orgIsActivated: true,
  orgIsCancelled: false,
  idProofedAttemptDate: null,
  activationNoticeDismissed: false,
};

describe('the sequence of onboarding', () => {
  test('is for administrators of organizations that are not cancelled (SES-R-062)', () => {
    expect(stepFor({ ...begun, isAdmin: false, orgIsAcceptedEULA: false }, null, false)).toBeNull();
    expect(stepFor({ ...begun, orgIsCancelled: true, orgIsAcceptedEULA: false }, null, false)).toBeNull();
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

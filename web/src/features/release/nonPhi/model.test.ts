import { describe, expect, test } from 'vitest';
import { EMPTY, errorsOf } from './model';

describe('a non-PHI fax', () => {
  test('needs a number to send to and one to send from, a subject and a file (MSG-R-315, MSG-R-316, MSG-R-317, MSG-R-318)', () => {
    expect(errorsOf({ ...EMPTY, subject: ' ' })).toEqual({
      toAddress: '"To fax number" is required.',
      subject: '"Subject" is required.',
      fromAddress: '"From fax number" is required.',
      attachments: 'Missing file attachment.',
    });
    const file = new File(['x'], 'Flyer.pdf');
    const whole = { ...EMPTY, toAddress: '7405550120', subject: 'Opening hours', fromAddress: '+17405550110', attachments: file };
    expect(Object.values(errorsOf(whole))).toEqual([null, null, null, null]);
  });
});

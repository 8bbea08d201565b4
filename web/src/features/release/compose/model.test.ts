import { describe, expect, test } from 'vitest';
import { attachment, complete, FAX, message, releaseType } from '@/test/fixtures';
import { emptyPatient, inputOf, modeOfDraft, patientInput, quoted, valuesOf, withPrefix } from './model';

describe('what is sent to the server', () => {
  test('fax numbers are digits, dates and choices that are empty are none', () => {
    const input = inputOf(complete({ to: ['+1 (555) 010-0188', 'a@b.example'] }), {
      releaseTypes: [releaseType()],
      attachments: [attachment()],
    });
    expect(input).toMatchObject({
      toAddresses: ['15550100188', 'a@b.example'],
      releaseType: 'Referral',
      attachments2PDF: false,
      conversion: 'Original',
      patient: { firstName: 'Bridget', city: null, telephone: null },
      attachments: [{ id: 'a1' }],
    });
    expect(input).not.toHaveProperty('comments');
  });
  test('identifiers lacking root or id are dropped (MSG-R-218)', () => {
    const ids = [
      { root: '1.2', id: '7' },
      { root: '', id: '8' },
      { root: '1.3', id: '' },
    ];
    expect(patientInput({ ...emptyPatient(), lastName: 'Yoon', patientIds: ids })?.patientIds).toEqual([{ root: '1.2', id: '7' }]);
  });
  test('a saved draft opens with what was saved', () => {
    const input = inputOf(complete({ cc: ['c@d.example'], conversion: 'Pdf' }), { releaseTypes: [], attachments: [] });
    const saved = message({
      releaseTypeId: input.releaseTypeId,
      fromAddress: input.fromAddress!,
      toAddresses: input.toAddresses!,
      ccAddresses: input.ccAddresses!,
      subject: input.subject!,
      conversion: input.conversion,
      patient: input.patient,
    });
    expect(valuesOf(saved, FAX)).toEqual(complete({ cc: ['c@d.example'], conversion: 'Pdf' }));
  });
});

describe('forwarding and replying', () => {
  test('prefixes are set once (MSG-T-002, MSG-T-003)', () => {
    expect(withPrefix('FW:', 'Lab results')).toBe('FW: Lab results');
    expect(withPrefix('FW:', 'fw: Lab results')).toBe('fw: Lab results');
    expect(withPrefix('RE:', '')).toBe('RE:');
  });
  test('a reply carries the words it answers', () => {
    expect(quoted({ body: 'One\nTwo', fromAddress: 'a@b.example', fromName: 'Ann' }, 'Nov 19, 2026, 8:14 AM')).toBe(
      '\n\nAnn wrote (Nov 19, 2026, 8:14 AM):\n> One\n> Two',
    );
    expect(quoted({ body: ' ', fromAddress: 'a@b.example', fromName: '' }, '')).toBe('');
  });
  test('a draft goes out as what it was begun as (MSG-R-236)', () => {
    expect(modeOfDraft({ originalObjectId: null, mode: 'send' })).toBe('draft');
    expect(modeOfDraft({ originalObjectId: '1', mode: 'reply' })).toBe('reply');
    expect(modeOfDraft({ originalObjectId: '1', mode: 'forward' })).toBe('forward');
    expect(modeOfDraft({ originalObjectId: '1', mode: null })).toBe('forward');
  });
});

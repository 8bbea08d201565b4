import { describe, expect, test } from 'vitest';
import { DEFAULT_FIELD_ERROR } from '@/shared/rules/fields';
import { attachment, complete, FAX } from '@/test/fixtures';
import { emptyValues } from './model';
import {
  addressError,
  addressErrors,
  attachErrors,
  confidentialityIn,
  fileError,
  fileErrors,
  hasFax,
  isPatientRequired,
  MAX_FILE_BYTES,
  MAX_TOGETHER_BYTES,
  needsUpgrade,
  patientFieldErrors,
  patientFormErrors,
  safeReturnUrl,
  sendErrors,
  serverErrors,
  uploadFailure,
} from './rules';

const today = new Date(2026, 10, 20);
const none: ReadonlyMap<string, string> = new Map();
const check = (over: Partial<Parameters<typeof sendErrors>[0]> = {}) =>
  sendErrors({ values: complete(), mode: 'new', attachments: [], unfinished: [], invalid: none, today, ...over }).map((e) => e.text);

describe('before sending', () => {
  test('a complete release has nothing to fix', () => {
    expect(check({ attachments: [attachment()] })).toEqual([]);
  });
  test('release type, From, To and patient are required, in the order of the page (MSG-R-267, MSG-R-269, MSG-R-270)', () => {
    expect(check({ values: emptyValues(FAX) })).toEqual([
      '"Release Type" is required.',
      '"From" address is required.',
      '"To" address is required.',
      '"Patient Details" information is required.',
    ]);
  });
  test('a reply needs no release type and no patient (MSG-R-268)', () => {
    const values = { ...emptyValues(FAX), from: 'a@b.example', to: ['c@d.example'] };
    expect(check({ values, mode: 'reply' })).toEqual([]);
  });
  test('a patient that is there in part is told field by field (MSG-R-288, MSG-R-289, MSG-R-290, MSG-R-292, MSG-T-062, MSG-T-063, MSG-T-064, MSG-T-065)', () => {
    const { patient } = complete();
    const lacking = (over: object) => check({ values: complete({ patient: { ...patient, ...over } }) });
    expect(lacking({ firstName: '', gender: '' })).toEqual(['"Patient First Name" is required.', '"Patient Gender" is required']);
    expect(lacking({ lastName: '', birthDate: '' })).toEqual(['"Patient Last Name" is required.', '"Patient Birth Date" is required']);
  });
  test('a birth date after today is refused', () => {
    const values = complete();
    values.patient = { ...values.patient, birthDate: '2027-01-01' };
    expect(check({ values })).toEqual(['Birth date: Please enter a valid value for this field.']);
  });
  test('an address that is not valid is named (MSG-R-274)', () => {
    const values = complete({ to: ['front@brannoc'] });
    expect(check({ values, invalid: new Map([['front@brannoc', 'This address is not valid.']]) })).toEqual([
      'This address is not valid. (front@brannoc)',
    ]);
  });
  test('an attachment without its details is told with the file name (MSG-R-266, MSG-R-306, MSG-T-050, MSG-T-068)', () => {
    expect(check({ attachments: [attachment({ attachmentMeta: { documentDate: '2026-11-19' } })] })).toEqual([
      "An attachment's information is invalid.",
      '"Confidentiality" is required for file Visit note.pdf',
    ]);
  });
  test('sending as CDA needs the type of each document (MSG-R-302)', () => {
    const file = attachment({ attachmentMeta: { documentDate: '2026-11-19', confidentiality: 'Normal' } });
    const said = (values: ReturnType<typeof complete>) => check({ values, attachments: [file] });
    expect(said(complete())).toEqual([]);
    expect(said(complete({ conversion: 'Cda' }))).toContain('"Document Type" is required for file Visit note.pdf');
  });
  test('a structured document states its details itself (MSG-R-280)', () => {
    expect(check({ attachments: [attachment({ fileName: 'summary.xml', isStructured: true, attachmentMeta: {} })] })).toEqual([]);
  });
  test('a file that is not uploaded keeps the message back', () => {
    expect(check({ unfinished: ['scan.tif'] })).toEqual(["'scan.tif' is not uploaded. Wait for it, try again, or remove it."]);
  });
  test('attachments together stay within 25 MB', () => {
    const big = (id: string) => attachment({ id, sizeInBytes: MAX_FILE_BYTES });
    expect(check({ attachments: [big('1'), big('2')] })).toEqual(['All attachments together may be at most 25 MB.']);
  });
  test('new releases and drafts ask for a patient, forwards and replies do not', () => {
    expect((['new', 'draft', 'forward', 'reply'] as const).map(isPatientRequired)).toEqual([true, true, false, false]);
  });
  test('names, place and identifier of a patient have 35 characters (MSG-R-144)', () => {
    const { patient } = complete();
    const fields = ['patientId', 'firstName', 'middleName', 'lastName', 'streetAddress1', 'streetAddress2', 'city'] as const;
    const wrong = (length: number) => fields.map((f) => patientFormErrors({ ...patient, [f]: 'x'.repeat(length) }, today)[f]);
    expect(wrong(35)).toEqual(fields.map(() => undefined));
    expect(wrong(36)).toEqual(fields.map(() => 'At most 35 characters; these are 36.'));
  });
  test('where nothing is known of the patient, all required fields are marked', () => {
    const errors = patientFieldErrors(emptyValues(FAX).patient, 'new', today);
    expect(errors).toEqual({ firstName: '"Patient Details" information is required.', lastName: true, birthDate: true, gender: true });
  });
});

describe('addresses', () => {
  test('Direct addresses and fax numbers of seven digits or more pass', () => {
    for (const a of ['front@larkfield.direct.example', '5550188', '+1 (555) 010-0188', '15550100188 x12'])
      expect(addressError(a)).toBeNull();
  });
  test.each([
    ['records@summit-ortho', 'This address is not valid.'],
    ['123456', 'This address is not valid.'],
    ['someone', 'This address is not valid.'],
    ['a..b@c.example', "Direct Address can't have consecutive period character."],
    ['.a@c.example', "Direct Address can't start or end with period character."],
    ['a b@c.example', 'Direct Address contains invalid character.'],
  ])('%s is refused with a reason (MSG-R-274)', (address, text) => {
    expect(addressError(address)).toBe(text);
  });
  test('the server may refuse what looks right, in its own words', () => {
    const checks = [
      { address: 'A@b.example', isValid: false, message: 'Unknown recipient.' },
      { address: 'c@d.example', isValid: false },
    ];
    const errors = addressErrors(['a@b.example', 'c@d.example', 'e@f.example'], checks);
    expect([...errors]).toEqual([
      ['a@b.example', 'Unknown recipient.'],
      ['c@d.example', 'This address is not valid.'],
    ]);
  });
  test('a restricted plan still sends to fax numbers and marked test addresses (MSG-R-271, MSG-R-272, MSG-R-273)', () => {
    expect(needsUpgrade(['15550100188', '5550188 x4'], '')).toBe(false);
    expect(needsUpgrade(['15550100188', 'a@b.example'], '')).toBe(true);
    expect(needsUpgrade(['a+trial@b.example'], '+trial')).toBe(false);
    expect(needsUpgrade(['a@b.example'], '')).toBe(true);
  });
  test('fax choices appear with a fax number only', () => {
    expect(hasFax(['a@b.example'])).toBe(false);
    expect(hasFax(['a@b.example', '15550100188'])).toBe(true);
  });
});

describe('files', () => {
  const file = (name: string, size = 10) => ({ name, size });
  const extensions = ['pdf', 'tif'];
  test.each([
    [file('a.pdf', 0), 'File is empty. Please upload something more substantial.'],
    [file('a.pdf', MAX_FILE_BYTES), null],
    [file('a.pdf', MAX_FILE_BYTES + 1), 'Your attachment exceeds the maximum (20MB) allowed size.'],
    [file('viewer.EXE'), 'Your attachment file type exe is not supported'],
    [file('README'), 'Your attachment file type is not supported.'],
    [file('A.PDF'), null],
  ])('%o is judged by type and size (MSG-R-276, MSG-R-277, MSG-R-278, MSG-R-279)', (f, text) => {
    expect(fileError(f, extensions, 0)).toBe(text);
  });
  test('what is attached already counts', () => {
    expect(fileError(file('a.pdf', 10), extensions, MAX_TOGETHER_BYTES)).toBe('All attachments together may be at most 25 MB.');
    const half = MAX_TOGETHER_BYTES / 2;
    expect(fileErrors([file('a.pdf', half), file('b.pdf', half), file('c.pdf', 1)], extensions, 0)).toEqual([
      null,
      null,
      'All attachments together may be at most 25 MB.',
    ]);
  });
  test('an upload that failed is told by name, a refused type with its reason (MSG-R-411, MSG-R-412)', () => {
    expect(uploadFailure('a.pdf', [])).toBe("An error occurred while uploading 'a.pdf'.");
    expect(uploadFailure('a.pdf', ['FileType is not supported for upload'])).toBe(
      "An error occurred while uploading 'a.pdf'. Unsupported file type.",
    );
  });
  test.each([
    ['<confidentialityCode code="R"/>', 'Restricted'],
    ['<cda:confidentialityCode codeSystem="x" code="VR" />', 'VeryRestricted'],
    ['<confidentialityCode code="N"/>', 'Normal'],
    ['<ClinicalDocument/>', 'Normal'],
  ])('the confidentiality of a document is read from it: %s (MSG-R-281, MSG-R-282, MSG-R-283)', (text, expected) => {
    expect(confidentialityIn(text)).toBe(expected);
  });
  const values = { documentType: '', confidentiality: 'Normal', dateType: 'selected', date: '2026-11-20', notes: '' } as const;
  test('a document date may be today, not later (MSG-R-284)', () => {
    expect(attachErrors(values, ['a.pdf'], today)).toEqual({});
    expect(attachErrors({ ...values, date: '2026-11-21' }, ['a.pdf'], today)).toEqual({
      date: 'Document Date must be equal or less than today.',
    });
    expect(attachErrors({ ...values, date: '' }, ['a.pdf'], today)).toEqual({ date: '"Document Date" is required for file a.pdf' });
  });
  test('confidentiality is required unless all files are structured (MSG-R-280)', () => {
    expect(attachErrors({ ...values, confidentiality: '' }, ['b.xml', 'a.pdf'], today).confidentiality).toContain('a.pdf');
    expect(attachErrors({ ...values, confidentiality: '' }, ['b.xml'], today)).toEqual({});
  });
  test('notes have 255 characters (MSG-R-285)', () => {
    expect(attachErrors({ ...values, notes: 'x'.repeat(255) }, ['a.pdf'], today)).toEqual({});
    expect(attachErrors({ ...values, notes: 'x'.repeat(256) }, ['a.pdf'], today)).toHaveProperty('notes');
  });
});

describe('refusals of the server', () => {
  test('are listed one per line, that of the recipients first (MSG-R-408, MSG-R-409)', () => {
    expect(serverErrors({ subject: ['Subject is too long.'], toAddress: ['"To" address is required.'] }, 'Invalid')).toEqual([
      '"To" address is required.',
      'Subject is too long.',
    ]);
    expect(serverErrors({ 'patient.telephone': [DEFAULT_FIELD_ERROR] }, 'Invalid')).toEqual([`Telephone: ${DEFAULT_FIELD_ERROR}`]);
    expect(serverErrors({}, 'One thing.\nAnother thing.')).toEqual(['One thing.', 'Another thing.']);
  });
});

test('only paths of the application are returned to', () => {
  expect(safeReturnUrl('/intake/1?page=2')).toBe('/intake/1?page=2');
  for (const bad of ['https://evil.example', '//evil.example', '/\\evil.example', 'intake', undefined])
    expect(safeReturnUrl(bad)).toBeUndefined();
});

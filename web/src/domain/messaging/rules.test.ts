import { describe, expect, test } from 'vitest';
import type { Attachment, Patient } from '@/api/types';
import {
  attachmentEditable,
  attachmentErrors,
  completed,
  documentDateOf,
  type Export,
  fillEmpty,
  lockedPatient,
  missingPatient,
  overwritePatient,
  patientDifferences,
  patientEditable,
  patientErrors,
  patientRequired,
  retyped,
  selectionAfterDelete,
  stated,
  visitEditable,
  withoutOrders,
  withoutVisit,
  withVisit,
} from './rules';

const today = new Date(2026, 10, 20);
const single: Export = {
  exportMode: 'save_as',
  exportOption: 'standard',
  exportDirectoryType: 'single_directory',
  exportVisitDirectory: false,
  nonPatientExport: false,
};
const folder: Export = { ...single, exportDirectoryType: 'patient_folder', exportVisitDirectory: true };
const print: Export = { ...single, exportMode: 'print' };
const file = (meta: Attachment['attachmentMeta'], fileName = 'Fax.pdf') => ({ fileName, attachmentMeta: meta }) as Attachment;

test('patient details are required for a new release and for three kinds of export on intake (MSG-R-298, MSG-R-299, MSG-R-300, MSG-R-301)', () => {
  expect(patientRequired('new', print)).toBe(true);
  expect(patientRequired('intake', print)).toBe(false);
  expect(patientRequired('intake', { ...single, exportOption: 'xds-sd_cda' })).toBe(true);
  expect(patientRequired('intake', single)).toBe(true);
  expect(patientRequired('intake', folder)).toBe(true);
  expect(patientRequired('intake', { ...folder, nonPatientExport: true })).toBe(false);
});

test('missing details are named in the words of the page; birth date and gender are not asked for on intake (MSG-R-287, MSG-R-288, MSG-R-289, MSG-R-291, MSG-R-293)', () => {
  expect(missingPatient(null, { mode: 'intake', settings: folder })).toEqual({ details: '"Patient Details" information is required.' });
  expect(missingPatient({ firstName: 'A' }, { mode: 'intake', settings: folder })).toEqual({
    lastName: '"Patient Last Name" is required.',
  });
  expect(missingPatient({ lastName: 'B' }, { mode: 'new', settings: print })).toEqual({
    firstName: '"Patient First Name" is required.',
    birthDate: '"Patient Birth Date" is required',
    gender: '"Patient Gender" is required',
  });
  expect(missingPatient({}, { mode: 'intake', settings: print })).toEqual({});
});

test('a birth date is a date and not in the future, a future visit only from a prescription network is refused (MSG-R-294, MSG-R-295, MSG-R-297)', () => {
  const wrong = (p: Patient, fromPrescriptionNetwork = false) => Object.keys(patientErrors(p, { today, fromPrescriptionNetwork }));
  expect(wrong({ birthDate: '2026-11-20', visitDate: '2027-01-01' })).toEqual([]);
  expect(wrong({ birthDate: '2026-11-21' })).toEqual(['birthDate']);
  expect(wrong({ birthDate: '13/45/2026', visitDate: 'soon' })).toEqual(['birthDate', 'visitDate']);
  expect(wrong({ visitDate: '2027-01-01' }, true)).toEqual(['visitDate']);
  expect(wrong({ lastName: 'x'.repeat(35), city: 'x'.repeat(36) })).toEqual(['city']);
});

test('each text of a patient has at most 35 characters (MSG-R-144, MSG-R-446)', () => {
  const wrong = (field: keyof Patient, length: number) => {
    const text = field === 'telephone' ? `555${' '.repeat(length - 10)}0100142` : 'x'.repeat(length);
    return patientErrors({ [field]: text }, { today });
  };
  for (const field of [
    'patientId',
    'firstName',
    'middleName',
    'lastName',
    'streetAddress1',
    'streetAddress2',
    'city',
    'telephone',
  ] as const) {
    expect(wrong(field, 35)).toEqual({});
    expect(wrong(field, 36)).toEqual({ [field]: 'At most 35 characters; these are 36.' });
  }
});

test('a file needs type and date on intake, confidentiality when it is sent (MSG-R-303, MSG-R-304, MSG-R-305, MSG-R-306)', () => {
  const on = (mode: 'intake' | 'new', meta: Attachment['attachmentMeta']) =>
    attachmentErrors(file(meta), { mode, settings: folder, today });
  expect(on('intake', {})).toEqual({
    documentType: '"Document Type" is required for file Fax.pdf',
    documentDate: '"Document Date" is required for file Fax.pdf',
  });
  expect(on('new', { documentDate: '2026-11-21' })).toEqual({
    documentDate: 'Document Date must be equal or less than today.',
    confidentiality: '"Confidentiality" is required for file Fax.pdf',
  });
  expect(attachmentErrors(file({}, 'Report.xml'), { mode: 'intake', settings: folder, today })).toEqual({});
  expect(attachmentErrors(file({}), { mode: 'intake', settings: print, today })).toEqual({});
});

test('structured files and print exports are read-only, the visit opens for one kind of export only (MSG-R-169, MSG-R-170, MSG-R-171, MSG-R-175, MSG-R-176, MSG-R-177, MSG-R-178)', () => {
  expect(attachmentEditable('intake', folder, file({}), true)).toBe(true);
  expect(attachmentEditable('intake', folder, file({}), false)).toBe(false);
  expect(attachmentEditable('intake', print, file({}), true)).toBe(false);
  expect(patientEditable('intake', print)).toBe(false);
  expect(patientEditable('intake', folder)).toBe(true);
  expect(attachmentEditable('intake', folder, file({}, 'a.hl7'), true)).toBe(false);
  expect(visitEditable('intake', folder)).toBe(true);
  expect(visitEditable('intake', { ...folder, exportVisitDirectory: false })).toBe(false);
  expect(visitEditable('release', folder)).toBe(false);
  expect(visitEditable('intake', { ...folder, exportDirectoryType: 'single_directory' })).toBe(false);
  expect(visitEditable('intake', { ...folder, exportOption: 'xds-sd_cda' })).toBe(false);
  expect(visitEditable('intake', { ...folder, exportMode: 'print' })).toBe(false);
});

test('reading a document fills only empty fields (MSG-R-204)', () => {
  const { patient, filled } = fillEmpty({ firstName: 'Maria', lastName: ' ' }, { firstName: 'Marisol', lastName: 'Tenney', gender: 'F' });
  expect(patient).toEqual({ firstName: 'Maria', lastName: 'Tenney', gender: 'F' });
  expect(filled).toEqual(['lastName', 'gender']);
});

test('differences to the patient of a file are listed, without regard to case', () => {
  const patient = { lastName: 'TENNEY', firstName: 'Marisol', patientId: 'LFM-1', telephone: '7405550111' };
  expect(patientDifferences(patient, { lastName: 'Tenney', firstName: 'Marisol', patientId: 'LFM-2', city: 'Larkfield' })).toEqual([
    { field: 'patientId', from: 'LFM-1', to: 'LFM-2' },
  ]);
});

test('a patient is overwritten by what a file says, and by that alone where it names another person', () => {
  const patient = {
    lastName: 'Tenney',
    firstName: 'Maria',
    telephone: '7405550111',
    visitId: 'V-1',
    patientIds: [{ root: '1.2', id: 'LFM-1' }],
  };
  const same = { lastName: 'Tenney', city: 'Larkfield', telephone: '', patientIds: [] };
  expect(overwritePatient(patient, same)).toEqual({ ...patient, city: 'Larkfield' });
  const other = { lastName: 'Tenney', firstName: 'Marisol', city: 'Larkfield', telephone: null, patientIds: [] };
  expect(patientDifferences(patient, other)).toEqual([
    { field: 'firstName', from: 'Maria', to: 'Marisol' },
    { field: 'telephone', from: '7405550111', to: '' },
  ]);
  expect(overwritePatient(patient, other)).toEqual({ lastName: 'Tenney', firstName: 'Marisol', city: 'Larkfield', visitId: 'V-1' });
});

test('after a deletion the next file is selected, else the previous, else none (MSG-R-213)', () => {
  expect(selectionAfterDelete(['a', 'b', 'c'], 'b')).toBe('c');
  expect(selectionAfterDelete(['a', 'b', 'c'], 'c')).toBe('b');
  expect(selectionAfterDelete(['a'], 'a')).toBeNull();
});

test('the document date is today, the day of the message, or to be chosen', () => {
  expect(documentDateOf('today', null, today)).toBe('2026-11-20');
  expect(documentDateOf('message', new Date(2026, 10, 18, 9).toISOString(), today)).toBe('2026-11-18');
  expect(documentDateOf('selected', null, today)).toBe('');
});

describe('a patient from a chart', () => {
  const chart = { integrationId: 'e', patientId: 'p1', visitId: 'v1', medicalRecordNumber: '7' };
  const patient = { firstName: 'Marisol', lastName: 'Tenney', birthDate: '1961-03-14', visitId: 'v1', visitDate: '2026-09-22' };
  const current = { ...patient, integrationMeta: chart };

  test('is read-only while it is linked, also for what is read from documents (MSG-R-206, MSG-R-210)', () => {
    expect(lockedPatient(current)).toBe(true);
    expect(lockedPatient({ ...patient, integrationMeta: { visitId: 'v1' } })).toBe(false);
    expect(lockedPatient({ integrationMeta: null })).toBe(false);
    expect(fillEmpty(current, { middleName: 'J' })).toEqual({ patient: current, filled: [] });
    expect(completed(current, { city: 'Larkfield', knownPatientId: 'k' })).toEqual({ ...current, knownPatientId: 'k' });
  });
  test('is another one with another identity, and its visit another one with another date', () => {
    expect(retyped(current, { lastName: 'Tenny' }).integrationMeta).toBeNull();
    expect(retyped(current, { city: 'Larkfield' } as object).integrationMeta).toBe(chart);
    expect(retyped(current, { visitDate: '2026-09-23' }).integrationMeta).toEqual({ ...chart, visitId: null });
  });
  test('does not pass its link or its visit on to a patient from elsewhere', () => {
    expect(overwritePatient(current, { ...patient, visitId: null, visitDate: null })).not.toHaveProperty('integrationMeta');
    const other = { lastName: 'Yoon', integrationMeta: { integrationId: 'e', patientId: 'p2' } };
    expect(overwritePatient(current, other)).toEqual(other);
    expect(overwritePatient(patient, other)).toMatchObject({ visitId: 'v1', integrationMeta: { patientId: 'p2' } });
    expect(completed(patient, current)).not.toHaveProperty('integrationMeta');
  });
  test('is stated with its link, but not with an empty one', () => {
    expect(stated({ lastName: 'Tenney', city: '', integrationMeta: chart })).toEqual({ lastName: 'Tenney', integrationMeta: chart });
    expect(stated({ integrationMeta: { integrationId: null, patientId: null } })).toEqual({});
  });
  test('gets a visit, and loses it with its orders (MSG-R-211)', () => {
    expect(withVisit(current, { id: 'v2', date: '2026-11-24' })).toMatchObject({
      visitId: 'v2',
      visitDate: '2026-11-24',
      integrationMeta: { patientId: 'p1', visitId: 'v2' },
    });
    expect(withoutVisit(current)).toMatchObject({ visitId: '', visitDate: '', integrationMeta: { patientId: 'p1', visitId: null } });
    expect(withoutOrders({ integrationMeta: { orderIds: ['o'], reviewerId: 'r' } }).integrationMeta).toEqual({
      orderIds: [],
      reviewerId: 'r',
    });
  });
});

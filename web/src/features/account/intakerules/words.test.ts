import { describe, expect, it } from 'vitest';
import { actionsOf, conditionsOf } from './words';

const nothing = { sources: [], senders: [], recipients: [], subjects: [], documentTypes: [], patient: 'Any' as const, patientNames: [] };

describe('an intake rule in words', () => {
  it('tells its conditions in one sentence', () => {
    expect(conditionsOf(nothing, String)).toBe('Every message');
    const rule = { ...nothing, sources: ['Fax' as const], senders: ['lab', 'clinic'], patient: 'Unknown' as const };
    expect(conditionsOf(rule, String)).toBe('By Fax, from “lab” or “clinic”, patient not known');
  });

  it('tells what it does, and how many people get the messages', () => {
    const acts = { people: ['1', '2'], tags: ['lab'], documentType: '', isUrgent: true, stops: true };
    expect(actionsOf(acts, (id) => `P${id}`)).toBe('Assign to P1 or P2, tag lab, urgent, stop');
    expect(actionsOf({ ...acts, people: ['1', '2', '3'], tags: [], isUrgent: false, stops: false }, String)).toBe(
      'Assign to one of 3 people',
    );
  });
});

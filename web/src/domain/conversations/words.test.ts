import { describe, expect, it } from 'vitest';
import { dueOf, outcomeOf, turnOf } from './words';

describe('a referral in words', () => {
  it('says who has to act, and nobody once it is closed', () => {
    expect(turnOf({ turn: 'Recipient', isOwnTurn: true })).toBe('Waiting for you');
    expect(turnOf({ turn: 'Recipient', isOwnTurn: false }, 'Summit')).toBe('Waiting for Summit');
    expect(turnOf({ turn: null, isOwnTurn: false })).toBe('');
  });

  it('says what became of it (MSG-R-247, MSG-R-248)', () => {
    expect(outcomeOf('Accept').done).toBe('The message has been successfully accepted.');
    expect(outcomeOf('Outcome').done).toBe('The message has been successfully completed.');
    expect(outcomeOf('Interim').done).toBe('Interim note sent.');
  });

  it('says that its status could not be changed (MSG-R-249, MSG-T-088)', () => {
    expect(outcomeOf('Appointment').failed).toBe('Unable to change status to Scheduled.');
    expect(outcomeOf('NoShow').failed).toBe('Unable to change status to No-show.');
    expect(outcomeOf('Interim').failed).toBe('The other party could not be notified. Please try again.');
  });

  it('says since when it is overdue, or that nobody answered', () => {
    const of = { dueDate: '2026-12-01', isOverdue: true };
    expect(dueOf({ ...of, conversationStatus: 'Requested' })).toBe('Overdue: not answered');
    expect(dueOf({ ...of, conversationStatus: 'Accepted' })).toMatch(/^Overdue since /);
    expect(dueOf({ dueDate: null, isOverdue: false, conversationStatus: 'Accepted' })).toBe('');
  });
});

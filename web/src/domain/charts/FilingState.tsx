import type { FiledByRule } from '@/api/types';
import { Status } from '@/shared/ui/status';
import { type Filing, isOfService } from './filings';

/** The state of a filing, as a word. */
const STATES: Record<FiledByRule['state'], string> = {
  Waiting: 'On its way',
  Filed: 'Filed',
  Failed: 'Failed',
  Withdrawing: 'Being taken back',
  Withdrawn: 'Taken back',
  WithdrawalFailed: 'Not taken back',
};
/** States of other lists that look the same. */
const LOOKS: Record<FiledByRule['state'], string> = {
  Waiting: 'Sending',
  Filed: 'Processed',
  Failed: 'Failed',
  Withdrawing: 'Sending',
  Withdrawn: 'Removed',
  WithdrawalFailed: 'Failed',
};

/** The state of a document that is filed into a chart; `words` say more than the usual one. */
export const FilingState = ({ state, words = STATES[state] }: Pick<FiledByRule, 'state'> & { words?: string }) => (
  <Status state={LOOKS[state]}>{words}</Status>
);

/** "Not in the chart", "Could not be sent to Referral desk" */
export function stateWords(filing: Pick<Filing, 'state' | 'integrationType' | 'integrationName'>): string {
  const { state, integrationName: name } = filing;
  const [failed, kept] = isOfService(filing)
    ? [`Could not be sent to ${name}`, `Could not be taken back from ${name}`]
    : ['Not in the chart', 'Still in the chart: could not be taken back'];
  return { ...STATES, Failed: failed, WithdrawalFailed: kept }[state];
}

import type { QueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { refresh } from '@/api/query';
import type { ChartFiling, FailedFiling, FiledByRule } from '@/api/types';
import { refreshActivity, refreshIntake, refreshMessage } from '@/domain/messaging/api';

/** Documents that are in a chart, or should be; and calls about them outside their messages. */

type State = Pick<FiledByRule, 'state'>;
export type Filing = Pick<FiledByRule, 'id' | 'messageId' | 'state' | 'fileName' | 'patientName' | 'integrationId' | 'integrationName'> &
  Partial<Pick<FailedFiling, 'integrationType'>>;

/** On its way to the chart, or out of it. */
export const isRunning = ({ state }: State) => state === 'Waiting' || state === 'Withdrawing';
export const isFailed = ({ state }: State) => state === 'Failed' || state === 'WithdrawalFailed';
/** Not in the chart yet: it is taken back without the EHR. */
export const isOutside = ({ state }: State) => state === 'Waiting' || state === 'Failed';
/** Sent to a system without charts. */
export const isOfService = ({ integrationType }: Pick<Filing, 'integrationType'>) => integrationType === 'WebService';

/** What is asked before a document is taken back. */
export function backWords(filing: Pick<ChartFiling, 'state' | 'patientName' | 'integrationName'> & Pick<Filing, 'integrationType'>) {
  const { patientName, integrationName } = filing;
  if (isOfService(filing))
    return {
      title: `Take back from ${integrationName}`,
      question: isOutside(filing)
        ? `It is not sent to ${integrationName}, and can be sent again.`
        : `${integrationName} is told that it was taken back, and it can be sent again.`,
    };
  return {
    title: 'Take back from the chart',
    question: isOutside(filing)
      ? `It is not filed into the chart of ${patientName}, and the message can be filed again.`
      : `It is marked as entered in error in the chart of ${patientName}, and the message can be filed again.`,
  };
}

export const refreshFilings = (client: QueryClient) => refresh(client, '/api/filedbyrule', '/api/failedmessages/charts');

/** Reads again what shows the document: the lists of filings, its message and Intake. */
export const refreshFiling = (client: QueryClient, messageId: string) =>
  Promise.all([refreshFilings(client), refreshMessage(client, messageId), refreshIntake(client), refreshActivity(client, messageId)]);

const at = ({ messageId, id }: Filing) => ({ params: { path: { id: messageId, filingId: id } } });

/** Takes a document back from the chart, which opens its message again. */
export async function takeBack(client: QueryClient, filing: Filing) {
  await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/undo', at(filing)));
  await refreshFiling(client, filing.messageId);
}

export async function retry(client: QueryClient, filing: Filing) {
  await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/retry', at(filing)));
  await refreshFiling(client, filing.messageId);
}

/** Removes a failure from the list of what needs attention. */
export async function acknowledge(client: QueryClient, { id, messageId }: Filing) {
  await unwrap(api.PUT('/api/failedmessages/charts/{id}/acknowledge', { params: { path: { id } } }));
  await refreshFiling(client, messageId);
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@/api/client';
import type { ChartConnection, Message } from '@/api/types';
import { refreshActivity, refreshIntake } from '@/domain/messaging/api';
import { reportError, wordsOf } from '@/shared/errors';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { useAsk } from '@/shared/ui/AskDialog';
import { offerUndo } from '@/shared/undo';
import type { MetaForms } from '../useMetaForms';
import type { PatientForm } from '../usePatientForm';
import { sendToService } from './api';
import type { ChartPaneState } from './useChartPane';

type Parts = { message: Message; patient: PatientForm; metas: MetaForms; chart: ChartPaneState };
type Accepted = { acceptsPatient?: boolean; takesOver?: boolean };
type Asked = { service: ChartConnection; accepted: Accepted };

const NOT_SAVED = 'Your changes could not be saved yet. Please try again.';
const refuses = (error: unknown, field: string): error is ApiError => error instanceof ApiError && Boolean(error.modelState?.[field]);

/** Sends the chosen documents to a system without charts. The message stays as it is. */
export function useSending({ message, patient, metas, chart }: Parts) {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  const { id } = message;
  const act = async ({ service, accepted }: Asked) => {
    const files = chart.documents.toSend(service);
    if (files.length === 0) return notify('info', `Please select a document that was not sent to ${service.name} yet.`);
    const saved = await Promise.all([patient.flush(), metas.flush(undefined)]);
    if (!saved.every(Boolean)) return notify('warning', NOT_SAVED);
    const { integrationId, name } = service;
    const filingIds = await sendToService(client, id, { ...accepted, integrationId, attachmentIds: files.map((file) => file.id) });
    void refreshIntake(client);
    void refreshActivity(client, id);
    offerUndo(`${plural(files.length, 'document')} on the way to ${name}.`, async () => {
      for (const filingId of filingIds) await chart.filings.takeBack({ id: filingId, integrationType: service.integrationType });
    });
  };
  const request = useMutation({
    mutationFn: act,
    meta: { ownErrors: true },
    onError: (error, { service, accepted }) => {
      const again = (more: Accepted) => ({ service, accepted: { ...accepted, ...more } });
      if (refuses(error, 'takesOver')) {
        notify('warning', wordsOf(error), {
          action: { label: 'Take over and send', run: () => request.mutate(again({ takesOver: true })) },
        });
      } else if (refuses(error, 'acceptsPatient')) {
        ask({
          title: 'The document and the patient differ',
          subject: message.subject || 'No subject',
          question: `${wordsOf(error)} Nothing has been sent.`,
          label: 'Send anyway',
          run: () => act(again({ acceptsPatient: true })),
          failed: `The documents could not be sent to ${service.name}. Please try again.`,
        });
      } else reportError(error);
    },
  });
  return {
    services: chart.services,
    isSending: request.isPending,
    send: (service: ChartConnection) => !request.isPending && request.mutate({ service, accepted: {} }),
    question,
  };
}
export type Sending = ReturnType<typeof useSending>;

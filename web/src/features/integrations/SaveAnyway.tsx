import { useState } from 'react';
import type { ConnectivityReport } from '@/api/types';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { failedStep } from './TestReport';

type Asked = { report: ConnectivityReport; answer: (isSure: boolean) => void };

/** Asks whether a connection is saved although its test failed. */
export function useSaveAnyway() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = (report: ConnectivityReport) =>
    new Promise<boolean>((resolve) =>
      setAsked({
        report,
        answer: (isSure) => {
          setAsked(null);
          resolve(isSure);
        },
      }),
    );
  return [asked, ask] as const;
}

export const SaveAnyway = ({ asked, subject }: { asked: Asked; subject: string }) => (
  <ConfirmDialog
    opened
    onClose={() => asked.answer(false)}
    onConfirm={() => asked.answer(true)}
    title="Save without connection?"
    subject={subject}
    question={`${failedStep(asked.report)?.detail ?? 'The test failed.'} ${asked.report.remedy} Once saved, the connection is tried again by itself.`}
    cancelLabel="Keep editing"
    confirmLabel="Save anyway"
    danger
  />
);

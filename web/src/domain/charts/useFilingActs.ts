import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconArrowBackUp, IconRefresh } from '@tabler/icons-react';
import { notify } from '@/shared/notify';
import { useAsk } from '@/shared/ui/AskDialog';
import { backWords, type Filing, isFailed, isOutside, retry, takeBack } from './filings';
import { useChart } from './useChart';
import { useExternalLogin } from './useExternalLogin';

const isGone = ({ state }: Filing) => state === 'Withdrawing' || state === 'Withdrawn';

/** What can be done with a document that is in a chart, or should be. The screen renders the question before it, and `login`. */
export function useFilingActs() {
  const client = useQueryClient();
  const { connectionOf } = useChart();
  const { inEhr, dialog } = useExternalLogin();
  const [ask, question] = useAsk();
  const again = useMutation({
    mutationFn: (filing: Filing) =>
      inEhr(connectionOf(filing), async () => {
        await retry(client, filing);
        notify('success', 'It is being tried again.');
      }),
  });
  const askBack = (filing: Filing) => {
    const back = async () => {
      await takeBack(client, filing);
      notify('success', 'The document is being taken back.');
    };
    ask({
      ...backWords(filing),
      subject: filing.fileName || 'A deleted document',
      label: 'Take back',
      run: () => (isOutside(filing) ? back() : inEhr(connectionOf(filing), back)),
      failed: 'The document could not be taken back. Please try again.',
    });
  };
  const acts = (filing: Filing) => [
    ...(isFailed(filing)
      ? [
          {
            key: 'again',
            label: 'Try again',
            icon: IconRefresh,
            run: () => again.mutate(filing),
            busy: again.isPending && again.variables.id === filing.id,
          },
        ]
      : []),
    ...(isGone(filing) || filing.state === 'WithdrawalFailed'
      ? []
      : [
          {
            key: 'undo',
            label: filing.state === 'Filed' ? 'Undo' : 'Take back',
            icon: IconArrowBackUp,
            run: () => askBack(filing),
            busy: false,
          },
        ]),
  ];
  return { acts, question, login: dialog };
}

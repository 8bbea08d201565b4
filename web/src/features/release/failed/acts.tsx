import { useMutation } from '@tanstack/react-query';
import { IconCheck, IconRefresh, IconUserEdit } from '@tabler/icons-react';
import type { FailedMessage } from '@/api/types';
import { useProfile } from '@/app/session';
import { formatAddress } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { FaxIcon } from '@/shared/ui/icons';
import { acknowledge, draftFor, faxNumberOf, sendNow } from './api';

/** A pending or failed delivery, on any screen. */
export type Undelivered = Pick<
  FailedMessage,
  'id' | 'messageId' | 'address' | 'kind' | 'state' | 'subject' | 'fromAddress' | 'canSendNow'
> & { name?: string };
export type UndeliveredAct = {
  key: 'send' | 'redirect' | 'fax' | 'seen';
  label: string;
  icon: typeof FaxIcon | typeof IconCheck;
  run: () => void;
  busy: boolean;
};

export const recipientOf = (m: Pick<Undelivered, 'name' | 'address'>) => m.name || formatAddress(m.address);
export const isWaiting = (m: Pick<FailedMessage, 'state'>) => m.state === 'Queued';

/** Actions on a failed delivery, and the question of one of them. */
export function useUndelivered() {
  const go = useGo();
  const { orgIsActivated } = useProfile();
  const [ask, question] = useAsk();
  const open = (id: string) => go(paths.releaseDraft(id));
  const redirect = useMutation({ mutationFn: (m: Undelivered) => draftFor(m, null), onSuccess: open });
  const fax = useMutation({
    mutationFn: async (m: Undelivered) => {
      const number = await faxNumberOf(m);
      return { number, id: await draftFor(m, number) };
    },
    onSuccess: ({ number, id }) => {
      if (!number) notify('info', 'The directory has no fax number for this recipient. Please enter it.');
      open(id);
    },
  });
  const seen = useMutation({ mutationFn: (m: Undelivered) => acknowledge(m.id) });
  const again = useMutation({
    mutationFn: sendNow,
    onSuccess: () => notify('success', 'The message is being sent again.'),
  });
  const send = (m: Undelivered) =>
    m.state === 'Uncertain'
      ? ask({
          title: 'Send it again?',
          subject: recipientOf(m),
          question: 'If it already arrived, the recipient gets it twice.',
          label: 'Send again',
          run: () => sendNow(m),
          done: 'The message is being sent again.',
          failed: 'The message could not be sent again. Please try again.',
        })
      : again.mutate(m);
  const canWrite = orgIsActivated !== false;
  const acts = (m: Undelivered): UndeliveredAct[] => [
    ...(m.canSendNow
      ? [
          {
            key: 'send' as const,
            label: isWaiting(m) ? 'Send now' : 'Try again',
            icon: IconRefresh,
            run: () => send(m),
            busy: again.isPending,
          },
        ]
      : []),
    ...(canWrite && !isWaiting(m)
      ? [
          {
            key: 'redirect' as const,
            label: 'Change recipient',
            icon: IconUserEdit,
            run: () => redirect.mutate(m),
            busy: redirect.isPending,
          },
        ]
      : []),
    ...(canWrite && !isWaiting(m) && m.kind === 'DirectMessage'
      ? [{ key: 'fax' as const, label: 'Send by fax', icon: FaxIcon, run: () => fax.mutate(m), busy: fax.isPending }]
      : []),
    ...(isWaiting(m)
      ? []
      : [{ key: 'seen' as const, label: 'Acknowledge', icon: IconCheck, run: () => seen.mutate(m), busy: seen.isPending }]),
  ];
  return { acts, question };
}

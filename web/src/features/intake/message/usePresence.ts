import { useEffect, useState } from 'react';
import { connectHub } from '@/shared/hubs';
import { notify } from '@/shared/notify';

export type Present = { userId: string; name: string };

/** Tells others that this message is open, and hears of those who have it open too. */
export function usePresence(messageId: string, userId: string): Present[] {
  const [present, setPresent] = useState<{ messageId: string; people: Present[] }>({ messageId, people: [] });
  useEffect(() => {
    const change = (f: (people: Present[]) => Present[]) =>
      setPresent((old) => ({ messageId, people: f(old.messageId === messageId ? old.people : []) }));
    const hub = connectHub('messagepresence', {
      onOpen: () => hub.send({ type: 'open', messageId }),
      onFrame: (frame) => {
        if (frame.messageId !== messageId) return;
        const person = { userId: String(frame.userId), name: String(frame.name) };
        if (frame.type === 'present') change(() => (frame.users as Present[]).filter((u) => u.userId !== userId));
        else if (frame.type === 'opened' && person.userId !== userId) {
          change((people) => [...people.filter((p) => p.userId !== person.userId), person]);
          notify('info', `${person.name} has opened this message.`);
        } else if (frame.type === 'closed') change((people) => people.filter((p) => p.userId !== person.userId));
      },
    });
    return () => {
      hub.send({ type: 'close', messageId });
      hub.close();
    };
  }, [messageId, userId]);
  return present.messageId === messageId ? present.people : [];
}

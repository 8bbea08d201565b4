import { IconEye } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { connectHub } from '@/shared/hubs';
import { notify } from '@/shared/notify';
import { Who } from '@/shared/ui/status';

export type Present = { userId: string; name: string };

/** Announces that this message is open, and tracks the others who have it open. A draft that is not saved yet has no id. */
export function usePresence(messageId: string | null, userId: string): Present[] {
  const [present, setPresent] = useState<{ messageId: string | null; people: Present[] }>({ messageId, people: [] });
  useEffect(() => {
    if (messageId === null) return;
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

/** Other people who have the message open. */
export function Presence({ present, phone }: { present: Present[]; phone?: boolean }) {
  const first = present[0];
  if (!first) return null;
  return (
    <span className="cp-presence" title={present.map((p) => `${p.name} currently has this message open.`).join('\n')}>
      <Who name={first.name} size={18} />
      <IconEye size={14} stroke={1.8} aria-hidden />
      <span className={phone ? 'cp-hidden' : 'long'}>
        {first.name} currently has this message open.{present.length > 1 && ` +${present.length - 1} more`}
      </span>
    </span>
  );
}

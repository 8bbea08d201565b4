import { lazy, Suspense, useState } from 'react';
import type { Message } from '@/api/types';
import { Select } from '@/shared/form/Select';

const Viewer = lazy(() => import('@/domain/messaging/viewer/Viewer').then((m) => ({ default: m.Viewer })));

/** The documents of the original message, beside the reply. */
export function Original({ message }: { message: Message }) {
  const [id, setId] = useState(message.attachments[0]?.id ?? null);
  const shown = message.attachments.find((a) => a.id === id);
  return (
    <section className="cp-pane rel-original" aria-label="Original message">
      {message.attachments.length > 1 && (
        <Select
          aria-label="Document of the message"
          allowDeselect={false}
          data={message.attachments.map((a) => ({ value: a.id, label: a.fileName }))}
          value={id}
          onChange={setId}
        />
      )}
      {shown && (
        <div className="rel-original-page">
          <Suspense fallback={null}>
            <Viewer attachment={shown} />
          </Suspense>
        </div>
      )}
    </section>
  );
}

import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatDateTime } from '../format';

/** A moment in few words; the popover tells the whole of it, with hours up to 12. */
export function When({ iso, className = 'cp-num', children }: { iso: string; className?: string; children: ReactNode }) {
  return (
    <Tooltip label={formatDateTime(iso)} events={{ hover: true, focus: true, touch: true }}>
      <time className={className} dateTime={iso}>
        {children}
      </time>
    </Tooltip>
  );
}

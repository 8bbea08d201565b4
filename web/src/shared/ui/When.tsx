import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatDateTime } from '../format';

/** A short form of a time; the popover shows the complete one, with a 12-hour clock. */
export function When({ iso, className = 'cp-num', children }: { iso: string; className?: string; children: ReactNode }) {
  return (
    <Tooltip label={formatDateTime(iso)} events={{ hover: true, focus: true, touch: true }}>
      <time className={className} dateTime={iso}>
        {children}
      </time>
    </Tooltip>
  );
}

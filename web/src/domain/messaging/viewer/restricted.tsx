import './viewer.css';
import { Button } from '@mantine/core';
import { IconLock, IconRefresh } from '@tabler/icons-react';
import { RESTRICTED } from '@/api/error';
import type { Attachment, Confidentiality } from '@/api/types';
import { refreshProfile, useProfile } from '@/app/session';
import { EmptyState } from '@/shared/ui/blocks';

type Described = Pick<Attachment, 'attachmentMeta'>;

const LABELS: Record<Confidentiality, string | null> = { Normal: null, Restricted: 'Restricted', VeryRestricted: 'Very restricted' };
const labelOf = (a: Described) => LABELS[a.attachmentMeta?.confidentiality ?? 'Normal'];

/** Whether the person may open a file. */
export function useMayOpen() {
  const { permissions } = useProfile();
  return (a: Described) => permissions.openRestricted || !labelOf(a);
}

/** Label of a restricted file; nothing for others. */
export function RestrictedMark({ attachment }: { attachment: Described }) {
  const label = labelOf(attachment);
  if (!label) return null;
  return (
    <span className="cp-restricted">
      <IconLock size={13} aria-hidden /> {label}
    </span>
  );
}

/** Shown in place of a document that the person may not open. */
export const Locked = () => (
  <EmptyState icon={IconLock} title="You may not open this document" text={RESTRICTED}>
    <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={() => void refreshProfile()}>
      Try again
    </Button>
  </EmptyState>
);

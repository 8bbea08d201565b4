import { Button } from '@mantine/core';
import { IconCloudCheck, IconSend2 } from '@tabler/icons-react';
import { formatTime } from '@/shared/format';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { useViewport } from '@/shared/useViewport';
import { type Mode, TITLES } from './model';
import type { Saving } from './useSaving';

type Props = { mode: Mode; back: string; saving: Saving; isPlainReply: boolean; onSend: () => void };

/** The title, when the draft was saved, and the buttons. */
export function ComposerHead({ mode, back, saving, isPlainReply, onSend }: Props) {
  const go = useGo();
  const { isPhone } = useViewport();
  const { busy } = saving;
  return (
    <BackHead
      title={TITLES[mode]}
      back={{ label: 'Back', run: () => go(back) }}
      beside={savedLine(saving, isPhone)}
      actions={
        <>
          {!isPhone && <DraftButtons saving={saving} />}
          <Button
            leftSection={isPhone ? undefined : <IconSend2 size={16} stroke={1.8} />}
            loading={busy === 'review'}
            disabled={busy !== null && busy !== 'review'}
            aria-keyshortcuts="Control+Enter"
            title={isPlainReply ? undefined : 'Ctrl+Enter'}
            onClick={onSend}
          >
            Review and send
          </Button>
        </>
      }
    />
  );
}

function savedLine({ isDirty, autosaveState, savedAt }: Saving, isPhone: boolean) {
  if (isDirty && (autosaveState === 'retrying' || autosaveState === 'failed'))
    return (
      <span className="cp-plain t-danger rel-saved-at" role="status" data-loud>
        {autosaveState === 'failed' ? 'Not saved' : 'Not saved yet, trying again'}
      </span>
    );
  return (
    savedAt &&
    !isDirty &&
    !isPhone && (
      <span className="cp-row cp-muted rel-saved-at" role="status">
        <IconCloudCheck size={16} stroke={1.6} aria-hidden />
        Draft saved at {formatTime(savedAt)}
      </span>
    )
  );
}

/** Discard and Save: in the head, on phones at the foot. */
export const DraftButtons = ({ saving: { busy, askToDiscard, saveByHand } }: { saving: Saving }) => (
  <>
    <Button variant="subtle" disabled={busy !== null} onClick={askToDiscard}>
      Discard
    </Button>
    <Button variant="default" loading={busy === 'save'} disabled={busy !== null && busy !== 'save'} onClick={() => void saveByHand()}>
      Save
    </Button>
  </>
);

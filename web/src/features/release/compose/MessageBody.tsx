import { SegmentedControl, Textarea } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { Attachment } from '@/api/types';
import { EmptyState } from '@/shared/ui/blocks';

const Viewer = lazy(() => import('@/domain/messaging/viewer/Viewer').then((m) => ({ default: m.Viewer })));

export type BodyView = 'message' | 'preview';

type Props = {
  view: BodyView;
  onView: (view: BodyView) => void;
  value: string;
  onChange: (text: string) => void;
  /** Label that says how the text is sent. */
  hint: string;
  attachment: Attachment | null;
  /** Puts the cursor before the text when the screen opens. */
  startsInText?: boolean;
};

/** The text of the message, or a preview of its attachments. */
export function MessageBody({ view, onView, value, onChange, hint, attachment, startsInText }: Props) {
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!startsInText) return;
    text.current?.focus();
    text.current?.setSelectionRange(0, 0);
  }, [startsInText]);
  return (
    <div className="rel-body">
      <div className="cp-row rel-body-head">
        <SegmentedControl
          aria-label="Content"
          value={view}
          onChange={(v) => onView(v as BodyView)}
          data={[
            { value: 'message', label: 'Message' },
            { value: 'preview', label: 'Attachment preview' },
          ]}
        />
        <div className="cp-grow" />
        <span className="cp-muted rel-sub rel-wide">{hint}</span>
      </div>
      {view === 'message' ? (
        <Textarea ref={text} aria-label="Message" className="rel-text" value={value} onChange={(e) => onChange(e.currentTarget.value)} />
      ) : (
        <div className="rel-preview">
          {attachment ? (
            <Suspense fallback={null}>
              <Viewer attachment={attachment} />
            </Suspense>
          ) : (
            <EmptyState icon={IconEye} title="Nothing to preview" text="Attach a file to see it here." />
          )}
        </div>
      )}
    </div>
  );
}

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Attachment, AttachmentMeta } from '@/api/types';
import { selectionAfterDelete } from '@/domain/messaging/rules';
import { notify } from '@/shared/notify';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { removeAttachment, updateAttachment } from '../api';
import { AttachDialog, plainMeta } from './AttachDialog';
import { AttachmentList } from './AttachmentList';
import { EditAttachmentDialog } from './EditAttachmentDialog';
import type { PatientValues } from './model';
import type { DraftMessage } from './useDraftMessage';
import type { Uploads } from './useUploads';

type Props = {
  draft: DraftMessage;
  patient: PatientValues;
  uploads: Uploads;
  extensions: string[];
  selected: Attachment | null;
  /** The preview is visible, so the list marks its file. */
  marksSelected: boolean;
  onSelect: (id: string | null) => void;
  onPreview: (id: string) => void;
  /** The id of the draft, which is saved if there is none yet; null when that failed. */
  ensureDraft: () => Promise<string | null>;
};

/** The files of the release, with their actions. */
export function Attachments({ draft, patient, uploads, extensions, selected, marksSelected, onSelect, onPreview, ensureDraft }: Props) {
  const [attaching, setAttaching] = useState<File[] | null>(null);
  const [editing, setEditing] = useState<Attachment | null>(null);
  const [removing, setRemoving] = useState<Attachment | null>(null);
  const bytes = draft.attachments.reduce((sum, a) => sum + a.sizeInBytes, 0);

  const edit = useMutation({
    mutationFn: ({ a, meta }: { a: Attachment; meta: AttachmentMeta }) => updateAttachment(a, meta),
    onSuccess: (changed, { a, meta }) => {
      draft.changeAttachments(a.messageId, (list) =>
        list.map((x) => (x.id === a.id ? { ...x, ...changed, attachmentMeta: changed?.attachmentMeta ?? meta } : x)),
      );
      setEditing(null);
    },
  });
  const remove = useMutation({
    mutationFn: (a: Attachment) => removeAttachment(a.messageId, a.id),
    onSuccess: (_, a) => {
      const ids = draft.attachments.map((x) => x.id);
      if (selected?.id === a.id) onSelect(selectionAfterDelete(ids, a.id));
      draft.changeAttachments(a.messageId, (list) => list.filter((x) => x.id !== a.id));
      notify('success', 'Attachment has been deleted.');
      setRemoving(null);
    },
  });
  const attach = async (id: string, files: File[]) =>
    uploads.start(id, await Promise.all(files.map(async (file) => ({ file, meta: await plainMeta(file) }))));
  return (
    <>
      <AttachmentList
        attachments={draft.attachments}
        uploads={uploads.uploads}
        selectedId={marksSelected ? (selected?.id ?? null) : null}
        onSelect={onPreview}
        extensions={extensions}
        onAttach={(files) => void ensureDraft().then((id) => (id ? attach(id, files) : undefined))}
        onDescribe={() => void ensureDraft().then((id) => (id ? setAttaching([]) : undefined))}
        onEdit={setEditing}
        onRemove={setRemoving}
        onRetry={uploads.retry}
        onCancel={uploads.cancel}
      />
      {attaching && (
        <AttachDialog
          initial={attaching}
          extensions={extensions}
          attachedBytes={bytes}
          onClose={() => setAttaching(null)}
          onAttach={(files) => {
            setAttaching(null);
            if (draft.id) uploads.start(draft.id, files);
          }}
        />
      )}
      {editing && (
        <EditAttachmentDialog
          attachment={editing}
          patient={patient}
          busy={edit.isPending}
          onClose={() => setEditing(null)}
          onSave={(meta) => edit.mutate({ a: editing, meta })}
        />
      )}
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.mutate(removing)}
        title="Delete Attachment"
        subject={removing?.fileName ?? ''}
        danger
        busy={remove.isPending}
      />
    </>
  );
}

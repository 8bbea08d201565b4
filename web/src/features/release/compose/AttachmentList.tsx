import { ActionIcon, FileButton, Progress, UnstyledButton } from '@mantine/core';
import { IconCloudUpload, IconPencil, IconRefresh, IconX } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import type { Attachment } from '@/api/types';
import { useAttachmentChanged } from '@/domain/messaging/api';
import { extensionOf, isStructured } from '@/domain/messaging/rules';
import { ConversionMenu } from '@/domain/messaging/viewer/conversions';
import { RestrictedMark } from '@/domain/messaging/viewer/restricted';
import { formatSize } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import type { Upload } from './useUploads';

type Props = {
  attachments: Attachment[];
  uploads: Upload[];
  /** The one in the preview. */
  selectedId: string | null;
  onSelect: (id: string) => void;
  /** The file types that can be attached; empty while unknown. */
  extensions: string[];
  /** Files that were dropped or chosen. */
  onAttach: (files: File[]) => void;
  /** Asks for metadata before attaching the files. */
  onDescribe: () => void;
  onEdit: (attachment: Attachment) => void;
  onRemove: (attachment: Attachment) => void;
  onRetry: (upload: Upload) => void;
  onCancel: (key: string) => void;
};

export const Extension = ({ fileName }: { fileName: string }) => (
  <span className="cp-ext" aria-hidden>
    {extensionOf(fileName).slice(0, 4).toUpperCase() || '?'}
  </span>
);

/** For a file field; nothing while the types are unknown. */
export const acceptOf = (extensions: string[]) => (extensions.length ? extensions.map((e) => `.${e}`).join(',') : undefined);

/** Files of the release: attached, uploading, and failed with the reason. */
export function AttachmentList({
  attachments,
  uploads,
  selectedId,
  onSelect,
  extensions,
  onAttach,
  onDescribe,
  onEdit,
  onRemove,
  onRetry,
  onCancel,
}: Props) {
  const [over, setOver] = useState(false);
  const changed = useAttachmentChanged();
  const count = attachments.length + uploads.length;
  const bytes = attachments.reduce((sum, a) => sum + a.sizeInBytes, 0) + uploads.reduce((sum, u) => sum + (u.error ? 0 : u.file.size), 0);
  const dragOver = (e: DragEvent) => {
    if (!e.dataTransfer.types.includes('Files')) return;
    e.preventDefault();
    setOver(true);
  };
  // The same file can be chosen again after it was removed.
  const reset = useRef<() => void>(null);
  const choose = (files: File[]) => {
    if (files.length > 0) onAttach(files);
    reset.current?.();
  };
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    if (e.dataTransfer.files.length > 0) onAttach([...e.dataTransfer.files]);
  };
  return (
    // The whole panel takes files; the button inside does the same from the keyboard.
    <section
      className="cp-sec rel-files"
      aria-labelledby="release-attachments"
      onDragOver={dragOver}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="cp-sec-h">
        <h2 id="release-attachments">Attachments</h2>
        {count > 0 && <span className="cp-muted cp-num">{bytes > 0 ? `${count}, ${formatSize(bytes)}` : count}</span>}
        <div className="cp-grow" />
        <UnstyledButton className="cp-link" onClick={onDescribe}>
          Attach and describe…
        </UnstyledButton>
      </div>
      <FileButton multiple resetRef={reset} accept={acceptOf(extensions)} onChange={choose}>
        {(props) => (
          <UnstyledButton {...props} className="rel-drop" data-over={over || undefined}>
            <IconCloudUpload size={20} stroke={1.6} aria-hidden />
            <span>
              Drop files here or <span className="cp-link">browse</span>
              <span className="cp-muted">, 20 MB each</span>
            </span>
          </UnstyledButton>
        )}
      </FileButton>
      {count === 0 && <p className="cp-muted rel-none">No attachments added.</p>}
      <ul className="rel-list">
        {attachments.map((a) => (
          <li key={a.id} className="cp-att rel-att" data-on={a.id === selectedId || undefined}>
            <Extension fileName={a.fileName} />
            <UnstyledButton className="cp-grow rel-att-name" onClick={() => onSelect(a.id)} aria-pressed={a.id === selectedId}>
              <span className="cp-ell cp-block rel-name" title={a.fileName}>
                {a.fileName}
              </span>
              <span className="cp-muted cp-num cp-ell cp-block rel-sub">
                {[a.attachmentMeta?.documentType, showDate(a.attachmentMeta?.documentDate), formatSize(a.sizeInBytes)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              <RestrictedMark attachment={a} />
              {a.scanStatus === 'Waiting' && <span className="cp-muted rel-sub cp-block">Being checked for malware</span>}
              {a.transformStatus === 'Pending' && <span className="cp-muted rel-sub cp-block">Being converted</span>}
              {a.transformStatus === 'Failed' && a.transformError && (
                <span className="rel-failed rel-sub cp-block" role="alert">
                  {`Not converted: ${a.transformError}`}
                </span>
              )}
              {a.previewAvailable === 'Failed' && a.previewError && (
                <span className="rel-wrong rel-sub cp-block" role="alert">
                  {a.previewError}
                </span>
              )}
            </UnstyledButton>
            <ConversionMenu attachment={a} onChanged={changed} />
            {!isStructured(a) && (
              <ActionIcon size={26} aria-label={`Edit ${a.fileName}`} onClick={() => onEdit(a)}>
                <IconPencil size={15} stroke={1.6} />
              </ActionIcon>
            )}
            <ActionIcon size={26} aria-label={`Remove ${a.fileName}`} onClick={() => onRemove(a)}>
              <IconX size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
        {uploads.map((u) => (
          <li key={u.key} className="cp-att rel-att">
            <Extension fileName={u.file.name} />
            <div className="cp-grow">
              <span className="cp-ell cp-block rel-name" title={u.file.name}>
                {u.file.name}
              </span>
              {u.error ? (
                <span className="rel-wrong rel-sub" role="alert">
                  {u.error}
                </span>
              ) : (
                <span className="cp-row rel-sub">
                  <Progress className="cp-grow" size={5} radius={3} value={u.share * 100} aria-label={`Uploading ${u.file.name}`} />
                  <span className="cp-muted cp-num">
                    {u.share < 1 ? `${Math.floor(u.share * 100)}% of ${formatSize(u.file.size)}` : 'Being checked'}
                  </span>
                </span>
              )}
            </div>
            {u.error && (
              <ActionIcon size={26} aria-label={`Try again: ${u.file.name}`} onClick={() => onRetry(u)}>
                <IconRefresh size={15} stroke={1.6} />
              </ActionIcon>
            )}
            <ActionIcon
              size={26}
              aria-label={u.error ? `Remove ${u.file.name}` : `Cancel the upload of ${u.file.name}`}
              onClick={() => onCancel(u.key)}
            >
              <IconX size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </section>
  );
}

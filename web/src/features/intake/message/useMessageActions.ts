import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Attachment, ExportForm, Message } from '@/api/types';
import { messageKey, readMessage, refreshIntake } from '@/domain/messaging/api';
import { extensionOf } from '@/domain/messaging/rules';
import { fetchOriginal, fetchPdf, markAttachmentRead, timedOutOr } from '@/domain/messaging/viewer/api';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { canSaveFiles, madeName, saveFile } from '@/shared/saveFile';

/** Opening a message reads it; showing a file reads the file. */
export function useReadMarks(message: Message, attachment: Attachment | undefined) {
  const client = useQueryClient();
  const { id, isRead } = message;
  useEffect(() => {
    if (isRead) return;
    readMessage(id).then(
      () => {
        client.setQueryData(messageKey(id), (m: Message | undefined) => m && { ...m, isRead: true });
        void refreshIntake(client);
      },
      () => {
        /* Unread again next time; no action needed. */
      },
    );
  }, [id, isRead, client]);
  const attachmentId = attachment?.id;
  useEffect(() => {
    if (attachmentId) markAttachmentRead({ id: attachmentId, messageId: id }).catch(() => undefined);
  }, [attachmentId, id]);
}

/** How a message left the Intake, sent to the server when it is processed. */
export type ProcessType = ExportForm;

export function useExport(attachment: Attachment | undefined) {
  const last = useRef<ProcessType | null>(null);
  const save = async (kind: 'NativeExport' | 'PDFExport', a: Attachment) => {
    if (!canSaveFiles()) return notify('error', "Your browser doesn't support exporting. Please try another browser.");
    try {
      const blob = await (kind === 'PDFExport' ? fetchPdf(a) : fetchOriginal(a));
      saveFile(blob, kind === 'PDFExport' ? madeName('pdf-export', 'pdf') : madeName('native-export', extensionOf(a.fileName) || 'bin'));
      last.current = kind;
    } catch (error) {
      reportFailure(error, timedOutOr(error, 'An error occured while exporting. Please contact support.'), { serverFirst: true });
    }
  };
  return {
    note: (kind: ProcessType) => {
      last.current = kind;
    },
    processType: () => last.current,
    original: attachment && (() => void save('NativeExport', attachment)),
    pdf: attachment && attachment.previewAvailable !== 'Failed' ? () => void save('PDFExport', attachment) : undefined,
  };
}

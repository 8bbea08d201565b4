import { useState } from 'react';
import type { Attachment, ChartConnection, Message } from '@/api/types';
import { useMayOpen } from '@/domain/messaging/viewer/restricted';
import { isHeld } from '@/domain/messaging/viewer/Viewer';
import type { useChartFilings } from './useChartFilings';

type Parts = {
  message: Message;
  filings: ReturnType<typeof useChartFilings>;
  /** Systems without charts. */
  services: readonly ChartConnection[];
};

/** Which documents are filed and sent: those that the person may open, without those left out. */
export function useChartDocuments({ message, filings, services }: Parts) {
  const [left, leave] = useState<ReadonlySet<string>>(new Set());
  const mayOpen = useMayOpen();
  const isOpen = (file: Attachment) => !isHeld(file) && mayOpen(file);
  const isWanted = (file: Attachment) => isOpen(file) && !left.has(file.id);
  const hasServices = services.length > 0;
  const canFile = (file: Attachment) => isOpen(file) && !filings.of(file.id);
  return {
    /** Those to file into the chart. */
    wanted: message.attachments.filter((file) => canFile(file) && isWanted(file)),
    /** Those to send to a system without charts. One that failed there is tried again, or taken back first. */
    toSend: ({ integrationId }: ChartConnection) => {
      const sent = filings.items.filter((f) => f.integrationId === integrationId && f.state !== 'Withdrawn');
      return message.attachments.filter((file) => isWanted(file) && !sent.some((f) => f.attachmentId === file.id));
    },
    isAllFiled: message.attachments.length > 0 && message.attachments.every((file) => filings.of(file.id)),
    filingOf: filings.of,
    label: ({ fileName }: Attachment) => (hasServices ? `Choose ${fileName}` : `File ${fileName} to the chart`),
    // A document in the chart can still be sent elsewhere.
    canChoose: hasServices ? isOpen : canFile,
    isChosen: (file: Attachment) => isWanted(file) || (!hasServices && Boolean(filings.of(file.id))),
    turn: (id: string) => leave(new Set(left.has(id) ? [...left].filter((other) => other !== id) : [...left, id])),
  };
}

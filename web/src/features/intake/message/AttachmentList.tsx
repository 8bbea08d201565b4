import { ActionIcon, Checkbox, Menu, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconDots, IconDownload, IconLoader2, IconPrinter, IconVirus } from '@tabler/icons-react';
import type { Attachment, ChartFiling } from '@/api/types';
import { useProfile } from '@/app/session';
import { isPlanRestricted } from '@/app/upgrade';
import { useAttachmentChanged } from '@/domain/messaging/api';
import { extensionOf } from '@/domain/messaging/rules';
import { useConversions } from '@/domain/messaging/viewer/conversions';
import { RestrictedMark, useMayOpen } from '@/domain/messaging/viewer/restricted';
import { downloadOriginal, isHeld, printAttachment } from '@/domain/messaging/viewer/Viewer';
import { formatSize, plural } from '@/shared/format';

const tones: Record<string, string> = {
  pdf: 't-danger',
  tif: 't-violet',
  tiff: 't-violet',
  xml: 't-success',
  cda: 't-success',
  ccd: 't-success',
  hl7: 't-success',
  json: 't-success',
  eml: 't-info',
  doc: 't-info',
  docx: 't-info',
  odt: 't-info',
  rtf: 't-info',
  xls: 't-info',
  xlsx: 't-info',
  ods: 't-info',
  ppt: 't-info',
  pptx: 't-info',
  odp: 't-info',
  dcm: 't-violet',
  zip: 't-warn',
};

/** The documents to file or send, with a connected system. */
export type ChartDocuments = {
  /** The filing into the chart. */
  filingOf: (id: string) => ChartFiling | undefined;
  label: (attachment: Attachment) => string;
  canChoose: (attachment: Attachment) => boolean;
  isChosen: (attachment: Attachment) => boolean;
  turn: (id: string) => void;
};

/** A document in the chart, or on its way there. */
const Filed = ({ filing }: { filing: ChartFiling }) =>
  filing.state === 'Waiting' ? (
    <>
      <IconLoader2 size={13} className="cp-turning" aria-hidden /> On its way to the chart
    </>
  ) : (
    <>
      <IconCircleCheck size={13} className="t-success" aria-hidden /> In the chart
    </>
  );

function State({ attachment: a }: { attachment: Attachment }) {
  if (a.scanStatus === 'Infected') {
    return (
      <>
        <IconVirus size={13} aria-hidden /> {`In quarantine: ${a.scanFinding ?? 'malware'}`}
      </>
    );
  }
  if (a.scanStatus === 'Waiting') {
    return (
      <>
        <IconLoader2 size={13} className="cp-turning" aria-hidden /> Being checked for malware
      </>
    );
  }
  if (a.transformStatus === 'Pending') {
    return (
      <>
        <IconLoader2 size={13} className="cp-turning" aria-hidden /> Being converted
      </>
    );
  }
  if (a.transformStatus === 'Failed') {
    return (
      <>
        <IconAlertTriangle size={13} aria-hidden /> Not converted
      </>
    );
  }
  if (a.previewAvailable === 'Failed') {
    return (
      <>
        <IconAlertTriangle size={13} aria-hidden /> No preview
      </>
    );
  }
  if (a.previewAvailable === 'Processing') {
    return (
      <>
        <IconLoader2 size={13} className="cp-turning" aria-hidden /> Preview is being made
      </>
    );
  }
  return (
    <span className="cp-num">
      {[a.pageCount ? plural(a.pageCount, 'page') : null, formatSize(a.sizeInBytes)].filter(Boolean).join(' · ')}
    </span>
  );
}

type Props = {
  attachments: Attachment[];
  selected: string | null;
  onSelect: (id: string) => void;
  onPrinted: () => void;
  onExported: () => void;
  chart?: ChartDocuments;
};

/** The files of a message: type, size, state; one of them is in view. */
export function AttachmentList({ attachments, selected, onSelect, onPrinted, onExported, chart }: Props) {
  const conversions = useConversions(useAttachmentChanged(), isPlanRestricted(useProfile(), 'structuredExport'));
  const mayOpen = useMayOpen();
  if (!attachments.length) return <p className="cp-none">No attachments added.</p>;
  return (
    <ul className="cp-atts">
      {conversions.question}
      {attachments.map((a) => {
        const extension = extensionOf(a.fileName);
        const isClosed = isHeld(a) || !mayOpen(a);
        const filing = chart?.filingOf(a.id);
        return (
          <li key={a.id} className="cp-att" data-on={a.id === selected || undefined}>
            {chart && (
              <Checkbox
                className="cp-att-file"
                size="xs"
                aria-label={chart.label(a)}
                checked={chart.isChosen(a)}
                disabled={!chart.canChoose(a)}
                onChange={() => chart.turn(a.id)}
              />
            )}
            <UnstyledButton className="cp-att-open" aria-current={a.id === selected || undefined} onClick={() => onSelect(a.id)}>
              <span className={`cp-ext ${tones[extension] ?? ''}`} aria-hidden>
                {extension.slice(0, 4).toUpperCase() || '?'}
              </span>
              <span className="cp-grow cp-att-words">
                <span className="cp-ell cp-block cp-att-name" title={a.fileName}>
                  {a.fileName}
                </span>
                <span className="cp-row cp-muted cp-att-state">
                  {filing ? <Filed filing={filing} /> : <State attachment={a} />}
                  <RestrictedMark attachment={a} />
                </span>
              </span>
            </UnstyledButton>
            <Menu disabled={isClosed}>
              <Menu.Target>
                <ActionIcon size={26} className="cp-att-menu" disabled={isClosed} aria-label={`Actions for ${a.fileName}`}>
                  <IconDots size={16} stroke={1.6} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  leftSection={<IconDownload size={16} stroke={1.6} />}
                  onClick={() => void downloadOriginal(a).then((saved) => saved && onExported())}
                >
                  Download
                </Menu.Item>
                {a.previewAvailable !== 'Failed' && (
                  <Menu.Item
                    leftSection={<IconPrinter size={16} stroke={1.6} />}
                    onClick={() => {
                      printAttachment(a);
                      onPrinted();
                    }}
                  >
                    Print
                  </Menu.Item>
                )}
                {conversions.items(a)}
              </Menu.Dropdown>
            </Menu>
          </li>
        );
      })}
    </ul>
  );
}

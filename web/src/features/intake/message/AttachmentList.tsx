import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconDots, IconDownload, IconLoader2, IconPrinter } from '@tabler/icons-react';
import type { Attachment } from '@/api/types';
import { extensionOf } from '@/domain/messaging/rules';
import { downloadOriginal, printAttachment } from '@/domain/messaging/viewer/Viewer';
import { formatSize, plural } from '@/shared/format';

const tones: Record<string, string> = {
  pdf: 't-danger',
  tif: 't-violet',
  tiff: 't-violet',
  xml: 't-success',
  cda: 't-success',
  ccd: 't-success',
  hl7: 't-success',
};

function State({ attachment: a }: { attachment: Attachment }) {
  if (a.previewAvailable === 'Failed') {
    return (
      <>
        <IconAlertTriangle size={13} aria-hidden /> No preview
      </>
    );
  }
  if (a.previewAvailable === 'Processing' || a.transformStatus === 'Pending') {
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
};

/** The files of a message: type, size, state; one of them is in view. */
export function AttachmentList({ attachments, selected, onSelect, onPrinted, onExported }: Props) {
  if (!attachments.length) return <p className="cp-none">No attachments added.</p>;
  return (
    <ul className="cp-atts">
      {attachments.map((a) => {
        const extension = extensionOf(a.fileName);
        return (
          <li key={a.id} className="cp-att" data-on={a.id === selected || undefined}>
            <UnstyledButton className="cp-att-open" aria-current={a.id === selected || undefined} onClick={() => onSelect(a.id)}>
              <span className={`cp-ext ${tones[extension] ?? ''}`} aria-hidden>
                {extension.slice(0, 4).toUpperCase() || '?'}
              </span>
              <span className="cp-grow cp-att-words">
                <span className="cp-ell cp-block cp-att-name" title={a.fileName}>
                  {a.fileName}
                </span>
                <span className="cp-row cp-muted cp-att-state">
                  <State attachment={a} />
                </span>
              </span>
            </UnstyledButton>
            <Menu>
              <Menu.Target>
                <ActionIcon size={26} className="cp-att-menu" aria-label={`Actions for ${a.fileName}`}>
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
              </Menu.Dropdown>
            </Menu>
          </li>
        );
      })}
    </ul>
  );
}

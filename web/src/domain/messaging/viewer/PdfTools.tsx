import { Menu, NumberInput, UnstyledButton } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconDownload,
  IconLayoutSidebar,
  IconMaximize,
  IconMinus,
  IconPlus,
  IconPrinter,
  IconRotateClockwise,
  IconScan,
  IconSearch,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDraft } from '@/shared/useDraft';
import { useViewport } from '@/shared/useViewport';
import { Tool } from './tools';
import type { PdfPages, Zoom } from './usePdfPages';
import { ZOOMS } from './zoom';

/** A panel that can be toggled. */
type Switch = { isOn: boolean; toggle: () => void };
type Props = {
  list: PdfPages;
  strip: Switch;
  finding: Switch;
  fullScreen: Switch;
  /** Absent if there is nothing to mark. */
  marking: Switch | undefined;
  /** More tools at the right of the bar. */
  children: ReactNode;
  onDownload: (() => void) | undefined;
  onPrint: (() => void) | undefined;
};

/** The tools above a PDF. */
export function PdfTools({ list, strip, finding, fullScreen, marking, children, onDownload, onPrint }: Props) {
  const { isPhone } = useViewport();
  const { page, pages, turnTo, currentZoom, step } = list;
  return (
    <div className="cp-tools" role="toolbar" aria-label="Document tools">
      {!isPhone && <Tool label="Pages" icon={IconLayoutSidebar} pressed={strip.isOn} onClick={strip.toggle} />}
      <Tool label="Previous page" icon={IconChevronUp} disabled={page <= 1} onClick={() => turnTo(page - 1)} />
      <Tool label="Next page" icon={IconChevronDown} disabled={page >= pages} onClick={() => turnTo(page + 1)} />
      <PageBox page={page} pages={pages} onPage={turnTo} />
      <span className="sep" />
      <Tool label="Zoom out" icon={IconMinus} disabled={currentZoom <= ZOOMS[0]!} onClick={() => step(-1)} />
      {!isPhone && <ZoomMenu zoom={list.zoom} onZoom={list.setZoom} />}
      <Tool label="Zoom in" icon={IconPlus} disabled={currentZoom >= ZOOMS.at(-1)!} onClick={() => step(1)} />
      <span className="sep" />
      <Tool label="Rotate" icon={IconRotateClockwise} onClick={list.rotate} />
      <Tool label="Find in document" icon={IconSearch} pressed={finding.isOn} onClick={finding.toggle} />
      <div className="cp-grow" />
      {marking && <Tool label="Marks" icon={IconScan} pressed={marking.isOn} onClick={marking.toggle} />}
      {children}
      {onDownload && <Tool label="Download" icon={IconDownload} onClick={onDownload} />}
      {onPrint && <Tool label="Print" icon={IconPrinter} onClick={onPrint} />}
      <Tool label={fullScreen.isOn ? 'Leave full screen' : 'Full screen'} icon={IconMaximize} onClick={fullScreen.toggle} />
    </div>
  );
}

const zoomLabel = (zoom: Zoom) => (zoom === 'width' ? 'Fit width' : zoom === 'page' ? 'Fit page' : `${Math.round(zoom * 100)}%`);

const ZoomMenu = ({ zoom, onZoom }: { zoom: Zoom; onZoom: (zoom: Zoom) => void }) => (
  <Menu position="bottom">
    <Menu.Target>
      <UnstyledButton className="cp-row cp-zoom" aria-label={`Zoom: ${zoomLabel(zoom)}`}>
        {zoomLabel(zoom)}
        <IconChevronDown size={14} stroke={1.6} aria-hidden />
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      {(['width', 'page', ...ZOOMS] as Zoom[]).map((z) => (
        <Menu.Item key={z} rightSection={z === zoom && <IconCheck size={15} stroke={2} />} onClick={() => onZoom(z)}>
          {zoomLabel(z)}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

function PageBox({ page, pages, onPage }: { page: number; pages: number; onPage: (n: number) => void }) {
  const [text, setText] = useDraft<string | number>(page);
  return (
    <span className="cp-row cp-num cp-pagebox">
      <NumberInput
        aria-label="Page"
        size="xs"
        w={44}
        hideControls
        allowDecimal={false}
        value={text}
        onChange={setText}
        onBlur={() => setText(page)}
        onKeyDown={(e) => e.key === 'Enter' && onPage(Number(text))}
        styles={{ input: { textAlign: 'center', padding: 0 } }}
      />
      of {pages || '…'}
    </span>
  );
}

import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Attachment, OutlineSection } from '@/api/types';
import { SafeFrame } from '@/shared/frame/SafeFrame';
import { plural } from '@/shared/format';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { usePreference } from '@/shared/usePreference';
import { outlineQuery } from '../api';
import { Waiting } from '../Waiting';
import { EntriesTable } from './EntriesTable';
import { newIn, NewSince } from './news';
import { Outline } from './Outline';
import { arranged, AS_WRITTEN, type Arrangement, flat, keyOf } from './sections';

const FRAGMENT_CSS = `
  body { margin: 16px 20px; font: 14px/20px 'Segoe UI', system-ui, sans-serif; color: #16252c; background: #fff; }
  table { border-collapse: collapse; width: 100%; font-size: 13px; }
  th, td { border-bottom: 1px solid #e1e6e8; padding: 6px 8px; text-align: left; vertical-align: top; }
  thead th { color: #44545d; font-size: 12px; }
  .scroll { overflow-x: auto; }
`;

/** The document by sections: the narrative or the coded entries of one of them. */
export function CdaExplorer({ attachment, instead }: { attachment: Attachment; instead: ReactNode }) {
  const outline = useQuery(outlineQuery(attachment));
  const [chosen, choose] = useState<string | null>(null);
  const [onlyNew, setOnlyNew] = useState(false);
  const [arrangement, arrange] = usePreference<Arrangement>('cdaSections', AS_WRITTEN);
  if (outline.isError) {
    return (
      <ErrorState title="This document could not be read" error={outline.error} onRetry={() => void outline.refetch()}>
        {instead}
      </ErrorState>
    );
  }
  if (!outline.data) return <Waiting text="Reading the document" />;
  const { sections, unstructured, title, notice, standard, comparedWith } = outline.data;
  const inOrder = arranged(sections, arrangement);
  const shown = flat(inOrder.filter((section) => !arrangement.hidden.includes(keyOf(section))));
  const all = flat(inOrder).map((s) => s.section);
  const count = all.reduce((sum, section) => sum + newIn(section), 0);
  const isOnly = onlyNew && count > 0;
  // New entries may be in a hidden section.
  const offered = isOnly ? all.filter((section) => newIn(section) > 0) : all;
  const current = offered.find((section) => section.id === chosen) ?? (isOnly ? offered[0] : (shown[0]?.section ?? all[0]));
  if (!current) {
    return (
      <ErrorState title="This document has no sections" error={null}>
        {unstructured && <p className="cp-second">{unstructured.note}</p>}
      </ErrorState>
    );
  }
  return (
    <div className="cp-explorer">
      <Outline
        title={title}
        sections={sections}
        current={current.id}
        arrangement={arrangement}
        onlyNew={isOnly}
        onChoose={choose}
        onArrange={arrange}
      />
      <div className="cp-explorer-main">
        {notice && <Notice kind="warning">{notice}</Notice>}
        {comparedWith && <NewSince earlier={comparedWith} count={count} isOnly={isOnly} onOnly={setOnlyNew} />}
        <SectionView key={current.id} section={current} sections={sections} standard={standard} onlyNew={isOnly} />
      </div>
    </div>
  );
}

type View = 'narrative' | 'entries';

type SectionProps = { section: OutlineSection; sections: OutlineSection[]; standard?: string | null; onlyNew: boolean };

/** Measured values are looked up in the table first; everything else is read as the sender wrote it. */
function SectionView({ section, sections, standard, onlyNew }: SectionProps) {
  const { entries } = section;
  const [chosen, setView] = useState<View>(entries?.rows.some((row) => row.measure) ? 'entries' : 'narrative');
  // The narrative does not mark new entries.
  const view = onlyNew ? 'entries' : chosen;
  return (
    <>
      <div className="cp-explorer-head">
        <h3>{section.title}</h3>
        <span className="cp-muted">{plural(section.entryCount, 'entry', 'entries')}</span>
        <div className="cp-grow" />
        {standard && <span className="cp-muted">{standard}</span>}
        {entries && !onlyNew && (
          <SegmentedControl
            size="xs"
            aria-label="Section view"
            value={view}
            onChange={(value) => setView(value as View)}
            data={[
              { value: 'narrative', label: 'Text' },
              { value: 'entries', label: 'Entries' },
            ]}
          />
        )}
      </div>
      {view === 'entries' && entries ? (
        <EntriesTable entries={entries} sections={sections} onlyNew={onlyNew} />
      ) : (
        <SafeFrame html={section.narrativeHtml || '<p>This section has no text.</p>'} title={section.title} css={FRAGMENT_CSS} />
      )}
    </>
  );
}

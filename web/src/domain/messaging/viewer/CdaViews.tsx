import { UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Attachment, OutlineSection } from '@/api/types';
import { SafeFrame } from '@/shared/frame/SafeFrame';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { htmlQuery, outlineQuery } from './api';
import { Waiting } from './Waiting';

const CDA_DELAY_MS = 300;
/** Links of the table of contents tall enough for a finger. */
const CONTENTS_CSS = 'nav a { display: inline-block; min-height: 24px; line-height: 24px; }';

/** The server says so in the head of the page. */
const carriesFile = (html: string) => html.slice(0, html.indexOf('<style>')).includes('<meta name="embedded-file"');

/**
 * The readable page of a clinical document, or the file that it carries. Turning quickly through files asks only for
 * the last one. `instead` is offered if it cannot be shown.
 */
export function CdaPreview({ attachment, file, instead }: { attachment: Attachment; file: ReactNode; instead: ReactNode }) {
  const [settled] = useDebouncedValue(attachment.id, CDA_DELAY_MS);
  const html = useQuery({ ...htmlQuery(attachment), enabled: settled === attachment.id });
  if (html.isError) {
    return (
      <ErrorState title="This document could not be shown" error={html.error} onRetry={() => void html.refetch()}>
        {instead}
      </ErrorState>
    );
  }
  if (!html.data) return <Waiting text="Opening the document" />;
  if (carriesFile(html.data)) return file;
  return <SafeFrame html={html.data} title={attachment.fileName} css={CONTENTS_CSS} />;
}

const FRAGMENT_CSS = `
  body { margin: 16px 20px; font: 14px/20px 'Segoe UI', system-ui, sans-serif; color: #16252c; background: #fff; }
  table { border-collapse: collapse; width: 100%; font-size: 13px; }
  th, td { border-bottom: 1px solid #e1e6e8; padding: 6px 8px; text-align: left; vertical-align: top; }
  thead th { color: #44545d; font-size: 12px; }
  .scroll { overflow-x: auto; }
`;

const flat = (sections: OutlineSection[], depth = 0): { section: OutlineSection; depth: number }[] =>
  sections.flatMap((section) => [{ section, depth }, ...flat(section.sections ?? [], depth + 1)]);

/** The document taken apart: its sections with the number of their entries, one section in view. */
export function CdaExplorer({ attachment, instead }: { attachment: Attachment; instead: ReactNode }) {
  const outline = useQuery(outlineQuery(attachment));
  const [chosen, choose] = useState<string | null>(null);
  if (outline.isError) {
    return (
      <ErrorState title="This document could not be taken apart" error={outline.error} onRetry={() => void outline.refetch()}>
        {instead}
      </ErrorState>
    );
  }
  if (!outline.data) return <Waiting text="Reading the document" />;
  const sections = flat(outline.data.sections);
  const current = sections.find((s) => s.section.id === chosen)?.section ?? sections[0]?.section;
  if (!current) {
    return (
      <ErrorState title="This document has no sections" error={null}>
        {outline.data.unstructured && <p className="cp-second">{outline.data.unstructured.note}</p>}
      </ErrorState>
    );
  }
  return (
    <div className="cp-explorer">
      <nav className="cp-outline" aria-label="Sections">
        <div className="cp-nav-head">{outline.data.title}</div>
        {sections.map(({ section, depth }) => (
          <UnstyledButton
            key={section.id}
            className="cp-outline-item"
            aria-current={section.id === current.id || undefined}
            data-empty={section.entryCount === 0 || undefined}
            style={{ paddingLeft: 8 + depth * 12 }}
            onClick={() => choose(section.id)}
          >
            <span className="cp-grow cp-ell">{section.title}</span>
            <span className="cp-num cp-muted">{section.entryCount || 'None'}</span>
          </UnstyledButton>
        ))}
      </nav>
      <div className="cp-explorer-main">
        {outline.data.notice && <Notice kind="warning">{outline.data.notice}</Notice>}
        <div className="cp-explorer-head">
          <h3>{current.title}</h3>
          <span className="cp-muted">{current.entryCount === 1 ? '1 entry' : `${current.entryCount} entries`}</span>
          <div className="cp-grow" />
          {outline.data.standard && <span className="cp-muted">{outline.data.standard}</span>}
        </div>
        <SafeFrame html={current.narrativeHtml || '<p>This section holds no text.</p>'} title={current.title} css={FRAGMENT_CSS} />
      </div>
    </div>
  );
}

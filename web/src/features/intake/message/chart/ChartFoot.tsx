import { Button, UnstyledButton } from '@mantine/core';
import { IconFileExport } from '@tabler/icons-react';
import type { ChartConnection } from '@/api/types';
import { useViewport } from '@/shared/useViewport';
import type { MessageActions } from '../MessageHeader';
import { ChartTrail } from './ChartTrail';
import { useKeyHints } from './useKeyHints';
import type { ChartPaneState } from './useChartPane';

type Props = {
  chart: ChartPaneState;
  actions: MessageActions;
  isProcessed: boolean;
  /** On a phone, the button is among those at the foot of the page. */
  hasButton: boolean;
};

/** Files the documents into the chart, and shows what became of those filed before. */
export function ChartFoot({ chart, actions, isProcessed, hasButton }: Props) {
  const { connection, documents } = chart;
  const files = !isProcessed && hasButton && connection;
  if (!files && chart.filings.items.length === 0 && !chart.filings.error) return null;
  return (
    <div className="chart-foot">
      {files && <FileButton connection={connection} chart={chart} actions={actions} count={documents.wanted.length} />}
      <ChartTrail chart={chart} />
    </div>
  );
}

type ButtonProps = { connection: ChartConnection; chart: ChartPaneState; actions: MessageActions; count: number };

function FileButton({ connection, chart, actions, count }: ButtonProps) {
  // On a wide screen it is in the head of the page.
  const { isNarrow } = useViewport();
  const hasHints = useKeyHints();
  const isFailing = Boolean(chart.note) || connection.state === 'Failing';
  return (
    <>
      <Button
        fullWidth
        className="cp-file"
        aria-keyshortcuts={hasHints ? 'e' : undefined}
        leftSection={<IconFileExport size={17} stroke={1.8} />}
        rightSection={
          hasHints && (
            <kbd className="cp-kbd" aria-hidden>
              e
            </kbd>
          )
        }
        loading={actions.busy}
        onClick={actions.process}
      >
        {isFailing ? 'File once it answers' : 'File to chart'}
        {count > 1 ? ` (${count})` : ''}
      </Button>
      {isFailing && (
        <p className="cp-muted cp-tiny" role="status">
          {chart.note ?? `${connection.name} did not answer last time.`} Documents are filed automatically once it answers.
        </p>
      )}
      {isNarrow && (
        <UnstyledButton className="cp-link chart-plain" onClick={actions.withoutChart}>
          File without chart
        </UnstyledButton>
      )}
    </>
  );
}

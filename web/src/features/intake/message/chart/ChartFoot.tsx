import { Button, Menu, UnstyledButton } from '@mantine/core';
import { IconChevronUp, IconFileExport, IconSend2 } from '@tabler/icons-react';
import type { ChartConnection } from '@/api/types';
import { useViewport } from '@/shared/useViewport';
import type { MessageActions } from '../MessageHeader';
import { SEND_KEY } from '../useMessageCommands';
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

/** Files the documents into the chart, sends them elsewhere, and shows what became of those filed and sent before. */
export function ChartFoot({ chart, actions, isProcessed, hasButton }: Props) {
  const { connection, documents } = chart;
  const files = !isProcessed && hasButton && connection;
  const { items, refusal, error } = chart.filings;
  const sends = hasButton && actions.sends.length > 0;
  if (!files && !sends && items.length === 0 && !refusal && !error) return null;
  return (
    <div className="chart-foot">
      {files && <FileButton connection={connection} chart={chart} actions={actions} count={documents.wanted.length} />}
      {sends && <SendButton actions={actions} />}
      <ChartTrail chart={chart} />
    </div>
  );
}

/** Sends the documents to a system without charts. */
function SendButton({ actions: { sends, isSending } }: { actions: MessageActions }) {
  const hasHints = useKeyHints();
  const [only, ...others] = sends;
  const icon = <IconSend2 size={17} stroke={1.8} />;
  if (only && others.length === 0) {
    return (
      <Button
        fullWidth
        variant="default"
        aria-keyshortcuts={hasHints ? SEND_KEY : undefined}
        leftSection={icon}
        rightSection={
          hasHints && (
            <kbd className="cp-kbd" aria-hidden>
              {SEND_KEY}
            </kbd>
          )
        }
        loading={isSending}
        onClick={only.run}
      >
        {only.label}
      </Button>
    );
  }
  return (
    <Menu position="top">
      <Menu.Target>
        <Button fullWidth variant="default" leftSection={icon} rightSection={<IconChevronUp size={14} stroke={1.6} />} loading={isSending}>
          Send to…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {sends.map(({ id, label, run }) => (
          <Menu.Item key={id} leftSection={<IconSend2 size={16} stroke={1.6} />} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
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

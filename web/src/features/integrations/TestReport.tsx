import { Button } from '@mantine/core';
import { IconCheck, IconMinus, IconRefresh, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ConnectionKind, ConnectivityReport, TestStep } from '@/api/types';
import { formatCount, formatTime } from '@/shared/format';
import { Keys } from '@/shared/shortcuts';
import { Notice } from '@/shared/ui/blocks';
import { useViewport } from '@/shared/useViewport';
import type { Test } from './useTests';
import { stepName } from './words';

export const failedStep = (report: ConnectivityReport) => report.steps.find((step) => step.outcome === 'Failed');

const LOOKS = {
  Passed: { tone: 't-success', IconOf: IconCheck, word: 'passed' },
  Failed: { tone: 't-danger', IconOf: IconX, word: 'failed' },
  NotReached: { tone: 't-neutral', IconOf: IconMinus, word: 'not reached' },
  NotNeeded: { tone: 't-neutral', IconOf: IconMinus, word: 'not tested' },
} as const;

function Step({ kind, step: { step, outcome, milliseconds, detail } }: { kind: ConnectionKind; step: TestStep }) {
  const { tone, IconOf, word } = LOOKS[outcome];
  return (
    <li className={`int-step ${tone}`} data-outcome={outcome}>
      <span className="int-mark">
        <IconOf size={13} stroke={2.4} aria-hidden />
      </span>
      <span className="cp-grow">
        <b className="cp-strong">
          {stepName(step, kind)}
          <span className="cp-hidden"> {word}</span>
        </b>
        <span className="int-detail">{outcome === 'NotReached' ? 'Not reached' : detail}</span>
      </span>
      {typeof milliseconds === 'number' && <span className="cp-second cp-num">{formatCount(milliseconds)} ms</span>}
    </li>
  );
}

type Props = {
  kind: ConnectionKind;
  test: Test | undefined;
  /** Without it, the connection cannot be tested now. */
  onTest?: () => void;
  /** Beside the remedy: what mends it at once. */
  action?: (report: ConnectivityReport) => ReactNode;
};

/** A connection test: its steps one below the other up to the first failure, and what to do about that. */
export function TestReport({ kind, test, onTest, action }: Props) {
  const { isLabelled } = useViewport();
  const report = test?.report;
  const failed = report && failedStep(report);
  return (
    <section className="cp-sec" aria-label="Connection test">
      <div className="cp-sec-h">
        <h3>Connection test</h3>
        {test?.at && <span className="cp-second cp-num">{formatTime(test.at.toISOString())}</span>}
        <div className="cp-grow" />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={15} stroke={1.8} />}
          rightSection={isLabelled ? <Keys of="t" /> : undefined}
          disabled={!onTest}
          loading={test?.isRunning}
          onClick={onTest}
        >
          {report ? 'Test again' : 'Test'}
        </Button>
      </div>
      <div aria-live="polite">
        {report && (
          <ol className="int-steps" aria-label="Steps of the test">
            {report.steps.map((step) => (
              <Step key={step.step} kind={kind} step={step} />
            ))}
          </ol>
        )}
        {report && !failed && report.software && <p className="cp-second">{report.software}</p>}
      </div>
      {report && failed && (
        <Notice kind="error">
          <b className="cp-strong">{failed.detail}</b> {report.remedy} {action?.(report)}
        </Notice>
      )}
    </section>
  );
}

import { UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp, IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import type { ChartFiling } from '@/api/types';
import { formatRecent } from '@/shared/format';
import { useAsk, useRun } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import type { ChartPaneState } from './useChartPane';

/** Not in the chart yet: it is taken back without the EHR. */
const isOutside = ({ state }: ChartFiling) => state === 'Waiting' || state === 'Failed';

/** What became of the documents that were filed, the newest first. */
export function ChartTrail({ chart }: { chart: ChartPaneState }) {
  const { filings } = chart;
  const [ask, question] = useAsk();
  if (filings.error) {
    return (
      <Notice kind="error">
        What is in the chart could not be loaded.{' '}
        <UnstyledButton className="cp-link" onClick={filings.reload}>
          Try again
        </UnstyledButton>
      </Notice>
    );
  }
  if (filings.items.length === 0) return null;
  const takeBack = (filing: ChartFiling) =>
    ask({
      title: 'Take back from the chart',
      subject: filing.fileName,
      question: isOutside(filing)
        ? `It is not filed into the chart of ${filing.patientName}, and the message can be filed again.`
        : `It is marked as entered in error in the chart of ${filing.patientName}, and the message can be filed again.`,
      label: 'Take back',
      run: () => (isOutside(filing) ? filings.takeBack(filing) : chart.inEhrOf(filing, () => filings.takeBack(filing))),
      failed: 'The document could not be taken back. Please try again.',
    });
  return (
    <>
      <ul className="chart-trail" aria-label="Filed to the chart">
        {filings.items.map((filing) => (
          <Entry key={filing.id} filing={filing} chart={chart} onTakeBack={() => takeBack(filing)} />
        ))}
      </ul>
      {question}
    </>
  );
}

const LOOKS = {
  Waiting: { tone: 't-info', IconOf: IconLoader2 },
  Filed: { tone: 't-success', IconOf: IconCircleCheck },
  Failed: { tone: 't-danger', IconOf: IconAlertTriangle },
  Withdrawing: { tone: 't-info', IconOf: IconLoader2 },
  Withdrawn: { tone: 't-neutral', IconOf: IconArrowBackUp },
  WithdrawalFailed: { tone: 't-danger', IconOf: IconAlertTriangle },
} as const;

const words = ({ state, filedAt, withdrawnAt, problem }: ChartFiling): string =>
  ({
    Waiting: problem ? `On its way… ${problem}` : 'On its way…',
    Filed: `Filed ${formatRecent(filedAt)}`,
    Failed: ['Failed', problem].filter(Boolean).join(': '),
    Withdrawing: 'Being taken back…',
    Withdrawn: ['Taken back', withdrawnAt && formatRecent(withdrawnAt)].filter(Boolean).join(' '),
    WithdrawalFailed: ['Could not be taken back', problem].filter(Boolean).join(': '),
  })[state];

type EntryProps = { filing: ChartFiling; chart: ChartPaneState; onTakeBack: () => void };

function Entry({ filing, chart, onTakeBack }: EntryProps) {
  const { state, fileName, chartDocumentId, chartUrl } = filing;
  const again = useRun({
    run: () => chart.inEhrOf(filing, () => chart.filings.retry(filing)),
    failed: 'It could not be tried again. Please try later.',
  });
  const { tone, IconOf } = LOOKS[state];
  const isTurning = state === 'Waiting' || state === 'Withdrawing';
  const name = `DocumentReference ${chartDocumentId}`;
  return (
    <li className="chart-entry">
      <span className={`cp-plain ${tone}`}>
        <IconOf size={15} stroke={1.8} className={isTurning ? 'cp-turning' : undefined} aria-hidden />
      </span>
      <div className="cp-grow">
        <span
          className={state === 'Failed' || state === 'WithdrawalFailed' ? 'cp-strong cp-block t-danger' : 'cp-strong cp-block'}
          role="status"
        >
          {words(filing)}
        </span>
        <span className="cp-muted cp-block">
          {fileName || 'A deleted document'}
          {chartDocumentId && ', '}
          {chartDocumentId &&
            (chartUrl ? (
              <a className="cp-link" href={chartUrl} target="_blank" rel="noreferrer">
                {name}
              </a>
            ) : (
              name
            ))}
        </span>
      </div>
      {(state === 'Failed' || state === 'WithdrawalFailed') && (
        <UnstyledButton
          className="cp-link"
          aria-label={`Try again: ${fileName}`}
          disabled={again.isPending || !chart.connectionOf(filing)}
          onClick={() => again.mutate()}
        >
          Try again
        </UnstyledButton>
      )}
      {state !== 'Withdrawn' && state !== 'Withdrawing' && (
        <UnstyledButton className="cp-link" aria-label={`Undo: ${fileName}`} onClick={onTakeBack}>
          Undo
        </UnstyledButton>
      )}
    </li>
  );
}

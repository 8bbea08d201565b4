import { UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconArrowBackUp, IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import type { ChartFiling } from '@/api/types';
import { backWords, isFailed, isOfService, isOutside } from '@/domain/charts/filings';
import { formatRecent } from '@/shared/format';
import { useAsk, useRun } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import { isInChart } from './api';
import type { ChartPaneState } from './useChartPane';

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
  // Once it is in the chart, the reason is past.
  const refused = filings.refusal && !filings.items.some(isInChart) ? <Refused refusal={filings.refusal} /> : null;
  if (filings.items.length === 0) return refused;
  const takeBack = (filing: ChartFiling) =>
    ask({
      ...backWords(filing),
      subject: filing.fileName,
      label: 'Take back',
      run: () => (isOutside(filing) ? filings.takeBack(filing) : chart.inEhrOf(filing, () => filings.takeBack(filing))),
      failed: 'The document could not be taken back. Please try again.',
    });
  return (
    <>
      {refused}
      <ul className="chart-trail" aria-label="Filed to the chart">
        {filings.items.map((filing) => (
          <Entry key={filing.id} filing={filing} chart={chart} onTakeBack={() => takeBack(filing)} />
        ))}
      </ul>
      {question}
    </>
  );
}

type Refusal = NonNullable<ChartPaneState['filings']['refusal']>;

/** "Not filed by rule Labs: the birth date differs" */
const Refused = ({ refusal: { ruleName, reason } }: { refusal: Refusal }) => (
  <p className="cp-plain t-warn chart-refused" role="status">
    <IconAlertTriangle size={15} stroke={1.8} aria-hidden /> Not filed by rule {ruleName}: {reason}
  </p>
);

const LOOKS = {
  Waiting: { tone: 't-info', IconOf: IconLoader2 },
  Filed: { tone: 't-success', IconOf: IconCircleCheck },
  Failed: { tone: 't-danger', IconOf: IconAlertTriangle },
  Withdrawing: { tone: 't-info', IconOf: IconLoader2 },
  Withdrawn: { tone: 't-neutral', IconOf: IconArrowBackUp },
  WithdrawalFailed: { tone: 't-danger', IconOf: IconAlertTriangle },
} as const;

/** "by rule Labs" */
const byRule = ({ ruleId, filedBy }: Pick<ChartFiling, 'ruleId' | 'filedBy'>) => (ruleId ? ` by ${filedBy}` : '');

function words(filing: ChartFiling): string {
  const { state, filedAt, withdrawnAt, problem, integrationName: name } = filing;
  const [waits, there, failed] = isOfService(filing)
    ? [`On its way to ${name}…`, `Sent to ${name}`, 'Could not be sent']
    : ['On its way…', 'Filed', 'Failed'];
  return {
    Waiting: problem ? `${waits} ${problem}` : waits,
    Filed: `${there}${byRule(filing)} ${formatRecent(filedAt)}`,
    Failed: [failed, problem].filter(Boolean).join(': '),
    Withdrawing: 'Being taken back…',
    Withdrawn: ['Taken back', withdrawnAt && formatRecent(withdrawnAt)].filter(Boolean).join(' '),
    WithdrawalFailed: ['Could not be taken back', problem].filter(Boolean).join(': '),
  }[state];
}

/** The document in the other system, as people find it there. */
const documentName = ({ integrationType, chartDocumentId }: ChartFiling) =>
  chartDocumentId && integrationType !== 'WebService'
    ? `${integrationType === 'Hl7' ? 'Document' : 'DocumentReference'} ${chartDocumentId}`
    : null;

type EntryProps = { filing: ChartFiling; chart: ChartPaneState; onTakeBack: () => void };

function Entry({ filing, chart, onTakeBack }: EntryProps) {
  const { state, fileName, chartUrl } = filing;
  const again = useRun({
    run: () => chart.inEhrOf(filing, () => chart.filings.retry(filing)),
    failed: 'It could not be tried again. Please try later.',
  });
  const { tone, IconOf } = LOOKS[state];
  const isTurning = state === 'Waiting' || state === 'Withdrawing';
  const name = documentName(filing);
  const undo = isOfService(filing) ? 'Take back' : 'Undo';
  return (
    <li className="chart-entry">
      <span className={`cp-plain ${tone}`}>
        <IconOf size={15} stroke={1.8} className={isTurning ? 'cp-turning' : undefined} aria-hidden />
      </span>
      <div className="cp-grow">
        <span className={isFailed(filing) ? 'cp-strong cp-block t-danger' : 'cp-strong cp-block'} role="status">
          {words(filing)}
        </span>
        <span className="cp-muted cp-block">
          {fileName || 'A deleted document'}
          {name && ', '}
          {name &&
            (chartUrl ? (
              <a className="cp-link" href={chartUrl} target="_blank" rel="noreferrer">
                {name}
              </a>
            ) : (
              name
            ))}
        </span>
      </div>
      {isFailed(filing) && (
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
        <UnstyledButton className="cp-link" aria-label={`${undo}: ${fileName}`} onClick={onTakeBack}>
          {undo}
        </UnstyledButton>
      )}
    </li>
  );
}

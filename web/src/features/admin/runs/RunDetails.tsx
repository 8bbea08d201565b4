import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import type { Run, RunStep } from '@/api/types';
import { formatSize, plural, truncate } from '@/shared/format';
import { reportFailure } from '@/shared/errors';
import { ErrorState } from '@/shared/ui/blocks';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Status } from '@/shared/ui/status';
import { stepLabel } from '../utilities/steps';
import { retryStep, runQuery } from './api';
import { EventsGrid } from './EventsGrid';
import { NESTED_SIZE, NestedPages } from './NestedGrid';
import { canRetry, formatSpan, formatUtc, timelineOf } from './rules';
import classes from './runs.module.css';

/** Longer causes are cut off in the table. */
const CAUSE = 200;

/** The details of a workflow; operators who manage the platform see every attempt too. */
export function RunDetails({ run, canManage }: { run: Run; canManage: boolean }) {
  const { data, error, refetch } = useQuery({ ...runQuery(run.id, run.type), enabled: canManage });
  if (error && !data) return <ErrorState title="The workflow could not be loaded" error={error} onRetry={() => void refetch()} />;
  const known = data ?? run;
  const message = known.mailMessage;
  return (
    <div className={classes.details}>
      <section aria-label="Steps">
        <Steps run={known} canManage={canManage} />
      </section>
      <section aria-label="Message">
        <h3>Message</h3>
        <dl className={classes.facts}>
          <Fact label="Workflow" value={known.workflowId} copies />
          <Fact label="Correlation" value={known.correlationId} copies />
          {known.hispMessageId && <Fact label="Message-ID" value={known.hispMessageId} copies />}
          {message && (
            <>
              <Fact label="Message" value={String(message.mailMessageId)} />
              <Fact label="From" value={message.sender} />
              <Fact label="To" value={message.mailTo} />
              <Fact label="Origin" value={message.origin} />
            </>
          )}
        </dl>
        {!message && <p className="cp-muted">There is no message: the mail was a notice, was refused, or is not processed yet.</p>}
      </section>
      {message && (
        <>
          <section aria-label="Attachment events">
            <h3>Attachments</h3>
            {message.attachmentEvents.length === 0 && <p className="cp-muted">The message has no files.</p>}
            <ul className="cp-plainlist">
              {message.attachmentEvents.map((file) => (
                <li key={file.mailAttachmentId}>
                  {`${file.mailAttachmentId}: ${file.mimeType}, ${formatSize(file.size)}, preview ${file.previewStatus}`}
                  {contents(file)}
                </li>
              ))}
            </ul>
          </section>
          <section aria-label="Events">
            <h3>Events</h3>
            <EventsGrid mailMessageId={message.mailMessageId} />
          </section>
        </>
      )}
    </div>
  );
}

type File = NonNullable<Run['mailMessage']>['attachmentEvents'][number];
function contents(file: File) {
  const found = [file.hasPdfContent && 'PDF', file.hasCDAContent && 'C-CDA', file.hasHl7Content && 'HL7'].filter(Boolean);
  return found.length > 0 ? `, with ${found.join(' and ')}` : '';
}

function Fact({ label, value, copies }: { label: string; value: string; copies?: boolean }) {
  return (
    <div>
      <dt className="cp-muted">{label}</dt>
      <dd>
        {value} {copies && <CopyIcon value={value} name={label} />}
      </dd>
    </div>
  );
}

/** The steps of a workflow with the result of each attempt. */
export function Steps({ run, canManage }: { run: Pick<Run, 'id' | 'type' | 'steps'>; canManage: boolean }) {
  const bars = timelineOf(run.steps);
  const [page, setPage] = useState(1);
  const shown = run.steps.slice((page - 1) * NESTED_SIZE, page * NESTED_SIZE);
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Table of steps">
        <table className={classes.steps} aria-label="Steps of the workflow">
          <thead>
            <tr>
              <th>Step</th>
              <th>Meta</th>
              <th>Status</th>
              <th>Start (UTC)</th>
              <th>End (UTC)</th>
              <th>Run time</th>
              <th>Timeline</th>
              <th>
                <span className="cp-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          {shown.map((step) => (
            <Step key={step.id} run={run} step={step} bars={bars.get(step.id) ?? []} canManage={canManage} />
          ))}
        </table>
      </div>
      <NestedPages label="steps" total={run.steps.length} page={page} onPage={setPage} />
    </>
  );
}

type StepProps = {
  run: Pick<Run, 'id' | 'type'>;
  step: RunStep;
  bars: NonNullable<ReturnType<ReturnType<typeof timelineOf>['get']>>;
  canManage: boolean;
};
function Step({ run, step, bars, canManage }: StepProps) {
  // Shown at once, then replaced by the server's answer, or by the previous status after a refusal.
  const [isRetried, setRetried] = useState(false);
  const retry = async () => {
    setRetried(true);
    try {
      await retryStep(run, step.id);
    } catch (error) {
      reportFailure(error, 'The step could not be run again. Please try again.', { serverFirst: true });
    }
    setRetried(false);
  };
  const label = stepLabel(step.stepName);
  return (
    <tbody>
      <tr>
        <th scope="row">{label}</th>
        <td>{step.meta}</td>
        <td>
          <Status state={isRetried ? 'Retry' : step.status} />
          {step.status === 'Retrying' && !isRetried && (
            <span className="cp-muted cp-block">{`attempt ${step.attempt + 1} at ${formatUtc(step.nextTime)}`}</span>
          )}
        </td>
        <td className="cp-num">{formatUtc(step.startTime) || '–'}</td>
        <td className="cp-num">{formatUtc(step.endTime) || '–'}</td>
        <td className="cp-num">{formatSpan(step.elapsed) || '–'}</td>
        <td>
          <div className={classes.timeline} role="img" aria-label={plural(bars.length, 'attempt')}>
            {bars.map(({ attempt, from, width }) => (
              <span
                key={`${attempt.number} ${attempt.startTime}`}
                data-outcome={attempt.outcome}
                style={{ left: `${from}%`, width: `${width}%` }}
                title={`${attempt.outcome} on ${attempt.node}`}
              />
            ))}
          </div>
        </td>
        <td>
          {canManage && canRetry(step) && (
            <Button
              size="xs"
              variant="default"
              disabled={isRetried}
              aria-label={`Retry ${label}`}
              leftSection={<IconRefresh size={14} stroke={1.6} />}
              onClick={() => void retry()}
            >
              Retry
            </Button>
          )}
        </td>
      </tr>
      {step.attempts.length === 0 && step.error && (
        <tr>
          <td colSpan={8} className={classes.cause} title={step.error}>
            {truncate(step.error, CAUSE)}
          </td>
        </tr>
      )}
      {step.attempts.map((attempt) => (
        <tr key={`${attempt.number} ${attempt.startTime}`} className={classes.attempt}>
          <td>{`Attempt ${attempt.number}`}</td>
          <td>{attempt.node}</td>
          <td>
            <Status state={attempt.outcome} />
          </td>
          <td className="cp-num">{formatUtc(attempt.startTime)}</td>
          <td className="cp-num">{formatUtc(attempt.endTime)}</td>
          <td className="cp-num">{formatSpan(attempt.elapsed)}</td>
          <td colSpan={2} className={classes.cause} title={attempt.cause ?? undefined}>
            {truncate(attempt.cause ?? '', CAUSE)}
          </td>
        </tr>
      ))}
    </tbody>
  );
}

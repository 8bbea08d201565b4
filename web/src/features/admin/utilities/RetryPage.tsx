import '../admin.css';
import { Button, Progress, SegmentedControl, Select, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { FailureCause, RetryStep, RetryType, WorkflowRetry } from '@/api/types';
import { wordsOf } from '@/shared/errors';
import { Form } from '@/shared/form/Form';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatCount, formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { useAsk, useRun } from '@/shared/ui/AskDialog';
import { BackHead } from '@/shared/ui/BackHead';
import { EmptyState, ErrorState, NoticeList } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { countRetry, failuresQuery, retriesQuery, startRetry, stopRetry } from './api';
import { listed } from './rules';
import { STEPS, stepLabel } from './steps';
import classes from './utilities.module.css';

const TYPES: { value: RetryType; label: string }[] = [
  { value: 'send', label: 'Send' },
  { value: 'receive', label: 'Receive' },
];
const steps = (n: number) => (n === 1 ? '1 step' : `${formatCount(n)} steps`);

const notStarted = (error: unknown) => `Error: ${wordsOf(error)}`;

/** Retries failed steps, by list or by cause. */
export function RetryPage() {
  const go = useGo();
  return (
    <>
      <BackHead title="Bulk Workflow Retry" back={{ label: 'Back to Message Utilities', run: () => go(paths.adminUtilities) }} />
      <div className={`adm-body ${classes.body}`}>
        <Retries />
        <Causes />
        <ByList />
      </div>
    </>
  );
}

function Retries() {
  const { data } = useQuery(retriesQuery);
  if (!data?.length) return null;
  return (
    <section aria-label="Retries">
      <h2>Retries</h2>
      <ul className={classes.results}>
        {data.map((retry) => (
          <Retry key={retry.id} retry={retry} />
        ))}
      </ul>
    </section>
  );
}

function Retry({ retry }: { retry: WorkflowRetry }) {
  const stop = useRun({ run: () => stopRetry(retry.id), failed: 'The retry could not be stopped. Please try again.' });
  return (
    <li className={classes.row}>
      <span>
        <b className="cp-strong">{stepLabel(retry.retryStep)}</b>
        {retry.cause && `: ${retry.cause}`}
        <span className="cp-muted cp-block">
          {`${formatCount(retry.done)} of ${steps(retry.total)}, ${formatCount(retry.retried)} run again, by ${retry.createdBy}, ${formatDateTime(retry.createDate)}`}
        </span>
      </span>
      <span className="cp-row">
        <Status state={retry.status} />
        {retry.status === 'Running' && (
          <Button
            size="xs"
            variant="default"
            loading={stop.isPending}
            leftSection={<IconPlayerStop size={14} stroke={1.6} />}
            onClick={() => stop.mutate()}
          >
            Stop
          </Button>
        )}
      </span>
      <Progress
        className={classes.progress}
        value={(100 * retry.done) / retry.total}
        aria-label={`Progress of ${stepLabel(retry.retryStep)}`}
      />
    </li>
  );
}

function Causes() {
  const [type, setType] = useState<RetryType>('send');
  const { data, error, refetch } = useQuery(failuresQuery(type));
  const [ask, question] = useAsk();
  const retry = (cause: FailureCause) =>
    ask({
      title: 'Retry steps',
      subject: stepLabel(cause.retryStep),
      question: `${steps(cause.count)} failed because: ${cause.cause} They are retried a few at a time. Recipients who already have the document do not get it twice. Are you sure?`,
      label: 'Retry',
      run: () => startRetry({ type, retryStep: cause.retryStep, workflowIds: [], cause: cause.cause, until: cause.last }),
      done: 'Submitted for retry',
      failed: notStarted,
    });
  return (
    <section aria-label="By cause">
      <h2>By cause</h2>
      <SegmentedControl aria-label="Type" data={TYPES} value={type} onChange={(v) => setType(v as RetryType)} />
      {error && !data && <ErrorState title="The failures could not be loaded" error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <EmptyState icon={IconRefresh} title="Nothing failed" />}
      <ul className={classes.results} aria-label="Causes">
        {data?.items.map((cause) => (
          <li key={`${cause.retryStep} ${cause.cause}`} className={classes.row}>
            <span>
              <b className="cp-strong">{`${steps(cause.count)} failed`}</b>
              {` (${stepLabel(cause.retryStep)}) because: ${cause.cause}`}
              <span className="cp-muted cp-block">{`${formatDateTime(cause.first)} to ${formatDateTime(cause.last)}`}</span>
            </span>
            <Button size="xs" variant="default" leftSection={<IconRefresh size={14} stroke={1.6} />} onClick={() => retry(cause)}>
              Retry
            </Button>
          </li>
        ))}
      </ul>
      {data?.isCapped && <p className="cp-muted">More than 10,000 steps of one kind failed. Only the newest are counted.</p>}
      {question}
    </section>
  );
}

function ByList() {
  const [ask, question] = useAsk();
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: { type: null as RetryType | null, retryStep: null as RetryStep | null, workflowIds: '' },
    validate: {
      type: (v) => (v ? null : 'Type is missing.'),
      retryStep: (v) => (v ? null : 'Step Type is missing.'),
      workflowIds: (v) => (listed(v).length ? null : 'Workflow Ids are missing.'),
    },
    submit: async ({ type, retryStep, workflowIds }) => {
      const body = { type, retryStep, workflowIds: listed(workflowIds) };
      const count = await countRetry(body);
      if (count === 0) throw new ApiError(422, { modelState: { workflowIds: ['There are no such steps to retry.'] } });
      ask({
        title: 'Retry workflows',
        subject: stepLabel(retryStep!),
        question: `${steps(count)} of ${formatCount(body.workflowIds.length)} workflows will be retried. Recipients who already have the document do not get it twice. Are you sure?`,
        label: 'Retry',
        run: () => startRetry(body),
        done: 'Submitted for retry',
        failed: notStarted,
      });
    },
  });
  return (
    <section aria-label="By list">
      <h2>By list</h2>
      <Form className={classes.form} onSubmit={onSubmit}>
        <NoticeList kind="error" messages={formErrors} />
        <Select
          size="md"
          label="Type"
          required
          data={TYPES}
          {...form.getInputProps('type')}
          onChange={(v) => form.setValues({ type: v as RetryType | null, retryStep: null })}
        />
        <Select
          size="md"
          label="Step type"
          required
          disabled={!form.values.type}
          data={form.values.type ? STEPS[form.values.type] : []}
          {...form.getInputProps('retryStep')}
        />
        <Textarea
          size="md"
          label="Workflow ids"
          description="Comma-separated; at most 10,000."
          required
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps('workflowIds')}
        />
        <Button type="submit" loading={busy} leftSection={<IconRefresh size={16} stroke={1.6} />}>
          Retry
        </Button>
      </Form>
      {question}
    </section>
  );
}

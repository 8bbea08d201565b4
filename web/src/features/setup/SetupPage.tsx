import { Button, Progress, Select, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleCheck,
  IconCircleX,
  IconCopy,
  IconDownload,
  IconInfoCircle,
  IconRefresh,
  IconTerminal2,
} from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { DnsRecord, SetupCheck, SetupStep, SetupStepName } from '@/api/types';
import { copyText } from '@/shared/copy';
import { formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { madeName, saveFile } from '@/shared/saveFile';
import { ErrorState } from '@/shared/ui/blocks';
import { FormLoading } from '@/shared/form/saved';
import { PageHead } from '@/shared/ui/PageHead';
import { useGo } from '@/shared/ui/AppLink';
import { useViewport } from '@/shared/useViewport';
import classes from './setup.module.css';
import { STEPS } from './words';
import { countsOf, zoneFile } from './zone';

const SOURCES = { file: 'file', environment: 'environment', default: 'default' } as const;
const ICONS = { good: IconCircleCheck, note: IconInfoCircle, problem: IconCircleX } as const;
const TONES = { good: 'success', note: 'neutral', problem: 'danger' } as const;
const RECORDS = {
  found: ['Found', 'success', IconCircleCheck],
  missing: ['Missing', 'danger', IconCircleX],
  differs: ['Differs', 'warn', IconAlertTriangle],
  unknown: ['Not known', 'neutral', IconInfoCircle],
} as const;

function Marker({ step, position }: { step: SetupStep; position: number }) {
  if (step.state === 'done') {
    return (
      <span className={classes.marker} data-state="done">
        <IconCheck size={16} stroke={2.4} aria-label="Done" />
      </span>
    );
  }
  return (
    <span className={`${classes.marker} cp-num`} data-state={step.state}>
      {position}
    </span>
  );
}

/** The steps at the side, each with its state. */
function Steps({ steps, current, onChoose }: { steps: SetupStep[]; current: SetupStepName; onChoose: (name: SetupStepName) => void }) {
  const { isPhone } = useViewport();
  const done = steps.filter((s) => s.state === 'done').length;
  return (
    <div className={classes.steps}>
      <div className={classes.progress}>
        <Progress value={(100 * done) / steps.length} aria-label="Completed steps" className="cp-grow" />
        <span className="cp-second cp-num">
          {done} of {steps.length}
        </span>
      </div>
      {isPhone && (
        <Select
          size="md"
          aria-label="Step"
          allowDeselect={false}
          data={steps.map(({ name, state }, i) => ({
            value: name,
            label: `${i + 1}. ${STEPS[name].title}${state === 'done' ? ' (done)' : ''}`,
          }))}
          value={current}
          onChange={(name) => name && onChoose(name as SetupStepName)}
        />
      )}
      <ol aria-label="Steps" hidden={isPhone}>
        {steps.map((step, i) => (
          <li key={step.name}>
            <UnstyledButton
              className={classes.step}
              aria-current={step.name === current ? 'step' : undefined}
              onClick={() => onChoose(step.name)}
            >
              <Marker step={step} position={i + 1} />
              <span className={classes.words}>
                <span className="cp-block cp-strong">{STEPS[step.name].title}</span>
                <span className={`cp-block ${classes.summary}`} data-state={step.state}>
                  {step.summary}
                </span>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
      <p className={classes.terminal}>
        <IconTerminal2 size={16} stroke={1.6} aria-hidden />
        <span>
          The same steps in a terminal: <code className="cp-mono">carepost setup</code>
        </span>
      </p>
    </div>
  );
}

function Checks({ checks }: { checks: SetupCheck[] }) {
  return (
    <ul className={classes.checks} aria-label="Test results">
      {checks.map((check) => {
        const IconOf = ICONS[check.outcome];
        return (
          <li key={check.text}>
            <span className={`cp-plain t-${TONES[check.outcome]}`}>
              <IconOf size={18} stroke={1.8} aria-label={check.outcome} />
            </span>
            <span>{check.text}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Records({ records }: { records: DnsRecord[] }) {
  return (
    <section>
      <div className={classes.bar}>
        <h2>Records that partners need</h2>
        <span className="cp-second">{countsOf(records)}</span>
        <div className="cp-grow" />
        <Button
          variant="default"
          leftSection={<IconCopy size={16} stroke={1.6} />}
          onClick={() => void copyText(zoneFile(records), 'The records were copied.')}
        >
          Copy all
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={() => saveFile(new Blob([zoneFile(records)], { type: 'text/plain' }), madeName('direct', 'zone'))}
        >
          Zone file
        </Button>
      </div>
      <ul className={classes.records} aria-label="Records">
        {records.map((r) => {
          const [word, tone, IconOf] = RECORDS[r.state];
          return (
            <li key={`${r.kind} ${r.name}`}>
              <span className={`cp-plain t-${tone} ${classes.word}`}>
                <IconOf size={16} stroke={1.8} aria-hidden />
                {word}
              </span>
              <span className={`cp-strong ${classes.kind}`}>{r.kind}</span>
              <span className={`cp-mono ${classes.name}`}>{r.name}</span>
              <span className={`cp-mono cp-ell ${classes.value}`} title={r.value}>
                {r.value}
              </span>
              <span className={`cp-second ${classes.about}`}>{r.text}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Settings({ step, file }: { step: SetupStep; file: string }) {
  return (
    <section>
      <h2>Settings</h2>
      <dl className={classes.settings}>
        {step.settings.map(({ key, value, source }) => (
          <div key={key}>
            <dt className="cp-mono">{key}</dt>
            <dd>
              <span className={value ? 'cp-mono' : 'cp-muted'}>{value || 'not set'}</span>
              <span className="cp-second">{SOURCES[source]}</span>
            </dd>
          </div>
        ))}
      </dl>
      {file && (
        <p className="cp-second">
          They are in <code className="cp-mono">{file}</code>.
        </p>
      )}
    </section>
  );
}

function StepPanel({ step, file, position, count }: { step: SetupStep; file: string; position: number; count: number }) {
  const client = useQueryClient();
  const go = useGo();
  const test = useMutation({
    mutationFn: () => unwrap(api.POST('/api/setup/{step}/test', { params: { path: { step: step.name } } })),
    onSuccess: async () => {
      await refresh(client, '/api/setup');
      notify('success', 'The test is over.');
    },
  });
  const { title, text, leads = [] } = STEPS[step.name];
  const { tested } = step;
  return (
    <div className={classes.panel}>
      <div className={classes.bar}>
        <h2 className={classes.title}>{title}</h2>
        <span className="cp-second cp-num">
          Step {position} of {count}
        </span>
        <div className="cp-grow" />
        {tested && (
          <span className="cp-second cp-num">
            Last test {formatDateTime(tested.at)}, {(tested.tookMilliseconds / 1000).toFixed(1)} s
          </span>
        )}
        {step.canTest && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.6} />}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {tested ? 'Test again' : 'Test'}
          </Button>
        )}
      </div>
      <p className={classes.text}>{text}</p>
      {leads.length > 0 && (
        <div className={classes.leads}>
          {leads.map(({ label, href }, i) => (
            <Button key={href} variant={i === 0 && step.state !== 'done' ? 'filled' : 'default'} onClick={() => go(href)}>
              {label}
            </Button>
          ))}
        </div>
      )}
      {tested && tested.checks.length > 0 && <Checks checks={tested.checks} />}
      {step.canTest && !tested && <p className="cp-second">Not tested yet.</p>}
      {tested && tested.records.length > 0 && <Records records={tested.records} />}
      {step.settings.length > 0 && <Settings step={step} file={file} />}
    </div>
  );
}

/** The setup of the installation, step by step, each tested at once. */
export function SetupPage() {
  const query = useQuery({ ...queryOf('get', '/api/setup'), meta: { page: true } });
  const { step: asked } = useSearch({ from: '/_app/admin/setup' });
  const navigate = useNavigate({ from: '/admin/setup' });
  const { isPhone } = useViewport();
  if (query.error) return <ErrorState title="Setup could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <FormLoading />;
  const { steps, configFile } = query.data;
  const current = steps.find((s) => s.name === asked) ?? steps.find((s) => s.state === 'problem' || s.state === 'open') ?? steps[0]!;
  const position = steps.indexOf(current) + 1;
  const choose = (step: SetupStepName) => void navigate({ search: { step } });
  return (
    <>
      <PageHead title="Setup" beside={isPhone ? undefined : <span className="cp-muted">You can leave and come back at any time.</span>} />
      <div className={`cp-scroll ${classes.page}`}>
        <Steps steps={steps} current={current.name} onChoose={choose} />
        <div className={classes.side}>
          <StepPanel key={current.name} step={current} file={configFile} position={position} count={steps.length} />
          <div className={classes.foot}>
            <Button variant="default" disabled={position === 1} onClick={() => choose(steps[position - 2]!.name)}>
              Back
            </Button>
            {position < steps.length && (
              <Button onClick={() => choose(steps[position]!.name)}>Next: {STEPS[steps[position]!.name].title}</Button>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

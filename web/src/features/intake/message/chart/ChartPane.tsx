import './chart.css';
import { Button, UnstyledButton } from '@mantine/core';
import { IconExternalLink, IconPlugConnected, IconPlugConnectedX, IconUserSearch } from '@tabler/icons-react';
import { PatientLookupDialog } from '@/domain/charts/PatientLookupDialog';
import type { ChartConnection } from '@/api/types';
import { nameOf } from '@/domain/messaging/patients/words';
import { showDate } from '@/shared/rules/dates';
import { Notice } from '@/shared/ui/blocks';
import type { PatientForm } from '../usePatientForm';
import { ChartMatches } from './ChartMatches';
import { ChartVisitPicker } from './ChartVisitPicker';
import { type ChartPaneState, UNKNOWN } from './useChartPane';
import { useKeyHints } from './useKeyHints';

type Props = { chart: ChartPaneState; patient: PatientForm; isProcessed: boolean; isShown: boolean };

/** The chart into which the documents are filed: its state, its patient and the visit. Nothing without a connected EHR. */
export function ChartPane({ chart, patient, isProcessed, isShown }: Props) {
  const { connection, visit } = chart;
  const hasHints = useKeyHints();
  if (chart.hasFailed && !isProcessed) return <Unknown onReload={chart.reload} />;
  if (!connection) return chart.login.dialog;
  return (
    <>
      <section className="cp-sec" aria-labelledby="chart-pane">
        <div className="cp-sec-h">
          <h2 id="chart-pane" className="cp-ell">
            Chart: {connection.name}
          </h2>
          <div className="cp-grow" />
          {!isProcessed && chart.canFind && (
            <Button
              size="xs"
              variant="default"
              aria-keyshortcuts={hasHints ? 'f' : undefined}
              leftSection={<IconUserSearch size={15} stroke={1.6} />}
              rightSection={
                hasHints && (
                  <kbd className="cp-kbd" aria-hidden>
                    f
                  </kbd>
                )
              }
              onClick={chart.find}
            >
              Find in chart
            </Button>
          )}
        </div>
        <State chart={chart} connection={connection} />
        {chart.isLocked ? (
          <Chosen patient={patient} chart={chart} />
        ) : (
          !isProcessed && <ChartMatches chart={chart} saved={patient.confirmed} isShown={isShown} />
        )}
      </section>
      {chart.patientId && visit.can && !isProcessed && (
        <ChartVisitPicker connection={connection} patientId={chart.patientId} visit={visit} isShown={isShown} />
      )}
      {chart.isFinding && (
        <PatientLookupDialog
          connection={connection}
          current={patient.draft}
          onFound={(found) => {
            chart.endFinding();
            chart.take(found);
          }}
          onClose={chart.endFinding}
        />
      )}
      {chart.login.dialog}
    </>
  );
}

/** Whether an EHR is connected could not be loaded: nothing is filed by the key. */
const Unknown = ({ onReload }: { onReload: () => void }) => (
  <section className="cp-sec" aria-label="Chart">
    <Notice kind="error">
      {UNKNOWN}{' '}
      <UnstyledButton className="cp-link" onClick={onReload}>
        Try again
      </UnstyledButton>
    </Notice>
  </section>
);

function State({ chart, connection }: { chart: ChartPaneState; connection: ChartConnection }) {
  const took = chart.matches.data?.milliseconds;
  if (chart.note || connection.state === 'Failing') {
    return (
      <p className="cp-plain t-warn chart-state" role="status">
        <IconPlugConnectedX size={15} stroke={1.8} aria-hidden /> {chart.note ?? `${connection.name} did not answer last time.`}
      </p>
    );
  }
  if (connection.needsLogin) {
    return (
      <p className="cp-plain t-warn chart-state">
        <IconPlugConnectedX size={15} stroke={1.8} aria-hidden /> You are not signed in.
        <UnstyledButton className="cp-link" onClick={() => void chart.login.guard(connection, () => {})}>
          Sign in
        </UnstyledButton>
      </p>
    );
  }
  return (
    <p className="cp-plain t-success chart-state">
      <IconPlugConnected size={15} stroke={1.8} aria-hidden />
      <span className="cp-muted">{took === undefined ? 'Connected' : `Connected, answered in ${took} ms`}</span>
    </p>
  );
}

/** The patient of the chart. */
function Chosen({ patient: { draft }, chart }: { patient: PatientForm; chart: ChartPaneState }) {
  const meta = draft.integrationMeta;
  const url = chart.chartUrl;
  const number = meta?.medicalRecordNumber;
  return (
    <>
      <div className="chart-chosen">
        <div className="cp-grow">
          <span className="cp-strong cp-block">{nameOf(draft)}</span>
          <span className="cp-muted cp-num cp-block">
            {[showDate(draft.birthDate), draft.gender, number && `MRN ${number}`].filter(Boolean).join(' · ')}
          </span>
        </div>
        {url && (
          <a className="cp-link cp-row" href={url} target="_blank" rel="noreferrer">
            Open chart <IconExternalLink size={15} stroke={1.6} aria-hidden />
          </a>
        )}
      </div>
      {!chart.patientId && (
        <p className="cp-plain t-danger chart-refused" role="status">
          The patient was looked up in an EHR that is no longer connected. Please find the patient again.
        </p>
      )}
    </>
  );
}

import './patients.css';
import { Button, Menu, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDownload, IconPencil, IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import type { PatientView } from '@/api/types';
import { factsOf, nameOf } from '@/domain/messaging/patients/words';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { fetchReport } from '@/shared/reportFile';
import { madeName, saveFile } from '@/shared/saveFile';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { patientQuery } from './api';
import { CorrectDialog } from './CorrectDialog';
import { History } from './History';
import { Known } from './Known';
import { Messages } from './Messages';
import { useDecisions } from './useDecisions';

/** The disclosures of the patient, as a file. */
function Disclosures({ id }: { id: string }) {
  const download = useMutation({
    mutationFn: async (form: 'pdf' | 'csv') => {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ patientId: id }) };
      const file = await fetchReport(`/api/patients/disclosures${form === 'pdf' ? '?asPdf=true' : ''}`, init);
      if (!file) return;
      saveFile(file, madeName('disclosures', form));
      notify('success', 'The disclosures were saved.');
    },
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" loading={download.isPending} leftSection={<IconDownload size={16} stroke={1.6} />}>
          Disclosures
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download.mutate('pdf')}>As PDF</Menu.Item>
        <Menu.Item onClick={() => download.mutate('csv')}>As CSV</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Possible duplicates, linked to their pages. */
function Alike({ of }: { of: PatientView }) {
  if (of.duplicates.length === 0) return null;
  return (
    <Notice kind="warning">
      Possibly the same person:{' '}
      {of.duplicates.map((other, at) => (
        <span key={other.id}>
          {at > 0 && ', '}
          <AppLink className="cp-link" href={paths.patient(other.id ?? '')}>
            {nameOf(other.patient) || 'No name'}
          </AppLink>{' '}
          {factsOf(other.patient)}
        </span>
      ))}
      .{' '}
      <AppLink className="cp-link" href={paths.patients}>
        Decide
      </AppLink>
    </Notice>
  );
}

/** The details of a patient, and the messages that name them. */
export function PatientPage({ id }: { id: string }) {
  const go = useGo();
  const query = useQuery(patientQuery(id));
  const decisions = useDecisions();
  const [isCorrecting, setCorrecting] = useState(false);
  const patient = query.data;
  const back = { label: 'Patients', run: () => go(paths.patients) };
  if (query.isError) {
    return (
      <>
        <BackHead title="Patient" back={back} />
        <ErrorState title="The patient could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      </>
    );
  }
  if (!patient) {
    return (
      <>
        <BackHead title="Patient" back={back} />
        <div className="ptn-page">
          <Skeleton height={240} aria-label="Loading" />
        </div>
      </>
    );
  }
  return (
    <>
      <BackHead
        title={nameOf(patient.patient) || 'No name'}
        line={factsOf(patient.patient)}
        back={back}
        actions={
          <div className="cp-row">
            <Button variant="default" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => window.print()}>
              Print
            </Button>
            <Disclosures id={patient.id} />
            <Button variant="default" leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setCorrecting(true)}>
              Correct
            </Button>
          </div>
        }
      />
      <div className="cp-scroll ptn-page">
        <Alike of={patient} />
        <div className="ptn-columns">
          <div>
            <Known of={patient} />
            <History id={patient.id} decisions={decisions} />
          </div>
          <section aria-labelledby="patient-messages">
            <h2 id="patient-messages" className="ptn-head">
              Messages
            </h2>
            <Messages id={patient.id} />
          </section>
        </div>
      </div>
      {isCorrecting && <CorrectDialog of={patient} decisions={decisions} onClose={() => setCorrecting(false)} />}
    </>
  );
}

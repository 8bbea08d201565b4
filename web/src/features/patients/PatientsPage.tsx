import './patients.css';
import { useQuery } from '@tanstack/react-query';
import { FindPatient } from '@/domain/messaging/patients/FindPatient';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { duplicatesQuery } from './api';
import { Duplicates } from './Duplicates';

/** Finds a patient's page, and lists patients who may be one person. */
export function PatientsPage() {
  const go = useGo();
  const { data } = useQuery(duplicatesQuery(1));
  useShortcuts([
    { keys: 'p', label: 'Find a patient', run: () => document.querySelector<HTMLElement>('[data-field="findPatient"]')?.focus() },
  ]);
  return (
    <>
      <PageHead title="Patients" />
      <div className="cp-scroll ptn-page">
        <div className="ptn-find">
          <FindPatient
            current={{}}
            knownOnly
            onFound={({ knownPatientId }) =>
              knownPatientId
                ? go(paths.patient(knownPatientId))
                : notify('info', 'This patient is still being loaded. Please try again soon.')
            }
          />
        </div>
        <section aria-labelledby="possible-duplicates">
          <h2 id="possible-duplicates" className="ptn-head">
            Possible duplicates {data && data.totalCount > 0 && <span className="cp-muted cp-num">{data.totalCount}</span>}
          </h2>
          <Duplicates />
        </section>
      </div>
    </>
  );
}

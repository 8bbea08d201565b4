import type { EhrConnection } from '@/api/types';
import { formatDateTime } from '@/shared/format';

/** What an EHR with HL7 v2 tells us of its patients, or how it is made to. */
export const Reports = ({ connection }: { connection: EhrConnection | null }) => (
  <section className="cp-sec" aria-label="What the EHR reports">
    <div className="cp-sec-h">
      <h3>What the EHR reports</h3>
    </div>
    <p className="cp-second int-line">
      {connection?.toldAt
        ? `Last message about a patient, visit or order: ${formatDateTime(connection.toldAt)}.`
        : 'The EHR has not reported any patient yet. Ask the operator of this installation for an HL7 interface of your organization, and the EHR’s administrator to send ADT messages to it, and SIU and ORM for visits and orders.'}
    </p>
  </section>
);

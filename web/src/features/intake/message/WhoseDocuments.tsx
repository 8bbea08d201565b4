import type { Message, Patient } from '@/api/types';
import { showDate } from '@/shared/rules/dates';
import { NoticeList } from '@/shared/ui/blocks';
import { patientDoubt } from '../parts';

const words = ({ firstName, middleName, lastName, birthDate }: Patient) => {
  const given = [firstName, middleName].filter(Boolean).join(' ');
  const name = [lastName, given].filter(Boolean).join(', ') || 'No name';
  return `${name}, ${birthDate ? `born ${showDate(birthDate)}` : 'no birth date'}`;
};

/** The patients named by the documents and their sender, if they differ. */
export function WhoseDocuments({ message }: { message: Message }) {
  if (!message.patientDoubt) return null;
  return (
    <div className="cp-problems">
      <NoticeList
        kind="warning"
        title={`${patientDoubt[message.patientDoubt]}. Look at each document before you choose the patient.`}
        messages={(message.namedPatients ?? []).map(words)}
      />
    </div>
  );
}

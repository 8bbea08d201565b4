import { Button } from '@mantine/core';
import type { Refusal } from '@/shared/bulk';
import { plural } from '@/shared/format';
import { Dialog } from '@/shared/ui/Dialog';
import { RefusedList } from './RefusedList';

type Props = {
  refused: Refusal[];
  /** The address of a message. */
  hrefOf: (id: string) => string;
  /** The subject of a message of the list. */
  subjectOf: (id: string) => string | undefined;
  /** The refused action, such as `filed`. */
  verb: string;
  busy?: boolean;
  onClose: () => void;
  /** Files the messages that a person may confirm. */
  onConfirm?: (ids: string[]) => void;
};

/** Messages refused by a bulk act, with reasons. Some are processed once their gaps are confirmed. */
export function RefusedDialog({ refused, hrefOf, subjectOf, verb, busy, onClose, onConfirm }: Props) {
  const open = refused.filter((r) => onConfirm && r.canBeConfirmed).map((r) => r.id);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={open.length === refused.length ? 'File without patient or type?' : `${plural(refused.length, 'message')} not ${verb}`}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" data-autofocus onClick={onClose}>
            {open.length > 0 ? 'Go back' : 'Close'}
          </Button>
          {open.length > 0 && (
            <Button size="md" color="red" loading={busy} onClick={() => onConfirm?.(open)}>
              {open.length === refused.length ? 'File anyway' : `File ${open.length} anyway`}
            </Button>
          )}
        </>
      }
    >
      {open.length > 0 && <p className="cp-question">The documents cannot be found by patient or type. Open a message to enter both.</p>}
      <RefusedList
        rows={refused.map((r) => ({ ...r, subject: [r.patientName, r.subject || subjectOf(r.id)].filter(Boolean).join(' · ') }))}
        hrefOf={hrefOf}
      />
    </Dialog>
  );
}

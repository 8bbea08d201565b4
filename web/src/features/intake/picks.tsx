import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Confidentiality } from '@/api/types';
import { CONFIDENTIALITY, confidentialityOf, NO_USERS } from '@/domain/messaging/rules';
import { assignableQuery, documentTypesQuery } from '@/domain/messaging/api';
import { now } from '@/shared/clock';
import { formatDateTime, plural } from '@/shared/format';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { type Choice, PickDialog } from './PickDialog';
import { typedWake, usualWakes, type Wake } from './snooze';

type Kind = 'assign' | 'snooze' | 'type';
/** The choices for selected messages. */
export type Picked =
  | { kind: 'assign'; userId: string | null }
  | { kind: 'snooze'; until: string | null }
  | { kind: 'type'; documentType: string; confidentiality?: Confidentiality };

const NOBODY = 'nobody';
const NOW = 'now';

/** The dialogs that ask for a reviewer, a time or a document type, of the selected messages; `countOf` words their number. */
export function usePicks<Meant>(onPick: (picked: Picked, meant: Meant) => void, countOf: (meant: Meant) => string) {
  const [asked, ask] = useState<{ kind: Kind; meant: Meant } | null>(null);
  const onClose = () => ask(null);
  const dialogOf = ({ kind, meant }: { kind: Kind; meant: Meant }) => {
    const props = { count: countOf(meant), onClose, onPick: (picked: Picked) => (onClose(), onPick(picked, meant)) };
    if (kind === 'assign') return <AssignDialog {...props} />;
    return kind === 'snooze' ? <SnoozeDialog {...props} /> : <TypeDialog {...props} />;
  };
  const open = (kind: Kind) => (meant: Meant) => ask({ kind, meant });
  return { assign: open('assign'), snooze: open('snooze'), type: open('type'), dialog: asked && dialogOf(asked) };
}

type Props = { /** Such as `3 messages`. */ count: string; onClose: () => void; onPick: (picked: Picked) => void };

/** Assigns messages to a user, or to nobody. */
export function AssignDialog({ count, onClose, onPick }: Props) {
  const people = useQuery(assignableQuery);
  return (
    <PickDialog
      title={`Assign ${count}`}
      label="Reviewer"
      placeholder="Type a name"
      isLoading={people.isPending}
      nothing={NO_USERS}
      notice={<ChoicesFailed of={[people]} />}
      choices={[...(people.data ?? []).map((p) => ({ value: p.id, label: p.name })), { value: NOBODY, label: 'Nobody' }]}
      onPick={(id) => onPick({ kind: 'assign', userId: id === NOBODY ? null : id })}
      onClose={onClose}
    />
  );
}

const wakeChoice = ({ label, at }: Wake): Choice => ({ value: at.toISOString(), label, hint: formatDateTime(at.toISOString()) });

/** Snoozes messages until a time. */
function SnoozeDialog({ count, onClose, onPick }: Props) {
  // Times stay the same while the dialog is open.
  const [today] = useState(now);
  return (
    <PickDialog
      title={`Snooze ${count}`}
      label="Until"
      placeholder="2h, 3d, 1w or 12/04"
      choices={[...usualWakes(today).map(wakeChoice), { value: NOW, label: 'Bring back now' }]}
      typed={(text) => {
        const wake = typedWake(text, today);
        return wake && wakeChoice(wake);
      }}
      onPick={(until) => onPick({ kind: 'snooze', until: until === NOW ? null : until })}
      onClose={onClose}
    />
  );
}

/** Between type and confidentiality in the value of a choice. */
const AND = '\n';
const WITHOUT = 'without';

type TypeProps = Props & {
  /** Typing `lab res` chooses the confidentiality too; by default it is this one. */
  confidentiality?: Confidentiality;
  /** No type is allowed too. */
  onWithout?: () => void;
  /** The affected files, if a message has others too. */
  files?: string[];
};

const titleOf = (count: string, [file, ...others]: string[]) => {
  if (file) return `Document type of ${others.length ? `${file} and ${plural(others.length, 'other file')}` : file}`;
  return count === '1 message' ? 'Document type' : `Document type of ${count}`;
};

/** Sets the document type and confidentiality of messages. */
export function TypeDialog({ count, confidentiality, files = [], onWithout, onClose, onPick }: TypeProps) {
  const types = useQuery(documentTypesQuery);
  const names = [...new Set((types.data ?? []).map((t) => t.name))];
  const variants = confidentiality ? CONFIDENTIALITY.filter((c) => c.value !== confidentiality) : [];
  const hint = CONFIDENTIALITY.find((c) => c.value === confidentiality)?.label;
  const choices: Choice[] = [
    ...names.map((name) => ({ value: [name, confidentiality].filter(Boolean).join(AND), label: name, hint })),
    ...names.flatMap((name) => variants.map((c) => ({ value: [name, c.value].join(AND), label: name, hint: c.label, variant: c.label }))),
    ...(onWithout ? [{ value: WITHOUT, label: 'Without a type' }] : []),
  ];
  return (
    <PickDialog
      title={titleOf(count, files)}
      label={confidentiality ? 'Type and confidentiality' : 'Type'}
      placeholder={confidentiality ? 'Such as lab, or lab restricted' : 'Type the beginning of a word'}
      isLoading={types.isPending}
      notice={<ChoicesFailed of={[types]} />}
      choices={choices}
      onPick={(value) => {
        if (value === WITHOUT) return onWithout?.();
        const [documentType = '', chosen] = value.split(AND);
        onPick({ kind: 'type', documentType, confidentiality: confidentialityOf(chosen) });
      }}
      onClose={onClose}
    />
  );
}

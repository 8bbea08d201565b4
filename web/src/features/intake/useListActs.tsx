import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BulkAct, BulkJobRequest, IntakeItem, IntakeRequest } from '@/api/types';
import { assignMessage, refreshIntake } from '@/domain/messaging/api';
import { bulkMessages, useBulk } from '@/domain/messaging/bulk';
import { useStartJob } from '@/domain/messaging/jobs/api';
import { RefusedDialog } from '@/domain/messaging/RefusedDialog';
import type { BulkResult, Refusal } from '@/shared/bulk';
import { EXPORTED_MAX, ExportDialog, PRINTED_MAX } from '@/domain/messaging/tasks/ExportDialog';
import { formatCount, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import type { Shortcut } from '@/shared/shortcuts';
import { offerUndo, undoShortcut } from '@/shared/undo';
import { useAsk } from '@/shared/ui/AskDialog';
import { type Picked, usePicks } from './picks';

/** The assignment of a message, and whether it is urgent. */
type Charge = { id: string; userId: string | null; urgent: boolean };
const chargeOf = (m: IntakeItem): Charge => ({ id: m.id, userId: m.assignedTo?.id ?? null, urgent: Boolean(m.isUrgent) });

/** All messages of a list, on all pages, with their number in words. */
type All = { request: IntakeRequest; words: string };
/** The targets of an act: the messages with these ids, or all that match. */
export type Meant = { ids: string[]; all?: All };
const countOf = ({ ids, all }: Meant) => all?.words ?? plural(ids.length, 'message');

/** Performs an act on all that match, in the background. */
function useForAll(onDone: () => void) {
  const job = useStartJob();
  /** Answers whether the targets were all that match. */
  const withAll = async ({ all }: Meant, what: Omit<BulkJobRequest, 'intake'>) => {
    if (!all) return false;
    await job.mutateAsync({ ...what, intake: all.request });
    onDone();
    return true;
  };
  const unlessAll = (meant: Meant, what: Omit<BulkJobRequest, 'intake'>, otherwise: () => void) => {
    if (meant.all) void withAll(meant, what).catch(() => {});
    else otherwise();
  };
  return { withAll, unlessAll };
}

type Refused = { refused: Refusal[]; verb: string };

/** Reports the result of an act, and keeps its refusals. */
function useOutcome(onDone: () => void) {
  const client = useQueryClient();
  const [refusal, setRefusal] = useState<Refused | null>(null);
  /** Reports what was done, and shows refusals with their reasons. */
  const tell = (verb: string, { done, refused }: BulkResult, undo?: Parameters<typeof offerUndo>[1], notDone = verb) => {
    const words = `${plural(done.length, 'message')} ${verb}.`;
    if (done.length > 0 && undo) offerUndo(words, undo);
    else if (done.length > 0) notify('success', words);
    setRefusal(refused.length > 0 ? { refused, verb: notDone } : null);
    onDone();
  };
  /** Undoes an act by its opposite, and shows refusals. */
  const takeBack = async (what: Parameters<typeof bulkMessages>[0], verb: string) => {
    const { done, refused } = await bulkMessages(what).finally(() => refreshIntake(client));
    onDone();
    if (refused.length === 0) return;
    tell(verb, { done, refused });
    return 'told' as const;
  };
  return { tell, takeBack, refusal, close: () => setRefusal(null) };
}

/** Exports and prints. Both need a list of ids. */
function useExporting(rows: IntakeItem[] | undefined, onDone: () => void) {
  const [leaving, leave] = useState<{ ids: string[]; prints: boolean } | null>(null);
  const exportWith = (prints: boolean) => (meant: Meant) => {
    const { ids, all } = meant;
    const most = prints ? PRINTED_MAX : EXPORTED_MAX;
    if (!all && ids.length <= most) return leave({ ids, prints });
    const words = `${formatCount(most)} messages can be ${prints ? 'printed' : 'exported'} at once, not ${countOf(meant)}.`;
    notify('warning', `At the most ${words} Narrow the list with its filters first, or select fewer.`);
  };
  // Messages of other pages may be open.
  const areOpen = (ids: string[]) => ids.some((id) => rows?.find((m) => m.id === id)?.status !== 'Processed');
  return {
    exportFiles: exportWith(false),
    print: exportWith(true),
    dialog: leaving && <ExportDialog {...leaving} isOpen={areOpen(leaving.ids)} onClose={() => leave(null)} onBegun={onDone} />,
  };
}

/** The current assignments, and a function that saves others. */
function useCharges(rows: IntakeItem[] | undefined) {
  const client = useQueryClient();
  return {
    charge: async (charges: Charge[]) => {
      await Promise.all(charges.map((c) => assignMessage(c.id, c.userId, c.urgent))).finally(() => refreshIntake(client));
    },
    before: (ids: string[]) => (rows ?? []).filter((m) => ids.includes(m.id)).map(chargeOf),
  };
}

export type ListActs = ReturnType<typeof useListActs>;

/** Actions on one or many messages of the list, by buttons and single keys. */
export function useListActs(rows: IntakeItem[] | undefined, selected: Meant, onDone: () => void) {
  const act = useBulk();
  const { withAll, unlessAll } = useForAll(onDone);
  const [ask, question] = useAsk();
  const outcome = useOutcome(onDone);
  const { tell, takeBack, refusal } = outcome;
  const { charge, before } = useCharges(rows);
  const { exportFiles, print, dialog: exportDialog } = useExporting(rows, onDone);

  /** One message is filed under its patient; several are counted. */
  const filedAs = (done: string[]) => {
    const name = done.length === 1 && rows?.find((m) => m.id === done[0])?.patientName;
    return name ? `filed under ${name}` : 'filed';
  };
  const process = (meant: Meant, acceptsGaps = false) =>
    unlessAll(meant, { act: 'process', acceptsGaps }, () =>
      act.mutate(
        { act: 'process', ids: meant.ids, acceptsGaps },
        { onSuccess: (r) => tell(filedAs(r.done), r, () => takeBack({ act: 'reopen', ids: r.done }, 'reopened'), 'filed') },
      ),
    );
  const markRead = (meant: Meant) =>
    unlessAll(meant, { act: 'read' }, () => act.mutate({ act: 'read', ids: meant.ids }, { onSuccess: (r) => tell('marked as read', r) }));
  const remove = (meant: Meant) =>
    ask({
      title: `Delete ${countOf(meant)}?`,
      subject: countOf(meant),
      question: 'They leave the Intake for everybody in your organization. Are you sure?',
      label: 'Delete',
      danger: true,
      run: async () => {
        if (await withAll(meant, { act: 'delete' })) return;
        const removed = await act.mutateAsync({ act: 'delete', ids: meant.ids });
        tell('deleted', removed, () => takeBack({ act: 'restore', ids: removed.done }, 'restored'));
      },
      failed: 'The messages could not be deleted. Please try again.',
    });

  const turnUrgent = (meant: Meant) => {
    const { ids } = meant;
    const known = before(ids);
    // Messages of other pages follow the visible ones.
    const urgent = known.length === 0 || !known.every((c) => c.urgent);
    const undo = (done: string[]) => () => charge(known.filter((c) => done.includes(c.id)));
    const isKnown = known.length === ids.length;
    unlessAll(meant, { act: 'urgent', urgent }, () =>
      act.mutate(
        { act: 'urgent', ids, urgent },
        { onSuccess: (r) => tell(urgent ? 'marked as urgent' : 'no longer urgent', r, isKnown ? undo(r.done) : undefined, 'changed') },
      ),
    );
  };

  const apply = (picked: Picked, meant: Meant) => {
    const { kind } = picked;
    const { ids } = meant;
    if (meant.all) {
      const { userId, until, documentType } = { userId: undefined, until: undefined, documentType: undefined, ...picked };
      return void withAll(meant, { act: kind, userId, until, documentType }).catch(() => {});
    }
    if (kind === 'assign') {
      const known = before(ids);
      const undo = known.length === ids.length ? () => charge(known) : undefined;
      const verb = picked.userId ? 'assigned' : 'unassigned';
      act.mutate({ act: 'assign', ids, userId: picked.userId }, { onSuccess: (r) => tell(verb, r, undo) });
    } else if (kind === 'snooze') {
      const undo = (done: string[]) => () => takeBack({ act: 'snooze', ids: done, until: null }, 'brought back');
      const { until } = picked;
      act.mutate(
        { act: 'snooze', ids, until },
        { onSuccess: (r) => tell(until ? 'snoozed' : 'brought back', r, until ? undo(r.done) : undefined) },
      );
    } else {
      const { documentType } = picked;
      act.mutate({ act: 'type', ids, documentType }, { onSuccess: (r) => tell(`filed as ${documentType}`, r) });
    }
  };
  const picks = usePicks(apply, countOf);

  /** The single keys act on the selected messages, else on the one that j and k have chosen. */
  const keys = (current: IntakeItem | null): Shortcut[] => {
    const meant = selected.ids.length > 0 || !current ? selected : { ids: [current.id] };
    const on = (run: (meant: Meant) => void) => () => meant.ids.length > 0 && run(meant);
    return [
      { keys: 'e', label: 'File', run: on((some) => process(some)) },
      { keys: 'a', label: 'Assign', run: on(picks.assign) },
      { keys: 't', label: 'Document type', run: on(picks.type) },
      { keys: 'u', label: 'Mark or unmark urgent', run: on(turnUrgent) },
      { keys: 's', label: 'Snooze', run: on(picks.snooze) },
      { keys: 'd', label: 'Export', run: on(exportFiles) },
      { keys: 'p', label: 'Print', run: on(print) },
      { keys: '#', label: 'Delete', run: on(remove) },
      undoShortcut,
    ];
  };

  const isBusy = (what: BulkAct) => act.isPending && act.variables.act === what;
  const dialogs = (
    <>
      {picks.dialog}
      {exportDialog}
      {refusal && (
        <RefusedDialog
          {...refusal}
          hrefOf={paths.intakeMessage}
          subjectOf={(id) => rows?.find((m) => m.id === id)?.subject}
          busy={isBusy('process')}
          onClose={outcome.close}
          onConfirm={(ids) => process({ ids }, true)}
        />
      )}
      {question}
    </>
  );
  return {
    process,
    exportFiles,
    print,
    markRead,
    remove,
    turnUrgent,
    assign: picks.assign,
    snooze: picks.snooze,
    type: picks.type,
    keys,
    isBusy,
    dialogs,
  };
}

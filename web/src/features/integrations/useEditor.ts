import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ConnectionKind, EhrConnection } from '@/api/types';
import { useConflict } from '@/shared/form/conflict';
import { useFieldForm } from '@/shared/form/fields';
import { notify } from '@/shared/notify';
import { ownName } from '@/shared/owner';
import { NEW } from '@/shared/table/listSearch';
import { connectionQuery, saveConnection } from './api';
import { bodyOf, changesIn, fieldsOf, limits, type Values, valuesFrom } from './fields';
import { useSaveAnyway } from './SaveAnyway';
import type { Tests } from './useTests';

export const SAVE = 'Test and save';

/** What a save has done. */
export type News = 'added' | 'changed' | 'rekeyed';

type Options = {
  kind: ConnectionKind;
  /** The connection as it is; nothing for a new one. */
  saved: EhrConnection | null;
  tests: Tests;
  /** Whether operators allow it; without that it cannot be tested. */
  isAllowed: boolean;
  onSaved: (connection: EhrConnection, what: News) => Promise<unknown>;
};

/** The form of a connection: tests what is in it, and saves it after a test. */
export function useEditor({ kind, saved, tests, isAllowed, onSaved }: Options) {
  const client = useQueryClient();
  const aim = useRef<'test' | 'save'>('save');
  const [asked, askAnyway] = useSaveAnyway();
  const [isRekeyed, setRekeyed] = useState(false);
  const conflict = useConflict<EhrConnection>({
    saved,
    latest: () => client.fetchQuery(connectionQuery(saved!.id)),
    what: 'connection',
    changes: changesIn(kind),
    button: SAVE,
    onLoad: (theirs) => form.setValues(valuesFrom(kind, theirs)),
  });
  const record = conflict.record;
  const keepAs = ownName(`connection.${saved?.id ?? `${NEW}.${kind}`}`);

  /** Whether the values may be saved, which a failed test leaves to the person. */
  const passes = async (values: Values, isSame: boolean) => {
    if (!isAllowed) return true;
    const report = await (record && isSame ? tests.saved(record.id) : tests.form(bodyOf(values, kind, record)));
    if (aim.current === 'test') return false;
    return report.isConnected || (await askAnyway(report));
  };
  const send = async (values: Values, newKey: boolean) => {
    let now: EhrConnection;
    const isSaved = await conflict.save(async (version) => {
      now = await saveConnection({ ...bodyOf(values, kind, record, version), newKey });
      return now;
    });
    return isSaved && now!;
  };
  const { form, busy, formErrors, onSubmit, forget } = useFieldForm({
    fields: fieldsOf(kind).fields,
    limits,
    initialValues: valuesFrom(kind, saved),
    failed: 'The connection could not be tested and saved. Please try again.',
    keepAs,
    // A token is not kept in the tab.
    omits: ['secret'],
    isNew: !saved,
    base: conflict.base,
    submit: async (values) => {
      const isSame = record !== null && !form.isDirty();
      if (!(await passes(values, isSame))) return false;
      if (isSame) {
        notify('info', 'Nothing has changed since the last save.');
        return false;
      }
      const now = await send(values, false);
      if (!now) return false;
      form.setValues({ secret: '', forgetsSecret: false });
      notify('success', saved ? 'The connection was saved.' : 'The connection was added.');
      await onSaved(now, saved ? 'changed' : 'added');
    },
  });
  const start = (what: 'test' | 'save') => {
    if (busy) return;
    aim.current = what;
    onSubmit();
  };
  return {
    kind,
    form,
    busy,
    formErrors,
    conflict,
    record,
    asked,
    isRekeyed,
    /** Discards what was typed. */
    forget,
    test: () => start('test'),
    save: () => start('save'),
    /** A new key pair for what is saved; what is in the form stays there. */
    renewKey: async () => {
      const now = await send(valuesFrom(kind, record), true);
      if (!now) return;
      setRekeyed(true);
      await onSaved(now, 'rekeyed');
    },
  };
}
export type EditorState = ReturnType<typeof useEditor>;

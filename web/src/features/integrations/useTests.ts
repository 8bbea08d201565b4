import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '@/api/query';
import type { ConnectivityReport, EhrConnectionForm } from '@/api/types';
import { now } from '@/shared/clock';
import { reportFailure } from '@/shared/errors';
import { NEW } from '@/shared/table/listSearch';
import { LIST, testForm, testSaved } from './api';

/** A test of a connection, running or over. */
export type Test = { isRunning: boolean; report?: ConnectivityReport; at?: Date };

/** The latest test of each connection. */
export function useTests() {
  const client = useQueryClient();
  const [tests, setTests] = useState<Record<string, Test>>({});
  const run = async (id: string, call: () => Promise<ConnectivityReport>) => {
    setTests((all) => ({ ...all, [id]: { ...all[id], isRunning: true } }));
    let done: Test = { isRunning: false };
    try {
      const report = await call();
      done = { isRunning: false, report, at: now() };
      return report;
    } finally {
      setTests((all) => ({ ...all, [id]: done }));
    }
  };
  /** Tests what is saved, and shows the outcome in the list. */
  const saved = async (id: string) => {
    const report = await run(id, () => testSaved(id));
    await refresh(client, LIST);
    return report;
  };
  return {
    of: (id: string): Test | undefined => tests[id],
    /** Tests what is in a form. */
    form: (body: EhrConnectionForm) => run(body.id ?? NEW, () => testForm(body)),
    saved,
    /** The same outside a form, which reports failures itself. */
    start: (id: string) => {
      if (tests[id]?.isRunning) return;
      saved(id).catch((error: unknown) =>
        reportFailure(error, 'The connection could not be tested. Please try again.', { serverFirst: true }),
      );
    },
    forget: (id: string) => setTests((all) => Object.fromEntries(Object.entries(all).filter(([tested]) => tested !== id))),
  };
}
export type Tests = ReturnType<typeof useTests>;

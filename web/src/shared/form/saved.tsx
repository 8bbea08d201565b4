import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { ApiError } from '@/api/client';
import type { QueryOf } from '@/api/query';
import { reportError } from '../errors';
import { notify } from '../notify';
import { Banner, ErrorState } from '../ui/blocks';

/** Two placeholder lines until the values of a form are loaded. */
export function FormLoading() {
  return (
    <div className="cp-formload" role="status" aria-label="Loading">
      <div className="cp-bone" style={{ width: '30%' }} />
      <div className="cp-bone" style={{ width: '60%' }} />
    </div>
  );
}

type SavedProps<T> = {
  query: QueryOf<T>;
  /** The message when it cannot be loaded. */
  failed: string;
  /** Renders the form. `reload` starts over with the current values of the server. */
  children: (saved: T, reload: () => void) => ReactNode;
};

/** Shows a form once its current values are loaded. */
export function Saved<T>({ query: options, failed, children }: SavedProps<T>) {
  const query = useQuery(options);
  const [round, setRound] = useState(0);
  if (query.error && !query.data) return <ErrorState title={failed} error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data || (query.isFetching && !query.isFetchedAfterMount)) return <FormLoading />;
  const reload = () => void query.refetch().then(() => setRound((r) => r + 1));
  return <Fragment key={round}>{children(query.data, reload)}</Fragment>;
}

/**
 * The version that a change is based on. Call `noteStale` when somebody else saved first; with `keepMine`
 * the next save overwrites the newer version. `button` is the one that saves.
 */
export function useVersion(saved: number | undefined, latest: () => Promise<number | undefined>, button = 'Save Changes') {
  const [version, setVersion] = useState(saved);
  const [isStale, setStale] = useState(false);
  /** The result of a form's `submit` when nothing was saved. */
  const noteStale = () => {
    setStale(true);
    return false;
  };
  const keepMine = async () => {
    try {
      setVersion(await latest());
      setStale(false);
      notify('info', `Click '${button}' once more to save your version.`);
    } catch (error) {
      reportError(error);
    }
  };
  return { version, setVersion, isStale, noteStale, keepMine };
}

type ChangedProps = {
  /** user, organization … */
  what: string;
  /** The differences to their version, one sentence per field. */
  changes?: string[];
  onLoadTheirs: () => void;
  onKeepMine: () => void;
};

/** Somebody else saved while this form was open. */
export function ChangedMeanwhile({ what, changes = [], onLoadTheirs, onKeepMine }: ChangedProps) {
  return (
    <Banner caption={`This ${what} has changed.`}>
      Somebody else has changed this {what} since you opened it. Load their version, or save yours over it.
      {changes.length > 0 && (
        <ul className="cp-plainlist">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <div className="cp-row cp-changed">
        <Button size="xs" variant="default" onClick={onLoadTheirs}>
          Load their version
        </Button>
        <Button size="xs" variant="default" onClick={onKeepMine}>
          Keep mine
        </Button>
      </div>
    </Banner>
  );
}

type Versioned = { version?: number | string | null };
type OutdatedOptions<S extends Versioned> = {
  /** The saved state; null for a new record. */
  saved: S | null;
  /** Reads the current server state. */
  latest: () => Promise<S>;
  /** profile, set of fax settings … */
  what: string;
  /** Labels of the fields. */
  labels: Partial<Record<keyof S, string>>;
  /** Label of the save button. */
  button: string;
  /** Loads their version into the form. */
  onLoad: (theirs: S) => void;
};

const said = (value: unknown): string =>
  (Array.isArray(value) ? value.join(', ') : typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : '') ||
  (typeof value === 'boolean' ? (value ? 'on' : 'off') : 'nothing');

/** Conflict handling for a form: tells field by field what somebody else saved, and lets the user choose. */
export function useOutdated<S extends Versioned>({ saved, latest, what, labels, button, onLoad }: OutdatedOptions<S>) {
  const [base, setBase] = useState(saved);
  const [theirs, setTheirs] = useState<S | null>(null);
  /** Saves; if the version is outdated, shows the banner and returns false, like `submit` of a form. */
  const save = async (send: (version: NonNullable<S['version']> | undefined) => Promise<S>) => {
    try {
      setBase(await send(base?.version ?? undefined));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.isOutdated)) throw error;
      setTheirs(await latest());
      return false;
    }
  };
  const changes = (now: S) =>
    (Object.keys(labels) as (keyof S)[])
      .filter((field) => JSON.stringify(base?.[field]) !== JSON.stringify(now[field]))
      .map((field) => `${labels[field]}: ${said(base?.[field])} became ${said(now[field])}.`);
  const goOn = (now: S) => {
    setBase(now);
    setTheirs(null);
  };
  const banner = theirs && (
    <ChangedMeanwhile
      what={what}
      changes={changes(theirs)}
      onLoadTheirs={() => {
        onLoad(theirs);
        goOn(theirs);
      }}
      onKeepMine={() => {
        goOn(theirs);
        notify('info', `Click '${button}' once more to save your version.`);
      }}
    />
  );
  return { save, banner };
}

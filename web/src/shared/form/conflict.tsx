import { Button } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import { notify } from '../notify';
import { Banner } from '../ui/blocks';

/** A number, or a digest for data without its own row. */
export type Version = number | string;
type Versioned = { version?: Version | null };

type Options<S extends Versioned> = {
  /** The record that the form is filled from; nothing for a new one. */
  saved: S | null | undefined;
  /** Reads the current record from the server. Without it a conflict is an error like any other. */
  latest?: () => Promise<S>;
  /** user, organization … */
  what: string;
  /** The changes by somebody else, one sentence per field. */
  changes?: (before: S | null, now: S) => string[];
  /** Label of the save button. */
  button: string;
  /** Fills the form from their version. */
  onLoad: (theirs: S) => void;
  /** Runs before the person's own version overwrites theirs. */
  onKeep?: (theirs: S) => void;
};

/**
 * Saves a record with the version that was read. When somebody else saved first, a banner says so (with their changes, if known),
 * and lets the person load their version or overwrite it.
 */
export function useConflict<S extends Versioned>({ saved, latest, what, changes, button, onLoad, onKeep }: Options<S>) {
  type V = NonNullable<S['version']>;
  /** The base of the next save: the record as read, as last saved, or their version. */
  const [before, setBefore] = useState(saved ?? null);
  const [version, setVersion] = useState<V | undefined>((saved?.version ?? undefined) as V | undefined);
  const [theirs, setTheirs] = useState<S | null>(null);
  const goOnFrom = (now: S) => {
    setBefore(now);
    setVersion((now.version ?? undefined) as V | undefined);
    setTheirs(null);
  };
  /** Saves; false if somebody else saved first, like `submit` of a form. `send` may answer the current record. */
  const save = async (send: (version: V | undefined) => Promise<S | undefined | void>) => {
    try {
      const now = await send(version);
      if (now) goOnFrom(now);
      return true;
    } catch (error) {
      if (!latest || !(error instanceof ApiError && error.isOutdated)) throw error;
      setTheirs(await latest());
      return false;
    }
  };
  const loadTheirs = (now: S) => {
    onLoad(now);
    goOnFrom(now);
  };
  const keepMine = (now: S) => {
    onKeep?.(now);
    goOnFrom(now);
    notify('info', `Click '${button}' once more to save your version.`);
  };
  const banner = theirs && (
    <ChangedMeanwhile
      what={what}
      changes={changes?.(before, theirs)}
      onLoadTheirs={() => loadTheirs(theirs)}
      onKeepMine={() => keepMine(theirs)}
    />
  );
  /** For `useServerForm`, which keeps the version with the input. */
  const base = { version, setVersion: (next: Version | undefined) => setVersion(next as V | undefined) };
  return { save, banner, base, record: before, isStale: theirs !== null, report: setTheirs };
}

const inWords = (value: unknown): string =>
  (Array.isArray(value) ? value.join(', ') : typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : '') ||
  (typeof value === 'boolean' ? (value ? 'on' : 'off') : 'nothing');

/** The labelled fields that differ, for `changes`. */
export const changedFields =
  <S,>(labels: Partial<Record<keyof S, string>>) =>
  (before: S | null, now: S) =>
    (Object.keys(labels) as (keyof S)[])
      .filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(now[field]))
      .map((field) => `${labels[field]}: ${inWords(before?.[field])} became ${inWords(now[field])}.`);

type ChangedProps = { what: string; changes?: string[]; onLoadTheirs: () => void; onKeepMine: () => void };

function ChangedMeanwhile({ what, changes = [], onLoadTheirs, onKeepMine }: ChangedProps) {
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

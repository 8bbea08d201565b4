import { Button, UnstyledButton } from '@mantine/core';
import type { SaveState } from '@/domain/messaging/useAutosave';
import { showDate } from '@/shared/rules/dates';
import { Banner } from '@/shared/ui/blocks';

/** `wrong`: an invalid field prevents saving. */
type Shown = SaveState | 'wrong';

const WORDS: Record<Shown, string> = {
  idle: '',
  saving: 'Saving',
  saved: 'Saved',
  retrying: 'Not saved yet, trying again',
  failed: 'Not saved',
  wrong: 'Not saved',
};

/** The save state of a form, with a retry. */
export function SaveNote({ state, onRetry }: { state: Shown; onRetry: () => void }) {
  const canRetry = state === 'retrying' || state === 'failed';
  const isStuck = canRetry || state === 'wrong';
  return (
    <>
      <span className={isStuck ? 'cp-plain t-danger cp-savenote' : 'cp-muted cp-savenote'} role="status" data-loud={isStuck || undefined}>
        {WORDS[state]}
      </span>
      {canRetry && (
        <UnstyledButton className="cp-link" onClick={onRetry}>
          Try again
        </UnstyledButton>
      )}
    </>
  );
}

type Conflict<F extends string> = { field: F; mine: unknown; theirs: unknown };
type Props<F extends string> = {
  conflicts: readonly Conflict<F>[];
  labels: Readonly<Record<F, string>>;
  onChoose: (field: F, whose: 'mine' | 'theirs') => void;
};

const words = (value: unknown) => (typeof value === 'string' && value.trim() ? showDate(value) : 'nothing');

/** Conflicting fields, with both values to choose from. */
export function ChangedFields<F extends string>({ conflicts, labels, onChoose }: Props<F>) {
  if (conflicts.length === 0) return null;
  return (
    <div className="cp-meanwhile">
      <Banner caption="Changed meanwhile">
        Somebody else has changed this too. Your changes are not lost: choose which to keep.
        <dl className="cp-kv cp-differences">
          {conflicts.map(({ field, mine, theirs }) => (
            <div key={field} className="cp-difference">
              <dt>{labels[field]}</dt>
              <dd>
                Yours: <b>{words(mine)}</b>. Theirs: <b>{words(theirs)}</b>.
                <span className="cp-row cp-changed">
                  <Button size="xs" variant="default" aria-label={`Keep mine: ${labels[field]}`} onClick={() => onChoose(field, 'mine')}>
                    Keep mine
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Take theirs: ${labels[field]}`}
                    onClick={() => onChoose(field, 'theirs')}
                  >
                    Take theirs
                  </Button>
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </Banner>
    </div>
  );
}

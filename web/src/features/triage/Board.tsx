import { Button, Menu, Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  IconAngle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowMerge,
  IconArrowsMove,
  IconCheck,
  IconFilePlus,
  IconRotateClockwise,
  IconScissors,
  IconSquareCheck,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { type DragEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Batch } from '@/api/types';
import { assignableQuery, documentTypesQuery } from '@/domain/messaging/api';
import { plural } from '@/shared/format';
import { useShortcuts } from '@/shared/shortcuts';
import { ChoicesFailed, Notice, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useViewport } from '@/shared/useViewport';
import { fileBatch } from './api';
import { LeftOut } from './LeftOut';
import { PagePane } from './PagePane';
import { type Drop, PartRow } from './PartRow';
import { Pictures, PicturesFailed } from './pictures';
import {
  describe,
  errorsOf,
  keep,
  keyOf,
  leaveOut,
  mergeUp,
  moveTo,
  type PageKey,
  type Part,
  type PartErrors,
  partOf,
  pagesInOrder,
  rotate,
  shift,
  splitBefore,
  straighten,
  type Target,
} from './plan';
import { useBoard, usePageSelection } from './useBoard';

const STATE_WORDS = {
  idle: '',
  saving: 'Saving …',
  saved: 'Saved',
  retrying: 'Not saved yet, trying again',
  failed: 'Not saved',
} as const;

const thumbs = () => [...document.querySelectorAll<HTMLElement>('.tri-thumb[data-page]')];
function focusPage(key: PageKey | null) {
  const thumb = thumbs().find((t) => t.dataset.page === key);
  thumb?.focus();
  thumb?.scrollIntoView({ block: 'nearest' });
}

/** The page above or below on the screen. */
function pageInRow(key: PageKey, down: boolean): PageKey | null {
  const all = thumbs().map((t) => ({ key: t.dataset.page!, box: t.getBoundingClientRect() }));
  const own = all.find((t) => t.key === key)?.box;
  if (!own) return null;
  const beyond = all.filter((t) => (down ? t.box.top > own.top + 8 : t.box.top < own.top - 8));
  const row = down ? Math.min(...beyond.map((t) => t.box.top)) : Math.max(...beyond.map((t) => t.box.top));
  const inRow = beyond.filter((t) => Math.abs(t.box.top - row) < 8);
  return inRow.toSorted((a, b) => Math.abs(a.box.left - own.left) - Math.abs(b.box.left - own.left))[0]?.key ?? null;
}

type Props = {
  batch: Batch;
  /** The head of the screen, around what the board knows. */
  head: (state: { line: string; actions: ReactNode; flush: () => Promise<boolean> }) => ReactNode;
  notices: ReactNode;
  onFiled: (batch: Batch) => void;
  onReload: () => void;
};

/** The pages of a batch in documents: split, merged, sorted, turned, left out, named and filed. */
export function Board({ batch, head, notices, onFiled, onReload }: Props) {
  const { isNarrow } = useViewport();
  const board = useBoard(batch);
  const { plan, act } = board;
  const selection = usePageSelection(plan);
  const { selected, cursor, targets } = selection;
  const types = useQuery(documentTypesQuery);
  const people = useQuery(assignableQuery);
  const typeNames = useMemo(() => [...new Set(types.data?.map((t) => t.name))], [types.data]);
  const choices = useMemo(() => (people.data ?? []).map((p) => ({ value: p.id, label: p.name })), [people.data]);
  const files = useMemo(() => new Map(batch.files.map((f) => [f.position, f])), [batch.files]);
  const [drop, setDrop] = useState<Drop | 'new' | null>(null);
  const [isDragging, setDragging] = useState(false);
  const [errors, setErrors] = useState<PartErrors>({});
  // On a touch screen there is no key that adds one more page.
  const [isPicking, setPicking] = useState(false);

  const isWhole = (key: PageKey) => files.get(Number(key.split(':')[0]))?.isWhole ?? false;
  const holdsWhole = (part: Part) => part.pages.some((p) => isWhole(keyOf(p)));
  const movable = new Set([...targets].filter((key) => !isWhole(key)));
  const pages = (keys: ReadonlySet<PageKey>) => plural(keys.size, 'page');

  const split = (key: PageKey | null) => {
    if (key === null || !act((p) => splitBefore(p, key), `Split before page ${key.split(':')[1]}`)) return;
    selection.choose(key, 'only');
    // It is drawn anew in the document below, and the arrows go on from there.
    requestAnimationFrame(() => focusPage(key));
  };
  const canMerge = (at: number) => at > 0 && !holdsWhole(plan.parts[at]!) && !holdsWhole(plan.parts[at - 1]!);
  const merge = (partKey: number) => {
    const at = plan.parts.findIndex((p) => p.key === partKey);
    if (!canMerge(at)) return;
    act((p) => mergeUp(p, partKey), `Documents ${at} and ${at + 1} merged`);
  };
  const turn = () => act((p) => rotate(p, movable), `${pages(movable)} turned`);
  const level = () => act((p) => straighten(p, movable), `${pages(movable)} straightened, or no longer`);
  const remove = () => {
    const order = pagesInOrder(plan).map(keyOf);
    const last = Math.max(...[...targets].map((key) => order.indexOf(key)));
    const next = order.slice(last + 1).find((key) => !targets.has(key)) ?? order.slice(0, last).findLast((key) => !targets.has(key));
    if (act((p) => leaveOut(p, targets), `${pages(targets)} left out`)) {
      if (next) selection.choose(next, 'only');
      requestAnimationFrame(() => focusPage(next ?? null));
    }
  };
  const move = (target: Target) => {
    const goal = target === 'new' ? undefined : plan.parts.find((p) => p.key === target.part);
    if (movable.size > 0 && !(goal && holdsWhole(goal))) act((p) => moveTo(p, movable, target), `${pages(movable)} moved`);
  };
  const push = (by: 1 | -1) => {
    if (act((p) => shift(p, movable, by), `${pages(movable)} moved`)) requestAnimationFrame(() => focusPage(cursor));
  };
  const current = cursor === null ? undefined : partOf(plan, cursor);
  const canSplit = current !== undefined && keyOf(current.pages[0]!) !== cursor;

  const filing = useMutation({
    mutationFn: async () => {
      const version = await board.flush();
      if (version === null) throw new Unsaved();
      return fileBatch(batch.id, version);
    },
    onSuccess: onFiled,
    onError: (error) => {
      setErrors(errorsOf(plan, (error instanceof ApiError && error.modelState) || {}).parts);
    },
  });
  const file = () => {
    const nameless = plan.parts.filter((p) => !p.name.trim());
    setErrors(Object.fromEntries(nameless.map((p) => [p.key, { name: 'Please enter a name.' }])));
    if (nameless.length > 0) document.querySelector<HTMLElement>(`[data-part="${nameless[0]!.key}"]`)?.focus();
    else if (plan.parts.length > 0 && !filing.isPending) filing.mutate();
  };
  const clear = () => {
    selection.clear();
    setPicking(false);
  };
  useShortcuts([
    { keys: 'mod+Enter', label: 'File the documents', run: file },
    { keys: ['ArrowRight', 'ArrowDown'], label: 'Next page', run: () => focusPage(selection.step(1, false)) },
    { keys: ['ArrowLeft', 'ArrowUp'], label: 'Previous page', run: () => focusPage(selection.step(-1, false)) },
    { keys: 'Enter', label: 'Split before this page', run: () => split(cursor) },
    { keys: 'm', label: 'Merge with the document above', run: () => current && merge(current.key) },
    { keys: 'r', label: 'Rotate', run: turn },
    { keys: 's', label: 'Straighten, or no longer', run: level },
    { keys: '[', label: 'Move the pages back', run: () => push(-1) },
    { keys: ']', label: 'Move the pages forward', run: () => push(1) },
    { keys: ['#', 'Delete'], label: 'Leave out', run: remove },
    { keys: 'z', label: 'Undo', run: board.undo },
    { keys: ['y', 'Z'], label: 'Redo', run: board.redo },
    {
      keys: 'n',
      label: 'Name the document',
      run: () => current && document.querySelector<HTMLInputElement>(`[data-part="${current.key}"]`)?.select(),
    },
    ...(selected.size > 0 || isPicking ? [{ keys: 'Escape', label: 'Clear the selection', run: clear }] : []),
  ]);

  const choose = (key: PageKey, e: MouseEvent) =>
    selection.choose(key, e.shiftKey ? 'range' : e.ctrlKey || e.metaKey || isPicking ? 'add' : 'only');
  const onPageKey = (e: KeyboardEvent, key: PageKey) => {
    const go = (next: PageKey | null) => {
      e.preventDefault();
      focusPage(next);
    };
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') go(selection.step(e.key === 'ArrowRight' ? 1 : -1, e.shiftKey));
    else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const next = pageInRow(key, e.key === 'ArrowDown');
      if (next !== null) selection.choose(next, e.shiftKey ? 'range' : 'only');
      go(next);
    } else if (e.key === 'Home' || e.key === 'End') go(selection.step(e.key === 'Home' ? -Infinity : Infinity, e.shiftKey));
    else if (e.key === ' ') {
      e.preventDefault();
      selection.choose(key, 'add');
    } else if (e.key === 'Enter') {
      e.preventDefault();
      split(key);
    }
  };
  const onDragStart = (e: DragEvent, key: PageKey) => {
    if (!selected.has(key)) selection.choose(key, 'only');
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setData('application/x-carepost-pages', key);
    setDragging(true);
  };
  const onDragOver = (e: DragEvent, goal: Drop | 'new') => {
    if (!isDragging) return;
    e.preventDefault();
    setDrop((old) => (JSON.stringify(old) === JSON.stringify(goal) ? old : goal));
  };
  const endDrag = () => {
    setDragging(false);
    setDrop(null);
  };
  const onDrop = (e: DragEvent) => {
    if (!isDragging) return;
    e.preventDefault();
    if (drop) move(drop);
    endDrag();
  };

  const count = plan.parts.length;
  const create = (
    <Tooltip label="Ctrl+Enter">
      <Button
        leftSection={<IconCheck size={16} stroke={1.8} />}
        loading={filing.isPending}
        disabled={count === 0 || board.isOutdated}
        onClick={file}
      >
        {isNarrow ? `File ${count}` : `File ${plural(count, 'document')}`}
      </Button>
    </Tooltip>
  );
  const refusal = filing.error instanceof ApiError && Object.keys(errors).length === 0 ? filing.error.message : null;
  return (
    <Pictures batch={batch}>
      {head({ line: STATE_WORDS[board.saving], actions: create, flush: async () => (await board.flush()) !== null })}
      <div className="tri-notices">
        {board.isOutdated && (
          <Notice kind="warning">
            Somebody else has changed or filed this batch since you opened it.{' '}
            <button type="button" className="cp-link tri-reload" onClick={onReload}>
              Load it again
            </button>
          </Notice>
        )}
        {refusal && !board.isOutdated && <Notice kind="error">{refusal}</Notice>}
        {!board.isOutdated && <NoticeList kind="error" messages={board.errors.other} />}
        {notices}
        <PicturesFailed />
        <ChoicesFailed of={[types, people]} />
      </div>
      <div className="tri-bar" role="toolbar" aria-label="Pages">
        <b className="cp-num tri-count">{selected.size > 0 ? `${pages(selected)} selected` : 'Select pages'}</b>
        <Act
          icon={IconSquareCheck}
          label="Select several"
          hint="Ctrl+click, or Shift+click for a range"
          isPressed={isPicking}
          run={() => setPicking(!isPicking)}
        />
        <Act icon={IconScissors} label="Split here" hint="Enter" disabled={!canSplit} run={() => split(cursor)} />
        <Act
          icon={IconArrowMerge}
          label="Merge with above"
          hint="m"
          disabled={!current || !canMerge(plan.parts.indexOf(current))}
          run={() => current && merge(current.key)}
        />
        <Act icon={IconRotateClockwise} label="Rotate" hint="r" disabled={movable.size === 0} run={turn} />
        <Act icon={IconAngle} label="Straighten" hint="s, for pages that were scanned askew" disabled={movable.size === 0} run={level} />
        <Menu>
          <Menu.Target>
            <Button variant="subtle" disabled={movable.size === 0} leftSection={<IconArrowsMove size={16} stroke={1.6} />}>
              Move to …
            </Button>
          </Menu.Target>
          <Menu.Dropdown className="tri-menu">
            <Menu.Item leftSection={<IconFilePlus size={16} stroke={1.6} />} onClick={() => move('new')}>
              A new document
            </Menu.Item>
            <Menu.Divider />
            {plan.parts.map((part, i) => (
              <Menu.Item key={part.key} disabled={holdsWhole(part)} onClick={() => move({ part: part.key })}>
                {i + 1}. {part.name || 'No name'}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Act icon={IconTrash} label="Leave out" hint="#" disabled={targets.size === 0} run={remove} />
        {selected.size > 1 && <Act icon={IconX} label="Clear" hint="Esc" run={clear} />}
        <div className="cp-grow" />
        <Act icon={IconArrowBackUp} label="Undo" hint="z" disabled={board.steps === 0} run={board.undo} />
        <Act icon={IconArrowForwardUp} label="Redo" hint="y" disabled={!board.canRedo} run={board.redo} />
      </div>
      <div className="tri-board" data-picking={isPicking || undefined}>
        {/* What is dropped beside a document is moved nowhere. */}
        <div className="tri-parts" onDragEnd={endDrag} role="presentation">
          {plan.parts.map((part, i) => (
            <PartRow
              key={part.key}
              part={part}
              number={i + 1}
              files={files}
              isCurrent={part === current}
              canMerge={canMerge(i)}
              errors={{ ...board.errors.parts[part.key], ...errors[part.key] }}
              types={typeNames}
              people={choices}
              selected={selected}
              cursor={cursor}
              drop={drop !== 'new' ? drop : null}
              onDescribe={(changes, field) => {
                act((p) => describe(p, part.key, changes), '', field);
                if (errors[part.key]) setErrors({});
              }}
              onMerge={() => merge(part.key)}
              onSplit={split}
              onChoose={choose}
              onPageKey={onPageKey}
              onDragStart={onDragStart}
              onDragOver={onDragOver}
              onDrop={onDrop}
            />
          ))}
          {isDragging && (
            <section
              className="tri-newdrop"
              data-over={drop === 'new' || undefined}
              aria-hidden
              onDragOver={(e) => onDragOver(e, 'new')}
              onDrop={onDrop}
            >
              Drop here for a new document
            </section>
          )}
          <LeftOut
            pages={plan.leftOut}
            files={files}
            onKeep={(keys, name) => {
              act((p) => keep(p, keys), `${name} kept`);
              selection.choose([...keys][0]!, 'only');
            }}
          />
        </div>
        {!isNarrow && <PagePane batch={batch} files={files} selection={selection} onRotate={turn} />}
      </div>
      <div className="tri-foot">
        <span role="status" className="cp-grow cp-ell">
          {board.said}
        </span>
        {!isNarrow && (
          <span className="cp-muted tri-keys">
            <kbd className="cp-kbd">←</kbd> <kbd className="cp-kbd">→</kbd> page <kbd className="cp-kbd">Shift</kbd> range{' '}
            <kbd className="cp-kbd">[</kbd> <kbd className="cp-kbd">]</kbd> move <kbd className="cp-kbd">n</kbd> name{' '}
            <kbd className="cp-kbd">?</kbd> all keys
          </span>
        )}
      </div>
      <LeaveGuard isDirty={board.isDirty} settle={async () => (await board.flush()) !== null} subject="The changes of this batch" />
    </Pictures>
  );
}

/** What was changed could not be saved; the saving says why. */
class Unsaved extends Error {}

type ActProps = {
  icon: typeof IconCheck;
  label: string;
  hint: string;
  disabled?: boolean;
  /** Of one that stays on until it is pressed again. */
  isPressed?: boolean;
  run: () => void;
};
function Act({ icon: IconOf, label, hint, disabled, isPressed, run }: ActProps) {
  return (
    <Tooltip label={hint}>
      <Button
        variant={isPressed ? 'light' : 'subtle'}
        aria-pressed={isPressed}
        disabled={disabled}
        leftSection={<IconOf size={16} stroke={1.6} />}
        // The cursor stays on its page.
        onMouseDown={(e) => e.preventDefault()}
        onClick={run}
      >
        {label}
      </Button>
    </Tooltip>
  );
}

import { Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCheck } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useMemo, useState } from 'react';
import type { Batch } from '@/api/types';
import { assignableQuery, documentTypesQuery } from '@/domain/messaging/api';
import { plural } from '@/shared/format';
import { useShortcuts } from '@/shared/shortcuts';
import { ChoicesFailed, Notice, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useViewport } from '@/shared/useViewport';
import { BoardTools } from './BoardTools';
import { LeftOut } from './LeftOut';
import { chooseByClick, focusPage, type PageActs, pageActs, pageKeys } from './pageActs';
import { PagePane } from './PagePane';
import { PartRow } from './PartRow';
import { Pictures, PicturesFailed } from './pictures';
import { describe, keep } from './plan';
import { useBatchFiling } from './useBatchFiling';
import { type Board as BoardState, type Selection, useBoard, usePageSelection } from './useBoard';
import { usePageDrag } from './usePageDrag';

const STATE_WORDS = {
  idle: '',
  saving: 'Saving …',
  saved: 'Saved',
  retrying: 'Not saved yet, trying again',
  failed: 'Not saved',
} as const;

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
  const { types, people, failed } = useChoices();
  const files = useMemo(() => new Map(batch.files.map((f) => [f.position, f])), [batch.files]);
  // On a touch screen there is no key that adds one more page.
  const [isPicking, setPicking] = useState(false);
  const acts = pageActs(board, selection, files);
  const drag = usePageDrag(selection, acts.move);
  const filing = useBatchFiling(batch, board, onFiled);
  const clear = () => {
    selection.clear();
    setPicking(false);
  };
  useBoardKeys({ board, selection, acts, file: filing.file, clear: selection.selected.size > 0 || isPicking ? clear : undefined });

  const flush = async () => (await board.flush()) !== null;
  const create = <FileButton count={plan.parts.length} isBusy={filing.isFiling} disabled={board.isOutdated} onClick={filing.file} />;
  return (
    <Pictures batch={batch}>
      {head({ line: STATE_WORDS[board.saving], actions: create, flush })}
      <div className="tri-notices">
        <BoardNotices board={board} refusal={filing.refusal} onReload={onReload} />
        {notices}
        <PicturesFailed />
        <ChoicesFailed of={failed} />
      </div>
      <BoardTools board={board} selection={selection} acts={acts} isPicking={isPicking} onPicking={setPicking} onClear={clear} />
      <div className="tri-board" data-picking={isPicking || undefined}>
        {/* A drop outside of documents moves nothing. */}
        <div className="tri-parts" onDragEnd={drag.endDrag} role="presentation">
          {plan.parts.map((part, i) => (
            <PartRow
              key={part.key}
              part={part}
              number={i + 1}
              files={files}
              isCurrent={part === acts.current}
              canMerge={acts.canMerge(i)}
              errors={{ ...board.errors.parts[part.key], ...filing.errors[part.key] }}
              types={types}
              people={people}
              selected={selection.selected}
              cursor={selection.cursor}
              drop={drag.drop !== 'new' ? drag.drop : null}
              onDescribe={(changes, field) => {
                act((p) => describe(p, part.key, changes), '', field);
                filing.mended(part.key);
              }}
              onMerge={() => acts.merge(part.key)}
              onSplit={acts.split}
              onChoose={chooseByClick(selection, isPicking)}
              onPageKey={pageKeys(selection, acts.split)}
              onDragStart={drag.onDragStart}
              onDragOver={drag.onDragOver}
              onDrop={drag.onDrop}
            />
          ))}
          {drag.isDragging && (
            <NewDocument isOver={drag.drop === 'new'} onDragOver={(e) => drag.onDragOver(e, 'new')} onDrop={drag.onDrop} />
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
        {!isNarrow && <PagePane batch={batch} files={files} selection={selection} onRotate={acts.turn} />}
      </div>
      <div className="tri-foot">
        <span role="status" className="cp-grow cp-ell">
          {board.said}
        </span>
        {!isNarrow && <KeyHints />}
      </div>
      <LeaveGuard isDirty={board.isDirty} settle={flush} subject="The changes of this batch" />
    </Pictures>
  );
}

/** The document types and people to choose from. */
function useChoices() {
  const types = useQuery(documentTypesQuery);
  const people = useQuery(assignableQuery);
  const names = useMemo(() => [...new Set(types.data?.map((t) => t.name))], [types.data]);
  const choices = useMemo(() => (people.data ?? []).map((p) => ({ value: p.id, label: p.name })), [people.data]);
  return { types: names, people: choices, failed: [types, people] };
}

type KeysOptions = {
  board: BoardState;
  selection: Selection;
  acts: PageActs;
  file: () => void;
  /** Absent while there is nothing to clear. */
  clear: (() => void) | undefined;
};

function useBoardKeys({ board, selection, acts, file, clear }: KeysOptions) {
  const { current } = acts;
  useShortcuts([
    { keys: 'mod+Enter', label: 'File the documents', run: file },
    { keys: ['ArrowRight', 'ArrowDown'], label: 'Next page', run: () => focusPage(selection.step(1, false)) },
    { keys: ['ArrowLeft', 'ArrowUp'], label: 'Previous page', run: () => focusPage(selection.step(-1, false)) },
    { keys: 'Enter', label: 'Split before this page', run: () => acts.split(selection.cursor) },
    { keys: 'm', label: 'Merge with the document above', run: () => current && acts.merge(current.key) },
    { keys: 'r', label: 'Rotate', run: acts.turn },
    { keys: 's', label: 'Straighten or undo straightening', run: acts.level },
    { keys: '[', label: 'Move the pages back', run: () => acts.push(-1) },
    { keys: ']', label: 'Move the pages forward', run: () => acts.push(1) },
    { keys: ['#', 'Delete'], label: 'Leave out', run: acts.remove },
    { keys: 'z', label: 'Undo', run: board.undo },
    { keys: ['y', 'Z'], label: 'Redo', run: board.redo },
    {
      keys: 'n',
      label: 'Name the document',
      run: () => current && document.querySelector<HTMLInputElement>(`[data-part="${current.key}"]`)?.select(),
    },
    ...(clear ? [{ keys: 'Escape', label: 'Clear the selection', run: clear }] : []),
  ]);
}

type FileProps = { count: number; isBusy: boolean; disabled: boolean; onClick: () => void };

function FileButton({ count, isBusy, disabled, onClick }: FileProps) {
  const { isNarrow } = useViewport();
  return (
    <Tooltip label="Ctrl+Enter">
      <Button leftSection={<IconCheck size={16} stroke={1.8} />} loading={isBusy} disabled={count === 0 || disabled} onClick={onClick}>
        {isNarrow ? `File ${count}` : `File ${plural(count, 'document')}`}
      </Button>
    </Tooltip>
  );
}

type NoticesProps = { board: BoardState; refusal: string | null; onReload: () => void };

function BoardNotices({ board: { isOutdated, errors }, refusal, onReload }: NoticesProps) {
  if (isOutdated)
    return (
      <Notice kind="warning">
        Somebody else has changed or filed this batch since you opened it.{' '}
        <button type="button" className="cp-link tri-reload" onClick={onReload}>
          Load it again
        </button>
      </Notice>
    );
  return (
    <>
      {refusal && <Notice kind="error">{refusal}</Notice>}
      <NoticeList kind="error" messages={errors.other} />
    </>
  );
}

type NewProps = { isOver: boolean; onDragOver: (e: DragEvent) => void; onDrop: (e: DragEvent) => void };

/** Drop area that creates a document of the dragged pages. */
const NewDocument = ({ isOver, onDragOver, onDrop }: NewProps) => (
  <section className="tri-newdrop" data-over={isOver || undefined} aria-hidden onDragOver={onDragOver} onDrop={onDrop}>
    Drop here for a new document
  </section>
);

const KeyHints = () => (
  <span className="cp-muted tri-keys">
    <kbd className="cp-kbd">←</kbd> <kbd className="cp-kbd">→</kbd> page <kbd className="cp-kbd">Shift</kbd> range{' '}
    <kbd className="cp-kbd">[</kbd> <kbd className="cp-kbd">]</kbd> move <kbd className="cp-kbd">n</kbd> name{' '}
    <kbd className="cp-kbd">?</kbd> all keys
  </span>
);

import { Button, Menu, Tooltip } from '@mantine/core';
import {
  IconAngle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowMerge,
  IconArrowsMove,
  type IconCheck,
  IconFilePlus,
  IconRotateClockwise,
  IconScissors,
  IconSquareCheck,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { type PageActs, pagesOf } from './pageActs';
import type { Board, Selection } from './useBoard';

type Props = {
  board: Board;
  selection: Selection;
  acts: PageActs;
  /** Clicks add one more page. */
  isPicking: boolean;
  onPicking: (picks: boolean) => void;
  onClear: () => void;
};

/** Actions on the selected pages. */
export function BoardTools({ board, selection, acts, isPicking, onPicking, onClear }: Props) {
  const { selected, targets } = selection;
  const { current, canMove } = acts;
  return (
    <div className="tri-bar" role="toolbar" aria-label="Pages">
      <b className="cp-num tri-count">{selected.size > 0 ? `${pagesOf(selected)} selected` : 'Select pages'}</b>
      <Act
        icon={IconSquareCheck}
        label="Select several"
        hint="Ctrl+click, or Shift+click for a range"
        isPressed={isPicking}
        run={() => onPicking(!isPicking)}
      />
      <Act icon={IconScissors} label="Split here" hint="Enter" disabled={!acts.canSplit} run={() => acts.split(selection.cursor)} />
      <Act
        icon={IconArrowMerge}
        label="Merge with above"
        hint="m"
        disabled={!current || !acts.canMerge(board.plan.parts.indexOf(current))}
        run={() => current && acts.merge(current.key)}
      />
      <Act icon={IconRotateClockwise} label="Rotate" hint="r" disabled={!canMove} run={acts.turn} />
      <Act icon={IconAngle} label="Straighten" hint="s, for pages that were scanned askew" disabled={!canMove} run={acts.level} />
      <MoveMenu board={board} acts={acts} />
      <Act icon={IconTrash} label="Leave out" hint="#" disabled={targets.size === 0} run={acts.remove} />
      {selected.size > 1 && <Act icon={IconX} label="Clear" hint="Esc" run={onClear} />}
      <div className="cp-grow" />
      <Act icon={IconArrowBackUp} label="Undo" hint="z" disabled={board.steps === 0} run={board.undo} />
      <Act icon={IconArrowForwardUp} label="Redo" hint="y" disabled={!board.canRedo} run={board.redo} />
    </div>
  );
}

const MoveMenu = ({ board: { plan }, acts: { canMove, holdsWhole, move } }: Pick<Props, 'board' | 'acts'>) => (
  <Menu>
    <Menu.Target>
      <Button variant="subtle" disabled={!canMove} leftSection={<IconArrowsMove size={16} stroke={1.6} />}>
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
);

type ActProps = {
  icon: typeof IconCheck;
  label: string;
  hint: string;
  disabled?: boolean;
  /** State of a toggle button. */
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

import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, type IconPlus, IconX } from '@tabler/icons-react';

type ToolProps = { label: string; icon: typeof IconPlus; onClick: () => void; disabled?: boolean; pressed?: boolean };

/** A button in the bar of a viewer. */
export function Tool({ label, icon: IconOf, onClick, disabled, pressed }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={30}
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
        data-pressed={pressed || undefined}
      >
        <IconOf size={17} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

type FindProps = {
  text: string;
  onText: (text: string) => void;
  /** The search result in words. */
  found: string;
  hasFound: boolean;
  /** The unit of the arrows. */
  unit: 'match' | 'page with a match';
  onTurn: (by: 1 | -1) => void;
  onClose: () => void;
};

/** The search bar of a document; Enter goes to the next match. */
export function FindTools({ text, onText, found, hasFound, unit, onTurn, onClose }: FindProps) {
  return (
    <div className="cp-tools cp-find" role="search">
      <TextInput
        size="xs"
        w={220}
        autoFocus
        aria-label="Find in document"
        placeholder="Find in document"
        value={text}
        onChange={(e) => onText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === 'Enter') onTurn(e.shiftKey ? -1 : 1);
          if (e.key === 'Escape') {
            e.stopPropagation();
            onClose();
          }
        }}
      />
      <span className="cp-muted cp-num" role="status">
        {found}
      </span>
      <Tool label={`Previous ${unit}`} icon={IconChevronUp} disabled={!hasFound} onClick={() => onTurn(-1)} />
      <Tool label={`Next ${unit}`} icon={IconChevronDown} disabled={!hasFound} onClick={() => onTurn(1)} />
      <div className="cp-grow" />
      <Tool label="Close search" icon={IconX} onClick={onClose} />
    </div>
  );
}

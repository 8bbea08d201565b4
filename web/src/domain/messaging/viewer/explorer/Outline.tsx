import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconArrowDown, IconArrowUp, IconCheck, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { OutlineSection } from '@/api/types';
import { plural } from '@/shared/format';
import { newIn } from './news';
import { arranged, type Arrangement, flat, keyOf, moved, toggled } from './sections';

type Props = {
  title: string;
  sections: OutlineSection[];
  current: string | undefined;
  arrangement: Arrangement;
  /** Only sections with something new, whether hidden or not. */
  onlyNew: boolean;
  onChoose: (id: string) => void;
  onArrange: (arrangement: Arrangement) => void;
};

/** The sections of a document, in the person's order, without hidden ones. */
export function Outline({ title, sections, current, arrangement, onlyNew, onChoose, onArrange }: Props) {
  const [arranging, setArranging] = useState(false);
  const inOrder = arranged(sections, arrangement);
  const isHidden = (section: OutlineSection) => arrangement.hidden.includes(keyOf(section));
  const hidden = inOrder.filter(isHidden).length;
  const listed = onlyNew
    ? flat(inOrder).filter(({ section }) => newIn(section) > 0)
    : flat(inOrder.filter((section) => !isHidden(section)));
  return (
    <nav className="cp-outline" aria-label="Sections">
      <div className="cp-row">
        <div className="cp-nav-head cp-grow cp-ell">{title}</div>
        {sections.length > 1 && (
          <ActionIcon
            size={26}
            aria-label={arranging ? 'Done arranging' : 'Arrange sections'}
            aria-pressed={arranging}
            onClick={() => setArranging(!arranging)}
          >
            {arranging ? <IconCheck size={16} stroke={1.8} /> : <IconAdjustmentsHorizontal size={16} stroke={1.6} />}
          </ActionIcon>
        )}
      </div>
      {arranging
        ? inOrder.map((section, i) => (
            <div key={section.id} className="cp-outline-item" data-empty={isHidden(section) || undefined}>
              <span className="cp-grow cp-ell">{section.title}</span>
              <ActionIcon
                size={24}
                aria-label={`Move up: ${section.title}`}
                disabled={i === 0}
                onClick={() => onArrange(moved(sections, arrangement, section, -1))}
              >
                <IconArrowUp size={14} stroke={1.8} />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={`Move down: ${section.title}`}
                disabled={i === inOrder.length - 1}
                onClick={() => onArrange(moved(sections, arrangement, section, 1))}
              >
                <IconArrowDown size={14} stroke={1.8} />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={`${isHidden(section) ? 'Show' : 'Hide'}: ${section.title}`}
                onClick={() => onArrange(toggled(arrangement, section))}
              >
                {isHidden(section) ? <IconEyeOff size={14} stroke={1.8} /> : <IconEye size={14} stroke={1.8} />}
              </ActionIcon>
            </div>
          ))
        : listed.map(({ section, depth }) => (
            <UnstyledButton
              key={section.id}
              className="cp-outline-item"
              aria-current={section.id === current || undefined}
              data-empty={section.entryCount === 0 || undefined}
              style={{ paddingLeft: 8 + depth * 12 }}
              onClick={() => onChoose(section.id)}
            >
              <span className="cp-grow cp-ell">{section.title}</span>
              {newIn(section) > 0 && <span className="cp-num cp-new">{newIn(section)} new</span>}
              {!onlyNew && <span className="cp-num cp-muted">{section.entryCount || 'None'}</span>}
            </UnstyledButton>
          ))}
      {!arranging && !onlyNew && hidden > 0 && (
        <UnstyledButton className="cp-outline-item cp-link" onClick={() => setArranging(true)}>
          {plural(hidden, 'hidden section')}
        </UnstyledButton>
      )}
    </nav>
  );
}

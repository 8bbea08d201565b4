import { type DragEvent, useState } from 'react';
import type { Drop } from './PartRow';
import type { PageKey, Target } from './plan';
import type { Selection } from './useBoard';

/** The dragged pages, and their target. */
export function usePageDrag({ selected, choose }: Selection, move: (target: Target) => void) {
  const [drop, setDrop] = useState<Drop | 'new' | null>(null);
  const [isDragging, setDragging] = useState(false);

  const onDragStart = (e: DragEvent, key: PageKey) => {
    if (!selected.has(key)) choose(key, 'only');
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
  return { drop, isDragging, onDragStart, onDragOver, onDrop, endDrag };
}

import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { usePreference } from '@/shared/usePreference';

const SIZES = { left: 252, right: 360 };
const LIMITS = { left: [200, 420], right: [300, 560] } as const;
const STEP = 16;
type Side = keyof typeof SIZES;
const clamp = (side: Side, n: number) => Math.min(Math.max(n, LIMITS[side][0]), LIMITS[side][1]);

/** Three panes; the outer ones keep the widths a person gave them. Handles move with arrow keys, a double click resets. */
export function Panes({ left, centre, right }: { left: ReactNode; centre: ReactNode; right: ReactNode }) {
  const [kept, keep] = usePreference('messagePanes', SIZES);
  const [dragged, setDragged] = useState<{ side: Side; width: number } | null>(null);
  const width = (side: Side) => (dragged?.side === side ? dragged.width : clamp(side, kept[side]));
  const set = (side: Side, n: number) => keep({ ...kept, [side]: clamp(side, n) });

  const grip = (side: Side, label: string) => {
    const sign = side === 'left' ? 1 : -1;
    const drag = (e: PointerEvent<HTMLElement>) => {
      e.preventDefault();
      const handle = e.currentTarget;
      handle.setPointerCapture(e.pointerId);
      const from = e.clientX;
      const start = width(side);
      const at = (x: number) => clamp(side, start + (x - from) * sign);
      const move = (m: globalThis.PointerEvent) => setDragged({ side, width: at(m.clientX) });
      const end = (m: globalThis.PointerEvent) => {
        handle.removeEventListener('pointermove', move);
        setDragged(null);
        set(side, at(m.clientX));
      };
      handle.addEventListener('pointermove', move);
      handle.addEventListener('pointerup', end, { once: true });
    };
    const byKey = (e: KeyboardEvent) => {
      const by = { ArrowLeft: -STEP, ArrowRight: STEP }[e.key];
      if (by === undefined) return;
      e.preventDefault();
      set(side, width(side) + by * sign);
    };
    return (
      <div
        className="cp-grip"
        role="separator"
        aria-orientation="vertical"
        aria-label={label}
        aria-valuenow={width(side)}
        aria-valuemin={LIMITS[side][0]}
        aria-valuemax={LIMITS[side][1]}
        tabIndex={0}
        onPointerDown={drag}
        onKeyDown={byKey}
        onDoubleClick={() => set(side, SIZES[side])}
      />
    );
  };
  return (
    <div className="cp-panes">
      <div className="cp-pane cp-paneside" style={{ width: width('left') }}>
        {left}
      </div>
      {grip('left', 'Width of the attachments')}
      <div className="cp-pane cp-grow">{centre}</div>
      {grip('right', 'Width of the patient details')}
      <div className="cp-pane cp-paneside" style={{ width: width('right') }}>
        {right}
      </div>
    </div>
  );
}

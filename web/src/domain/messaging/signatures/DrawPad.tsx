import { Button } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { type PointerEvent, useEffect, useRef } from 'react';

/** Coordinates of the API reach from 0 to this; the pad is less high than wide. */
const WIDTH = 1000;
const HEIGHT = 320;
/** Points that are closer together say nothing more. */
const STEP = 4;
const POINTS_MAX = 5000;
const STROKES_MAX = 200;
/** As in the PDF. */
const INK = '#0d1f6b';

/** Lines: each is a list of coordinates `x, y, x, y …`. */
export type Strokes = number[][];

function paint(canvas: HTMLCanvasElement | null, strokes: Strokes) {
  const brush = canvas?.getContext('2d');
  if (!brush) return;
  brush.clearRect(0, 0, WIDTH, HEIGHT);
  brush.strokeStyle = INK;
  brush.lineWidth = 6;
  brush.lineCap = 'round';
  brush.lineJoin = 'round';
  for (const stroke of strokes) {
    const [x = 0, y = 0, ...rest] = stroke;
    brush.beginPath();
    brush.moveTo(x, y);
    // A dot is a line to where it begins.
    brush.lineTo(x, y);
    for (let i = 0; i + 1 < rest.length; i += 2) brush.lineTo(rest[i]!, rest[i + 1]!);
    brush.stroke();
  }
}

const within = (value: number, max: number) => Math.round(Math.min(Math.max(value, 0), max));

/** Where the pointer is on the pad. */
function placeOf(e: PointerEvent<HTMLCanvasElement>): [number, number] {
  const box = e.currentTarget.getBoundingClientRect();
  const scale = WIDTH / (box.width || WIDTH);
  return [within((e.clientX - box.left) * scale, WIDTH), within((e.clientY - box.top) * scale, HEIGHT)];
}

/** A place to draw a signature with a mouse, a pen or a finger. */
export function DrawPad({ strokes, onChange, error }: { strokes: Strokes; onChange: (strokes: Strokes) => void; error?: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const line = useRef<number[] | null>(null);
  useEffect(() => paint(canvas.current, strokes), [strokes]);
  const points = strokes.reduce((sum, stroke) => sum + stroke.length / 2, 0);
  const begin = (e: PointerEvent<HTMLCanvasElement>) => {
    if (!e.isPrimary || e.button !== 0 || points >= POINTS_MAX || strokes.length >= STROKES_MAX) return;
    e.currentTarget.setPointerCapture?.(e.pointerId);
    line.current = placeOf(e);
    paint(canvas.current, [...strokes, line.current]);
  };
  const move = (e: PointerEvent<HTMLCanvasElement>) => {
    const drawn = line.current;
    if (!drawn || points + drawn.length / 2 >= POINTS_MAX) return;
    const [x, y] = placeOf(e);
    if (Math.hypot(x - drawn.at(-2)!, y - drawn.at(-1)!) < STEP) return;
    drawn.push(x, y);
    paint(canvas.current, [...strokes, drawn]);
  };
  const end = () => {
    if (line.current) onChange([...strokes, line.current]);
    line.current = null;
  };
  return (
    <div className="sgn-pad">
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={strokes.length ? 'Your drawn signature' : 'Draw your signature here'}
        data-error={error ? true : undefined}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={end}
      />
      <div className="cp-row">
        <p className="cp-muted cp-tiny cp-grow">Use a mouse, a pen or your finger. With the keyboard, choose Type.</p>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconEraser size={15} stroke={1.6} />}
          disabled={strokes.length === 0}
          onClick={() => onChange([])}
        >
          Clear
        </Button>
      </div>
    </div>
  );
}

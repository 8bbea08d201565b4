import { plural } from '@/shared/format';
import { dayOf, rangeWords, type Series, ticksOf } from './series';

const BOX = { width: 720, height: 240, left: 44, right: 24, top: 20, bottom: 28 };
const LABELS = 8;

/** Values of one measurement over time, with its reference range as a band. */
export function SeriesChart({ series }: { series: Series }) {
  const { name, unit, low, high, points } = series;
  const range = rangeWords(series);
  if (points.length === 0) return null;
  const ticks = ticksOf(series);
  const [bottom, top] = [ticks[0]!, ticks.at(-1)!];
  const [first, last] = [points[0]!.at, points.at(-1)!.at];
  const width = BOX.width - BOX.left - BOX.right;
  const height = BOX.height - BOX.top - BOX.bottom;
  const x = (at: number) => BOX.left + (last === first ? width / 2 : ((at - first) / (last - first)) * width);
  const y = (value: number) => BOX.top + (1 - (value - bottom) / (top - bottom)) * height;
  const every = Math.ceil(points.length / LABELS);
  const words = points.map((p) => `${p.value} on ${dayOf(p.at)}`).join(', ');
  return (
    <figure className="cp-series">
      <figcaption>
        <b>{name}</b> <span className="cp-muted">{[plural(points.length, 'value'), unit].filter(Boolean).join(', ')}</span>
        {range && (
          <span className="cp-series-key cp-muted">
            <span className="cp-series-swatch" aria-hidden /> {`Reference ${range}`}
          </span>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${BOX.width} ${BOX.height}`} role="img" aria-label={`${name}: ${words}${range && `; reference ${range}`}`}>
        {range && (
          <rect
            className="cp-series-band"
            x={BOX.left}
            width={width}
            y={y(high ?? top)}
            height={Math.max(y(low ?? bottom) - y(high ?? top), 0)}
          />
        )}
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="cp-series-grid" x1={BOX.left} x2={BOX.left + width} y1={y(tick)} y2={y(tick)} />
            <text x={BOX.left - 10} y={y(tick) + 4} textAnchor="end">
              {tick}
            </text>
          </g>
        ))}
        <polyline className="cp-series-line" points={points.map((p) => `${x(p.at)},${y(p.value)}`).join(' ')} />
        {points.map((p, i) => (
          <g key={`${p.at} ${p.value}`}>
            <circle className="cp-series-dot" cx={x(p.at)} cy={y(p.value)} r={4} />
            {(points.length - 1 - i) % every === 0 && (
              <>
                <text className="cp-series-value" x={x(p.at)} y={y(p.value) - 10} textAnchor="middle">
                  {p.value}
                </text>
                <text x={x(p.at)} y={BOX.height - 8} textAnchor={points.length > 1 && i === points.length - 1 ? 'end' : 'middle'}>
                  {dayOf(p.at)}
                </text>
              </>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { CdaEntries, CdaEntry, OutlineSection } from '@/api/types';
import { plural } from '@/shared/format';
import { SeriesChart } from './SeriesChart';
import { seriesOf } from './series';

/** Entries whose texts or code contain the typed text. */
export function matching(rows: CdaEntry[], words: string, isFlagged: boolean, onlyNew = false): CdaEntry[] {
  const wanted = words.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (!isFlagged || row.flag) &&
      (!onlyNew || row.isNew) &&
      (!wanted || [...row.cells, row.code ?? ''].some((text) => text.toLowerCase().includes(wanted))),
  );
}

/** Identical entries merged into one, with their number. The result is new if one of them is. */
export function folded(rows: CdaEntry[]): { row: CdaEntry; times: number }[] {
  const seen = new Map<string, { row: CdaEntry; times: number }>();
  for (const row of rows) {
    const said = JSON.stringify([row.cells, row.code, row.flag, row.measure]);
    const known = seen.get(said);
    if (known) seen.set(said, { row: known.row.isNew || !row.isNew ? known.row : row, times: known.times + 1 });
    else seen.set(said, { row, times: 1 });
  }
  return [...seen.values()];
}

const FLAGS = {
  High: { tone: 't-danger', icon: IconArrowUp },
  Low: { tone: 't-info', icon: IconArrowDown },
  Abnormal: { tone: 't-danger', icon: IconAlertTriangle },
} as const;

function Flag({ flag }: { flag: string }) {
  const { tone, icon: Icon } = FLAGS[flag as keyof typeof FLAGS] ?? FLAGS.Abnormal;
  return (
    <span className={`cp-plain ${tone}`}>
      <Icon size={14} stroke={2} aria-hidden /> {flag}
    </span>
  );
}

type Props = { entries: CdaEntries; sections: OutlineSection[]; onlyNew?: boolean };

/** The coded entries of a section; below them the chosen measurement over time. */
export function EntriesTable({ entries, sections, onlyNew = false }: Props) {
  const [words, setWords] = useState('');
  const [isFlagged, setFlagged] = useState(false);
  const [chosen, choose] = useState<CdaEntry | null>(null);
  const flagged = entries.rows.filter((row) => row.flag).length;
  const hasCodes = entries.rows.some((row) => row.code);
  const rows = matching(entries.rows, words, isFlagged, onlyNew);
  const series = chosen && seriesOf(sections, chosen);
  return (
    <div className="cp-entries">
      <div className="cp-entries-tools">
        <TextInput
          size="xs"
          aria-label="Filter the entries"
          placeholder="Text or code"
          leftSection={<IconSearch size={14} stroke={1.6} aria-hidden />}
          value={words}
          onChange={(e) => setWords(e.currentTarget.value)}
        />
        {flagged > 0 && (
          <Button size="xs" variant={isFlagged ? 'filled' : 'default'} aria-pressed={isFlagged} onClick={() => setFlagged(!isFlagged)}>
            {`Out of range, ${flagged}`}
          </Button>
        )}
        <span className="cp-muted" role="status">
          {rows.length < entries.rows.length && `${rows.length} of ${plural(entries.rows.length, 'entry', 'entries')}`}
        </span>
      </div>
      <div className="cp-entries-scroll" tabIndex={0} role="region" aria-label="Entries">
        <table>
          <thead>
            <tr>
              {entries.heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              {flagged > 0 && <th scope="col">Flag</th>}
              {hasCodes && <th scope="col">Code</th>}
            </tr>
          </thead>
          <tbody>
            {folded(rows).map(({ row, times }, i) => (
              <tr key={i} data-on={row === chosen || undefined}>
                {row.cells.map((text, column) => (
                  <td key={entries.heads[column]} className={column === 0 ? 'cp-strong' : undefined}>
                    {column === 0 && row.measure ? (
                      <UnstyledButton
                        className="cp-entries-open"
                        aria-pressed={row === chosen}
                        onClick={() => choose(row === chosen ? null : row)}
                      >
                        {text || 'Unnamed'}
                      </UnstyledButton>
                    ) : (
                      text
                    )}
                    {column === 0 && row.isNew && <span className="cp-new">New</span>}
                    {column === 0 && times > 1 && <span className="cp-muted cp-times">{`${times} times`}</span>}
                  </td>
                ))}
                {flagged > 0 && <td>{row.flag && <Flag flag={row.flag} />}</td>}
                {hasCodes && <td className="cp-mono">{row.code}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className="cp-muted">No entry matches.</p>}
        {entries.leftOut > 0 && <p className="cp-muted">{`${plural(entries.leftOut, 'more entry', 'more entries')} not listed.`}</p>}
        {series && series.points.length > 0 && <SeriesChart series={series} />}
        {series && series.points.length === 0 && <p className="cp-muted">The document does not say when this was measured.</p>}
      </div>
    </div>
  );
}

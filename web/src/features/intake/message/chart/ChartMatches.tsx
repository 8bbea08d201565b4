import { Button } from '@mantine/core';
import { IconCheck, IconMinus, IconUserCheck, IconX } from '@tabler/icons-react';
import type { ChartMatch, Patient } from '@/api/types';
import { differing } from '@/domain/messaging/patients/Differs';
import { FIELD_NAMES, nameOf } from '@/domain/messaging/patients/words';
import { wordsOf } from '@/shared/errors';
import { plural } from '@/shared/format';
import { useShortcuts } from '@/shared/shortcuts';
import { Notice } from '@/shared/ui/blocks';
import { chartFactsOf, chartNameOf, comparedValues, isSearchable } from './rules';
import type { ChartPaneState } from './useChartPane';
import { useKeyHints } from './useKeyHints';

type Props = { chart: ChartPaneState; saved: Patient; isShown: boolean };

/** Who in the chart may be the patient of the message. Nobody is chosen without a person. */
export function ChartMatches({ chart, saved, isShown }: Props) {
  const { matches, connection } = chart;
  const items = matches.data?.items ?? [];
  const proposed = items.find((m) => m.patient.id === matches.data?.proposed);
  // Enter also belongs to whatever has the focus.
  useShortcuts(
    proposed && isShown && chart.isSaved && !chart.isChoosing
      ? [{ keys: 'Enter', label: 'Take over the patient of the chart', run: () => chart.choose(proposed.patient), isOnce: true }]
      : [],
  );
  if (!chart.has('patientLookup') || chart.note || connection?.needsLogin) return null;
  if (!isSearchable(saved)) return <p className="cp-muted cp-readnote">Enter or confirm the patient’s name to look in the chart.</p>;
  if (matches.isLoading || !chart.isSaved) {
    return (
      <p className="cp-muted cp-readnote cp-row" role="status">
        <span className="cp-spin" aria-hidden /> Looking in the chart…
      </p>
    );
  }
  if (matches.error && !matches.data) {
    return (
      <Notice kind="error">
        {wordsOf(matches.error)}{' '}
        <Button size="compact-xs" variant="default" onClick={() => void matches.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  if (!matches.data) return null;
  const name = nameOf(saved) || 'this patient';
  if (items.length === 0) return <p className="cp-muted cp-readnote">Nobody in the chart matches {name}.</p>;
  const others = proposed ? [proposed] : items;
  return (
    <>
      {!proposed && (
        <p className="cp-readnote chart-doubt" role="status">
          {items.length === 1
            ? 'One patient in the chart may be this one.'
            : `${plural(items.length, 'patient')} in the chart may be this one.`}{' '}
          Please check and choose.
        </p>
      )}
      <ul className="cp-known" aria-label={`Patients in the chart like ${name}`}>
        {others.map((match) => (
          <Match key={match.patient.id} match={match} ours={saved} chart={chart} isProposed={match === proposed} />
        ))}
      </ul>
      {matches.data.isCut && <p className="cp-muted cp-readnote">There are more patients like this. Find the patient in the chart.</p>}
    </>
  );
}

const WORDS = { Agrees: 'same', Similar: 'similar', Differs: 'differs' } as const;
const ICONS = { Agrees: IconCheck, Similar: IconMinus, Differs: IconX } as const;

type MatchProps = { match: ChartMatch; ours: Patient; chart: ChartPaneState; isProposed: boolean };

/** A patient of the chart, with what agrees and what differs line by line. */
function Match({ match, ours, chart, isProposed }: MatchProps) {
  const { patient, fields, percent, differences } = match;
  const hasHints = useKeyHints();
  const name = chartNameOf(patient);
  return (
    <li className={isProposed ? 'chart-match certain' : 'chart-match'}>
      <div className="cp-row">
        <div className="cp-grow">
          <span className="cp-strong cp-block">{name}</span>
          <span className="cp-muted cp-num cp-block">{chartFactsOf(patient)}</span>
        </div>
        <span className={isProposed ? 'cp-plain t-success cp-num' : 'cp-muted cp-num'}>
          {isProposed && <IconUserCheck size={15} stroke={1.8} aria-hidden />}
          {percent}%
        </span>
      </div>
      <ul className="chart-reasons" aria-label={`What agrees with ${name}`}>
        {fields.map(({ field, agreement }) => {
          const [theirs, own] = comparedValues(field, patient, ours);
          const IconOf = ICONS[agreement];
          return (
            <li key={field} className={agreement === 'Differs' ? 'cp-diff' : undefined}>
              <IconOf size={14} stroke={2} aria-hidden />
              <span className="chart-field">{FIELD_NAMES[field]}</span>
              <span className="cp-grow">
                {theirs}
                {agreement !== 'Agrees' && own && <span className="cp-block">in this message: {own}</span>}
              </span>
              <span>{WORDS[agreement]}</span>
            </li>
          );
        })}
      </ul>
      {differences.length > 0 && <p className="cp-diff cp-tiny chart-unlike">{differing(differences)}</p>}
      <Button
        size="xs"
        variant={isProposed ? 'light' : 'default'}
        aria-keyshortcuts={isProposed && hasHints ? 'Enter' : undefined}
        loading={chart.isChoosing}
        onClick={() => chart.choose(patient)}
      >
        Use {name}
      </Button>
    </li>
  );
}

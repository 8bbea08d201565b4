import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBulb } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ChartConnection } from '@/api/types';
import { VisitLookupDialog } from '@/domain/charts/VisitLookupDialog';
import { wordsOf } from '@/shared/errors';
import { useShortcuts } from '@/shared/shortcuts';
import { useKeyHints } from './useKeyHints';
import { Notice } from '@/shared/ui/blocks';
import { visitFacts, visitName } from './rules';
import type { VisitChoice } from './useChartVisit';

type Props = { connection: ChartConnection; patientId: string; visit: VisitChoice; isShown: boolean };

/** The visit to file under: the proposed one with the reason, another one, or none. */
export function ChartVisitPicker({ connection, patientId, visit, isShown }: Props) {
  const [isOpen, all] = useDisclosure();
  const { proposed, savedId, saved, isProposed, typed } = visit;
  const hasHints = useKeyHints();
  const isOther = savedId !== null && savedId !== proposed?.visit.id;
  const useFirst = proposed && (() => visit.choose(proposed.visit));
  useShortcuts(
    isShown
      ? [
          ...(useFirst ? [{ keys: '1', label: 'The proposed visit', run: useFirst }] : []),
          { keys: '2', label: 'No visit', run: visit.clear },
        ]
      : [],
  );
  return (
    <section className="cp-sec" aria-labelledby="chart-visit">
      <div className="cp-sec-h">
        <h2 id="chart-visit">Visit</h2>
        {isProposed && <span className="cp-muted cp-tiny">Proposed</span>}
        <div className="cp-grow" />
        {visit.visits.length > 0 && (
          <UnstyledButton className="cp-link" onClick={all.open}>
            {visit.visits.length === 1 ? 'The only visit' : `All ${visit.visits.length} visits`}
          </UnstyledButton>
        )}
      </div>
      {visit.isLoading && (
        <p className="cp-muted cp-readnote cp-row" role="status">
          <span className="cp-spin" aria-hidden /> Looking for visits…
        </p>
      )}
      {visit.error !== null && (
        <Notice kind="error">
          {wordsOf(visit.error)}{' '}
          <UnstyledButton className="cp-link" onClick={visit.reload}>
            Try again
          </UnstyledButton>
        </Notice>
      )}
      <div className="chart-visits" role="radiogroup" aria-labelledby="chart-visit">
        {isOther && (
          <Option isOn title={saved ? visitName(saved) : 'A visit that was chosen'}>
            {saved && visitFacts(saved)}
          </Option>
        )}
        {typed && (
          <Option isOn title={typed}>
            Entered in this message
          </Option>
        )}
        {proposed && (
          <Option
            isOn={isProposed || savedId === proposed.visit.id}
            title={visitName(proposed.visit)}
            hint={hasHints ? '1' : undefined}
            onChoose={useFirst!}
          >
            {visitFacts(proposed.visit)}
            <span className="cp-plain t-warn cp-block">
              <IconBulb size={14} stroke={1.8} aria-hidden /> {proposed.why}
            </span>
          </Option>
        )}
        <Option isOn={!savedId && !isProposed && !typed} title="No visit" hint={hasHints ? '2' : undefined} onChoose={visit.clear}>
          Filed to the patient only
        </Option>
      </div>
      {isOpen && (
        <VisitLookupDialog
          connection={connection}
          patientId={patientId}
          selected={visit.wantedId}
          onSelect={(chosen) => {
            all.close();
            visit.choose(chosen);
          }}
          onClose={all.close}
        />
      )}
    </section>
  );
}

type OptionProps = { isOn: boolean; title: string; hint?: string; onChoose?: () => void; children?: ReactNode };

const Option = ({ isOn, title, hint, onChoose, children }: OptionProps) => (
  <label className="chart-visit" data-on={isOn || undefined}>
    <input type="radio" name="chart-visit" aria-label={title} aria-keyshortcuts={hint} checked={isOn} onChange={() => onChoose?.()} />
    <span className="cp-grow">
      <span className="cp-strong cp-block">{title}</span>
      <span className="cp-muted cp-tiny cp-block">{children}</span>
    </span>
    {hint && (
      <kbd className="cp-kbd" aria-hidden>
        {hint}
      </kbd>
    )}
  </label>
);

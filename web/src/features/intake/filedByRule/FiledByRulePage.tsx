import './filed.css';
import { Button, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconFilterCog } from '@tabler/icons-react';
import { useProfile } from '@/app/session';
import { hasRole } from '@/app/access';
import { refreshFilings } from '@/domain/charts/filings';
import { tellsOf, useFresh } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { CountFilter, DateRangeFilter } from '@/shared/table/filters';
import { PAGE_SIZES_OF_20 } from '@/shared/table/listSearch';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { Notice } from '@/shared/ui/blocks';
import { useViewport } from '@/shared/useViewport';
import { countsQuery } from './api';
import { FiledList } from './FiledList';
import { LeftList } from './LeftList';
import { spanOf, usualDays } from './period';
import { RuleCounts } from './RuleCounts';
import type { FiledSearch } from './search';

/** What intake rules filed into charts, and what they left to people, by day. */
export function FiledByRulePage() {
  const go = useGo();
  const client = useQueryClient();
  const { roles } = useProfile();
  const { isPhone } = useViewport();
  const list = useListState<FiledSearch>({ sizes: PAGE_SIZES_OF_20, size: 20 });
  const { search, set } = list;
  const range = search.from || search.until ? { start: search.from ?? search.until!, end: search.until ?? search.from! } : null;
  const span = spanOf(range ?? usualDays());
  const counts = useQuery(countsQuery(span));
  const request = { ...span, ruleId: search.rule, pageStart: list.page, pageSize: list.size };
  useFresh(
    (frame) => tellsOf(frame, 'intake'),
    () => void refreshFilings(client),
  );
  const shown = counts.data?.filter((rule) => !search.rule || rule.ruleId === search.rule);
  /** Nothing while it is not known. */
  const sum = (...of: ('filed' | 'failed' | 'withdrawn' | 'left')[]) =>
    shown?.reduce((n, rule) => n + of.reduce((own, key) => own + rule[key], 0), 0);
  return (
    <>
      <BackHead
        title="Filed by rule"
        back={{ label: 'Back to Intake', run: () => go(paths.intake()) }}
        actions={
          hasRole({ roles }, 'Administrator') && (
            <Button variant="default" leftSection={<IconFilterCog size={16} stroke={1.6} />} onClick={() => go(paths.intakeRules)}>
              Intake rules
            </Button>
          )
        }
      />
      <div className="cp-bar filed-bar">
        <CountFilter
          label="Quick views"
          fullWidth={isPhone}
          value={search.view ?? 'filed'}
          onChange={(v) => set({ view: v === 'left' ? 'left' : undefined })}
          views={[
            { value: 'filed', label: 'Filed', count: sum('filed', 'failed', 'withdrawn') },
            { value: 'left', label: 'Left to people', count: sum('left') },
          ]}
        />
        <DateRangeFilter label="Date" value={range} unset={usualDays()} onChange={(r) => set({ from: r?.start, until: r?.end })} />
      </div>
      {counts.isError && !counts.data && (
        <Notice kind="error">
          What each rule did could not be loaded.{' '}
          <UnstyledButton className="cp-link" onClick={() => void counts.refetch()}>
            Try again
          </UnstyledButton>
        </Notice>
      )}
      <RuleCounts rules={counts.data ?? []} chosen={search.rule} onChoose={(rule) => set({ rule })} />
      {search.view === 'left' ? <LeftList list={list} request={request} /> : <FiledList list={list} request={request} />}
    </>
  );
}

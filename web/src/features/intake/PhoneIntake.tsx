import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { IntakePage as Page } from '@/api/types';
import { BulkJobs } from '@/domain/messaging/jobs/BulkJobs';
import { IntakeUploads } from '@/domain/messaging/triage/BatchUpload';
import { SearchInput } from '@/shared/table/filters';
import type { useListState } from '@/shared/table/useListState';
import { ErrorState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useEscape } from '@/shared/ui/useEscape';
import { IntakeCards } from './IntakeCards';
import { IntakeFilters } from './IntakeFilters';
import { hasFilters, type IntakeSearch } from './list';

type PhoneProps = {
  list: ReturnType<typeof useListState<IntakeSearch>>;
  shown: Page | undefined;
  error: Error | null;
  onRetry: () => void;
  quickViews: ReactNode;
  empty: ReactNode;
  footer: ReactNode;
  newRows: ReactNode;
  older: ReactNode;
  onClear: () => void;
  userId: string;
  onOpen: () => void;
};

/** The list on phones. */
export function PhoneIntake({
  list,
  shown,
  error,
  onRetry,
  quickViews,
  empty,
  footer,
  newRows,
  older,
  onClear,
  userId,
  onOpen,
}: PhoneProps) {
  const [searching, searchBox] = useDisclosure(Boolean(list.words));
  const [filtering, filters] = useDisclosure();
  useEscape(filtering, filters.close);
  const filtered = hasFilters(list.search, '');
  return (
    <>
      <PageHead
        title="Intake"
        beside={quickViews}
        actions={
          <>
            {newRows}
            <IntakeUploads />
            <ActionIcon size={44} aria-label="Search" aria-expanded={searching} onClick={searchBox.toggle}>
              <IconSearch size={21} stroke={1.6} />
            </ActionIcon>
            <ActionIcon size={44} aria-label={filtered ? 'Filters, some active' : 'Filters'} onClick={filters.open}>
              <IconAdjustmentsHorizontal size={21} stroke={1.6} />
              {filtered && <span className="cp-dot m-dot" />}
            </ActionIcon>
          </>
        }
      />
      {searching && (
        <div className="m-beside m-form">
          <SearchInput
            label="Filter messages"
            placeholder="Patient, birth date, MRN, subject, sender"
            value={list.words}
            onChange={list.setSearch}
            width="100%"
          />
        </div>
      )}
      {older}
      <BulkJobs />
      {error && !shown ? (
        <ErrorState title="The messages could not be loaded" error={error} onRetry={onRetry} />
      ) : shown?.items.length === 0 ? (
        empty
      ) : (
        <IntakeCards rows={shown?.items} userId={userId} onOpen={onOpen} />
      )}
      {footer}
      <Drawer
        opened={filtering}
        onClose={filters.close}
        closeOnEscape={false}
        position="bottom"
        size={240}
        title="Filters"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <IntakeFilters search={list.search} words="" onChange={list.set} onClear={onClear} />
      </Drawer>
    </>
  );
}

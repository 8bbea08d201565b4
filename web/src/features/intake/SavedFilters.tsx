import { ActionIcon, Button, Checkbox, Menu, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconBookmark, IconBookmarkPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { IntakeFilter, SavedFilter } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { listOf } from '@/shared/table/listSearch';
import { useAsk } from '@/shared/ui/AskDialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import type { IntakeSearch, View } from './list';

const filtersQuery = itemsOf(queryOf('get', '/api/intake/filters', quiet));

const joined = (values: string[] | undefined) => (values?.length ? values.join(',') : undefined);

/** The saved part of the list's URL: no dates, which become outdated, and no words, which may name a patient. */
const savedOf = (search: IntakeSearch): IntakeFilter => ({
  view: search.view,
  statuses: listOf(search.status),
  sourceTypes: listOf(search.source),
  processedTypes: listOf(search.processed),
  sources: listOf(search.to),
});

const searchOf = (filter: IntakeFilter): Partial<IntakeSearch> => ({
  view: (filter.view ?? undefined) as View | undefined,
  status: joined(filter.statuses),
  source: joined(filter.sourceTypes),
  processed: joined(filter.processedTypes),
  to: joined(filter.sources),
  from: undefined,
  until: undefined,
});

type Props = { search: IntakeSearch; onApply: (change: Partial<IntakeSearch>) => void };

/** Saved filters: own ones and those shared by colleagues. */
export function SavedFilters({ search, onApply }: Props) {
  const { data: filters = [], isPending, error, refetch } = useQuery(filtersQuery);
  const client = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [ask, question] = useAsk();
  const remove = (filter: SavedFilter) =>
    ask({
      title: 'Delete filter',
      subject: filter.name,
      question: filter.isShared ? 'It is deleted for everybody in your organization. Are you sure?' : 'Are you sure?',
      label: 'Delete',
      danger: true,
      run: async () => {
        await unwrap(api.DELETE('/api/intake/filters/{id}', { params: { path: { id: filter.id } } }));
        await client.invalidateQueries({ queryKey: filtersQuery.queryKey });
      },
      failed: 'The filter could not be deleted. Please try again.',
    });
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="subtle" leftSection={<IconBookmark size={16} stroke={1.6} />}>
            Saved filters
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {filters.map((filter) => (
            <div key={filter.id} className="cp-row int-saved">
              <Menu.Item
                className="cp-grow"
                rightSection={filter.isShared && <IconUsers size={14} stroke={1.6} aria-label={`Shared by ${filter.owner}`} />}
                onClick={() => onApply(searchOf(filter.filter))}
              >
                {filter.name}
              </Menu.Item>
              {filter.isChangeable && (
                <ActionIcon size={28} aria-label={`Delete filter ${filter.name}`} onClick={() => remove(filter)}>
                  <IconTrash size={15} stroke={1.6} />
                </ActionIcon>
              )}
            </div>
          ))}
          {filters.length === 0 && (
            <Menu.Label>{error ? 'The filters could not be loaded' : isPending ? 'Loading' : 'No saved filters yet'}</Menu.Label>
          )}
          {error && filters.length === 0 && (
            <Menu.Item closeMenuOnClick={false} onClick={() => void refetch()}>
              Try again
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconBookmarkPlus size={16} stroke={1.6} />} onClick={() => setSaving(true)}>
            Save these filters
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveDialog search={search} onClose={() => setSaving(false)} />}
      {question}
    </>
  );
}

function SaveDialog({ search, onClose }: { search: IntakeSearch; onClose: () => void }) {
  const client = useQueryClient();
  const { form, ...rest } = useServerForm({
    initialValues: { name: '', isShared: false },
    validate: { name: (name) => (name.trim() ? null : 'Please enter a name.') },
    failed: 'The filter could not be saved. Please try again.',
    submit: async ({ name, isShared }) => {
      await unwrap(api.POST('/api/intake/filters', { body: { name, isShared, filter: savedOf(search) }, ...quiet }));
      await client.invalidateQueries({ queryKey: filtersQuery.queryKey });
      notify('success', `The filter ${name.trim()} was saved.`);
      onClose();
    },
  });
  return (
    <FormDialog title="Save filter" label="Save" onClose={onClose} {...rest}>
      <TextInput label="Name" size="md" data-autofocus required maxLength={60} {...form.getInputProps('name')} />
      <Checkbox label="Everybody in my organization sees it" {...form.getInputProps('isShared', { type: 'checkbox' })} />
      <p className="cp-second">Dates and search words are not saved with it.</p>
    </FormDialog>
  );
}

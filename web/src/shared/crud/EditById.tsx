import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import type { QueryOf } from '@/api/query';
import type { FieldTable, ValuesOf } from '../form/fields';
import { EditDialog, type Row } from './EditDialog';

type Rows<T> = { data?: { items: T[] }; refetch: () => Promise<{ data?: { items: T[] } }> };
type Props<T extends Row, F extends FieldTable> = Omit<
  ComponentProps<typeof EditDialog<F, unknown>>,
  'saved' | 'waits' | 'initial' | 'latest' | 'save'
> & {
  id: string;
  rows: Rows<T>;
  save: (id: string, values: ValuesOf<F>, version: number | undefined, read: Row | undefined) => Promise<unknown>;
};

/** Edits the row with this id as shown in the list. */
function EditRow<T extends Row, F extends FieldTable>({ id, rows, save, ...props }: Props<T, F>) {
  const find = (data: { items: T[] } | undefined) => data?.items.find((row) => row.id === id);
  const row = find(rows.data);
  if (!row) return null;
  const latest = async () => find((await rows.refetch()).data) ?? row;
  return <EditDialog {...props} saved={row} latest={latest} save={(...saved) => save(id, ...saved)} />;
}

type ReadProps<F extends FieldTable> = Omit<Props<Row, F>, 'rows'> & { read: (id: string) => QueryOf<Row> };

/** Edits the current record with this id, read from the server. */
function EditRead<F extends FieldTable>({ id, read, save, ...props }: ReadProps<F>) {
  const client = useQueryClient();
  const fresh = { ...read(id), staleTime: 0 };
  const { data, error, refetch, isFetchedAfterMount } = useQuery({ ...fresh, refetchOnWindowFocus: false });
  return (
    <EditDialog
      {...props}
      saved={data}
      waits={data && isFetchedAfterMount ? undefined : { error, retry: () => void refetch() }}
      latest={() => client.fetchQuery<Row>(fresh as Parameters<typeof client.fetchQuery<Row>>[0])}
      save={(...saved) => save(id, ...saved)}
    />
  );
}

/** Edits a record: read from the server if there is an operation for it, else as shown in the list. */
export function EditById<T extends Row, F extends FieldTable>({
  read,
  rows,
  ...props
}: Props<T, F> & { read?: (id: string) => QueryOf<Row> }) {
  return read ? <EditRead read={read} {...props} /> : <EditRow rows={rows} {...props} />;
}

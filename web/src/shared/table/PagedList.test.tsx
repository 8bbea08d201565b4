import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { PagedList } from './PagedList';
import type { useListState } from './useListState';

const setPage = vi.fn();
type Query = { items: { id: string }[]; totalCount: number; isPlaceholder?: boolean; page: number };
const draw = ({ items, totalCount, isPlaceholder = false, page }: Query) => {
  setPage.mockClear();
  renderApp(
    <PagedList
      label="Organizations"
      noun="organizations"
      query={{ data: { items, totalCount, totalIsCapped: false }, error: null, isPlaceholderData: isPlaceholder, refetch: () => {} }}
      list={{ page, size: 10, setPage } as unknown as ReturnType<typeof useListState>}
      columns={[{ key: 'id', title: 'Id', render: (row) => row.id }]}
      name={(row) => row.id}
      empty={<p>No organizations yet</p>}
      second={() => null}
    />,
  );
};
const isBusy = () => screen.getByRole('table', { name: 'Organizations' }).getAttribute('aria-busy') === 'true';

test('a page without rows goes to the last page', async () => {
  draw({ items: [], totalCount: 21, page: 5 });
  await waitFor(() => expect(setPage.mock.calls).toEqual([[3]]));
  expect(screen.queryByText('No organizations yet')).toBeNull();
  expect(isBusy()).toBe(true);
});

test('while that page loads, no empty state is shown', () => {
  draw({ items: [], totalCount: 10, page: 1, isPlaceholder: true });
  expect(setPage).not.toHaveBeenCalled();
  expect(screen.queryByText('No organizations yet')).toBeNull();
  expect(isBusy()).toBe(true);
});

test('an empty list shows its empty state on every page', () => {
  draw({ items: [], totalCount: 0, page: 2 });
  expect(screen.getByText('No organizations yet')).toBeInTheDocument();
  expect(setPage).not.toHaveBeenCalled();
});

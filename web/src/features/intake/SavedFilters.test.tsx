import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { SavedFilter } from '@/api/types';
import { answer } from '@/test/answers';
import { renderApp } from '@/test/render';
import { SavedFilters } from './SavedFilters';

test('filters are kept under a name without dates, applied again and deleted after a question', async () => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  const saved: SavedFilter[] = [];
  answer('get', '/api/intake/filters', () => ({ items: saved }));
  const posted = answer('post', '/api/intake/filters', ({ body }) => {
    const filter = { id: 'f', ...body, isShared: false, owner: 'Dana Whitfield', isChangeable: true, version: 1 } as SavedFilter;
    saved.push(filter);
    return filter;
  });
  const removed = answer('delete', '/api/intake/filters/{id}', () => {
    saved.pop();
    return null as never;
  });
  const apply = vi.fn();
  renderApp(<SavedFilters search={{ view: 'unassigned', source: 'Fax', from: '2026-11-01' }} onApply={apply} />);
  const menu = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Saved filters' }));
    return within(await screen.findByRole('menu'));
  };
  await userEvent.click((await menu()).getByRole('menuitem', { name: 'Save these filters' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'Faxes{Enter}');
  expect(await screen.findByText('The filter Faxes was saved.')).toBeInTheDocument();
  const filter = { view: 'unassigned', statuses: [], sourceTypes: ['Fax'], processedTypes: [], sources: [] };
  expect(posted.map((p) => p.body)).toEqual([{ name: 'Faxes', isShared: false, filter }]);

  await userEvent.click(await (await menu()).findByRole('menuitem', { name: 'Faxes' }));
  expect(apply).toHaveBeenCalledWith(expect.objectContaining({ view: 'unassigned', source: 'Fax', from: undefined, until: undefined }));

  await userEvent.click((await menu()).getByRole('button', { name: 'Delete filter Faxes' }));
  const question = await screen.findByRole('dialog', { name: 'Delete filter' });
  expect(removed).toEqual([]);
  await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('menuitem', { name: 'Faxes' })).toBeNull());
  expect(removed.map((r) => r.path.id)).toEqual(['f']);
});

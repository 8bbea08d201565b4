import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { renderScreen } from '@/test/render';
import { setOwner } from '../owner';
import { useListState } from './useListState';

function List() {
  const list = useListState({ privateSearch: true });
  return (
    <>
      <output>{list.words}</output>
      <button type="button" onClick={() => list.setSearch('Halloran')}>
        Search
      </button>
    </>
  );
}

afterEach(() => setOwner('anyone', ''));

test('words that may name a patient come back by the history for whoever typed them, and for nobody else in this tab', async () => {
  setOwner('one', 'larkfield');
  const { history } = renderScreen(<List />, '/intake');
  await userEvent.click(await screen.findByRole('button', { name: 'Search' }));
  const shown = (words: string) => waitFor(() => expect(screen.getByRole('status')).toHaveTextContent(new RegExp(`^${words}$`)));
  await shown('Halloran');
  const leaveAndReturn = async () => {
    act(() => history.push('/elsewhere'));
    await shown('');
    act(() => history.back());
  };
  await leaveAndReturn();
  await shown('Halloran');
  for (const [user, organization] of [
    ['two', 'larkfield'],
    ['one', 'summit'],
  ] as const) {
    setOwner(user, organization);
    await leaveAndReturn();
    await waitFor(() => expect(history.location.pathname).toBe('/intake'));
    await shown('');
  }
});

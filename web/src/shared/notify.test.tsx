import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { notify } from './notify';

test('one toast is in view at a time and a click closes it (SES-R-367, MSG-R-443)', async () => {
  renderApp(<p>page</p>);
  act(() => {
    notify('success', 'One');
    notify('error', 'Two');
  });
  expect(await screen.findByText('Two')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByText('One')).toBeNull());
  await userEvent.click(screen.getByText('Two'));
  await waitFor(() => expect(screen.queryByText('Two')).toBeNull());
});

test('a toast may offer to undo', async () => {
  const run = vi.fn();
  renderApp(<p>page</p>);
  act(() => notify('success', 'Done', { action: { label: 'Undo', run } }));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(run).toHaveBeenCalledTimes(1);
});

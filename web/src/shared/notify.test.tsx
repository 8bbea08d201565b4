import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { endOffer, notify, TOLD } from './notify';

beforeEach(endOffer);

test('one toast is in view at a time and a click closes it (SES-R-367, SES-R-368, MSG-R-443)', async () => {
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

test('a new toast leaves the undo of the one before in reach, until it is used', async () => {
  const run = vi.fn();
  renderApp(<p>page</p>);
  act(() => notify('success', '3 messages filed.', { action: { label: 'Undo', run }, closeAfter: 10_000 }));
  act(() => notify('info', 'Saved.'));
  expect(await screen.findByText('Saved.')).toBeInTheDocument();
  await waitFor(() => expect(screen.getAllByText('3 messages filed.')).toHaveLength(1));
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(run).toHaveBeenCalledOnce();
  act(() => notify('info', 'Undone.'));
  expect(await screen.findByText('Undone.')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
});

test('an undo that was done otherwise, or whose time is over, does not come along', async () => {
  renderApp(<p>page</p>);
  act(() => {
    notify('success', 'Filed.', { action: { label: 'Undo', run: () => {} } });
    endOffer();
    notify('info', 'Undone.');
  });
  expect(await screen.findByText('Undone.')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  act(() => {
    notify('success', 'Deleted.', { action: { label: 'Undo', run: () => {} }, closeAfter: 0 });
    notify('info', 'Next.');
  });
  expect(await screen.findByText('Next.')).toBeInTheDocument();
  expect(screen.queryByText('Deleted.')).toBeNull();
});

test('every notice is told to whoever drives the browser', () => {
  const heard: unknown[] = [];
  const hear = (e: Event) => void heard.push((e as CustomEvent).detail);
  addEventListener(TOLD, hear);
  notify('success', 'One');
  notify('error', 'Two');
  removeEventListener(TOLD, hear);
  expect(heard).toEqual([
    { kind: 'success', message: 'One' },
    { kind: 'error', message: 'Two' },
  ]);
});

test('a toast ends after 5 s (MSG-S-064, MSG-R-442, SES-S-067, SES-R-366)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    renderApp(<p>page</p>);
    act(() => notify('success', 'Saved.'));
    await screen.findByText('Saved.');
    await act(() => vi.advanceTimersByTimeAsync(4500));
    expect(screen.getByText('Saved.')).toBeInTheDocument();
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(screen.queryByText('Saved.')).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

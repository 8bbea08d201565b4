import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { Dialog } from './Dialog';

test('the first field has the focus, unless another is used already', async () => {
  vi.useFakeTimers();
  const ui = (
    <Dialog opened onClose={() => {}} title="Edit">
      <input aria-label="Name" data-autofocus />
      <input aria-label="Street" />
    </Dialog>
  );
  const { unmount } = renderApp(ui);
  void act(() => vi.runAllTimers());
  expect(screen.getByLabelText('Name')).toHaveFocus();
  unmount();
  renderApp(ui);
  screen.getByLabelText('Street').focus();
  void act(() => vi.runAllTimers());
  expect(screen.getByLabelText('Street')).toHaveFocus();
  vi.useRealTimers();
});

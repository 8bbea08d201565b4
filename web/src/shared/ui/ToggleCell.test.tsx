import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderApp } from '@/test/render';
import { ToggleCell } from './ToggleCell';

test('a switch flips at once, and snaps back when the change is refused', async () => {
  let refuse: (why: Error) => void = () => {};
  const onToggle = () => new Promise((_resolve, reject) => (refuse = reject));
  renderApp(<ToggleCell label="Default: Main clinic" checked={false} onToggle={onToggle} failed="The default could not be changed." />);
  const toggle = screen.getByRole('switch', { name: 'Default: Main clinic' });
  await userEvent.click(toggle);
  expect(toggle).toBeChecked();
  refuse(new TypeError('network'));
  expect(await screen.findByText('The default could not be changed.')).toBeInTheDocument();
  await waitFor(() => expect(toggle).not.toBeChecked());
});

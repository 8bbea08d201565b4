import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { CodesDialog } from './dialogs';

test('recovery codes stay in view until the user confirms that they are kept', async () => {
  const close = vi.fn();
  renderApp(<CodesDialog codes={['abcd-efgh']} onClose={close} />);
  expect(await screen.findByText('abcd-efgh')).toBeInTheDocument();
  await userEvent.keyboard('{Escape}{Enter}');
  await userEvent.click(document.querySelector('.mantine-Modal-overlay')!);
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull();
  expect(close).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'I have saved them' }));
  expect(close).toHaveBeenCalledTimes(1);
});

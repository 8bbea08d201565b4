import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { useShortcuts } from './shortcuts';

function Screen({ back }: { back: () => void }) {
  const [opened, setOpened] = useState(true);
  useShortcuts([{ keys: 'Escape', label: 'Back', run: back }]);
  return opened ? (
    <div role="menu" tabIndex={-1} onKeyDown={(e) => e.key === 'Escape' && setOpened(false)}>
      Menu
    </div>
  ) : null;
}

test('Escape first closes the menu, and only the next one leaves the screen', async () => {
  const back = vi.fn();
  renderApp(<Screen back={back} />);
  screen.getByRole('menu').focus();
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(back).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}');
  expect(back).toHaveBeenCalledTimes(1);
});

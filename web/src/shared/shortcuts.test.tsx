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

test('Escape leaves a field for the single keys, and Ctrl+Enter works while somebody types', async () => {
  const [act, send] = [vi.fn(), vi.fn()];
  function Screen() {
    useShortcuts([
      { keys: 'e', label: 'Act', run: act },
      { keys: 'mod+Enter', label: 'Send', run: send },
    ]);
    return <input aria-label="Text" />;
  }
  renderApp(<Screen />);
  await userEvent.type(screen.getByLabelText('Text'), 'e{Control>}{Enter}{/Control}');
  expect(send).toHaveBeenCalledOnce();
  expect(act).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}e');
  expect(act).toHaveBeenCalledOnce();
});

test('Ctrl+Enter in an open list takes the choice first, and a field that it belongs to keeps it', async () => {
  const done: string[] = [];
  function Screen() {
    const [value, set] = useState('none');
    useShortcuts([{ keys: 'mod+Enter', label: 'Send', run: () => done.push(value), unless: '[data-own]' }]);
    return (
      <>
        <div role="listbox" />
        <input aria-label="Type" onKeyDown={(e) => e.key === 'Enter' && set('marked')} />
        <input aria-label="Note" data-own />
      </>
    );
  }
  renderApp(<Screen />);
  await userEvent.type(screen.getByLabelText('Type'), '{Control>}{Enter}{/Control}');
  await vi.waitFor(() => expect(done).toEqual(['marked']));
  await userEvent.type(screen.getByLabelText('Note'), '{Control>}{Enter}{/Control}');
  expect(done).toEqual(['marked']);
});

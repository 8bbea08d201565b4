import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { theme } from '@/app/theme';
import { renderApp } from '@/test/render';
import { Addresses, Banner, InlineBox, NoticeList } from './blocks';
import { Dialog } from './Dialog';
import { HoverPopover } from './HoverPopover';
import { When } from './When';

test('a dialog has a title, an information mark where it has something to say, and a close button (SES-R-203, SES-R-206)', async () => {
  const close = vi.fn();
  renderApp(
    <Dialog opened onClose={close} title="Trust" info="Anchors are checked every night.">
      <p>Content</p>
    </Dialog>,
  );
  const box = await screen.findByRole('dialog', { name: 'Trust' });
  expect(box).toHaveAttribute('aria-modal', 'true');
  await userEvent.hover(screen.getByRole('button', { name: 'Anchors are checked every night.' }));
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Anchors are checked every night.');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(close).toHaveBeenCalledTimes(1);
});

test('a dialog is 700 px wide and opens near the top (SES-S-057, SES-R-204, SES-R-205)', async () => {
  renderApp(
    <Dialog opened onClose={() => {}} title="Plain">
      <p>Content</p>
    </Dialog>,
  );
  await screen.findByRole('dialog');
  const { style } = document.querySelector<HTMLElement>('.mantine-Modal-root')!;
  expect(style.getPropertyValue('--modal-size')).toContain(`${700 / 16}rem`);
  expect(style.getPropertyValue('--modal-y-offset')).toContain(`${64 / 16}rem`);
});

test('a dialog without information has no mark', async () => {
  renderApp(
    <Dialog opened onClose={() => {}} title="Plain">
      <p>Content</p>
    </Dialog>,
  );
  expect(await screen.findAllByRole('button')).toHaveLength(1);
});

test('Escape closes only what lies on top, and nothing under a dialog that is locked', async () => {
  const closes = { under: vi.fn(), later: vi.fn(), locked: vi.fn() };
  function Host() {
    const [later, setLater] = useState(false);
    const [locked, setLocked] = useState(false);
    closes.later.mockImplementation(() => setLater(false));
    return (
      <>
        {/* First in the page, and opens above the other. */}
        <Dialog opened={later} onClose={closes.later} title="Later">
          <p>Content</p>
        </Dialog>
        <Dialog opened onClose={closes.under} title="Under">
          <p>Content</p>
        </Dialog>
        <Dialog opened={locked} locked onClose={closes.locked} title="Locked">
          <p>Content</p>
        </Dialog>
        <button type="button" onClick={() => setLater(true)}>
          Open later
        </button>
        <button type="button" onClick={() => setLocked(!locked)}>
          Lock
        </button>
      </>
    );
  }
  renderApp(<Host />);
  const calls = () => Object.values(closes).map((close) => close.mock.calls.length);
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden: true }));
  press('Open later');
  press('Lock');
  await userEvent.keyboard('{Escape}');
  expect(calls()).toEqual([0, 0, 0]);
  press('Lock');
  await userEvent.keyboard('{Escape}');
  expect(calls()).toEqual([0, 1, 0]);
  await userEvent.keyboard('{Escape}');
  expect(calls()).toEqual([1, 1, 0]);
});

test('a dialog that is taken away gives the focus back to the button that opened it', async () => {
  function Host() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button onClick={() => setOpen(true)}>New</button>
        {isOpen && (
          <Dialog opened onClose={() => setOpen(false)} title="New place">
            <p>Content</p>
          </Dialog>
        )}
      </>
    );
  }
  renderApp(<Host />);
  await userEvent.click(screen.getByText('New'));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Close' })).toHaveFocus());
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByText('New')).toHaveFocus());
});

test('a banner says "Oh no!" and is an error by default (MSG-S-063, MSG-R-441, MSG-T-121)', () => {
  renderApp(
    <>
      <Banner>It failed.</Banner>
      <Banner kind="warning" caption="Careful.">
        Look twice.
      </Banner>
    </>,
  );
  expect(screen.getByRole('alert')).toHaveTextContent('Oh no! It failed.');
  expect(screen.getByRole('alert')).toHaveClass('t-danger');
  expect(screen.getByText('Careful.').closest('.cp-note')).toHaveClass('t-warn');
});

test('notices have four levels, and several are listed under a title (MSG-S-062, MSG-R-440)', () => {
  const levels = { success: 't-success', info: 't-info', warning: 't-warn', error: 't-danger' } as const;
  renderApp(
    <>
      {(Object.keys(levels) as (keyof typeof levels)[]).map((kind) => (
        <NoticeList key={kind} kind={kind} title={kind} messages={['One', 'Two']} />
      ))}
      <NoticeList kind="error" title="Nothing" messages={[]} />
    </>,
  );
  for (const [kind, look] of Object.entries(levels)) expect(screen.getByText(kind).closest('.cp-note')).toHaveClass(look);
  expect(screen.getAllByRole('listitem')).toHaveLength(8);
  expect(screen.queryByText('Nothing')).toBeNull();
});

test('three addresses are shown, separated by semicolons, with the number of further ones (MSG-S-069, MSG-R-465, MSG-R-466, MSG-R-467, MSG-T-123)', () => {
  renderApp(
    <>
      <Addresses values={['a', 'b', 'c', 'd', 'e']} />
      <Addresses values={['x', 'y', 'z']} />
    </>,
  );
  expect(screen.getByTitle('a; b; c; d; e')).toHaveTextContent('a; b; c +2 more');
  expect(screen.getByTitle('x; y; z')).toHaveTextContent(/^x; y; z$/);
});

test('an inline box opens and closes (MSG-S-061)', async () => {
  renderApp(
    <InlineBox title="Address">
      <p>12 Mill Lane</p>
    </InlineBox>,
  );
  const head = screen.getByRole('button', { name: 'Address' });
  expect(head).toHaveAttribute('aria-expanded', 'false');
  await userEvent.click(head);
  expect(head).toHaveAttribute('aria-expanded', 'true');
  await waitFor(() => expect(screen.getByText('12 Mill Lane')).toBeVisible());
});

test('an inline box with an error is open, and stays open once it is corrected', async () => {
  function Form() {
    const [isWrong, setWrong] = useState(true);
    return (
      <InlineBox title="Address" isWrong={isWrong}>
        <button onClick={() => setWrong(false)}>Mend</button>
      </InlineBox>
    );
  }
  renderApp(<Form />);
  const head = screen.getByRole('button', { name: 'Address' });
  expect(head).toHaveAttribute('aria-expanded', 'true');
  await userEvent.click(head);
  expect(head).toHaveAttribute('aria-expanded', 'true');
  await userEvent.click(screen.getByText('Mend'));
  expect(head).toHaveAttribute('aria-expanded', 'true');
  await userEvent.click(head);
  expect(head).toHaveAttribute('aria-expanded', 'false');
});

test('tooltips appear after 400 ms (MSG-R-461)', () => {
  expect(theme.components?.Tooltip?.defaultProps).toMatchObject({ openDelay: 400 });
});

test('a popover opens and closes 200 ms after the pointer, and at once when pressed (SES-S-064, SES-R-369, SES-R-370)', () => {
  vi.useFakeTimers();
  try {
    renderApp(
      <HoverPopover label="Phone numbers of Jun" title="Phone Numbers" icon="☎">
        (555) 010-0185
      </HoverPopover>,
    );
    const target = screen.getByRole('button', { name: 'Phone numbers of Jun' });
    const pass = (ms: number) =>
      act(() => {
        vi.advanceTimersByTime(ms);
      });
    fireEvent.mouseEnter(target);
    pass(199);
    expect(target).toHaveAttribute('aria-expanded', 'false');
    pass(1);
    expect(target).toHaveAttribute('aria-expanded', 'true');
    fireEvent.mouseLeave(target);
    pass(199);
    expect(target).toHaveAttribute('aria-expanded', 'true');
    pass(1);
    expect(target).toHaveAttribute('aria-expanded', 'false');
    fireEvent.click(target);
    expect(target).toHaveAttribute('aria-expanded', 'true');
  } finally {
    vi.useRealTimers();
  }
});

test('the popover of a date tells the time with hours up to 12 (SES-S-065, SES-R-270)', async () => {
  const iso = new Date(2026, 10, 19, 20, 4).toISOString();
  renderApp(<When iso={iso}>Nov 19, 2026</When>);
  await userEvent.hover(screen.getByText('Nov 19, 2026'));
  expect(await screen.findByText('Nov 19, 2026, 8:04 PM')).toBeInTheDocument();
});

import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { ConfirmDialog, Dialog } from '../ui/Dialog';
import { Form } from './Form';

const CTRL_ENTER = '{Control>}{Enter}{/Control}';
const none = () => {};

function Box({ label, onSubmit, isBusy }: { label: string; onSubmit: () => void; isBusy?: boolean }) {
  return (
    <Dialog
      opened
      onClose={none}
      title={label}
      footer={
        <>
          <button type="button">Cancel {label}</button>
          <button type="submit" form={label} disabled={isBusy}>
            Save
          </button>
        </>
      }
    >
      <Form
        id={label}
        onSubmit={(e) => {
          e.preventDefault();
          onSubmit();
        }}
      >
        <input aria-label={`Name of ${label}`} />
      </Form>
    </Dialog>
  );
}

test('Ctrl+Enter submits the form of a dialog from its buttons, from a field and from beside it', async () => {
  const submit = vi.fn();
  renderApp(<Box label="Place" onSubmit={submit} />);
  screen.getByText('Cancel Place').focus();
  await userEvent.keyboard(CTRL_ENTER);
  await userEvent.type(screen.getByLabelText('Name of Place'), CTRL_ENTER);
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard(CTRL_ENTER);
  expect(submit).toHaveBeenCalledTimes(3);
});

test('Ctrl+Enter does not press a button that is disabled', async () => {
  const submit = vi.fn();
  renderApp(<Box label="Place" onSubmit={submit} isBusy />);
  await userEvent.keyboard(CTRL_ENTER);
  expect(submit).not.toHaveBeenCalled();
});

test('Ctrl+Enter is for the topmost dialog alone, and closed questions do not take it', async () => {
  const [submit, confirm, closed] = [vi.fn(), vi.fn(), vi.fn()];
  const calls = () => [submit, confirm, closed].map((f) => f.mock.calls.length);
  function Host() {
    const [isAsking, ask] = useState(true);
    confirm.mockImplementation(() => ask(false));
    const question = { onClose: none, title: 'Delete', subject: 'This' };
    return (
      <>
        <Box label="Place" onSubmit={submit} />
        <ConfirmDialog opened={isAsking} onConfirm={confirm} {...question} />
        <ConfirmDialog opened={false} onConfirm={closed} {...question} />
      </>
    );
  }
  renderApp(<Host />);
  await userEvent.keyboard(CTRL_ENTER);
  expect(calls()).toEqual([0, 1, 0]);
  await userEvent.keyboard(CTRL_ENTER);
  expect(calls()).toEqual([1, 1, 0]);
});

test('on a page Ctrl+Enter submits the form that it is pressed in', async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  const form = (label: string, run: () => void) => (
    <Form
      onSubmit={(e) => {
        e.preventDefault();
        run();
      }}
    >
      <input aria-label={label} />
    </Form>
  );
  renderApp(
    <>
      {form('One', first)}
      {form('Two', second)}
    </>,
  );
  await userEvent.keyboard(CTRL_ENTER);
  await userEvent.type(screen.getByLabelText('Two'), CTRL_ENTER);
  expect([first, second].map((f) => f.mock.calls.length)).toEqual([0, 1]);
});

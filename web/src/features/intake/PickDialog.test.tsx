import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { PickDialog } from './PickDialog';
import { AssignDialog } from './picks';

const people = [
  { value: '1', label: 'Dana Whitfield' },
  { value: '2', label: 'Priya Raman' },
];

function Host({ onPick }: { onPick: (value: string) => void }) {
  const [isLoading, setLoading] = useState(true);
  return (
    <>
      <button onClick={() => setLoading(false)}>Arrive</button>
      <PickDialog title="Assign" label="Reviewer" choices={people} isLoading={isLoading} onPick={onPick} onClose={() => {}} />
    </>
  );
}
const arrive = () => screen.getByText('Arrive').click();

test('the field has the focus as the dialog opens, and no choice is shown until all are there', () => {
  renderApp(<Host onPick={() => {}} />);
  expect(screen.getByLabelText('Reviewer', { selector: 'input' })).toHaveFocus();
  expect(screen.queryByText('Priya Raman')).toBeNull();
  // A listbox holds options only.
  expect(screen.getByRole('status')).toHaveTextContent('Loading');
  expect(screen.getByRole('listbox')).toBeEmptyDOMElement();
});

test('a bare Enter picks nothing: who has typed nothing means nothing', async () => {
  const pick = vi.fn();
  renderApp(<Host onPick={pick} />);
  arrive();
  await screen.findByText('Priya Raman');
  await userEvent.keyboard('{Enter}');
  expect(pick).not.toHaveBeenCalled();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(pick).toHaveBeenCalledWith('1', expect.anything());
});

test('Enter before the choices are there takes the first that matches once they arrive', async () => {
  const pick = vi.fn();
  renderApp(<Host onPick={pick} />);
  await userEvent.keyboard('pri{Enter}');
  expect(pick).not.toHaveBeenCalled();
  arrive();
  await vi.waitFor(() => expect(pick).toHaveBeenCalledWith('2'));
  expect(pick).toHaveBeenCalledOnce();
});

test('typing on takes an early Enter back', async () => {
  const pick = vi.fn();
  renderApp(<Host onPick={pick} />);
  await userEvent.keyboard('{Enter}da');
  arrive();
  expect(await screen.findByText('Dana Whitfield')).toBeInTheDocument();
  expect(pick).not.toHaveBeenCalled();
});

test('a reviewer who is not found is said to be none (MSG-R-425, MSG-T-101)', async () => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  server.use(http.get('*/api/users/assignable', () => HttpResponse.json({ items: [{ id: '1', name: 'Dana Whitfield' }] })));
  renderApp(<AssignDialog count="1 message" onClose={() => {}} onPick={() => {}} />);
  expect(await screen.findByText('Dana Whitfield')).toBeInTheDocument();
  await userEvent.keyboard('zz');
  expect(screen.getByText('No users match the given criteria.')).toBeInTheDocument();
});

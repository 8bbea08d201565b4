import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { type Mark, PageMarks, turned } from './marks';

const box = { left: 0.1, top: 0.2, width: 0.3, height: 0.05 };
const items: Mark[] = [
  { keys: ['firstName', 'lastName'], label: 'First name, last name', page: 2, box },
  { keys: ['birthDate'], label: 'Birth date', page: 2, box },
  { keys: ['gender'], label: 'Gender', page: 3, box },
];
const names = () => screen.queryAllByRole('button').map((b) => b.getAttribute('aria-label'));

test('a page shows its marks, or only the one whose value is pointed at', async () => {
  const onPick = vi.fn();
  const marks = { items, pointed: 'lastName', focused: null, onPick };
  const { unmount } = renderApp(<PageMarks marks={marks} page={2} degrees={0} showsAll />);
  expect(names()).toEqual(['Read here: First name, last name', 'Read here: Birth date']);
  const pointed = screen.getByRole('button', { name: 'Read here: First name, last name' });
  expect(pointed).toHaveStyle({ left: '10%', top: '20%', width: '30%', height: '5%' });
  expect(pointed).toHaveAttribute('data-on', 'true');
  await userEvent.click(screen.getByRole('button', { name: 'Read here: Birth date' }));
  expect(onPick).toHaveBeenCalledWith('birthDate');
  unmount();
  renderApp(<PageMarks marks={marks} page={2} degrees={0} showsAll={false} />);
  expect(names()).toEqual(['Read here: First name, last name']);
});

test('a mark turns with its page', () => {
  const near = (b: object) => Object.values(b).map((n) => Math.round(n * 100));
  expect(near(turned(box, 90))).toEqual([75, 10, 5, 30]);
  expect(near(turned(box, 180))).toEqual([60, 75, 30, 5]);
  expect(near(turned(box, 270))).toEqual([20, 60, 5, 30]);
});

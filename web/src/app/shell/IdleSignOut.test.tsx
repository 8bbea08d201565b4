import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { api } from '@/api/client';
import { signOutIdle } from '../session';
import { IdleSignOut } from './IdleSignOut';

vi.mock('@/api/client', () => ({ api: { GET: vi.fn(() => Promise.resolve({})) }, quiet: {} }));
vi.mock('../session', () => ({ signOutIdle: vi.fn() }));

const pass = (seconds: number) => {
  act(() => {
    vi.advanceTimersByTime(seconds * 1000);
  });
};
const show = () =>
  render(
    <MantineProvider env="test">
      <IdleSignOut seconds={300} />
    </MantineProvider>,
  );

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  localStorage.clear();
});
afterEach(() => vi.useRealTimers());

test('activity is reported to the server once a minute, and inactivity is not', () => {
  show();
  pass(120);
  expect(api.GET).not.toHaveBeenCalled();
  fireEvent.keyDown(window);
  pass(5);
  expect(api.GET).toHaveBeenCalledTimes(1);
  pass(2);
  fireEvent.keyDown(window);
  pass(30);
  expect(api.GET).toHaveBeenCalledTimes(1);
  pass(30);
  expect(api.GET).toHaveBeenCalledTimes(2);
});

test('a dialog warns a minute before the end, and then the session ends', () => {
  show();
  pass(235);
  expect(screen.queryByRole('dialog')).toBeNull();
  pass(10);
  expect(screen.getByRole('dialog').textContent).toContain('Are you still there?');
  expect(signOutIdle).not.toHaveBeenCalled();
  pass(60);
  expect(signOutIdle).toHaveBeenCalled();
});

test('activity dismisses the warning', () => {
  show();
  pass(245);
  fireEvent.pointerDown(window);
  pass(200);
  expect(signOutIdle).not.toHaveBeenCalled();
});

test.each(['Stay signed in', 'Close'])('"%s" keeps the session, pressed without a pointer too', (name) => {
  show();
  pass(245);
  // No other event of the press arrives.
  const stop = (e: Event) => e.stopPropagation();
  document.body.addEventListener('click', stop);
  fireEvent.click(screen.getByRole('button', { name }));
  document.body.removeEventListener('click', stop);
  pass(200);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(signOutIdle).not.toHaveBeenCalled();
});

test.each(['click', 'input'] as const)('a %s alone counts as activity', (kind) => {
  show();
  pass(200);
  fireEvent[kind](document.body);
  pass(200);
  expect(screen.queryByRole('dialog')).toBeNull();
});

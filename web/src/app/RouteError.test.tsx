import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { RouteError } from './RouteError';

test('what cannot be loaded before a screen is said, and asked for again', async () => {
  // React and the router report what was thrown.
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  const load = vi.fn().mockRejectedValueOnce(new Error('The features could not be loaded.')).mockResolvedValue({});
  const routeTree = createRootRoute({ beforeLoad: () => load(), component: () => <p>The screen</p>, errorComponent: RouteError });
  const router = createRouter({ routeTree, history: createMemoryHistory() });
  renderApp(<RouterProvider router={router as never} />);
  expect(await screen.findByText('This page could not be shown')).toBeInTheDocument();
  expect(screen.queryByText('The screen')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('The screen')).toBeInTheDocument();
  expect(load).toHaveBeenCalledTimes(2);
});

import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';

/** Renders a component with the providers of the application. */
export const renderApp = (ui: ReactElement) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MantineProvider env="test">
        <Notifications limit={1} autoClose={5000} />
        {ui}
      </MantineProvider>
    </QueryClientProvider>,
  );

/** Renders a screen at an address; returns the router. */
export function renderScreen(ui: ReactElement, address = '/') {
  const root = createRootRoute({ component: () => ui });
  const all = createRoute({ getParentRoute: () => root, path: '$' });
  const router = createRouter({ routeTree: root.addChildren([all]), history: createMemoryHistory({ initialEntries: [address] }) });
  renderApp(<RouterProvider router={router as never} />);
  return router;
}

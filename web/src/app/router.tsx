import { createRouter } from '@tanstack/react-router';
import { routeTree } from '../routeTree.gen';
import { RouteError } from './RouteError';
import { setNavigator } from './session';
import { noteScreen } from './upgrade';

export const router = createRouter({
  routeTree,
  caseSensitive: false,
  trailingSlash: 'never',
  // Matching ignores case and trailing slashes, but active links compare paths: lower them once.
  rewrite: {
    input: ({ url }) => {
      url.pathname = url.pathname.toLowerCase().replace(/\/+$/, '') || '/';
      return url;
    },
  },
  scrollRestoration: true,
  defaultErrorComponent: RouteError,
  defaultPendingMs: 400,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** The screen needs the width: the sidebar starts as a rail. */
    rail?: boolean;
  }
}

setNavigator({
  go: (href) => router.history.push(href),
  here: () => router.state.location.href,
  reload: () => router.invalidate(),
});

router.subscribe('onResolved', ({ toLocation }) => noteScreen(toLocation.href));

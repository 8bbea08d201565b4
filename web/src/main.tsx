import '@fontsource-variable/inter';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
// Later sheets win over earlier ones.
import './app/styles/words.css';
import './app/styles/frame.css';
import './app/styles/controls.css';
import './app/styles/tables.css';
import './app/styles/panes.css';
import './app/styles/notices.css';
import './app/styles/narrow.css';
import './app/app.css';
import './app/styles/outside.css';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { NotSignedIn } from './api/token';
import { BrandGate } from './app/BrandGate';
import { LoadingLine } from './app/LoadingLine';
import { router } from './app/router';
import { queryClient } from './app/session';
import { isSupportedBrowser } from './app/browser';
import { paths } from './shared/paths';
import { styleNonce } from './shared/nonce';

// Read by the scroll lock of dialogs when it adds its style.
(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = styleNonce();

if (isSupportedBrowser() || location.pathname === paths.unsupportedBrowser) {
  createRoot(document.getElementById('root')!, {
    // An ended session leads to the sign-in page; it is not a failure of the screen that was about to read something.
    onCaughtError: (error) => {
      if (!(error instanceof NotSignedIn)) console.error(error);
    },
  }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LoadingLine />
        <BrandGate>
          <Notifications position="top-center" limit={1} autoClose={5000} transitionDuration={80} />
          <RouterProvider router={router} />
        </BrandGate>
      </QueryClientProvider>
    </StrictMode>,
  );
} else location.replace(paths.unsupportedBrowser);

import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { noteReached } from '@/api/connection';

configure({ asyncUtilTimeout: 10_000 });

// jsdom lacks what Mantine needs.
Object.defineProperty(window, 'matchMedia', {
  value: (query: string) => ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => false,
    onchange: null,
  }),
});
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
Element.prototype.scrollIntoView = () => {};
window.scrollTo = () => {};
// Lists of choices that are closed stay in the page.
Element.prototype.checkVisibility = function (this: Element) {
  return !this.closest('[style*="display: none"]');
};
Object.defineProperty(document, 'fonts', { value: { addEventListener() {}, removeEventListener() {} } });

/** Answers all calls of tests; an unhandled one fails the test. */
export const server = setupServer(
  // Probed whenever a call fails.
  http.get('*/api/branding', () => HttpResponse.json({})),
  // Asked by every screen with a patient; no EHR is connected.
  http.get('*/api/integrations/connected/types', () => HttpResponse.json({ items: [] })),
  // Asked by every received message; none was filed to a chart.
  http.get('*/api/messages/:id/chart', () => HttpResponse.json({ items: [] })),
  // Asked by lists of messages.
  http.get('*/api/filedbyrule/counts', () => HttpResponse.json({ items: [] })),
  http.get('*/api/failedmessages/charts', () => HttpResponse.json({ items: [], totalCount: 0, totalIsCapped: false })),
  // Asked whenever something is filed, sent or signed.
  http.get('*/api/messages/:id/patient/differences', () => HttpResponse.json({ items: [] })),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  // A failed call would make later tests probe the server.
  noteReached();
  server.resetHandlers();
  sessionStorage.clear();
  localStorage.clear();
});
afterAll(() => server.close());

// A window that shows ten rows.
window.innerHeight = 640;

import { defineConfig } from '@playwright/test';

// Against a running server with its demo data (CAREPOST_URL), or against the small stand-in after a build.
const port = 4411;
const baseURL = process.env.CAREPOST_URL ?? `http://127.0.0.1:${port}`;

export default defineConfig({
  testDir: 'e2e',
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    actionTimeout: 10_000,
    // Half-finished transitions would fail the contrast checks.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  webServer: process.env.CAREPOST_URL
    ? undefined
    : { command: 'node e2e/mock/server.mjs', url: `${baseURL}/api/branding`, env: { PORT: String(port) }, reuseExistingServer: false },
});

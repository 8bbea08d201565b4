import { defineConfig } from '@playwright/test';

// A running server with its demo data; `script/test --only browser` starts one.
const baseURL = process.env.CAREPOST_URL;
if (!baseURL) throw new Error('CAREPOST_URL must name a running server');
// With a second server every screen is looked at while the stories are walked: they change what the screens show.
const screensURL = process.env.CAREPOST_SCREENS_URL ?? baseURL;
const screens = 'accessibility.spec.ts';

export default defineConfig({
  testDir: 'e2e',
  workers: screensURL === baseURL ? 1 : 2,
  projects: [
    { name: 'screens', testMatch: screens, use: { baseURL: screensURL }, workers: 1 },
    { name: 'stories', testIgnore: screens, workers: 1 },
  ],
  timeout: 90_000,
  expect: { timeout: 10_000 },
  // A test that passes at a second try hides a defect of the product or of itself.
  retries: 0,
  failOnFlakyTests: true,
  reporter: 'list',
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    actionTimeout: 10_000,
    // Half-finished transitions would fail the contrast checks.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
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
});

import { defineConfig } from '@playwright/test';

// A running server with its demo data; `script/test --only browser` starts one.
const baseURL = process.env.CAREPOST_URL;
if (!baseURL) throw new Error('CAREPOST_URL must name a running server');
// With a second server every screen is looked at while the stories are walked: they change what the screens show.
const screensURL = process.env.CAREPOST_SCREENS_URL ?? baseURL;
const screens = 'accessibility.spec.ts';
// On a machine that nobody watches a test waits longer, since it is as quick where it passes, and what failed is kept to be looked at.
const isCi = process.env.CI === 'true';
const [waitMs, testMs] = isCi ? [30_000, 240_000] : [10_000, 90_000];

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/setup.ts',
  workers: screensURL === baseURL ? 1 : 2,
  projects: [
    { name: 'screens', testMatch: screens, use: { baseURL: screensURL }, workers: 1 },
    { name: 'stories', testIgnore: screens, workers: 1 },
  ],
  timeout: testMs,
  expect: { timeout: waitMs },
  // Second tries are judged by the verdict; elsewhere a test that passes at a second try hides a defect of the product or of itself.
  retries: isCi ? 1 : 0,
  failOnFlakyTests: !isCi,
  reporter: [['list'], ['./e2e/verdict.ts']],
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    actionTimeout: waitMs,
    screenshot: 'only-on-failure',
    // Without pictures and pages of each step, which slow everything threefold.
    trace: { mode: isCi ? 'retain-on-failure' : 'off', snapshots: false, screenshots: false },
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

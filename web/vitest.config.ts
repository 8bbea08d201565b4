import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://localhost/' } },
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    css: false,
    // Git knows nothing of src/api/limits.gen.ts, which is made of it, and neither does `vitest --changed`.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/openapi.json'],
    // Nothing else runs beside them; one processor less is the default.
    maxWorkers: '100%',
    // Beside a build on a small machine the same test takes ten times as long.
    testTimeout: 60_000,
  },
});

import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://localhost/' } },
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    css: false,
    // Git does not know the generated files, so `vitest --changed` does not see what they are made of.
    forceRerunTriggers: [
      ...configDefaults.forceRerunTriggers,
      '**/openapi.json',
      '**/tools/codegen/*',
      '**/scripts/gen.mjs',
      '**/tsr.config.json',
      '**/src/routes/**',
    ],
    // Nothing else runs beside them; one processor less is the default.
    maxWorkers: '100%',
    // Beside a build on a small machine the same test takes ten times as long.
    testTimeout: 60_000,
  },
});

import { cpSync } from 'node:fs';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** pdf.js loads its character maps, standard fonts and decoders from our own origin. */
const pdfAssets = (): Plugin => ({
  name: 'pdf-assets',
  apply: 'build',
  closeBundle() {
    for (const folder of ['cmaps', 'standard_fonts', 'wasm', 'iccs']) {
      cpSync(`node_modules/pdfjs-dist/${folder}`, `dist/pdfjs/${folder}`, { recursive: true });
    }
  },
});

const api = process.env.CAREPOST_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [tanstackRouter(), react(), pdfAssets()],
  resolve: { tsconfigPaths: true },
  server: { proxy: { '/api': { target: api, ws: true } } },
  build: {
    // Inlined assets would need `data:` in the content security policy for fonts and masks.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        // A cold page fetches a few large files instead of a hundred small ones. pdf.js stays out: it loads with the viewer.
        codeSplitting: {
          groups: [
            { name: 'vendor', test: /node_modules(?!.*[\\/](?:pdfjs-dist|react-pdf)[\\/])/, minShareCount: 3 },
            { name: 'shared', test: /[\\/]src[\\/](?:api|app|shared)[\\/]/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});

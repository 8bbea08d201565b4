import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { BrandGate } from './BrandGate';

const STEPS = ['#F4EEFB', '#E6D9F5', '#CDB3EA', '#B38CDF', '#9A66D4', '#8040C9', '#6A2FB0', '#542592', '#3F1B6E', '#2A124A'];

test('a brand names the product and colours its actions (MSG-R-010, SES-R-001)', async () => {
  const brand = { displayName: 'Bluestem Exchange', brandColors: STEPS };
  server.use(http.get('*/api/branding', () => HttpResponse.json(brand)));
  renderApp(<BrandGate>a screen</BrandGate>);
  expect(await screen.findByText('a screen')).toBeInTheDocument();
  expect(document.title).toBe('Bluestem Exchange');
  const variables = Array.from(document.querySelectorAll('style'), (s) => s.textContent).join('\n');
  expect(variables).toMatch(/--cp-brand:\s*#542592/i);
});

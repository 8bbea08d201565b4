import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { StatusTab } from './StatusTab';

test('a long file name is cut off behind 60 characters (ADA-R-350)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const row = {
    id: 'r',
    key: 'alder',
    batchType: 'Organization',
    batchStatus: 'Completed',
    itemStatus: 'Created',
    primaryContactStatus: 'None',
    pcsErrors: [],
    errors: [],
    fileName: `${'a'.repeat(61)}.csv`,
  };
  server.use(
    http.get('*/api/admin/import/batches', () => HttpResponse.json({ items: [] })),
    http.get('*/api/admin/import', () => HttpResponse.json({ items: [row], totalCount: 1, totalIsCapped: false })),
  );
  renderScreen(<StatusTab />);
  expect(await screen.findByText(`${'a'.repeat(60)} ...`)).toBeInTheDocument();
});

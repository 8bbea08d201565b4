import { Menu } from '@mantine/core';
import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import type { Message } from '@/api/types';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { SummaryItems } from './summary';

const items = async (isOffered: boolean) => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(http.get('*/api/settings/interoperability', () => HttpResponse.json({ deliverySummaryEnableDownload: isOffered })));
  const { unmount } = renderApp(
    <Menu opened>
      <Menu.Target>
        <button type="button">More</button>
      </Menu.Target>
      <Menu.Dropdown>
        <SummaryItems message={{ id: 'm' } as Message} onSend={() => {}} />
      </Menu.Dropdown>
    </Menu>,
  );
  const isThere = isOffered
    ? Boolean(await screen.findByRole('menuitem', { name: 'Download Delivery Summary' }))
    : screen.queryByRole('menuitem', { name: 'Download Delivery Summary' }) !== null;
  unmount();
  return isThere;
};

test('a sent message offers its delivery summary for download where the organization wants that (MSG-R-114)', async () => {
  expect(await items(true)).toBe(true);
  expect(await items(false)).toBe(false);
});

import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { setToken } from '@/api/token';
import { profileQuery, queryClient } from '@/app/session';
import { renderScreen } from './render';

/**
 * Renders a screen for somebody with these roles, an operator unless told. Screens refetch with the client of the application.
 */
export function renderConsole(ui: ReactElement, { address = '/', roles = ['SysAdmin'] }: { address?: string; roles?: string[] } = {}) {
  setToken({ accessToken: 't', expiresIn: 900 });
  queryClient.clear();
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  queryClient.setQueryData<object>(profileQuery.queryKey, { userId: 'u', roles, organizations: [] });
  return renderScreen(<QueryClientProvider client={queryClient}>{ui}</QueryClientProvider>, address);
}

import { MantineProvider } from '@mantine/core';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { api, unwrap } from '@/api/client';
import { freshToken, hasToken } from '@/api/token';
import { styleNonce } from '@/shared/nonce';
import { nameFilesAfter } from '@/shared/saveFile';
import { nameProduct } from '@/shared/tabTitle';
import { brandSteps, cssVariablesFor, themeFor } from './theme';

/** The brand of the person's organization; before sign-in, that of the host name. */
async function readBranding() {
  const token = hasToken() ? await freshToken().catch(() => undefined) : undefined;
  return unwrap(api.GET('/api/branding', token ? { headers: { Authorization: `Bearer ${token}` } } : {}));
}

export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  queryFn: readBranding,
  staleTime: Number.POSITIVE_INFINITY,
  retry: 3,
});
export const useBranding = () => useSuspenseQuery(brandingQuery).data;

/** Name, palette and colour scheme of the brand this page was opened under. */
export function BrandProvider({ children }: { children: ReactNode }) {
  const branding = useBranding();
  const steps = useMemo(() => brandSteps(branding.brandColors), [branding.brandColors]);
  const theme = useMemo(() => themeFor(steps), [steps]);
  const resolver = useMemo(() => cssVariablesFor(steps), [steps]);
  useEffect(() => nameProduct(branding.displayName), [branding.displayName]);
  useEffect(() => nameFilesAfter(branding.name), [branding.name]);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      {children}
    </MantineProvider>
  );
}

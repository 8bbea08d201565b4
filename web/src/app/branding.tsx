import { MantineProvider } from '@mantine/core';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { api, unwrap } from '@/api/client';
import { styleNonce } from '@/shared/nonce';
import { brandSteps, cssVariablesFor, themeFor } from './theme';

export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  queryFn: () => unwrap(api.GET('/api/branding')),
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
  useEffect(() => {
    document.title = branding.displayName;
  }, [branding.displayName]);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      {children}
    </MantineProvider>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { BrandProvider, brandingQuery } from './branding';

/** Renders nothing before the brand is known, so that no other brand flashes up. */
export function BrandGate({ children }: { children: ReactNode }) {
  const { isPending, isLoadingError, refetch } = useQuery(brandingQuery);
  if (isLoadingError) {
    return (
      <main className="cp-bare" role="alert">
        <h1>The server could not be reached</h1>
        <p>Please check the connection and try again.</p>
        <button type="button" onClick={() => void refetch()}>
          Try again
        </button>
      </main>
    );
  }
  if (isPending) return null;
  return <BrandProvider>{children}</BrandProvider>;
}

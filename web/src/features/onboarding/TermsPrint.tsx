import './onboarding.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorState } from '@/shared/ui/blocks';
import { SafeHtml } from '@/shared/ui/SafeHtml';
import { termsQuery } from './api';

/** Prints the terms: opens the browser's print dialog once they are loaded. */
export function TermsPrint() {
  const terms = useQuery(termsQuery);
  const isReady = terms.isSuccess;
  useEffect(() => {
    if (isReady) window.print();
  }, [isReady]);
  if (terms.isError) return <ErrorState title="The terms could not be loaded" error={terms.error} onRetry={() => void terms.refetch()} />;
  if (!terms.data) return <p role="status">Preparing the pages</p>;
  return (
    <main className="onb-paper">
      <h1>Terms of service</h1>
      <p>
        {terms.data.brandName}, version {terms.data.version}
      </p>
      <SafeHtml html={terms.data.html} />
      {terms.data.privacy && <SafeHtml html={terms.data.privacy.html} />}
    </main>
  );
}

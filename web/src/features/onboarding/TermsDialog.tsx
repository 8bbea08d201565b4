import './onboarding.css';
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { Terms } from '@/api/types';
import { useProfile } from '@/app/session';
import { reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { Dialog } from '@/shared/ui/Dialog';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { ErrorState } from '@/shared/ui/blocks';
import { SafeHtml } from '@/shared/ui/SafeHtml';
import { HELP } from '@/shared/help';
import { acceptTerms, saveTerms, termsQuery } from './api';
import { StepFoot } from './parts';

const TITLES: Record<Terms['type'], string> = {
  standard: 'Terms of service',
  brand: 'Terms of service',
  reseller: 'Terms of service of your partner',
};
const AGREE = 'I agree to terms and conditions';
const POPUP = 'The terms could not be opened in a new window. Please allow pop-ups for this page.';

/** Identifies the accepted texts: a new version of either has to be accepted again. */
const readOf = ({ version, privacy }: Terms) => `${version} ${privacy?.version ?? ''}`;

const print = () => {
  if (!window.open(paths.printTerms, '_blank')) notify('error', POPUP);
};

/** The applicable terms: to be accepted or, if agreed on elsewhere, acknowledged. */
export function TermsDialog({ onDone }: { onDone: () => void }) {
  const profile = useProfile();
  const client = useQueryClient();
  const terms = useQuery(termsQuery);
  const [agreed, setAgreed] = useState<string | null>(null);
  const accept = useMutation({
    mutationFn: acceptTerms,
    meta: { ownErrors: true },
    onSuccess: (accepted) => {
      client.setQueryData(termsQuery.queryKey, accepted);
      onDone();
    },
    onError: async (error) => {
      reportError(error);
      // A newer version is shown and has to be accepted again.
      if (error instanceof ApiError && error.status === 409) await client.invalidateQueries({ queryKey: termsQuery.queryKey });
    },
  });
  const shown = terms.data;
  const isAgreed = shown !== undefined && agreed === readOf(shown);
  const isBrand = shown?.type === 'brand';
  return (
    // Opens with the text, which gets the focus.
    <Dialog
      opened={!terms.isPending}
      locked
      onClose={() => {}}
      title={TITLES[shown?.type ?? 'standard']}
      info={shown?.type === 'reseller' ? HELP.reseller : undefined}
      footer={
        <StepFoot
          step={profile.orgIsIdProofed ? undefined : 1}
          beside={
            <Button size="md" variant="default" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={print} disabled={!shown}>
              Print TOS
            </Button>
          }
        >
          <Button size="md" disabled={!isAgreed} loading={accept.isPending} onClick={() => shown && accept.mutate(shown)}>
            {profile.orgIsIdProofed ? 'Close' : 'Next'}
          </Button>
        </StepFoot>
      }
    >
      {terms.isError ? (
        <ErrorState title="The terms could not be loaded" error={terms.error} onRetry={() => void terms.refetch()} />
      ) : (
        shown && (
          <div className="onb-body">
            {shown.type === 'reseller' && (
              <p className="cp-second">
                Your organization receives {shown.brandName} through a partner. Please read these terms in addition to your agreement with
                them.
              </p>
            )}
            {!isBrand && (
              <section className="onb-text" tabIndex={0} aria-label="Text of the terms" data-autofocus>
                <SafeHtml html={shown.html} />
              </section>
            )}
            {shown.privacy && (
              <section className="onb-text" tabIndex={0} aria-label="Text of the privacy terms">
                <SafeHtml html={shown.privacy.html} />
              </section>
            )}
            {isBrand && <p className="cp-second">The terms of {shown.brandName} are part of the agreement with your organization.</p>}
            <div>
              <DownloadButton label="Download PDF" size="sm" save={saveTerms} />
            </div>
            <Checkbox
              label={isBrand ? `I acknowledge the terms and conditions of ${shown.brandName}` : AGREE}
              checked={isAgreed}
              onChange={(e) => setAgreed(e.currentTarget.checked ? readOf(shown) : null)}
              data-autofocus={isBrand || undefined}
            />
          </div>
        )
      )}
    </Dialog>
  );
}

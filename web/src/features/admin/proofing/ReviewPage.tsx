import './proofing.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { api, rawFetch } from '@/api/client';
import { ProofingDecision } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { DescribedAddress, DocumentReview } from '@/api/types';
import { EditDialog } from '@/shared/crud/EditDialog';
import { checkboxField, textField } from '@/shared/form/fields';
import { formatDateTime, formatPhone } from '@/shared/format';
import { paths } from '@/shared/paths';
import { showDate } from '@/shared/rules/dates';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { PagePicture } from '@/shared/ui/PagePicture';
import { Chip } from '@/shared/ui/status';
import { useRefreshProofing } from './api';

type Decision = 'verify' | 'refuse';
type Props = { id: string; organization: string | undefined };

/** A photo ID beside the person as they describe themselves, and the decision. */
export function ReviewPage({ id, organization }: Props) {
  const go = useGo();
  const [decision, decide] = useState<Decision | null>(null);
  const back = () => go(paths.adminProofing);
  const query = useQuery({
    ...queryOf('get', '/api/admin/users/{id}/idproof/review', {
      params: { path: { id }, query: { organizationId: organization } },
    }),
    // Each visit is audited once, so nothing is cached.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    meta: { page: true },
  });
  const review = query.data;
  return (
    <>
      <BackHead
        title={review?.fullName ?? 'Photo ID'}
        back={{ label: 'Back to Identity proofing', run: back }}
        beside={review && <Chip state={review.isWaiting ? 'Pending' : 'Saved'}>{review.isWaiting ? 'Waiting' : 'Decided'}</Chip>}
        line={review && `${review.userName} · ${review.organizationName} · sent ${formatDateTime(review.uploadedAt)}`}
        actions={
          review?.isWaiting && (
            <>
              <Button variant="default" onClick={() => decide('refuse')}>
                Not Verified
              </Button>
              <Button onClick={() => decide('verify')}>Verified</Button>
            </>
          )
        }
      />
      <div className="cp-scroll prf-body">
        {query.error && !review && (
          <ErrorState title="The photo ID could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        )}
        {review && (
          <>
            <Person review={review} />
            <Pages review={review} />
          </>
        )}
      </div>
      {review && decision && <VerdictDialog decision={decision} review={review} onClose={() => decide(null)} onDone={back} />}
    </>
  );
}

const addressLines = (a: DescribedAddress) => [[a.addressLine, a.addressUnit].filter(Boolean).join(', '), `${a.city}, ${a.state} ${a.zip}`];

function Person({ review: { person, fullName, userName } }: { review: DocumentReview }) {
  const facts: [string, string[]][] = person
    ? [
        ['Name', [`${person.firstName} ${person.lastName}`]],
        ['Date of birth', [showDate(person.dateOfBirth)]],
        ['Address', addressLines(person.currentAddress)],
        ...(person.formerAddress ? [['Former address', addressLines(person.formerAddress)] as [string, string[]]] : []),
        ...(person.phoneNumber ? [['Phone', [formatPhone(person.phoneNumber)]] as [string, string[]]] : []),
      ]
    : [['Account', [fullName, userName]]];
  return (
    <section className="prf-person" aria-label="The person as described">
      <h2>{person ? 'From the person' : 'From the account'}</h2>
      {!person && <p className="cp-second">This person entered no details. Compare the name of the account.</p>}
      <dl>
        {facts.map(([name, lines]) => (
          <div key={name}>
            <dt className="cp-second">{name}</dt>
            {lines.map((line) => (
              <dd key={line}>{line}</dd>
            ))}
          </div>
        ))}
      </dl>
      <p className="cp-second">
        Compare photo, name, date of birth and the date of expiry. Your access is recorded in the audit trail of the organization.
      </p>
    </section>
  );
}

function Pages({ review }: { review: DocumentReview }) {
  if (review.pages == null)
    return (
      <div className="prf-pages">
        <Notice kind="warning">This file cannot be shown. Please choose “Not Verified” and ask for another one.</Notice>
      </div>
    );
  return (
    <section className="prf-pages" aria-label="Photo ID">
      {Array.from({ length: review.pages }, (_, i) => (
        <IdPage key={String(i)} review={review} page={i + 1} />
      ))}
    </section>
  );
}

/** A page as the server drew it, with the viewer's name and the time burned in. It is never kept. */
function IdPage({ review, page }: { review: DocumentReview; page: number }) {
  const path = `/api/admin/users/${review.userId}/idproof/pages/${page}?organizationId=${review.organizationId}`;
  const picture = useQuery({
    queryKey: ['proofing', path],
    queryFn: async () => (await rawFetch(path)).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const url = useMemo(() => picture.data && URL.createObjectURL(picture.data), [picture.data]);
  useEffect(
    () => () => {
      if (url) URL.revokeObjectURL(url);
    },
    [url],
  );
  if (picture.error)
    return <ErrorState title={`Page ${page} could not be loaded`} error={picture.error} onRetry={() => void picture.refetch()} />;
  if (!url) return <div className="prf-page cp-bone" role="status" aria-label="Loading" />;
  return (
    <PagePicture
      className="prf-page"
      src={url}
      alt={`Page ${page} of the ID of ${review.fullName}`}
      onRetry={() => void picture.refetch()}
    />
  );
}

const refuseFields = {
  reason: textField('Reason', { rows: 3, required: 'Please enter what is wrong, so that the next document can be accepted.' }),
  sendEmail: checkboxField('Tell the person by e-mail', { initial: true }),
};
const verifyFields = { sendEmail: checkboxField('Tell the person by e-mail', { initial: true }) };

type DialogProps = { decision: Decision; review: DocumentReview; onClose: () => void; onDone: () => void };

function VerdictDialog({ decision, review, onClose, onDone }: DialogProps) {
  const changed = useRefreshProofing();
  const { userId, organizationId, documentId } = review;
  const send = async (passed: boolean, { reason, sendEmail }: { reason?: string; sendEmail: boolean }) => {
    await api.POST('/api/admin/users/idproof', { body: { userId, organizationId, documentId, passed, reason: reason ?? '', sendEmail } });
    await changed();
  };
  const common = {
    noun: 'decision',
    subject: `${review.fullName}, ${review.organizationName}`,
    failed: "There was an error updating the user's ID Proofing Status.",
    done: 'Users Identity Proofing Status has been updated.',
    onClose,
    onSaved: onDone,
  };
  return decision === 'verify' ? (
    <EditDialog
      {...common}
      title="Verified"
      label="Verify"
      question="The photo ID shows the person as described. The organization can be activated."
      fields={verifyFields}
      save={(values) => send(true, values)}
    />
  ) : (
    <EditDialog
      {...common}
      title="Not Verified"
      label="Refuse"
      danger
      question="The file is removed, and the person is asked for another one."
      fields={refuseFields}
      limits={{ reason: ProofingDecision.reason }}
      save={(values) => send(false, values)}
    />
  );
}

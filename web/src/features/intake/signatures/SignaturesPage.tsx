import { useQuery } from '@tanstack/react-query';
import { IconWritingSign } from '@tabler/icons-react';
import type { SignatureItem, SignatureView } from '@/api/types';
import { isAdministrator } from '@/app/access';
import { useProfile } from '@/app/session';
import { saveSigningCertificates, signaturesQuery, useRefreshSignatures } from '@/domain/messaging/signatures/api';
import { formatDateTime } from '@/shared/format';
import { tellsOf, useFresh } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { CountFilter } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';

const VIEWS: { value: SignatureView; label: string; title: string; text: string }[] = [
  { value: 'waiting', label: 'To sign', title: 'Nothing to sign', text: 'Signature requests from colleagues appear here.' },
  {
    value: 'settled',
    label: 'Signed by you',
    title: 'You have signed nothing yet',
    text: 'Requests that you sign or decline appear here.',
  },
  {
    value: 'requested',
    label: 'Requested by you',
    title: 'You have requested no signature',
    text: 'Open a message and request signatures for its documents. The progress of your requests appears here.',
  },
];
const WORDS = { Waiting: 'To sign', Signed: 'Signed', Declined: 'Declined', Cancelled: 'Cancelled' };

const hrefOf = (s: SignatureItem) => {
  if (s.direction === 'Intake') return paths.intakeMessage(s.messageId);
  return s.isDraft ? paths.releaseDraft(s.messageId) : paths.releaseMessage(s.messageId);
};
const subjectOf = (s: SignatureItem) => s.subject || 'No subject';
const State = ({ of }: { of: SignatureItem }) => <Status state={of.state}>{WORDS[of.state]}</Status>;

const columnsOf = (view: SignatureView): Column<SignatureItem>[] => [
  { key: 'subject', title: 'Subject', primary: true, text: subjectOf },
  { key: 'patient', title: 'Patient', width: 180, drop: 2, text: (s) => s.patientName },
  view === 'requested'
    ? { key: 'signer', title: 'Signer', width: 180, text: (s) => s.signer.name }
    : { key: 'requestedBy', title: 'Requested by', width: 180, text: (s) => s.requestedBy.name },
  {
    key: 'note',
    title: view === 'waiting' ? 'Note' : 'Reason',
    width: 220,
    drop: 3,
    text: (s) => (view === 'waiting' ? s.note : s.reason),
  },
  { key: 'state', title: 'Status', width: 130, render: (s) => <State of={s} /> },
  {
    key: 'date',
    title: view === 'waiting' ? 'Requested' : 'Latest',
    width: 170,
    drop: 1,
    numeric: true,
    text: (s) => formatDateTime(s.settledOn ?? s.askedOn),
  },
];

/** The signature requests to the signed-in person, their signatures, and their own requests. */
export function SignaturesPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const isAdmin = isAdministrator(useProfile());
  const list = useListState({ size: 25 });
  const view = VIEWS.find((v) => v.value === list.filter('view')) ?? VIEWS[0]!;
  const query = useQuery({ ...signaturesQuery(view.value, list.page, list.size), meta: { page: true } });
  const refresh = useRefreshSignatures();
  useFresh((frame) => tellsOf(frame, 'intake') || tellsOf(frame, 'release'), refresh);
  return (
    <>
      <PageHead
        title="Signatures"
        beside={
          <CountFilter
            label="Quick views"
            fullWidth={isPhone}
            value={view.value}
            onChange={(v) => list.setFilter('view', v === 'waiting' ? undefined : v)}
            views={VIEWS}
          />
        }
        actions={isAdmin && !isPhone && <DownloadButton label="Signing certificates" size="sm" save={saveSigningCertificates} />}
      />
      <PagedList
        label="Signatures"
        noun="signatures"
        query={query}
        list={list}
        columns={columnsOf(view.value)}
        name={subjectOf}
        href={hrefOf}
        onOpen={(s) => go(hrefOf(s))}
        badge={(s) => <State of={s} />}
        second={(s) => (
          <span className="cp-ell">
            {[view.value === 'requested' ? s.signer.name : s.requestedBy.name, formatDateTime(s.settledOn ?? s.askedOn)].join(' · ')}
          </span>
        )}
        empty={<EmptyState icon={IconWritingSign} title={view.title} text={view.text} />}
      />
    </>
  );
}

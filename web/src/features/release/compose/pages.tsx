import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refreshOnly } from '@/api/query';
import type { Message } from '@/api/types';
import { queryClient, useProfile } from '@/app/session';
import { interoperabilityQuery, messageQuery, refreshMessage } from '@/domain/messaging/api';
import { reportError } from '@/shared/errors';
import { formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import { usePreference } from '@/shared/usePreference';
import { useGo } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { capabilitiesQuery, copyAsDraft, releaseTypesQuery, removeAttachment, sourcesQuery } from '../api';
import { Composer } from './Composer';
import { draftName, readKept } from './draftCache';
import {
  type ComposeValues,
  emptyValues,
  type FaxOptions,
  LAST_FROM,
  LAST_TYPE,
  type Mode,
  modeOfDraft,
  patientValues,
  quoted,
  valuesOf,
  withPrefix,
} from './model';
import { IncludeDialog } from './questions';
import { applyType, firstType } from './releaseType';
import { safeReturnUrl } from './rules';

/** Bones of the form while it loads. */
const Loading = () => (
  <div className="rel-loading" role="status" aria-label="Loading">
    <div className="cp-bone" style={{ width: '40%' }} />
    <div className="cp-bone" style={{ width: '70%' }} />
    <div className="cp-bone" style={{ width: '55%' }} />
  </div>
);

type ComposeProps = {
  mode: Mode;
  message: Message | null;
  /** The fields to begin with. */
  begin: (fax: FaxOptions) => ComposeValues;
  /** Key of the unsaved text, besides the person. */
  id: string | null;
  returnUrl: string | undefined;
  /** Number of restarts; earlier input is not restored. */
  round?: number;
  onReload?: () => void;
  /** Starts an empty one. */
  onAnew?: () => void;
  /** The original message. */
  original?: Message | null;
  isReferral?: boolean;
};

/** Loads what every release needs, then opens the form. */
function Compose({ mode, message, begin, id, returnUrl, round = 0, onReload, onAnew, original, isReferral = false }: ComposeProps) {
  const { userId, organizationId } = useProfile();
  const types = useQuery(releaseTypesQuery);
  const sources = useQuery(sourcesQuery(userId));
  const settings = useQuery(interoperabilityQuery);
  const [lastFrom] = usePreference(LAST_FROM, '');
  const [lastType] = usePreference(LAST_TYPE, '');
  const name = draftName(userId, organizationId, mode, id);
  const kept = useQuery({
    queryKey: ['unsaved', name],
    queryFn: () => readKept(name),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const failed = [types, sources, settings].find((q) => q.error && !q.data);
  if (failed) return <ErrorState title="The form could not be loaded" error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!types.data || !sources.data || !settings.data || kept.isPending) return <Loading />;
  const fax: FaxOptions = {
    includeCoverPage: !settings.data.suppressDefaultFaxCoverSheet,
    includeMessageBody: !settings.data.suppressDefaultFaxCoverSheet,
    includeAttachmentDescriptions: !settings.data.suppressFaxMetadataPages,
  };
  const begun = begin(fax);
  const type = mode === 'new' ? firstType(types.data, { isReferral, last: lastType }) : undefined;
  const first = type && !begun.releaseTypeId ? applyType(begun, type, { before: undefined, sources: sources.data }) : begun;
  const addresses = sources.data.map((s) => s.fullAddress);
  // An address that may no longer send is not offered.
  const from = [first.from, lastFrom].find((address) => addresses.includes(address)) ?? addresses[0] ?? '';
  return (
    <Composer
      key={`${name}.${round}`}
      mode={mode}
      start={{ ...first, from }}
      draftId={message?.id ?? null}
      draftVersion={message?.draftVersion}
      onReload={onReload}
      kept={round ? null : (kept.data ?? null)}
      onAnew={onAnew}
      keptName={name}
      releaseTypes={types.data}
      sources={sources.data}
      returnUrl={safeReturnUrl(returnUrl)}
      original={original}
      isReferral={isReferral}
    />
  );
}

type PageProps = { returnUrl?: string };

export function NewReleasePage({ returnUrl, referral }: PageProps & { referral?: boolean }) {
  const [round, setRound] = useState(0);
  const again = () => setRound((r) => r + 1);
  return (
    <Compose
      mode="new"
      message={null}
      begin={emptyValues}
      // Input of a referral is not restored in another release.
      id={referral ? 'referral' : null}
      returnUrl={returnUrl}
      isReferral={referral}
      round={round}
      onAnew={again}
    />
  );
}

/** A draft that was put aside, also one of a forward or a reply. */
export function DraftPage({ id, returnUrl }: PageProps & { id: string }) {
  const { data, error, refetch } = useQuery(messageQuery(id));
  const go = useGo();
  const [round, setRound] = useState(0);
  if (error && !data) return <ErrorState title="The draft could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (!data.isDraft) {
    return (
      <ErrorState title="This message has been sent already" error={null}>
        <Button variant="default" onClick={() => go(paths.releaseMessage(id), { replace: true })}>
          Show it
        </Button>
      </ErrorState>
    );
  }
  const mode = modeOfDraft(data);
  const begin = (fax: FaxOptions) => {
    const values = valuesOf(data, fax);
    return mode === 'forward' ? { ...values, subject: withPrefix('FW:', values.subject) } : values;
  };
  const again = () => setRound((r) => r + 1);
  return <Compose mode={mode} message={data} begin={begin} id={id} returnUrl={returnUrl} round={round} onReload={again} />;
}

function useOriginal(id: string) {
  const { data, error, refetch } = useQuery(messageQuery(id));
  const failed = error && !data && <ErrorState title="The message could not be loaded" error={error} onRetry={() => void refetch()} />;
  return { original: data, failed };
}

async function withoutFiles(id: string) {
  const { attachments } = await queryClient.fetchQuery(messageQuery(id));
  for (const a of attachments) await removeAttachment(id, a.id);
  await refreshMessage(queryClient, id);
}

/** Copies the original as a draft, then opens that draft. */
export function ForwardPage({ id, returnUrl }: PageProps & { id: string }) {
  const { original, failed } = useOriginal(id);
  const go = useGo();
  const [busy, setBusy] = useState<'include' | 'remove' | null>(null);
  const started = useRef(false);
  const back = safeReturnUrl(returnUrl) ?? paths.release();

  const start = async (include: boolean) => {
    if (started.current || !original) return;
    started.current = true;
    setBusy(include ? 'include' : 'remove');
    try {
      const copy = await copyAsDraft(id);
      if (!include) await withoutFiles(copy.id);
      go(paths.releaseForwardDraft(copy.id, returnUrl), { replace: true });
    } catch (error) {
      reportError(error);
      go(back, { replace: true });
    }
  };
  if (failed) return failed;
  if (!original) return <Loading />;
  if (original.attachments.length === 0) return <Start run={() => void start(true)} />;
  return (
    <IncludeDialog
      subject={original.subject || 'No subject'}
      count={original.attachments.length}
      busy={busy}
      onClose={() => busy === null && go(back, { replace: true })}
      onChoose={(include) => void start(include)}
    />
  );
}

/** Runs once when it appears. */
function Start({ run }: { run: () => void }) {
  const node = useRef(false);
  return (
    <div
      ref={(el) => {
        if (!el || node.current) return;
        node.current = true;
        run();
      }}
    >
      <Loading />
    </div>
  );
}

/** Refreshes cached document types from a connected system, without waiting. */
function useLookedUpTypes() {
  const isLookedUp = useQuery(capabilitiesQuery).data?.documentTypeLookup === true;
  useEffect(() => {
    if (isLookedUp) void refreshOnly(queryClient, '/api/documenttypes', '/api/integrations/documenttypes');
  }, [isLookedUp]);
}

/** Opens a reply to the sender of a message. The sender's documents stay beside it and are not sent back. */
export function ReplyPage({ id, returnUrl }: PageProps & { id: string }) {
  const { userId } = useProfile();
  const { original, failed } = useOriginal(id);
  useLookedUpTypes();
  const sources = useQuery(sourcesQuery(userId));
  if (failed) return failed;
  if (!original || sources.isPending) return <Loading />;
  const begin = (fax: FaxOptions): ComposeValues => {
    const received = [original.toAddress ?? '', ...(original.toAddresses ?? [])];
    const own = sources.data?.find((s) => received.some((a) => a.split(';').some((x) => x.trim() === s.fullAddress)));
    return {
      ...emptyValues(fax),
      from: own?.fullAddress ?? '',
      // Some interfaces have names instead of addresses.
      to: original.fromAddress && (original.sourceType !== 'Interface' || original.fromAddress.includes('@')) ? [original.fromAddress] : [],
      subject: withPrefix('RE:', original.subject ?? ''),
      body: quoted(original, formatDateTime(original.messageDate ?? original.createdDate)),
      patient: patientValues(original.patient),
      originalObjectId: id,
    };
  };
  const back = returnUrl ?? paths.intakeMessage(id);
  return <Compose mode="reply" message={null} begin={begin} id={id} returnUrl={back} original={original} />;
}

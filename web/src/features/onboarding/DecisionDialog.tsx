import './onboarding.css';
import { Button, FileButton, Progress } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconCircleCheck, IconClock } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Standing } from '@/api/types';
import { UploadCancelled } from '@/api/upload';
import { useProfile } from '@/app/session';
import { reportError } from '@/shared/errors';
import { formatSize } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { isOutdated, uploadDocument } from './api';
import { StepFoot } from './parts';

const ACCEPTED = '.pdf,.jpg,.jpeg,.png,.tif,.tiff';
const LIMIT = 10 * 1024 * 1024;
const TOO_LARGE = 'Your file exceeds the maximum (10MB) allowed size.';
const NO_FILE = 'Please select a file.';

type UploadProps = { onUploaded: (standing: Standing) => void; onOutdated: () => void };
type Props = UploadProps & { standing: Standing; onClose: () => void };

/** The result of identity proofing. */
export function DecisionDialog({ standing, onClose, ...upload }: Props) {
  if (standing.decision === 'Passed') return <PassedDialog onClose={onClose} />;
  if (standing.decision === 'UnderReview') return <UnderReviewDialog onClose={onClose} />;
  return <PhotoDialog standing={standing} {...upload} />;
}

function PassedDialog({ onClose }: { onClose: () => void }) {
  const profile = useProfile();
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Congratulations!"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" data-autofocus onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="onb-body">
        <p className="cp-row cp-strong">
          <IconCircleCheck size={20} stroke={1.8} color="var(--cp-success-fg)" aria-hidden />
          Your identity is verified.
        </p>
        <p>
          Your domain, {profile.domain}, is on the list that your operator submits to the national provider address book. This takes 2-3
          business days. We will send you an email as soon as your organization is activated.
        </p>
      </div>
    </Dialog>
  );
}

function UnderReviewDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Thank you"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" data-autofocus onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="onb-body">
        <p className="cp-row cp-strong">
          <IconClock size={20} stroke={1.8} aria-hidden />
          Your document is under review.
        </p>
        <p>
          Thank you for sending your photo ID. We will send you an email when the review is finished; there is nothing more to do for now.
        </p>
      </div>
    </Dialog>
  );
}

/** Asks for a photo ID: after wrong answers, after a rejected photo ID, or because this installation asks no questions. */
function PhotoDialog({ standing, onUploaded, onOutdated }: UploadProps & { standing: Standing }) {
  const hasFailed = standing.asksQuestions || standing.documentRefused;
  const go = useGo();
  const [file, setFile] = useState<File | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [share, setShare] = useState(0);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const upload = useMutation({
    mutationFn: (chosen: File) => {
      abort.current = new AbortController();
      return uploadDocument(chosen, setShare, abort.current.signal);
    },
    meta: { ownErrors: true },
    onSuccess: onUploaded,
    onError: (failure) => {
      if (failure instanceof UploadCancelled) return;
      const text = failure instanceof ApiError ? failure.modelState.file?.[0] : undefined;
      if (text) setError(text);
      else reportError(failure);
      if (isOutdated(failure)) onOutdated();
    },
  });
  const choose = (chosen: File | null) => {
    if (!chosen) return;
    setFile(chosen);
    setError(chosen.size > LIMIT ? TOO_LARGE : null);
  };
  const submit = () => {
    if (!file) setError(NO_FILE);
    else if (file.size <= LIMIT) upload.mutate(file);
  };
  return (
    <Dialog
      opened
      locked
      onClose={() => {}}
      title={hasFailed ? 'We could not verify your identity' : 'Send your photo ID'}
      size={560}
      footer={
        <StepFoot
          step={6}
          left={
            <Button size="md" variant="default" onClick={() => go(paths.logout)}>
              Close
            </Button>
          }
        >
          <Button size="md" onClick={submit} loading={upload.isPending}>
            Submit
          </Button>
        </StepFoot>
      }
    >
      <div className="onb-body">
        {standing.refusalReason && <Notice kind="warning">{standing.refusalReason}</Notice>}
        <p>
          Please send us a scan or a photograph of your government photo ID, such as a driver’s license or a passport. Our staff reviews it
          and tells you by email.
        </p>
        <div className="cp-row onb-file">
          <FileButton onChange={choose} accept={ACCEPTED} inputProps={{ 'aria-label': 'Photo ID' }} disabled={upload.isPending}>
            {(props) => (
              <Button {...props} variant="default" data-autofocus aria-describedby="photo-id-hint">
                Browse
              </Button>
            )}
          </FileButton>
          <span className="cp-grow cp-ell" title={file?.name}>
            {file ? `${file.name} (${formatSize(file.size)})` : <span className="cp-muted">No file chosen</span>}
          </span>
        </div>
        <p className="cp-muted" id="photo-id-hint">
          PDF, JPEG, PNG or TIFF, up to 10 MB. Closing signs you out; you can continue later.
        </p>
        {upload.isPending && <Progress value={share * 100} aria-label="Upload" />}
        {error && <Notice kind="error">{error}</Notice>}
      </div>
    </Dialog>
  );
}

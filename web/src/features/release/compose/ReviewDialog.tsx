import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { IconSend2, IconShieldLock } from '@tabler/icons-react';
import { useState } from 'react';
import type { Attachment, DifferingDocument } from '@/api/types';
import { DiffersFields, LOOK_FIRST } from '@/domain/messaging/patients/Differs';
import { formatAddress, formatSize } from '@/shared/format';
import { DateInput } from '@/shared/form/DateInput';
import { Form } from '@/shared/form/Form';
import { showDate } from '@/shared/rules/dates';
import { Breakable, NoticeList } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { FaxIcon } from '@/shared/ui/icons';
import { FaxPages } from './FaxPages';
import type { ComposeValues, Mode } from './model';
import { CONVERSIONS, isPatientEmpty } from './model';
import { hasFax } from './rules';

/** Tracked as a referral. */
type Referral = { reason: string; dueDate: string | null };
export type ReviewWords = { comments?: string; reasonForDisclosure: string; trackFax: boolean; referral: Referral | null };

type Props = {
  values: ComposeValues;
  mode: Mode;
  draftId: string;
  attachments: Attachment[];
  start: ReviewWords;
  /** The own number from which fax recipients are called, where it is not the sender's. */
  faxFrom: string | undefined;
  /** Fax responses can be tracked for this message. */
  canTrackFax: boolean;
  /** The obstacle to tracking it as a referral; null if not offered. */
  lacksForReferral: string | null;
  /** Fax numbers that the organization has never sent to. */
  newNumbers: string[];
  /** Documents that name another patient. */
  differing: DifferingDocument[];
  busy: boolean;
  errors: string[];
  onClose: (words: ReviewWords) => void;
  onConfirm: (words: ReviewWords, acceptsPatient: boolean) => void;
};

function Recipients({ label, addresses }: { label: string; addresses: string[] }) {
  if (addresses.length === 0) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd className="rel-review-to">
        {addresses.map((a) => (
          <span key={a} className="cp-row">
            {a.includes('@') ? <IconShieldLock size={16} stroke={1.6} aria-hidden /> : <FaxIcon size={16} stroke={1.6} aria-hidden />}
            <span className="cp-wrap">
              <Breakable text={formatAddress(a)} />
            </span>
          </span>
        ))}
      </dd>
    </>
  );
}

type ReferralProps = { value: Referral | null; lacks: string; error: false | string; onChange: (value: Referral | null) => void };

/** Follows the release until its result is back. */
function ReferralFields({ value, lacks, error, onChange }: ReferralProps) {
  const isOn = value !== null && lacks === '';
  return (
    <>
      <Checkbox
        label="Track as referral"
        description={lacks || 'Followed under Referrals until the result is back.'}
        disabled={lacks !== ''}
        checked={isOn}
        onChange={(e) => onChange(e.currentTarget.checked ? { reason: '', dueDate: null } : null)}
      />
      {isOn && (
        <div className="rel-pair">
          <TextInput
            size="md"
            label="Reason"
            required
            maxLength={500}
            value={value.reason}
            error={error}
            onChange={(e) => onChange({ ...value, reason: e.currentTarget.value })}
          />
          <DateInput
            size="md"
            label="Result due"
            description="Default: 30 days"
            allowFuture
            value={value.dueDate}
            onChange={(dueDate) => onChange({ ...value, dueDate })}
          />
        </div>
      )}
    </>
  );
}

/** Sender, recipients and patient, as they will be sent. */
function Facts({ values, attachments, faxFrom }: Pick<Props, 'values' | 'attachments' | 'faxFrom'>) {
  const { patient } = values;
  const name = [patient.lastName, [patient.firstName, patient.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return (
    <dl className="cp-kv rel-review">
      <dt>Subject</dt>
      <dd className="cp-strong">{values.subject || 'No subject'}</dd>
      {!isPatientEmpty(patient) && (
        <>
          <dt>Patient</dt>
          <dd className="cp-num">{[name, showDate(patient.birthDate)].filter(Boolean).join(' · ')}</dd>
        </>
      )}
      <dt>From</dt>
      <dd className="cp-wrap">
        <Breakable text={formatAddress(values.from)} />
      </dd>
      {faxFrom && (
        <>
          <dt>Faxed from</dt>
          <dd className="cp-num">{formatAddress(faxFrom)}</dd>
        </>
      )}
      <Recipients label="To" addresses={values.to} />
      <Recipients label="Cc" addresses={values.cc} />
      <Recipients label="Bcc" addresses={values.bcc} />
      {values.conversion && attachments.length > 0 && (
        <>
          <dt>Attachments as</dt>
          <dd>{CONVERSIONS[values.conversion]}</dd>
        </>
      )}
    </dl>
  );
}

function Files({ attachments }: Pick<Props, 'attachments'>) {
  if (attachments.length === 0) return <p className="cp-muted rel-none">No attachments added.</p>;
  return (
    <table className="cp-table cp-mini cp-flat rel-review-files" aria-label="Attachments">
      <thead>
        <tr>
          <th>Attachment</th>
          <th className="rel-review-type">Document type</th>
          <th className="rel-review-date">Date</th>
          <th className="rel-review-size n">Size</th>
        </tr>
      </thead>
      <tbody>
        {attachments.map((a) => (
          <tr key={a.id}>
            <td className="p" title={a.fileName}>
              {a.fileName}
            </td>
            <td className="rel-review-type">{a.attachmentMeta?.documentType}</td>
            <td className="cp-num">{showDate(a.attachmentMeta?.documentDate)}</td>
            <td className="n cp-num">{formatSize(a.sizeInBytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type NumbersProps = { numbers: string[]; isChecked: boolean; onCheck: (checked: boolean) => void; lacks: boolean };

/** Confirmation of fax numbers that are used for the first time. */
const NewNumbers = ({ numbers, isChecked, onCheck, lacks }: NumbersProps) => (
  <Checkbox
    label={`I have checked ${numbers.map(formatAddress).join(', ')}`}
    description="First fax to this number. A misdirected fax cannot be recalled."
    checked={isChecked}
    onChange={(e) => onCheck(e.currentTarget.checked)}
    error={lacks && 'Please check the number and confirm it.'}
  />
);

/** Confirmations required before sending. */
type Lack = 'look' | 'check' | 'reason';

/** The input of the review, and its gaps. */
function useReviewWords({ mode, start, canTrackFax, lacksForReferral, newNumbers, differing }: Props) {
  const hasComments = mode === 'new' || mode === 'draft';
  const [comments, setComments] = useState(start.comments ?? '');
  const [reason, setReason] = useState(start.reasonForDisclosure);
  const [trackFax, setTrackFax] = useState(start.trackFax);
  const [referral, setReferral] = useState(start.referral);
  const [isChecked, setChecked] = useState(false);
  const [acceptsPatient, setAcceptsPatient] = useState(false);
  const [lacks, setLacks] = useState<ReadonlySet<Lack>>(new Set());
  const clearLack = (lack: Lack) => setLacks((all) => new Set([...all].filter((l) => l !== lack)));
  const isReferral = referral !== null && lacksForReferral === '';
  const words: ReviewWords = {
    ...(hasComments ? { comments } : {}),
    reasonForDisclosure: reason,
    trackFax: canTrackFax && trackFax,
    referral,
  };
  return {
    hasComments,
    comments,
    setComments,
    reason,
    setReason,
    trackFax,
    setTrackFax,
    referral,
    setReferral: (next: Referral | null) => {
      setReferral(next);
      clearLack('reason');
    },
    isChecked,
    check: (checked: boolean) => {
      setChecked(checked);
      clearLack('check');
    },
    acceptsPatient,
    acceptPatient: (accepts: boolean) => {
      setAcceptsPatient(accepts);
      clearLack('look');
    },
    words,
    lacks,
    /** The values to send; null if something is missing, which is shown from then on. */
    confirmed: (): ReviewWords | null => {
      const lack: Lack | null =
        differing.length > 0 && !acceptsPatient
          ? 'look'
          : newNumbers.length > 0 && !isChecked
            ? 'check'
            : isReferral && !referral.reason.trim()
              ? 'reason'
              : null;
      if (!lack) return { ...words, referral: isReferral ? referral : null };
      setLacks((all) => new Set([...all, lack]));
      return null;
    },
  };
}

type FieldsProps = Pick<Props, 'canTrackFax' | 'lacksForReferral' | 'newNumbers' | 'errors'> & { form: ReturnType<typeof useReviewWords> };

function Fields({ form, canTrackFax, lacksForReferral, newNumbers, errors }: FieldsProps) {
  return (
    <div className="rel-form">
      {form.hasComments && (
        <Textarea
          data-autofocus
          size="md"
          label="Comments"
          placeholder="Added to the message"
          rows={2}
          value={form.comments}
          onChange={(e) => form.setComments(e.currentTarget.value)}
        />
      )}
      <Textarea
        data-autofocus={!form.hasComments || undefined}
        size="md"
        label="Reason for disclosure"
        description="Kept in your records, never sent"
        rows={2}
        value={form.reason}
        onChange={(e) => form.setReason(e.currentTarget.value)}
      />
      {canTrackFax && (
        <Checkbox label="Track Fax Responses" checked={form.trackFax} onChange={(e) => form.setTrackFax(e.currentTarget.checked)} />
      )}
      {lacksForReferral !== null && (
        <ReferralFields
          value={form.referral}
          lacks={lacksForReferral}
          error={form.lacks.has('reason') && 'Please say why the patient is referred.'}
          onChange={form.setReferral}
        />
      )}
      {newNumbers.length > 0 && (
        <NewNumbers numbers={newNumbers} isChecked={form.isChecked} onCheck={form.check} lacks={form.lacks.has('check')} />
      )}
      <NoticeList kind="error" messages={errors} />
    </div>
  );
}

/** The review before sending. */
export function ReviewDialog(props: Props) {
  const { values, draftId, attachments, faxFrom, canTrackFax, lacksForReferral, newNumbers, differing, busy, errors } = props;
  const form = useReviewWords(props);
  const close = () => !busy && props.onClose(form.words);
  return (
    <Dialog
      opened
      onClose={close}
      title="Review and send"
      footer={
        <>
          <span className="cp-kbdhint rel-hint">Ctrl+Enter confirms</span>
          <div className="cp-grow" />
          <Button size="md" variant="default" disabled={busy} onClick={close}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="review" loading={busy} leftSection={<IconSend2 size={17} stroke={1.8} />}>
            Confirm
          </Button>
        </>
      }
    >
      <Form
        id="review"
        onSubmit={(e) => {
          e.preventDefault();
          if (busy) return;
          const words = form.confirmed();
          if (words) props.onConfirm(words, form.acceptsPatient);
        }}
      >
        <Facts values={values} attachments={attachments} faxFrom={faxFrom} />
        {differing.length > 0 && (
          <DiffersFields
            documents={differing}
            chosen={values.patient}
            isAccepted={form.acceptsPatient}
            onAccept={form.acceptPatient}
            error={form.lacks.has('look') && LOOK_FIRST}
          />
        )}
        <Files attachments={attachments} />
        {hasFax([...values.to, ...values.cc, ...values.bcc]) && <FaxPages draftId={draftId} />}
        <Fields form={form} canTrackFax={canTrackFax} lacksForReferral={lacksForReferral} newNumbers={newNumbers} errors={errors} />
      </Form>
    </Dialog>
  );
}

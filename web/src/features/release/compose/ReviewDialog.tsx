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

/** That it is followed as a referral. */
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
  /** What keeps it from being followed as a referral; null where that is not offered. */
  lacksForReferral: string | null;
  /** Fax numbers that nobody of the organization has sent to. */
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

/** The last look before a message leaves. */
export function ReviewDialog({
  values,
  mode,
  draftId,
  attachments,
  start,
  faxFrom,
  canTrackFax,
  lacksForReferral,
  newNumbers,
  differing,
  busy,
  errors,
  onClose,
  onConfirm,
}: Props) {
  const isNew = mode === 'new' || mode === 'draft';
  const [comments, setComments] = useState(start.comments ?? '');
  const [reason, setReason] = useState(start.reasonForDisclosure);
  const [trackFax, setTrackFax] = useState(start.trackFax);
  const [checked, setChecked] = useState(false);
  const [lacksCheck, setLacksCheck] = useState(false);
  const [acceptsPatient, setAcceptsPatient] = useState(false);
  const [lacksLook, setLacksLook] = useState(false);
  const [referral, setReferral] = useState(start.referral);
  const [lacksReason, setLacksReason] = useState(false);
  const isReferral = referral !== null && lacksForReferral === '';
  const words: ReviewWords = { ...(isNew ? { comments } : {}), reasonForDisclosure: reason, trackFax: canTrackFax && trackFax, referral };
  const { patient } = values;
  const close = () => !busy && onClose(words);
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
          if (differing.length > 0 && !acceptsPatient) setLacksLook(true);
          else if (newNumbers.length > 0 && !checked) setLacksCheck(true);
          else if (isReferral && !referral.reason.trim()) setLacksReason(true);
          else onConfirm({ ...words, referral: isReferral ? referral : null }, acceptsPatient);
        }}
      >
        <dl className="cp-kv rel-review">
          <dt>Subject</dt>
          <dd className="cp-strong">{values.subject || 'No subject'}</dd>
          {!isPatientEmpty(patient) && (
            <>
              <dt>Patient</dt>
              <dd className="cp-num">
                {[
                  [patient.lastName, [patient.firstName, patient.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', '),
                  showDate(patient.birthDate),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </dd>
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
        {differing.length > 0 && (
          <DiffersFields
            documents={differing}
            chosen={patient}
            isAccepted={acceptsPatient}
            onAccept={(accepted) => {
              setAcceptsPatient(accepted);
              setLacksLook(false);
            }}
            error={lacksLook && LOOK_FIRST}
          />
        )}
        {attachments.length > 0 ? (
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
        ) : (
          <p className="cp-muted rel-none">No attachments added.</p>
        )}
        {hasFax([...values.to, ...values.cc, ...values.bcc]) && <FaxPages draftId={draftId} />}
        <div className="rel-form">
          {isNew && (
            <Textarea
              data-autofocus
              size="md"
              label="Comments"
              placeholder="Added to the message"
              rows={2}
              value={comments}
              onChange={(e) => setComments(e.currentTarget.value)}
            />
          )}
          <Textarea
            data-autofocus={!isNew || undefined}
            size="md"
            label="Reason for disclosure"
            description="Kept in your records, never sent"
            rows={2}
            value={reason}
            onChange={(e) => setReason(e.currentTarget.value)}
          />
          {canTrackFax && (
            <Checkbox label="Track Fax Responses" checked={trackFax} onChange={(e) => setTrackFax(e.currentTarget.checked)} />
          )}
          {lacksForReferral !== null && (
            <ReferralFields
              value={referral}
              lacks={lacksForReferral}
              error={lacksReason && 'Please say why the patient is referred.'}
              onChange={(next) => {
                setReferral(next);
                setLacksReason(false);
              }}
            />
          )}
          {newNumbers.length > 0 && (
            <Checkbox
              label={`I have checked ${newNumbers.map(formatAddress).join(', ')}`}
              description="First fax to this number. A misdirected fax cannot be recalled."
              checked={checked}
              onChange={(e) => {
                setChecked(e.currentTarget.checked);
                setLacksCheck(false);
              }}
              error={lacksCheck && 'Please check the number and confirm it.'}
            />
          )}
          <NoticeList kind="error" messages={errors} />
        </div>
      </Form>
    </Dialog>
  );
}

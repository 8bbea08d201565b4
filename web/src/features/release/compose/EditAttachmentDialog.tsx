import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Attachment, AttachmentMeta } from '@/api/types';
import { isStructured } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { Form } from '@/shared/form/Form';
import { isoDate } from '@/shared/rules/dates';
import { Dialog } from '@/shared/ui/Dialog';
import { AttachmentFields, metaOf } from './AttachDialog';
import { DocumentOrders } from './DocumentOrders';
import type { PatientValues } from './model';
import { type AttachErrors, attachErrors, type AttachValues, type DateChoice } from './rules';

type Props = {
  attachment: Attachment;
  /** The patient of the release, whose orders the document can belong to. */
  patient: PatientValues;
  busy: boolean;
  onClose: () => void;
  onSave: (meta: AttachmentMeta) => void;
};

/** Edits the metadata of an attached file. */
export function EditAttachmentDialog({ attachment, patient, busy, onClose, onSave }: Props) {
  const meta = attachment.attachmentMeta;
  const ownDate = (attachment.createdDate ?? '').slice(0, 10) || isoDate(now());
  const [values, setValues] = useState<AttachValues>(() => ({
    documentType: meta?.documentType ?? '',
    confidentiality: meta?.confidentiality ?? '',
    dateType: (meta?.documentDateType as DateChoice | null) ?? 'selected',
    date: meta?.documentDate ?? '',
    notes: meta?.documentDescription ?? '',
  }));
  const [errors, setErrors] = useState<AttachErrors>({});
  const [orderIds, setOrderIds] = useState(meta?.integrationMeta?.orderIds ?? []);
  const save = () => {
    const found = attachErrors(values, [attachment.fileName], now());
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    const isInChart = orderIds.length > 0 || Boolean(meta?.integrationMeta);
    onSave({ ...metaOf(values), ...(isInChart && { integrationMeta: { ...meta?.integrationMeta, orderIds } }) });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Edit attachment"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="edit-attachment" loading={busy}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="edit-attachment"
        className="rel-form"
        onSubmit={(e) => {
          e.preventDefault();
          save();
        }}
      >
        <p className="cp-subject">{attachment.fileName}</p>
        <AttachmentFields
          values={values}
          onChange={setValues}
          errors={errors}
          ownDate={meta?.documentDateType === 'message' && meta.documentDate ? meta.documentDate : ownDate}
          structured={isStructured(attachment)}
        />
        <DocumentOrders patient={patient} value={orderIds} onChange={setOrderIds} />
      </Form>
    </Dialog>
  );
}

import { IconLock } from '@tabler/icons-react';
import type { Attachment, Proposals } from '@/api/types';
import { MetaFields } from '@/domain/messaging/MetaFields';
import { attachmentEditable, type Export, isStructured, META_LABELS } from '@/domain/messaging/rules';
import { useMayOpen } from '@/domain/messaging/viewer/restricted';
import { Proposal } from './Proposal';
import { ChangedFields, SaveNote } from './saving';
import type { MetaForm } from './useMetaForms';

type Props = {
  form: MetaForm;
  attachment: Attachment;
  settings: Export;
  messageDate?: string | null;
  proposed?: Proposals['documentType'];
  size?: 'sm' | 'md';
};

/** The metadata of the current file. A structured document states its own. */
export function DocumentPane({ form, attachment, settings, messageDate, proposed, size = 'sm' }: Props) {
  const mayOpen = useMayOpen();
  const structured = isStructured(attachment);
  const editable = attachmentEditable('intake', settings, attachment, true);
  return (
    <section className="cp-sec" aria-labelledby="document-pane">
      <div className="cp-sec-h">
        <h2 id="document-pane">Document</h2>
        {structured ? (
          <span className="cp-row cp-muted cp-tiny">
            <IconLock size={14} stroke={1.6} aria-hidden /> From the document
          </span>
        ) : (
          <span className="cp-muted cp-ell cp-tiny">{attachment.fileName}</span>
        )}
        <div className="cp-grow" />
        <SaveNote state={form.state} onRetry={() => void form.flush()} />
      </div>
      <ChangedFields conflicts={form.conflicts} labels={META_LABELS} onChoose={form.choose} />
      {proposed && editable && !structured && !form.draft.documentType && (
        <Proposal
          what="Document type"
          name={proposed.name}
          ending="were filed as that"
          because={proposed.because}
          onTake={() => {
            form.change({ documentType: proposed.name });
            form.done();
          }}
        />
      )}
      <MetaFields
        size={size}
        value={form.draft}
        onChange={form.change}
        onDone={form.done}
        errors={form.errors}
        messageDate={messageDate}
        disabled={!editable}
        isClosed={!mayOpen(attachment)}
        required={!structured && !settings.nonPatientExport && settings.exportMode !== 'print'}
      />
    </section>
  );
}

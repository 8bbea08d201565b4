import { UnstyledButton } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ConnectionType, ConnectivityReport, EhrConnection } from '@/api/types';
import type { Limits } from '@/api/limits';
import { Fields, type FieldTable } from '@/shared/form/fields';
import { useAsk } from '@/shared/ui/AskDialog';
import { InlineBox, NoticeList } from '@/shared/ui/blocks';
import { BodyTemplate } from './BodyTemplate';
import { fieldsOf, limits, messageFields, messageLimits } from './fields';
import { MayDo } from './MayDo';
import { copyKeyAddress, Registration } from './Registration';
import { Reports } from './Reports';
import { TestReport } from './TestReport';
import { Token } from './Token';
import type { EditorState } from './useEditor';
import type { Test } from './useTests';
import { describeExample } from './words';

type Props = {
  editor: EditorState;
  test: Test | undefined;
  /** The kind of system; nothing before the kinds are known. */
  type: ConnectionType | undefined;
  /** It was added just now. */
  isNew: boolean;
};

/** Puts the cursor in the field that mends a failed test. */
function useMendingField(report: ConnectivityReport | undefined, { form, asked }: EditorState) {
  const keyButton = useRef<HTMLButtonElement>(null);
  const focus = useEffectEvent((field: string) => {
    const node = field === 'newKey' ? keyButton.current : form.getInputNode(field);
    node?.focus();
    node?.scrollIntoView?.({ block: 'nearest' });
  });
  // Behind a question, it would take the focus from that.
  const field = asked ? undefined : report?.field;
  useEffect(() => {
    if (!field) return;
    const frame = requestAnimationFrame(() => focus(field));
    return () => cancelAnimationFrame(frame);
  }, [field, report]);
  return keyButton;
}

/** Asks for a new key pair. */
function useNewKey({ record, renewKey, busy }: EditorState) {
  const [ask, question] = useAsk();
  const renew = (connection: EhrConnection) =>
    ask({
      title: 'New key',
      subject: connection.name,
      question:
        'The connection signs in with the new key at once. An EHR that reads our keys from their address needs nothing more; any other needs the new key set or certificate. The current key stays published until the next one. Create a new key?',
      label: 'Create new key',
      run: renewKey,
      failed: 'The key could not be created. Please try again.',
    });
  return [record && !busy ? () => renew(record) : undefined, question] as const;
}

/** The settings of a connection, its last test and what the EHR has to know of us. */
export function EditorParts({ editor, test, type, isNew }: Props) {
  const { kind, form, record } = editor;
  const { reach, filing, advanced, active } = fieldsOf(kind).parts;
  const report = test?.report;
  const keyButton = useMendingField(report, editor);
  const [onNewKey, question] = useNewKey(editor);
  const part = (of: FieldTable, within: Limits = limits) => <Fields of={of} limits={within} form={form as never} isNew={!record} />;
  const copyKey = ({ field }: ConnectivityReport) =>
    field === 'newKey' &&
    record && (
      <UnstyledButton className="cp-link" onClick={() => copyKeyAddress(record)}>
        Copy address of our keys
      </UnstyledButton>
    );
  const filingTitle = kind === 'WebService' ? 'Sending' : 'Filing';
  const offered = report?.offered.length ? report.offered : (record?.offered ?? []);
  return (
    <>
      {(editor.conflict.banner || editor.formErrors.length > 0) && (
        <div className="cp-sec">
          {editor.conflict.banner}
          <NoticeList kind="error" messages={editor.formErrors} />
        </div>
      )}
      <TestReport kind={kind} test={test} onTest={type?.isAllowed === false ? undefined : editor.test} action={copyKey} />
      <div className="cp-sec">
        {part(reach)}
        {kind === 'Hl7' && part(messageFields, messageLimits)}
        {kind === 'WebService' && <Token editor={editor} isRefused={report?.field === 'secret'} />}
      </div>
      {kind === 'Fhir' && (
        <Registration
          authentication={form.values.authentication}
          connection={record}
          redirectUrl={type?.redirectUrl}
          news={editor.isRekeyed ? 'rekeyed' : isNew ? 'added' : undefined}
          onNewKey={onNewKey}
          mainButton={keyButton}
        />
      )}
      {kind === 'Hl7' && <Reports connection={record} />}
      {kind === 'WebService' ? (
        <BodyTemplate editor={editor} type={type} />
      ) : (
        <MayDo
          all={type?.capabilities ?? offered}
          offered={offered}
          unused={form.values.unused}
          onChange={(unused) => form.setFieldValue('unused', unused)}
        />
      )}
      <section className="cp-sec" aria-label={filingTitle}>
        <div className="cp-sec-h">
          <h3>{filingTitle}</h3>
        </div>
        {part(filing)}
        <p className="cp-second int-line">Example of a description: “{describeExample(form.values.descriptionTemplate)}”</p>
      </section>
      <div className="cp-sec int-part">
        {kind === 'Fhir' && (
          <InlineBox title="Advanced" isWrong={Boolean(form.errors.scopes) || report?.field === 'scopes'}>
            {part(advanced)}
          </InlineBox>
        )}
        {part(active)}
      </div>
      {question}
    </>
  );
}

import { UnstyledButton } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ConnectivityReport, EhrConnection } from '@/api/types';
import { Fields, type FieldTable } from '@/shared/form/fields';
import { useAsk } from '@/shared/ui/AskDialog';
import { InlineBox, NoticeList } from '@/shared/ui/blocks';
import { activeFields, advancedFields, filingFields, limits, reachFields } from './fields';
import { MayDo } from './MayDo';
import { copyKeyAddress, Registration } from './Registration';
import { TestReport } from './TestReport';
import type { EditorState } from './useEditor';
import type { Test } from './useTests';
import { describeExample } from './words';

type Props = {
  editor: EditorState;
  test: Test | undefined;
  isAllowed: boolean;
  redirectUrl: string | undefined;
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
export function EditorParts({ editor, test, isAllowed, redirectUrl, isNew }: Props) {
  const { form, record } = editor;
  const report = test?.report;
  const keyButton = useMendingField(report, editor);
  const [onNewKey, question] = useNewKey(editor);
  const part = (of: FieldTable) => <Fields of={of} limits={limits} form={form as never} isNew={!record} />;
  const copyKey = ({ field }: ConnectivityReport) =>
    field === 'newKey' &&
    record && (
      <UnstyledButton className="cp-link" onClick={() => copyKeyAddress(record)}>
        Copy address of our keys
      </UnstyledButton>
    );
  const offered = report?.offered.length ? report.offered : (record?.offered ?? []);
  return (
    <>
      {(editor.conflict.banner || editor.formErrors.length > 0) && (
        <div className="cp-sec">
          {editor.conflict.banner}
          <NoticeList kind="error" messages={editor.formErrors} />
        </div>
      )}
      <TestReport test={test} onTest={isAllowed ? editor.test : undefined} action={copyKey} />
      <div className="cp-sec">{part(reachFields)}</div>
      <Registration
        authentication={form.values.authentication}
        connection={record}
        redirectUrl={redirectUrl}
        news={editor.isRekeyed ? 'rekeyed' : isNew ? 'added' : undefined}
        onNewKey={onNewKey}
        mainButton={keyButton}
      />
      <MayDo offered={offered} unused={form.values.unused} onChange={(unused) => form.setFieldValue('unused', unused)} />
      <section className="cp-sec" aria-label="Filing">
        <div className="cp-sec-h">
          <h3>Filing</h3>
        </div>
        {part(filingFields)}
        <p className="cp-second int-line">Example of a description: “{describeExample(form.values.descriptionTemplate)}”</p>
      </section>
      <div className="cp-sec int-part">
        <InlineBox title="Advanced" isWrong={Boolean(form.errors.scopes) || report?.field === 'scopes'}>
          {part(advancedFields)}
        </InlineBox>
        {part(activeFields)}
      </div>
      {question}
    </>
  );
}
